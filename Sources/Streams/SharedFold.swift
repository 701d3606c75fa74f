import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService
import Synchronization

/// Folded changes that streams have missed, with their departures: the events by which clients forget objects. These are written
/// once if several streams have missed them. Any thread.
///
/// Benchmark row: `resume`.
final class SharedFold: Sendable {
    /// The departures of objects of a class, as JSON with a comma before each, by the objects' positions in the changes.
    struct Departures: Sendable {
        fileprivate let text: SharedBytes
        /// The end of each event.
        fileprivate let ends: [Int]

        /// The events of consecutive objects; empty for objects that were deleted after the changes.
        func text(of positions: Range<Int>) -> UnsafeRawBufferPointer {
            let start = positions.lowerBound > 0 ? ends[positions.lowerBound - 1] : 0
            let end = ends[positions.upperBound - 1]
            return UnsafeRawBufferPointer(rebasing: text.buffer.bytes[start..<end])
        }
    }

    private struct Key: Hashable {
        let classIndex: Int
        let eventOptions: EventOptions
        let quotesLargeInts: Bool
    }

    /// The number of objects that are handled without a look at the turn.
    private static let goObjectCount = Budget.stepsUnseen - 1

    let changes: FoldedChanges
    /// Whether several streams use it.
    let isShared: Bool
    /// Counts the memory of the changes while they are held; nil if they are few.
    private let share: (AnyObject & Sendable)?
    private let departures = Mutex<[Key: Departures]>([:])
    private let making = Mutex<Void>(())

    init(_ changes: FoldedChanges, isShared: Bool = false, share: (AnyObject & Sendable)? = nil) {
        (self.changes, self.isShared, self.share) = (changes, isShared, share)
    }

    /// The departures in the form that a stream sends.
    ///
    /// One stream makes them, because they may be many. Other streams do without them meanwhile: the maker leaves its turn to the
    /// others, and would not get it back if they waited for the maker.
    ///
    /// - Returns: Nil if the stream writes its own departures.
    /// - Throws: ``RequestFault`` when an object can't be read.
    func departures(
        as stream: CheckedStream, _ read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> Departures? {
        guard isShared, let classIndex = stream.observed.classIndex else { return nil }
        let key = Key(
            classIndex: classIndex, eventOptions: stream.definition.eventOptions,
            quotesLargeInts: stream.definition.quotesLargeInts)
        if let known = departures.withLock({ $0[key] }) { return known }
        // Thousands of streams may come back at once. A maker that loses its turn to them is late for all.
        guard read.budget.checkLimits() else { return nil }
        return try making.withLockIfAvailable { _ throws(RequestFault) in
            if let known = departures.withLock({ $0[key] }) { return known }
            let made = try served.checked(read) { () throws(RequestFault) in
                try make(of: classIndex, stream, read, served)
            }
            departures.withLock { $0[key] = made }
            return made
        }
    }

    private func make(
        of classIndex: Int, _ stream: CheckedStream, _ read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> Departures {
        var writer = ChangeWriter(stream, read, served.limits)
        var ends: [Int] = []
        ends.reserveCapacity(changes.order.count)
        for (identity, change) in zip(changes.order, changes.outcomes) {
            // The caller has looked at the turn before the first objects.
            if !ends.isEmpty, ends.count.isMultiple(of: Self.goObjectCount),
                !read.budget.checkLimits()
            {
                break
            }
            if identity.classIndex == classIndex { writer.writeDeparture(of: identity, change) }
            ends.append(writer.byteCount)
        }
        writer.buffer.trim()
        return Departures(text: try writer.finish(), ends: ends)
    }
}
