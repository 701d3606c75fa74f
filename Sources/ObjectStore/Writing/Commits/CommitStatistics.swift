import HoldfastStorage
import Synchronization
import HoldfastThreads

/// The cost of commits since a store was opened.
package struct CommitStatistics: Sendable {
    /// Commits, each with one sync.
    package var commitCount = 0
    package var transactionCount = 0
    /// Commits that the engine refused, conflicts included.
    package var failureCount = 0
    /// Seconds that the engine took to apply and sync.
    package var seconds = 0.0
    /// Whether the last commit failed in a way that ends all writing until the store is reopened.
    var hasStoppedWriting = false
}

/// Counts commits. One thread counts, any thread reads.
final class CommitCounters: Sendable {
    private let statistics = Mutex(CommitStatistics())

    /// The figures of this moment.
    var present: CommitStatistics { statistics.withLock { $0 } }

    /// Notes a failure of the engine's own work.
    func note(_ error: StorageError) {
        if error.code == .io { statistics.withLock { $0.hasStoppedWriting = true } }
    }

    /// Runs a commit of a number of transactions and counts it.
    func count(_ transactionCount: Int, _ commit: () throws(StorageError) -> Void)
        throws(StorageError)
    {
        let start = monotonicNanoseconds()
        var failure: StorageError?
        do throws(StorageError) { try commit() } catch { failure = error }
        statistics.withLock {
            $0.seconds += Double(monotonicNanoseconds() - start) / 1e9
            if let failure {
                $0.failureCount += 1
                if failure.code == .io { $0.hasStoppedWriting = true }
            } else {
                $0.hasStoppedWriting = false
                $0.commitCount += 1
                $0.transactionCount += transactionCount
            }
        }
        if let failure { throw failure }
    }
}
