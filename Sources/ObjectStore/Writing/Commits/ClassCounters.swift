import HoldfastRows

/// The counters of classes, as a transaction changes them.
struct ClassCounters {
    /// The counters of a class at some point.
    struct StateBefore {
        var classIndex: Int
        var state: ClassState
    }

    private let group: CommitGroup
    /// The counters that the transaction has changed, as they were before it.
    private var before: [StateBefore] = []
    /// The counters that an attempt has changed, as they were.
    var undo = UndoLog<StateBefore>()

    init(_ group: CommitGroup) { self.group = group }

    /// Changes the counters of a class.
    ///
    /// - Returns: The result of `body`.
    mutating func change<Result>(
        _ rowClass: RowClass, _ body: (inout ClassState) -> Result
    ) throws(StoreError) -> Result {
        let index = rowClass.index
        var state = try group.classState(rowClass)
        let now = StateBefore(classIndex: index, state: state)
        if !before.contains(where: { $0.classIndex == index }) { before.append(now) }
        undo.note(now)
        let result = body(&state)
        group.setClassState(index, state)
        return result
    }

    /// The first object key that the transaction could take in a class, by its position.
    func firstKey(_ classIndex: Int) -> UInt64 {
        before.first { $0.classIndex == classIndex }?.state.nextKey ?? 0
    }

    /// Whether an object of a class is one that the transaction has made.
    func hasMade(_ key: UInt64, _ rowClass: RowClass) -> Bool {
        before.first { $0.classIndex == rowClass.index }.map { key >= $0.state.nextKey } ?? false
    }

    /// Puts the counters that the transaction has changed into the overlay.
    func put() {
        for before in before {
            let index = before.classIndex
            guard let state = group.classStates[index], state != before.state else { continue }
            let key = group.keyBuffer.making {
                StoreKey.appendClassState(group.rows.classes[index].number, to: $0)
            }
            group.overlay.put(key, group.rowBuffer.making { state.append(to: $0) })
        }
    }

    // MARK: Taking back

    /// Begins the next transaction.
    mutating func begin() { before.removeAll(keepingCapacity: true) }

    /// Reverts the changes of the transaction.
    func rollBack() {
        for before in before { group.setClassState(before.classIndex, before.state) }
    }

    /// Reverts the changes of the attempt.
    mutating func rollBackAttempt() {
        while let before = undo.popLast() { group.setClassState(before.classIndex, before.state) }
    }
}
