import HoldfastBytes

/// The new object keys of imported objects, by the keys that they had in the exported store.
///
/// Keys that come in ascending order, as an export has them, are kept as runs: 24 bytes for each gap
/// between them, and not for each object; others cost a dictionary's entry each. One thread at a time.
struct KeyRenames {
    /// Keys from `old` on, and their new keys.
    private struct Run {
        var old: UInt64
        var new: UInt64
        var count: UInt64
    }

    /// A state to which ``roll(backTo:)`` leads back.
    struct Mark {
        fileprivate var runCount: Int
        fileprivate var lastCount: UInt64
        fileprivate var otherCount: Int
    }

    private var runs: ContiguousArray<Run> = []
    private var others: [UInt64: UInt64] = [:]
    /// The keys of ``others``, in the order in which they came.
    private var otherKeys: ContiguousArray<UInt64> = []

    /// The key that an object has here; nil when it has not come yet.
    subscript(old: UInt64) -> UInt64? {
        let after = partitionPoint(runs.count) { runs[$0].old <= old }
        if after > 0 {
            let run = runs[after - 1]
            if old - run.old < run.count { return run.new + (old - run.old) }
        }
        return others.isEmpty ? nil : others[old]
    }

    /// Adds an object that is not in it.
    mutating func add(_ old: UInt64, _ new: UInt64) {
        guard let last = runs.last else { return runs.append(Run(old: old, new: new, count: 1)) }
        if old == last.old + last.count, new == last.new + last.count {
            runs[runs.count - 1].count += 1
        } else if old > last.old {
            runs.append(Run(old: old, new: new, count: 1))
        } else {
            others[old] = new
            otherKeys.append(old)
        }
    }

    /// The present state.
    var mark: Mark {
        Mark(runCount: runs.count, lastCount: runs.last?.count ?? 0, otherCount: otherKeys.count)
    }

    /// Takes back later additions.
    mutating func roll(backTo mark: Mark) {
        runs.removeSubrange(mark.runCount...)
        if let last = runs.indices.last { runs[last].count = mark.lastCount }
        while otherKeys.count > mark.otherCount {
            if let key = otherKeys.popLast() { others[key] = nil }
        }
    }
}
