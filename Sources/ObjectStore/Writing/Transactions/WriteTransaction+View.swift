extension WriteTransaction {
    /// Runs `body` with the objects as the transaction sees them now, its own changes and those of the transactions
    /// before it included: for queries inside a write, and for replies that are made before the commit.
    ///
    /// As ``openView()``. Keys that it returns must not be remembered beyond the transaction,
    /// which may yet be rolled back.
    ///
    /// - Throws: As ``Store/withRead(reusing:_:)``.
    package func withView<Result>(
        _ body: (ReadTransaction) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try openView().checked(body)
    }

    /// Runs `body` with a view of the objects that the writer may read, as they were when the transaction began: no act of its own shows more,
    /// and an object that the transaction has made is not there. For a writer without rules it is ``withView(_:)``.
    ///
    /// - `deadline`: When the view fails, in milliseconds of the monotonic clock.
    package func withWriterView<Result>(
        until deadline: UInt64, _ body: (ReadTransaction) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard let judge else {
            return try withView { view throws(StoreError) in
                view.limitFollowing(until: deadline)
                return try body(view)
            }
        }
        return try judge.base.checked { base throws(StoreError) in
            try body(base.shown(by: judge.rights.sight))
        }
    }

    /// Opens a view of the objects as the transaction sees them, for as long as it lasts. It costs three allocations, and nothing
    /// to keep.
    ///
    /// - Each look-up sees what was changed before it: of objects, values, and the counters of classes, which are the transaction's
    ///   own. The store's state is that of before the transaction.
    /// - Nothing may be written while a scan of the view, or a query on it, runs: an iteration that is to survive writes takes
    ///   object keys in batches, and scans again after the last one. What was prepared by scanning before a change, such as a
    ///   ``QueryExecution`` and its results, does not follow it.
    /// - Rows stay readable, as they were, until the transaction ends. What they keep out of line is read as it is then, and is
    ///   read again after each change of the object.
    /// - After a lent turn its views throw; in other transactions, a view must not be used when their body has returned.
    package func openView() -> ReadTransaction {
        let snapshot = OverlaySnapshot(group, within: span)
        return ReadTransaction(
            uncommitted: snapshot, changes: snapshot, catalog: catalog, epoch: epoch)
    }

    /// The version that the transaction has when it ends now: its own, or the present one as long as it
    /// has changed nothing.
    package var resultingVersion: StoreVersion {
        StoreVersion(epoch: epoch, number: hasChanges ? version : baseVersion)
    }
}
