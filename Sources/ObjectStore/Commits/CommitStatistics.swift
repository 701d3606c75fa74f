import Glibc
import Storage
import Synchronization
import Threads

/// What commits have cost since a store was opened.
package struct CommitStatistics: Sendable {
    /// Commits, each with one sync.
    package var commitCount: Int
    /// Transactions in them.
    package var transactionCount: Int
    /// Commits that the engine refused, conflicts included.
    package var failureCount: Int
    /// Seconds that the engine took to apply and sync.
    package var seconds: Double
}

/// Counts commits. One thread counts, any thread reads.
final class CommitCounters: Sendable {
    private let commits = Atomic<Int>(0)
    private let transactions = Atomic<Int>(0)
    private let failures = Atomic<Int>(0)
    private let nanoseconds = Atomic<Int>(0)
    private let isRefusing = Atomic<Bool>(false)

    /// Whether the last commit failed in a way that ends all writing until the store is reopened.
    var hasStoppedWriting: Bool { isRefusing.load(ordering: .relaxed) }

    /// The figures of this moment.
    var present: CommitStatistics {
        CommitStatistics(
            commitCount: commits.load(ordering: .relaxed),
            transactionCount: transactions.load(ordering: .relaxed),
            failureCount: failures.load(ordering: .relaxed),
            seconds: Double(nanoseconds.load(ordering: .relaxed)) / 1e9)
    }

    /// Notes a failure of the engine's own work.
    func note(_ error: StorageError) {
        if error.code == .io { isRefusing.store(true, ordering: .relaxed) }
    }

    /// Runs a commit of so many transactions and counts it.
    func count(_ transactionCount: Int, _ commit: () throws(StorageError) -> Void)
        throws(StorageError)
    {
        let start = Self.now()
        defer { nanoseconds.wrappingAdd(Self.now() - start, ordering: .relaxed) }
        do throws(StorageError) {
            try commit()
        } catch {
            failures.wrappingAdd(1, ordering: .relaxed)
            if error.code == .io { isRefusing.store(true, ordering: .relaxed) }
            throw error
        }
        isRefusing.store(false, ordering: .relaxed)
        commits.wrappingAdd(1, ordering: .relaxed)
        transactions.wrappingAdd(transactionCount, ordering: .relaxed)
    }

    private static func now() -> Int { Int(monotonicNanoseconds()) }
}
