import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService
import Synchronization

/// A write of objects, and the bytes of its reply.
final class MeasuredWrite: WriteCase {
    private let write: ObjectWrite
    private let byteCount = Mutex(0)

    var form: ReplyForm { write.form }
    var caller: Caller { write.caller }
    /// Bytes of the JSON that was made last.
    var replyByteCount: Int { byteCount.withLock { $0 } }

    init(_ write: ObjectWrite) { self.write = write }

    func prepare(_ names: SchemaNames, _ scratch: RequestScratch) throws(RequestFault) {
        try write.prepare(names, scratch)
    }

    func run(_ transaction: WriteTransaction) throws(StoreError) { try write.run(transaction) }

    func reply(_ writer: ReplyWriter) throws(RequestFault) -> WriteReply {
        let reply = try write.reply(writer)
        byteCount.withLock { $0 = RequestScratch.current.reply.count }
        return reply
    }

    func fault(_ error: StoreError) -> RequestFault { write.fault(error) }

    func end(_ scratch: RequestScratch) { write.end(scratch) }
}
