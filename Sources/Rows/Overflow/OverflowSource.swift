/// Reads the chunks of out-of-line values.
///
/// `ObjectStore` implements it on a snapshot and on a transaction. Calls may read storage; an
/// implementation keeps the first storage error, also for a chunk that is missing, and the caller that runs the
/// evaluation asks for it afterwards.
public protocol OverflowSource: AnyObject {
    /// Returns the chunk under a key, valid until the snapshot ends or the transaction changes the chunk;
    /// nil when there is none.
    func overflowChunk(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer?
}
