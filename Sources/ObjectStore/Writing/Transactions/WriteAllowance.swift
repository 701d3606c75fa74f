/// The maximum work of a transaction, and the work that it has done.
struct WriteAllowance {
    /// The most writes and deletions that the transaction may contain.
    private var operationCountMax: Int
    /// The most bytes that the transaction may change, and read for changes.
    private var byteCountMax: Int
    /// The bytes that the group's changes took when the transaction began.
    private var byteCountBefore = 0
    /// The number of writes and deletions so far.
    var operationCount = 0
    /// The bytes that were read for changes.
    private var readByteCount = 0

    /// Makes the allowance of transactions of a store.
    init(_ options: StoreOptions) {
        operationCountMax = options.operationCountMax
        byteCountMax = options.transactionByteCountMax
    }

    /// Counts from nothing.
    ///
    /// - `byteCount`: The bytes that the group's changes take.
    mutating func begin(byteCount: Int) {
        byteCountBefore = byteCount
        operationCount = 0
        readByteCount = 0
    }

    /// Allows any number of operations and bytes, because the caller bounds them.
    mutating func lift() {
        operationCountMax = .max
        byteCountMax = .max
    }

    /// Counts a write or deletion.
    ///
    /// - Throws: ``StoreError`` `.tooManyOperations`.
    mutating func countOperation() throws(StoreError) {
        operationCount += 1
        if operationCount > operationCountMax { throw .tooManyOperations(limit: operationCountMax) }
    }

    /// Counts bytes that were read for a change.
    mutating func countReading(_ byteCount: Int) { readByteCount += byteCount }

    /// Refuses a transaction with too many bytes of changes, which wait in memory.
    ///
    /// - `byteCount`: The bytes that the group's changes take by now.
    /// - Throws: ``StoreError`` `.transactionTooLarge`.
    func requireRoom(_ byteCount: Int) throws(StoreError) {
        if byteCount - byteCountBefore + readByteCount > byteCountMax {
            throw .transactionTooLarge(byteCountMax: byteCountMax)
        }
    }
}
