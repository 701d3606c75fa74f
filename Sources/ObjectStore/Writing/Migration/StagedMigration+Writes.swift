import HoldfastRows

// Writes that come meanwhile.
extension StagedMigration {
    /// Removes the staged entries of an object that another write is about to change or to delete.
    ///
    /// - `row`: The object's row; objects and chunks that it refers to are still there.
    func leave(
        _ group: CommitGroup, _ rowClass: RowClass, _ key: UInt64, _ row: RowView
    ) throws(StoreError) {
        guard progress.phase == .build, let work = change.works[rowClass.index] else { return }
        guard work.rewrites else { return try removeEntries(work, key, row, group) }
        guard let staged = try stagedRow(work, key, group) else { return }
        try removeEntries(work, key, staged, group)
        group.overlay.remove(keyBuffer.making { StoreKey.appendRow(work.target, key, to: $0) })
        if staged.holdsOverflow {
            sweeping.insert(ObjectIdentity(classIndex: rowClass.index, key: key))
        }
    }

    /// Whether an object that goes leaves staged out-of-line values behind, which are then the caller's to remove; says so once.
    func leavesOverflow(_ rowClass: RowClass, _ key: UInt64) -> Bool {
        sweeping.remove(ObjectIdentity(classIndex: rowClass.index, key: key)) != nil
    }

    /// Enters an object that another write has created or changed.
    ///
    /// - `row`: Its row, completely written.
    /// - `fault`: Receives the obstacles of the migration.
    func enter(
        _ transaction: WriteTransaction, _ rowClass: RowClass, _ key: UInt64, _ row: RowView,
        _ fault: (Fault) -> Void
    ) throws(StoreError) {
        let group = transaction.group
        if checker.mayLose(rowClass.index) {
            checker.forEachLoss(rowClass.index, row, group.overflow) { fault(.loss(step: $0)) }
        }
        guard progress.phase == .build, let work = change.works[rowClass.index] else { return }
        if !sweeping.isEmpty, leavesOverflow(rowClass, key) {
            try group.sweepOverflow(rowClass, key, row)
        }
        if work.rewrites { noted.insert(rowClass.index) }
        let target = try targetRow(work, key, row, group)
        try putEntries(work, key, target, group) { value in
            fault(.duplicate(classIndex: rowClass.index, value))
        }
        try group.overflow.requireReadable()
    }

    /// Takes over the obstacles that committed writes have found.
    func take(_ faults: [Fault]) {
        for fault in faults {
            switch fault {
            case .loss(let step): progress.lossCounts[step] += 1
            case .duplicate(let index, let value): progress.duplicates.add(classIndex: index, value)
            }
        }
    }
}
