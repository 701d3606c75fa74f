extension WriteTransaction {
    /// Runs `body` with the objects as the transaction sees them now, its own changes and those of the transactions
    /// before it included: for queries inside a write, and for replies that are made before the commit.
    ///
    /// Nothing may be written while a scan of the view runs. Counters of classes and the store's state are
    /// those of before the transaction. Keys that it returns must not be remembered beyond the transaction,
    /// which may yet be rolled back.
    ///
    /// - Throws: As ``Store/withRead(reusing:_:)``.
    package func withView<Result>(
        _ body: (ReadTransaction) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let view = ReadTransaction(
            uncommitted: OverlaySnapshot(group), catalog: catalog, epoch: epoch)
        return try view.checked(body)
    }

    /// The version that the transaction has when it ends now: its own, or the present one as long as it
    /// has changed nothing.
    package var resultingVersion: StoreVersion {
        StoreVersion(epoch: epoch, number: hasChanges ? version : baseVersion)
    }
}
