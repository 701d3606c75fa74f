/// The writes and interactive writes that wait for the writer's thread, in the order in which they came.
///
/// A value without a clock: times are in milliseconds of the monotonic clock, and given.
struct WaitingWrites {
    /// An interactive write and the number of writes that came before it and still wait.
    private struct WaitingInteractiveWrite {
        var interactiveWrite: QueuedInteractiveWrite
        var aheadCount: Int
    }

    private var writes: [any PendingWrite] = []
    /// The time at which each of the writes came.
    private var arrivals: [UInt64] = []
    private var interactiveWrites: [WaitingInteractiveWrite] = []

    var count: Int { writes.count }
    var isEmpty: Bool { writes.isEmpty && interactiveWrites.isEmpty }

    /// Adds a write that comes at `now`.
    mutating func append(_ write: any PendingWrite, at now: UInt64) {
        writes.append(write)
        arrivals.append(now)
    }

    /// Adds an interactive write, behind everything that waits.
    mutating func append(_ interactiveWrite: QueuedInteractiveWrite) {
        interactiveWrites.append(
            WaitingInteractiveWrite(interactiveWrite: interactiveWrite, aheadCount: writes.count))
    }

    /// Takes the first write if no write came before it.
    mutating func takeTurn() -> QueuedInteractiveWrite? {
        guard let first = interactiveWrites.first, first.aheadCount == 0 else { return nil }
        return interactiveWrites.removeFirst().interactiveWrite
    }

    /// Takes the first writes: at most `countMax`, and only the ones that came before an interactive write.
    mutating func takeGroup(countMax: Int) -> [any PendingWrite] {
        takeFirst(min(writes.count, countMax, interactiveWrites.first?.aheadCount ?? .max))
    }

    /// Takes the writes that came at `time` or before.
    mutating func takeWrites(until time: UInt64) -> [any PendingWrite] {
        takeFirst(arrivals.firstIndex { $0 > time } ?? arrivals.count)
    }

    /// The time when the first write came; nil without a write.
    var firstArrival: UInt64? { arrivals.first }

    private mutating func takeFirst(_ count: Int) -> [any PendingWrite] {
        for index in interactiveWrites.indices {
            interactiveWrites[index].aheadCount = max(
                0, interactiveWrites[index].aheadCount - count)
        }
        if count == writes.count {
            arrivals.removeAll(keepingCapacity: true)
            defer { writes = [] }
            return writes
        }
        arrivals.removeFirst(count)
        defer { writes.removeFirst(count) }
        return Array(writes[..<count])
    }
}
