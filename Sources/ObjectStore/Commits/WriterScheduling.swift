import Threads

/// The scheduling of the writer's thread: in batches where several clients write at once.
///
/// The first write wakes the writer. Scheduled as usual, the writer takes the processor from the thread of
/// connections that has read the write and has more to read: groups of few writes follow, each with a wait
/// for the medium. In batches the writer runs when the thread of connections has nothing left to do. Where
/// other work never leaves the processors, each such wait lasts milliseconds; groups that take that long
/// have the writer scheduled as usual again, for a number of groups
/// ([decision 22](../../../docs/decisions/0022-scheduling-of-the-writer.md)).
struct WriterScheduling {
    private static let slowNanoseconds: UInt64 = 3_000_000
    /// How many slow groups in a row end the batches. A single one makes the next slow as well, whose writes
    /// have waited for it.
    private static let slowCountMax = 3
    /// For how many groups the writer is then scheduled as usual.
    static let pauseGroupCount = 1024

    private var isBatch = false
    private var slowCount = 0
    private var pauseLeft = 0

    /// Chooses for what follows a group. On the writer's thread.
    ///
    /// - `writeCount`: How many writes it had. Batches begin only after a group of several.
    /// - `nanoseconds`: From the time that its first write came until all were answered.
    mutating func choose(writeCount: Int, nanoseconds: UInt64) {
        if isBatch {
            slowCount = nanoseconds > Self.slowNanoseconds ? slowCount + 1 : 0
            guard slowCount == Self.slowCountMax else { return }
            BatchScheduling.end()
            isBatch = false
            slowCount = 0
            pauseLeft = Self.pauseGroupCount
        } else if pauseLeft > 0 {
            pauseLeft -= 1
        } else if writeCount > 1 {
            isBatch = BatchScheduling.begin()
            if !isBatch { pauseLeft = Self.pauseGroupCount }
        }
    }
}
