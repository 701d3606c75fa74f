import HoldfastObjectStore
import HoldfastStoreService
import HoldfastThreads
import Synchronization

/// The bound of an export with an open snapshot: pages that are freed meanwhile can't be used again, so
/// a client that reads slowly would let the data file grow. Thread-safe.
package final class ExportLimit: Sendable {
    /// Why an export is cut.
    package enum Reason: String, Sendable {
        /// It has taken longer than `--export-age-max`.
        case age
        /// The data has grown by more than `--export-growth-max` since it began.
        case growth
        /// Its client reads less than `--export-rate-min`.
        case rate
    }

    private struct Progress {
        /// The time of the next check of the rate, and the bytes sent at the last check.
        var rateDueAt: Int
        var byteCount = 0
        var reason: Reason?
    }

    /// When it began, in seconds of the monotonic clock.
    let begunAt: Int
    private let limits: ServiceLimits
    private let storedByteCount: Int
    private let sentByteCount = Atomic<Int>(0)
    private let progress: Mutex<Progress>

    /// Begins at a second, with the bytes that the data takes.
    init(_ limits: ServiceLimits, at seconds: Int, storedByteCount: Int) {
        self.limits = limits
        self.storedByteCount = storedByteCount
        begunAt = seconds
        progress = Mutex(Progress(rateDueAt: seconds + limits.rateSeconds))
    }

    /// Counts sent bytes.
    package func count(_ byteCount: Int) {
        sentByteCount.wrappingAdd(byteCount, ordering: .relaxed)
    }

    /// Why the export was cut; nil when it was not.
    package var reason: Reason? { progress.withLock { $0.reason } }

    /// Why the export is to be cut; nil while it may go on, and when it was told before.
    func passed(at seconds: Int, storedByteCount: Int) -> Reason? {
        progress.withLock { progress in
            if progress.reason != nil { return nil }
            if seconds - begunAt > limits.exportAgeSecondsMax { progress.reason = .age }
            if storedByteCount - self.storedByteCount > limits.exportGrowthByteCountMax {
                progress.reason = .growth
            }
            if seconds >= progress.rateDueAt {
                let sent = sentByteCount.load(ordering: .relaxed)
                if (sent - progress.byteCount) / limits.rateSeconds < limits.exportByteRateMin {
                    progress.reason = .rate
                }
                progress.byteCount = sent
                progress.rateDueAt = seconds + limits.rateSeconds
            }
            return progress.reason
        }
    }
}

/// An export that has begun.
package struct Export {
    /// Its text. The caller counts the sent bytes in ``limit``.
    package let pieces: ExportCursor
    /// The version that it shows.
    package let version: StoreVersion
    /// The bound.
    package let limit: ExportLimit
    /// The note that its version is held.
    let hold: Lease
}
