import Bytes
import ObjectModel
import Storage

extension Store {
    /// The record under an identifier, if it is not too old. Cost: a look-up and a copy.
    package func idempotencyRecord(_ id: [UInt8]) throws(StoreError) -> IdempotencyRecord? {
        let transaction = try read()
        defer { transaction.close() }
        let buffer = ByteBuffer(capacity: StoreKey.recordKeyByteCount)
        StoreKey.appendRecord(id, to: buffer)
        do throws(StorageError) {
            guard let bytes = try transaction.snapshot.value(forKey: buffer.bytes) else {
                return nil
            }
            guard let record = IdempotencyRecord(bytes) else {
                throw StorageError(.corrupted, operation: "read idempotency record")
            }
            return record.isValid(at: Timestamp.now().seconds, options.idempotency) ? record : nil
        } catch {
            throw .storage(error)
        }
    }
}
