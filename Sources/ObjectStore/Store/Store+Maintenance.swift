extension StoreCheck {
    /// Checks the last commit of a store.
    ///
    /// - `progress`: Called now and then with the number of entries read so far.
    /// - Throws: ``StoreError`` `.storage` when the store can't be read at all.
    package static func run(
        _ store: Store, progress: @escaping (Int) -> Void = { _ in }
    ) throws(StoreError) -> Report {
        let transaction = try store.read()
        defer { transaction.close() }
        return try run(transaction, progress: progress)
    }
}

extension BackupCursor {
    /// Takes a snapshot of the last commit of a store.
    package convenience init(_ store: Store) throws(StoreError) {
        try self.init(store.engine, store.heldVersions)
    }
}
