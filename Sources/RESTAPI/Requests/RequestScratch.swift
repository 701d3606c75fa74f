import Bytes
import Glibc
import HTTPServer
import JSON
import ObjectJSON
import ObjectStore
import Rows

/// Memory that the requests of one thread use one after the other.
///
/// Nothing in it may be used after the handler has returned.
final class RequestScratch {
    let parser = JSONParser()
    let reader = ObjectReader()
    /// For one key of storage.
    let key = ByteBuffer(capacity: 512)
    /// For header fields.
    let text = ByteBuffer(capacity: 256)
    /// For the JSON of a reply; see ``takeReply()``.
    let reply = ByteBuffer(capacity: 4096)
    /// Keys of link targets.
    let linkKeys = LinkKeyCache()
    /// Where primary keys led.
    let primaryKeys = PrimaryKeyCache()
    /// A closed view of a store, for the next one.
    var read: ReadTransaction?
    private var writeMemory: [ObjectWriteMemory] = []
    private var names: SchemaNames?

    private init() {}

    /// The names of a schema, found without a lock when the thread used them last.
    func names(of schema: RowSchema, _ service: RESTService) -> SchemaNames {
        if let names, names.schema === schema { return names }
        let found = service.names(of: schema)
        names = found
        return found
    }

    /// Replies up to so many bytes are copied out of ``reply``, which keeps its block.
    private static let copiedByteCountMax = 64 << 10

    /// What was written to ``reply``, which is empty afterwards.
    func takeReply() -> HTTPServer.Bytes {
        if reply.count <= Self.copiedByteCountMax {
            let bytes = HTTPServer.Bytes(copying: reply.bytes)
            reply.removeAll()
            return bytes
        }
        let (base, count) = reply.takeStorage()
        return HTTPServer.Bytes(adopting: base, count: count)
    }

    /// Memory for the write of an object.
    func takeWriteMemory() -> ObjectWriteMemory { writeMemory.popLast() ?? ObjectWriteMemory() }

    /// Takes memory back, of which nobody uses a draft any more.
    func give(_ memory: ObjectWriteMemory) {
        // As many as a group of writes has, roughly; a large row's is let go.
        guard writeMemory.count < 64, memory.row.count <= Self.copiedByteCountMax else { return }
        memory.drafts.takeBack(keeping: Self.keptDraftCount)
        writeMemory.append(memory)
    }

    /// An object with a few embedded ones.
    private static let keptDraftCount = 4

    private static let threadKey: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key) { pointer in
            if let pointer { Unmanaged<RequestScratch>.fromOpaque(pointer).release() }
        }
        precondition(status == 0, "no key for thread-local memory: error \(status)")
        return key
    }()

    /// The memory of the calling thread.
    static var current: RequestScratch {
        if let pointer = pthread_getspecific(threadKey) {
            return Unmanaged<RequestScratch>.fromOpaque(pointer).takeUnretainedValue()
        }
        let fresh = RequestScratch()
        pthread_setspecific(threadKey, Unmanaged.passRetained(fresh).toOpaque())
        return fresh
    }
}
