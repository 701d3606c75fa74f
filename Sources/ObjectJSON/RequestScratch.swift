import Glibc
import HoldfastBytes
import HoldfastJSON
import HoldfastObjectStore
import HoldfastRows

/// Memory that the requests of one thread use one after the other.
///
/// Nothing in it may be used after the handler has returned.
///
/// Benchmark row: `point-get`.
package final class RequestScratch {
    package let parser = JSONParser()
    package let reader = ObjectReader()
    /// For one key of storage.
    package let key = ByteBuffer(capacity: 512)
    /// For header fields.
    package let text = ByteBuffer(capacity: 256)
    /// The buffer for the JSON of a reply; the handler takes it out.
    package let reply = ByteBuffer(capacity: 4096)
    /// Keys of link targets.
    package let linkKeys = LinkKeyCache()
    /// Object keys of objects that were read.
    package let primaryKeys = PrimaryKeyCache()
    /// A closed view of a store, for the next one.
    package let left = ReusableView()
    private var writeMemory: [ObjectWriteMemory] = []
    package let ownBudget = Budget()
    private var names: SchemaNames?

    private init() {}

    /// The budget for reading, checking and compiling on the thread: the budget of its job. Outside of jobs, where texts are
    /// short, it has no limit.
    package var budget: Budget {
        if ownBudget.timeSlice == nil { ownBudget.begin(until: .max, memoryByteCountMax: .max) }
        return ownBudget
    }

    /// The names of a schema, found without a lock if the thread used them last.
    package func names(
        of schema: RowSchema, orMake make: (RowSchema) -> SchemaNames
    ) -> SchemaNames {
        if let names, names.schema === schema { return names }
        let found = make(schema)
        names = found
        return found
    }

    /// Replies up to so many bytes are copied out of ``reply``, which keeps its block.
    package static let copiedByteCountMax = 64 << 10

    package func takeWriteMemory() -> ObjectWriteMemory {
        writeMemory.popLast() ?? ObjectWriteMemory()
    }

    /// Takes memory back. Its drafts must not be used any more.
    package func give(_ memory: ObjectWriteMemory) {
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
    package static var current: RequestScratch {
        if let pointer = pthread_getspecific(threadKey) {
            return Unmanaged<RequestScratch>.fromOpaque(pointer).takeUnretainedValue()
        }
        let fresh = RequestScratch()
        pthread_setspecific(threadKey, Unmanaged.passRetained(fresh).toOpaque())
        return fresh
    }
}

/// The memory that the write of an object is made in, kept from one write to the next: it goes from a connection's
/// thread to the writer's and comes back with the reply.
///
/// Benchmark row: `put-plain`.
package final class ObjectWriteMemory {
    /// Where the drafts come from.
    package let drafts = DraftPool()
    /// The row as it was written, for the reply.
    package let row = ByteBuffer(capacity: 512)
}
