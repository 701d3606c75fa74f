import Rows

/// A comparison of values that all lie behind one to-one link, and take reading several objects or elements
/// to find: as `country.cities.@max.population > 1000000` asked of cities.
///
/// It says the same of all objects with the same target, so it is evaluated once for each target and
/// remembered. Without that such a query costs the product of two classes.
final class SharedTargetNode: MatchNode {
    /// Bounds the memory, some 40 bytes for each: further targets are evaluated each time.
    private static let targetCountMax = 1 << 17

    private let rowClass: RowClass
    private let link: Int
    private let part: MatchNode
    private var results: [UInt64: Bool] = [:]
    /// The snapshot that the results are of. Weak, so that another one at the same address is not taken
    /// for it.
    private weak var boundSource: (any ObjectSource)?

    /// - `link`: The to-one link, by its position in the class.
    init(_ rowClass: RowClass, _ link: Int, _ part: MatchNode) {
        self.rowClass = rowClass
        self.link = link
        self.part = part
    }

    override var cost: Int { part.cost }

    override func matches(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) -> Bool {
        let field = rowClass.field(link, in: row)
        guard !field.isNull else { return part.matches(row, key, source) }
        if boundSource !== source {
            forget()
            boundSource = source
        }
        let target = field.load(UInt64.self)
        if let result = results[target] { return result }
        let result = part.matches(row, key, source)
        if results.count < Self.targetCountMax { results[target] = result }
        return result
    }

    /// Forgets the results: the source has changed.
    func forget() { results.removeAll(keepingCapacity: true) }
}

extension Comparison {
    /// The link of the object that all paths of the comparison begin with, if following one of them from there
    /// takes reading several objects or elements.
    var sharedLink: PathStep? {
        var first: PathStep?
        var isShared = true
        var isDear = false
        for side in [left, right] {
            side.forEachPath { path in
                guard let step = path.sharedLink, first == nil || first == step else {
                    isShared = false
                    return
                }
                first = step
                isDear = isDear || path.isMany || path.readsSeveral
            }
        }
        return isShared && isDear ? first : nil
    }
}

extension ValuePath {
    /// The to-one link of the object that the path begins with.
    var sharedLink: PathStep? {
        guard case .objects = root, let step = steps.first, step.kind == .link else { return nil }
        return step
    }

    /// Whether it is one value that several objects or elements are read for.
    var readsSeveral: Bool {
        if crossesMany { return true }
        switch terminal {
        case .inverseCount, .incomingCount, .matchCount, .aggregate, .objectAggregate: return true
        default: return false
        }
    }
}
