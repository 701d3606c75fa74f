import HoldfastBytes
import HoldfastRows

/// The memory that the write of an object is made in, kept from one write to the next: it goes from a connection's
/// thread to the writer's and comes back with the reply.
package final class ObjectWriteMemory {
    /// Where the drafts come from.
    package let drafts = DraftPool()
    /// The row as it was written, for the reply.
    package let row = ByteBuffer(capacity: 512)
}
