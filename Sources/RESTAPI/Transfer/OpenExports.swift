import ObjectStore
import StoreService
import Synchronization

/// The exports that are being sent. Thread-safe.
final class OpenExports: Sendable {
    private let exports = Mutex<[ObjectIdentifier: ExportLimit]>([:])

    /// Begins one; ``close(_:)`` follows.
    func open(_ limits: ServiceLimits, storedByteCount: Int) -> ExportLimit {
        let limit = ExportLimit(limits, at: Self.seconds(), storedByteCount: storedByteCount)
        exports.withLock { $0[ObjectIdentifier(limit)] = limit }
        return limit
    }

    /// One has ended.
    func close(_ limit: ExportLimit) {
        exports.withLock { $0[ObjectIdentifier(limit)] = nil }
    }

    /// How many there are.
    var count: Int { exports.withLock { $0.count } }

    /// For how many seconds the oldest has been open; 0 when there is none.
    var oldestSeconds: Int {
        let begunAt = exports.withLock { $0.values.map(\.begunAt).min() }
        return begunAt.map { Self.seconds() - $0 } ?? 0
    }

    /// Seconds of the monotonic clock.
    static func seconds() -> Int { Int(monotonicMilliseconds() / 1000) }
}
