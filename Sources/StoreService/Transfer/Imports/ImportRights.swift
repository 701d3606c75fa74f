import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

/// Keeps an import to what the user may do whom it is made for. Any thread may use it.
package struct ImportRights: Sendable {
    private let caller: Caller
    private let served: ServedStore

    /// Makes the rights of a caller; nil where they may do everything.
    package init?(of caller: Caller, in served: ServedStore) {
        guard caller.sight != nil else { return nil }
        self.caller = caller
        self.served = served
    }

    /// The catalog of the last commit, and what the user sees of it: the schema is one with the names that they know.
    ///
    /// - Throws: ``RequestFault`` where what they may read can't be told, or the store can't be read.
    func known() throws(RequestFault) -> (catalog: Catalog, rows: RowSchema, sight: Sight?) {
        try served.withRead(for: caller) { read in (read.catalog, read.rows, read.sight) }
    }

    /// Has a transaction keep to them, before it changes anything.
    ///
    /// - Throws: ``StoreError`` `.refused` where what the user may do can't be told.
    func keep(_ transaction: WriteTransaction) throws(StoreError) {
        try caller.keep(transaction, in: served)
    }

    /// The fault of a transaction or a line that has failed; what clients are not told is reported.
    func fault(_ error: StoreError) -> RequestFault { served.fault(error) }
}
