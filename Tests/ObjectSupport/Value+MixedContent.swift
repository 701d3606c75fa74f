import HoldfastObjectModel

/// What the model knows of `mixed` values, written anew from the documentation.
extension Value {
    /// The place of the value's kind in the order of values.
    private var rank: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .int, .double, .float, .decimal: 2
        case .string: 3
        case .data: 4
        case .date: 5
        case .objectID: 6
        case .uuid: 7
        case .link: 8
        case .list: 9
        case .map: 10
        }
    }

    /// The number, of those that a double holds exactly.
    private var plainNumber: Double {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        case .float(let value): Double(value)
        case .decimal(let value): Double(value.description) ?? .nan
        default: .nan
        }
    }

    /// Whether the value comes before one of another kind, or of the same kind in a list or map.
    func precedesInMixed(_ other: Value) -> Bool {
        if rank != other.rank { return rank < other.rank }
        switch (self, other) {
        case (.list(let a), .list(let b)): return Self.precedes(a, b)
        case (.map(let a), .map(let b)):
            for (x, y) in zip(a, b) {
                if x.key != y.key { return x.key.utf8.lexicographicallyPrecedes(y.key.utf8) }
                if x.value.precedes(y.value) { return true }
                if y.value.precedes(x.value) { return false }
            }
            return a.count < b.count
        default: return rank == 2 && plainNumber < other.plainNumber
        }
    }

    private static func precedes(_ a: [Value], _ b: [Value]) -> Bool {
        for (x, y) in zip(a, b) {
            if x.precedes(y) { return true }
            if y.precedes(x) { return false }
        }
        return a.count < b.count
    }

    /// The links in the value.
    var linksInMixed: [Value] {
        switch self {
        case .link: [self]
        case .list(let values): values.flatMap(\.linksInMixed)
        case .map(let entries): entries.flatMap(\.value.linksInMixed)
        default: []
        }
    }

    /// The value without its links to one object, within it: gone from lists, null in maps.
    func withoutInMixed(_ link: Value) -> Value {
        switch self {
        case link: .null
        case .list(let values):
            .list(values.filter { $0 != link }.map { $0.withoutInMixed(link) })
        case .map(let entries):
            .map(entries.map { MapEntry($0.key, $0.value.withoutInMixed(link)) })
        default: self
        }
    }
}

extension Content {
    /// The links in a `mixed` value or in a collection of such values.
    var linksInMixed: [Value] {
        switch self {
        case .value(let value): value.linksInMixed
        case .values(let values): values.flatMap(\.linksInMixed)
        case .entries(let entries): entries.inDraftOrder.flatMap { $0.1.linksInMixed }
        default: []
        }
    }
}
