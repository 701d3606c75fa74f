import HoldfastObjectModel

/// What an object holds or a draft states, by property.
package typealias ObjectContent = [String: Content]

/// What one property holds, as a plain value that tests compare.
package indirect enum Content: Hashable, Sendable {
    /// Null, a scalar, or a link by the target's identity.
    case value(Value)
    /// A collection of scalars or links. The elements of a set stand in value order.
    case values([Value])
    /// An embedded object.
    case embedded(ObjectContent)
    /// A list of embedded objects.
    case embeddedList([ObjectContent])
    /// A map: null, scalars, links or embedded objects by key.
    case entries([String: Content])
    /// In a draft: an entry of a map that goes.
    case removed
    /// In a draft: a link that states its target in full.
    case nested(ObjectContent)
    /// In a draft: links, each by identity or in full.
    case nestedList([Content])
    /// In a reference: something that the store has made up, such as a random identifier. Equal
    /// numbers are equal values.
    case generated(ScalarType, Int)

    /// Null.
    package static let null = Content.value(.null)
    /// A link to an object by its primary key, or by its object key where the class has none.
    package static func link(_ className: String, _ key: Value) -> Content {
        .value(.link(className: className, key: key))
    }
}

extension [String: Content] {
    /// The entries of a map in the order in which drafts state them, which is not that of the keys.
    package var inDraftOrder: [(key: String, value: Content)] {
        sorted { $1.key.utf8.lexicographicallyPrecedes($0.key.utf8) }
    }
}

/// An object's class and primary key, or object key where the class has no primary key.
package struct Identity: Hashable, Sendable, Comparable {
    /// The class's name.
    package var className: String
    /// The key.
    package var key: Value

    /// Names an object.
    package init(_ className: String, _ key: Value) {
        self.className = className
        self.key = key
    }

    /// The identity as a link's value.
    package var link: Value { .link(className: className, key: key) }

    package static func < (a: Identity, b: Identity) -> Bool {
        a.className == b.className
            ? a.key.precedes(b.key) : a.className < b.className
    }
}

extension Value {
    /// Whether the value comes before another of its type; null comes first.
    ///
    /// Written anew from the documentation, as the model that encodings are compared with.
    package func precedes(_ other: Value) -> Bool {
        switch (self, other) {
        case (.null, .null): false
        case (.null, _): true
        case (.bool(let a), .bool(let b)): !a && b
        case (.int(let a), .int(let b)): a < b
        case (.double(let a), .double(let b)): a.isNaN ? !b.isNaN : a < b
        case (.float(let a), .float(let b)): a.isNaN ? !b.isNaN : a < b
        case (.decimal(let a), .decimal(let b)): a.ordinal < b.ordinal
        case (.string(let a), .string(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        case (.data(let a), .data(let b)): a.lexicographicallyPrecedes(b)
        case (.date(let a), .date(let b)):
            a.seconds == b.seconds ? a.nanoseconds < b.nanoseconds : a.seconds < b.seconds
        case (.objectID(let a), .objectID(let b)): a.description < b.description
        case (.uuid(let a), .uuid(let b)): a.description < b.description
        case (.link(let a, let key), .link(let b, let other)):
            a == b ? key.precedes(other) : a < b
        default: precedesInMixed(other)
        }
    }

    /// The values as a set's elements: in order, each once.
    package static func canonicalSet(_ values: [Value]) -> [Value] {
        var result: [Value] = []
        for value in values.sorted(by: { $0.precedes($1) })
        where result.last.map({ $0.precedes(value) }) ?? true { result.append(value) }
        return result
    }
}
