extension ListDifference {
    /// Compares two results. An object that moves is a deletion and an insertion. Cost: n log n.
    ///
    /// - `old`, `new`: The object keys, each once.
    /// - `changed`: The object keys that count as modified if they stay.
    /// - `moving`: The object keys that move rather than others.
    package init(from old: [UInt64], to new: [UInt64], changed: Set<UInt64>, moving: Set<UInt64>) {
        var before: [UInt64: Int] = [:]
        before.reserveCapacity(old.count)
        for (index, key) in old.enumerated() { before[key] = index }
        let both = new.compactMap { key in before[key].map { (key: key, index: $0) } }
        let staying = stayingObjects(both, changed: moving)
        self.init(
            deletions: old.indices.filter { !staying.contains(old[$0]) },
            insertions: new.indices.filter { !staying.contains(new[$0]) },
            modifications: old.indices.filter {
                changed.contains(old[$0]) && staying.contains(old[$0])
            })
    }

    /// Compares two sequences of rising object keys, which may contain a key several times. Cost: linear.
    package init(fromRising old: [UInt64], toRising new: [UInt64], changed: Set<UInt64>) {
        var (deletions, insertions, modifications): ([Int], [Int], [Int]) = ([], [], [])
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            if j == new.count || i < old.count && old[i] < new[j] {
                deletions.append(i)
                i += 1
            } else if i == old.count || new[j] < old[i] {
                insertions.append(j)
                j += 1
            } else {
                if changed.contains(old[i]) { modifications.append(i) }
                (i, j) = (i + 1, j + 1)
            }
        }
        self.init(deletions: deletions, insertions: insertions, modifications: modifications)
    }
}
