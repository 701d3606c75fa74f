import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService
import Synchronization

/// Folded changes that streams have missed, with the events by which objects are forgotten, which are written once where several have
/// missed them. Any thread.
final class SharedFold: Sendable {
    /// The events by which objects of a class are forgotten, as JSON with a comma before each, by their positions in the changes.
    struct Departures: Sendable {
        fileprivate let text: SharedBytes
        /// Where each ends.
        fileprivate let ends: [Int]

        /// The events of objects that follow each other; nothing for those that were deleted after the changes.
        func text(of positions: Range<Int>) -> UnsafeRawBufferPointer {
            let start = positions.lowerBound > 0 ? ends[positions.lowerBound - 1] : 0
            let end = ends[positions.upperBound - 1]
            return UnsafeRawBufferPointer(rebasing: text.buffer.bytes[start..<end])
        }
    }

    private struct Key: Hashable {
        let classIndex: Int
        let telling: StreamTelling
        let quotesLargeInts: Bool
    }

    /// So many objects' events are written without a look at the turn.
    private static let goObjectCount = Budget.stepsUnseen - 1

    let changes: FoldedChanges
    /// Whether it is of several streams.
    let isShared: Bool
    /// Counts their memory while they are held; nil where they are few.
    private let share: (AnyObject & Sendable)?
    private let departures = Mutex<[Key: Departures]>([:])
    private let making = Mutex<Void>(())

    init(
        _ changes: FoldedChanges, isShared: Bool = false, share: (AnyObject & Sendable)? = nil
    ) {
        (self.changes, self.isShared, self.share) = (changes, isShared, share)
    }

    /// The departures as a stream tells them.
    ///
    /// One stream makes them, for they may be many. Others go without meanwhile: the one that makes them leaves its turn
    /// to them, which it would not get back if they waited for it.
    ///
    /// - Returns: Nil where the stream writes its own.
    /// - Throws: ``RequestFault`` when an object can't be read.
    func departures(
        as stream: CheckedStream, _ read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> Departures? {
        guard isShared, let classIndex = stream.observed.classIndex else { return nil }
        let key = Key(
            classIndex: classIndex, telling: stream.definition.telling,
            quotesLargeInts: stream.definition.quotesLargeInts)
        if let known = departures.withLock({ $0[key] }) { return known }
        // Thousands may come back at once: one that loses its turn to them while it makes some is late for all.
        guard read.budget.look() else { return nil }
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
            // Before the first ones the caller has looked.
            if !ends.isEmpty, ends.count.isMultiple(of: Self.goObjectCount), !read.budget.look() {
                break
            }
            if identity.classIndex == classIndex { writer.writeDeparture(of: identity, change) }
            ends.append(writer.byteCount)
        }
        writer.buffer.trim()
        return Departures(text: try writer.finish(), ends: ends)
    }
}
