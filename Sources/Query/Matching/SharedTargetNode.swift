import HoldfastRows

/// A comparison of values that all lie behind one to-one link, and take reading several objects or elements
/// to find: as `country.cities.@max.population > 1000000` asked of cities.
///
/// It says the same of all objects with the same target: see ``TargetMemory``.
final class SharedTargetNode: MatchNode {
    private let part: MatchNode
    private let memory: TargetMemory<Bool>

    /// - `link`: The to-one link that all paths of `part` begin with.
    init(_ link: PathStep, _ part: MatchNode, schema: RowSchema) {
        self.part = part
        memory = TargetMemory(link, schema: schema)
    }

    override var cost: Int { part.cost }

    override func matches(_ row: RowView, _ key: UInt64, _ source: any ObjectSource) -> Bool {
        memory.result(row, source) { part.matches(row, key, source) }
            ?? part.matches(row, key, source)
    }
}

extension Comparison {
    /// The link of the object that all paths of the comparison begin with, if following one of them from there
    /// takes reading several objects or elements.
    var sharedLink: PathStep? {
        var first: PathStep?
        var isShared = true
        var isExpensive = false
        for side in [left, right] {
            side.forEachPath { path in
                guard let step = path.sharedLink, first == nil || first == step else {
                    isShared = false
                    return
                }
                first = step
                isExpensive = isExpensive || path.isMany || path.readsSeveral
            }
        }
        return isShared && isExpensive ? first : nil
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
