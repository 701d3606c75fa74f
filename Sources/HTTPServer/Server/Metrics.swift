import HoldfastThreads
import Synchronization

/// Counters of a server, updated without locks. Another part renders them.
// @unchecked: the memory is allocated once and holds atomics only.
package final class Metrics: @unchecked Sendable {
    /// Upper bounds of the duration buckets, in microseconds; one more bucket has no bound.
    package static let durationBoundsMicroseconds: [Int] = [
        50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
        1_000_000, 2_500_000, 10_000_000,
    ]

    /// The figures of one operation at one moment.
    package struct Operation: Sendable {
        package let operationID: String
        /// Requests by status class: index 2 for 2xx, index 0 for requests without a complete reply.
        package let countByStatusClass: [Int]
        /// Bytes of reply bodies (of streams: of everything sent).
        package let sentByteCount: Int
        /// Bytes of request bodies as received.
        package let receivedByteCount: Int
        package let durationMicrosecondsSum: Int
        /// Requests in each bucket of ``Metrics/durationBoundsMicroseconds``; not cumulative.
        package let durationBuckets: [Int]
    }

    private static let bucketCount = durationBoundsMicroseconds.count + 1
    private static let slotCount = 6 + 3 + bucketCount
    // Rounded up to whole cache lines, so that operations do not slow each other down.
    private static let stride = (slotCount + 7) / 8 * 8

    private let operationIDs: [String]
    private let slots: UnsafeMutablePointer<Atomic<Int>>
    /// Requests with complete headers and an incomplete reply (streams are counted apart).
    package let inFlight = Atomic<Int>(0)
    /// Open TCP connections, streams included.
    package let connections = Atomic<Int>(0)
    /// Open event streams.
    package let streams = Atomic<Int>(0)
    /// Connections that were refused because there were too many.
    package let refusedConnections = Atomic<Int>(0)
    /// Bodies and replies that were refused because others under way took all the memory for them.
    package let refusedMessages = Atomic<Int>(0)
    /// Replies that were cut because their clients read too slowly.
    package let slowReplies = Atomic<Int>(0)
    /// The memory of bodies and replies under way.
    package let messageMemory: MemoryBudget

    /// One slot for each operation and one for requests without a route.
    init(operationIDs: [String], _ messageMemory: MemoryBudget) {
        self.messageMemory = messageMemory
        self.operationIDs = operationIDs + [""]
        let count = (operationIDs.count + 1) * Metrics.stride
        slots = UnsafeMutablePointer<Atomic<Int>>.allocate(capacity: count)
        for index in 0..<count { (slots + index).initialize(to: Atomic<Int>(0)) }
    }

    deinit { slots.deallocate() }

    /// Counts one request. Cost: five relaxed atomic additions.
    func count(_ record: RequestRecord, microseconds: Int) {
        let route = record.route < 0 ? operationIDs.count - 1 : record.route
        let base = slots + route * Metrics.stride
        let statusClass = record.isCut ? 0 : min(5, Int(record.status) / 100)
        add(base, statusClass, 1)
        if record.byteCount > 0 { add(base, 6, record.byteCount) }
        if record.receivedByteCount > 0 { add(base, 7, record.receivedByteCount) }
        add(base, 8, microseconds)
        var bucket = 0
        while bucket < Metrics.bucketCount - 1,
            microseconds > Metrics.durationBoundsMicroseconds[bucket]
        {
            bucket += 1
        }
        add(base, 9 + bucket, 1)
    }

    private func add(_ base: UnsafeMutablePointer<Atomic<Int>>, _ slot: Int, _ value: Int) {
        base[slot].wrappingAdd(value, ordering: .relaxed)
    }

    /// Returns the figures of all operations that have been requested; an empty name stands for requests that no route matched.
    package func operations() -> [Operation] {
        operationIDs.indices.compactMap { route in
            let base = slots + route * Metrics.stride
            let values = (0..<Metrics.slotCount).map { base[$0].load(ordering: .relaxed) }
            guard values.contains(where: { $0 != 0 }) else { return nil }
            return Operation(
                operationID: operationIDs[route], countByStatusClass: Array(values[0..<6]),
                sentByteCount: values[6], receivedByteCount: values[7],
                durationMicrosecondsSum: values[8], durationBuckets: Array(values[9...]))
        }
    }
}

extension MemoryBudget {
    /// The largest message, in bytes, that is not counted. The number of connections bounds such messages.
    static let freeMessageByteCountMax = 4096
    /// The largest reply, in bytes, that is never refused: figures and single objects are sent even if all memory is taken.
    static let grantedByteCountMax = 64 << 10

    /// The memory of request bodies and replies under way, of all connections together.
    static func messages(byteCountMax: Int) -> MemoryBudget {
        MemoryBudget(
            byteCountMax: byteCountMax, uncountedByteCountMax: Self.freeMessageByteCountMax)
    }
}
