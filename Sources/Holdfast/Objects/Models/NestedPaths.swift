import HoldfastObjectStore

/// The paths into objects of a realm that the program refers to, by the object.
struct NestedPaths {
    private struct Held { weak var way: NestedPath? }

    /// The state of a path before the write in progress.
    private struct Before {
        let way: NestedPath
        let steps: [NestedPath.Step]
        let isGone: Bool
    }

    private var held: [ObjectIdentity: [Held]] = [:]
    private var heldCount = 0
    /// The number of paths at which unreferenced paths are dropped.
    private var countMax = 64
    private var before: [ObjectIdentifier: Before] = [:]

    /// The paths that lead into collections, by the object.
    var inCollections: [ObjectIdentity: [NestedPath]] {
        held.compactMapValues { held in
            let paths = held.compactMap(\.way).filter { !$0.isGone && $0.isInCollection }
            return paths.isEmpty ? nil : paths
        }
    }

    /// Whether the program holds no paths.
    var isEmpty: Bool { held.values.allSatisfy { $0.allSatisfy { $0.way == nil } } }

    /// Notes a path into an object. Cost: constant, on average.
    mutating func note(_ way: NestedPath, of root: ObjectIdentity) {
        if heldCount >= countMax { sweep() }
        held[root, default: []].append(Held(way: way))
        heldCount += 1
    }

    private mutating func sweep() {
        held = held.compactMapValues { paths in
            let kept = paths.filter { $0.way != nil }
            return kept.isEmpty ? nil : kept
        }
        heldCount = held.values.reduce(0) { $0 + $1.count }
        countMax = max(64, 2 * heldCount)
    }

    /// Moves the paths into an object along with an edit of it.
    mutating func follow(
        _ edit: NestedPath.Edit, in container: [NestedPath.Step], of root: ObjectIdentity
    ) {
        guard let paths = held[root] else { return }
        var kept: [Held] = []
        for held in paths {
            guard let way = held.way else { continue }
            kept.append(held)
            guard way.concerns(container) else { continue }
            let id = ObjectIdentifier(way)
            if before[id] == nil {
                before[id] = Before(way: way, steps: way.steps, isGone: way.isGone)
            }
            way.follow(edit, in: container)
        }
        heldCount -= paths.count - kept.count
        held[root] = kept.isEmpty ? nil : kept
    }

    /// Forgets the state of paths before a write, which is committed.
    mutating func commit() { before = [:] }

    /// Reverts a write.
    mutating func cancel() {
        for one in before.values { one.way.restore(one.steps, isGone: one.isGone) }
        before = [:]
    }
}
