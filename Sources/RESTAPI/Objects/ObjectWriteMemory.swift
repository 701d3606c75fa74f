import Bytes
import Rows

/// What the write of an object is made in, kept from one write to the next: it goes from a connection's
/// thread to the writer's and comes back with the reply.
final class ObjectWriteMemory {
    /// Where the drafts come from.
    let drafts = DraftPool()
    /// The row as it was written, for the reply.
    let row = ByteBuffer(capacity: 512)
}
