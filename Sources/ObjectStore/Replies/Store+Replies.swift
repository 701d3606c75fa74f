import Bytes
import ObjectModel
import Storage

extension Store {
    /// The reply that was kept under an identifier, if it is not too old. Cost: a look-up and a copy.
    package func keptReply(_ id: [UInt8]) throws(StoreError) -> KeptReply? {
        let transaction = try read()
        defer { transaction.close() }
        let buffer = ByteBuffer(capacity: StoreKey.replyKeyByteCount)
        StoreKey.appendReply(id, to: buffer)
        do throws(StorageError) {
            guard let bytes = try transaction.snapshot.value(forKey: buffer.bytes) else {
                return nil
            }
            guard let reply = KeptReply(bytes) else {
                throw StorageError(.corrupted, operation: "read kept reply")
            }
            return reply.isKept(at: Timestamp.now().seconds, options.replyLimits) ? reply : nil
        } catch {
            throw .storage(error)
        }
    }
}
