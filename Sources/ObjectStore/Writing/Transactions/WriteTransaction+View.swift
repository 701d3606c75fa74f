import HoldfastRows

extension WriteTransaction {
    /// Runs `body` with the objects as the transaction sees them now, including its own changes and the changes of the
    /// transactions before it: for queries inside a write, and for replies that are made before the commit.
    ///
    /// As ``openView()``. Keys that it returns must not be remembered beyond the transaction, which may yet be rolled back.
    ///
    /// - Throws: As ``Store/withRead(reusing:_:)``.
    package func withView<Result>(
        _ body: (StoreView) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let view = openView()
        return try view.checked { () throws(StoreError) in try body(view) }
    }

    /// Runs `body` with a view of the objects that the writer may read, as they were when the transaction began. Its own
    /// changes make nothing more visible, and objects that it has made are missing. For a writer without rules it equals
    /// ``withView(_:)``.
    ///
    /// - `deadline`: The time at which the view fails, in milliseconds of the monotonic clock.
    package func withWriterView<Result>(
        until deadline: UInt64, _ body: (ReadTransaction) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard let judge else {
            return try withView { view throws(StoreError) in
                view.limitFollowing(until: deadline)
                return try body(view)
            }
        }
        return try judge.base.checked { () throws(StoreError) in
            try body(judge.base.restricted(to: judge.rights.visibility))
        }
    }

    /// Opens a view of the objects as the transaction sees them, for as long as it lasts. It costs three allocations, and nothing
    /// to keep.
    ///
    /// - Each look-up sees all earlier changes of objects, values and the counters of classes, which belong to the transaction.
    ///   The store's state is the state before the transaction.
    /// - Nothing may be written while a scan of the view, or a query on it, runs. An iteration that is to survive writes takes
    ///   object keys in batches, and scans again after the last one. Results that were prepared before a change, such as a
    ///   ``QueryExecution``, do not follow it.
    /// - Rows stay readable, unchanged, until the transaction ends. Their out-of-line values are read in the present state, and
    ///   are read again after each change of the object.
    /// - After an open interactive write its views throw; in other transactions, a view must not be used when their body has
    ///   returned.
    package func openView() -> StoreView {
        let snapshot = OverlaySnapshot(group, within: span)
        return StoreView(uncommitted: snapshot, catalog: catalog, epoch: epoch)
    }

    /// The version that the transaction has when it ends now: its own, or the present one as long as it has changed nothing.
    package var resultingVersion: StoreVersion {
        StoreVersion(epoch: epoch, number: hasChanges ? version : baseVersion)
    }

    /// Takes an object that is about to change out of the change of the schema under way.
    ///
    /// - `row`: Its row. The values that it refers to still exist.
    func leaveMigration(_ rowClass: RowClass, _ key: UInt64, _ row: RowView) throws(StoreError) {
        try group.migration?.leave(group, rowClass, key, row)
    }

    /// Enters an object that was created or changed into the change of the schema under way.
    ///
    /// - `row`: Its row, completely written.
    func enterMigration(_ rowClass: RowClass, _ key: UInt64, _ row: RowView) throws(StoreError) {
        try group.migration?.enter(self, rowClass, key, row) { migrationFaults.append($0) }
    }

    /// The longest value that is kept for any number of values.
    private static let smallByteCountMax = 1_024
    /// The longest value that is kept, and the total of values that are longer than small ones, in a transaction. A catch-up
    /// does without further large collections and texts.
    private static let largeByteCountMax = (each: 16 << 10, all: 4 << 20)

    /// The values that the change log keeps of an object that is changed or deleted. Cost for a class without kept values: one
    /// array access.
    ///
    /// - Parameters:
    ///   - rowClass: Its class.
    ///   - key: Its object key.
    ///   - stored: The row that it has had so far.
    ///   - changed: The properties that change; nil for all of them.
    /// - Returns: The values of the properties that rules read, as far as they are not too large.
    func formerValues(
        _ rowClass: RowClass, _ key: UInt64, _ stored: RowView, of changed: MemberSet? = nil
    ) -> [PastValue] {
        guard !group.kept.isEmpty else { return [] }
        let kept = group.kept[rowClass.index]
        guard !kept.isEmpty, !(changed?.isDisjoint(with: kept) ?? false) else { return [] }
        var values: [PastValue] = []
        for (member, compiled) in rowClass.members.enumerated()
        where kept.contains(member) && changed?.contains(member) ?? true {
            let field = rowClass.field(member, in: stored)
            if compiled.storage.isInHeap, !field.isNull {
                // Out-of-line values are freed with the change.
                let mayReferOutside = compiled.isEmbedded && stored.holdsOverflow
                if mayReferOutside || field.isOutOfLine { continue }
                let count = field.heap.count
                if count > Self.smallByteCountMax {
                    // Of several edits the first one's value counts.
                    guard count <= Self.largeByteCountMax.each,
                        largePastByteCount + count <= Self.largeByteCountMax.all,
                        !recorder.hasChange(of: compiled.number, rowClass, key)
                    else { continue }
                    largePastByteCount += count
                }
            }
            let tagged = rowBuffer.making { field.appendTagged(compiled.storage, to: $0) }
            values.append(PastValue(property: compiled.number, tagged: Array(tagged)))
        }
        return values
    }
}
