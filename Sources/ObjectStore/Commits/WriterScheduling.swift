import Threads

/// Chooses how the writer's thread is scheduled: in batches while several clients write at once.
///
/// The first write wakes the writer. Scheduled as usual it takes the processor from the thread that has
/// read that write and would go on to those of its other connections, and groups of few writes follow,
/// each with a wait for the medium of its own. In batches it lets that thread end its turn. Work of others
/// that keeps the processors busy would hold it up for milliseconds at each wait, so groups that take that
/// long make its scheduling the usual one for a while.
struct WriterScheduling {
    /// Nanoseconds; between a group beside threads that serve connections (99 % below 1.5 ms where the
    /// medium takes 0.1) and one beside two threads that never wait (half above 7 ms).
    private static let slowDuration: UInt64 = 3_000_000
    /// How many such groups, one after the other, end the batches: one may have other reasons.
    private static let slowCountMax = 2
    /// For how many groups.
    private static let pause = 1024

    private var isBatch = false
    private var slowCount = 0
    private var pauseLeft = 0

    /// Chooses for what follows a group. On the writer's thread.
    ///
    /// - `writeCount`: How many writes it had. One says that nobody writes beside, and begins no batches.
    /// - `duration`: What running and committing it took, in nanoseconds.
    mutating func choose(writeCount: Int, duration: UInt64) {
        if isBatch {
            slowCount = duration > Self.slowDuration ? slowCount + 1 : 0
            guard slowCount == Self.slowCountMax, BatchScheduling.set(false) else { return }
            isBatch = false
            slowCount = 0
            pauseLeft = Self.pause
        } else if pauseLeft > 0 {
            pauseLeft -= 1
        } else if writeCount > 1 {
            isBatch = BatchScheduling.set(true)
            if !isBatch { pauseLeft = Self.pause }
        }
    }
}
