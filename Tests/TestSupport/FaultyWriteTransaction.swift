import HoldfastStorage

/// A write transaction of a ``FaultyEngine``.
final class FaultyWriteTransaction: StorageWriteTransaction {
    private let transaction: any StorageWriteTransaction
    private let engine: FaultyEngine

    init(_ transaction: any StorageWriteTransaction, of engine: FaultyEngine) {
        self.transaction = transaction
        self.engine = engine
    }

    deinit { close() }

    var commit: UInt64 { transaction.commit }
    var entriesRead: Int { transaction.entriesRead }

    func value(
        forKey key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        try transaction.value(forKey: key)
    }

    func scan(
        _ range: KeyRange, reversed: Bool, expecting: Int,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        try transaction.scan(range, reversed: reversed, expecting: expecting, body)
    }

    func apply(_ batch: StorageBatch) throws(StorageError) {
        try engine.countPart()
        try transaction.apply(batch)
    }

    func commitAll() throws(StorageError) -> UInt64 {
        do throws(StorageError) {
            try engine.countCommit()
        } catch {
            transaction.close()
            throw error
        }
        return try transaction.commitAll()
    }

    func close() { transaction.close() }
}
