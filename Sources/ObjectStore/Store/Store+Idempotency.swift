import HoldfastBytes
import HoldfastObjectModel
import HoldfastStorage

extension Store {
    /// The record under an identifier, if it is not too old. Cost: a look-up and a copy.
    package func idempotencyRecord(_ id: [UInt8]) throws(StoreError) -> IdempotencyRecord? {
        let transaction = try read()
        defer { transaction.close() }
        let buffer = ByteBuffer(capacity: StoreKey.recordKeyByteCount)
        StoreKey.appendRecord(id, to: buffer)
        guard let bytes = try transaction.value(buffer.bytes) else { return nil }
        return try IdempotencyRecord.valid(
            bytes, at: Timestamp.now().seconds, options.idempotency)
    }
}
