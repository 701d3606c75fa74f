import Bytes
import ObjectStore
import Query
import Synchronization

/// Folded changes that several streams have missed, with what they read of them in common: each object is read and its
/// departure written once for all, and a stream tests those alone that a condition of its filter finds. Any thread.
final class SharedFold: Sendable {
    /// The events by which objects of a class are forgotten, as JSON with a comma before each, by their positions in the
    /// changes.
    struct Departures: Sendable {
        fileprivate let text: SharedBytes
        /// Where each ends.
        fileprivate let ends: [Int]

        /// The events of objects that follow each other; nothing of those that were deleted after the changes.
        func text(of positions: Range<Int>) -> UnsafeRawBufferPointer {
            let start = positions.lowerBound > 0 ? ends[positions.lowerBound - 1] : 0
            return UnsafeRawBufferPointer(
                rebasing: text.buffer.bytes[start..<ends[positions.upperBound - 1]])
        }
    }

    private struct ValuesKey: Hashable {
        let classIndex: Int
        let place: ValuePlace
    }

    private struct DeparturesKey: Hashable {
        let classIndex: Int
        let telling: StreamTelling
        let quotesLargeInts: Bool
    }

    /// The most objects that may match a stream's filter: it remembers which, and of more it tests each that changed.
    private static let matchingCountMax = 1_000

    let changes: FoldedChanges
    private let values = Mutex<[ValuesKey: FoldedValues]>([:])
    private let departures = Mutex<[DeparturesKey: Departures]>([:])
    private let making = Mutex<Void>(())

    init(_ changes: FoldedChanges) { self.changes = changes }

    /// Takes what does not match from the objects that a stream has to test, where a condition of its filter tells.
    ///
    /// The tables hold what was at some time behind the changes. What has happened since is among later changes, which
    /// the stream is told of next.
    ///
    /// - Returns: How those are told; nil where each object has to be tested, also as another stream makes the tables, or
    ///   the view is late.
    /// - Throws: ``StoreError`` when an object can't be read.
    func narrow(
        _ candidates: inout ObservedCandidates, of stream: CheckedStream, _ read: ReadTransaction,
        _ limits: ServiceLimits
    ) throws(StoreError) -> Departures? {
        guard let classIndex = stream.observed.classIndex,
            let anchors = stream.observed.ownAnchors
        else { return nil }
        var matching: Set<Int> = []
        for anchor in anchors {
            guard case .ranges(let ranges) = anchor.condition,
                let values = try values(at: anchor.place, of: classIndex, read)
            else { return nil }
            for range in ranges {
                guard
                    let found = values.positions(
                        in: range, countMax: Self.matchingCountMax - matching.count)
                else { return nil }
                matching.formUnion(found)
            }
        }
        let departures = try departures(of: classIndex, stream, read, limits)
        if departures != nil { candidates.narrow(to: matching.sorted()) }
        return departures
    }

    private func values(
        at place: ValuePlace, of classIndex: Int, _ read: ReadTransaction
    ) throws(StoreError) -> FoldedValues? {
        let key = ValuesKey(classIndex: classIndex, place: place)
        return try table(key, in: values, read) {
            FoldedValues(at: place, of: classIndex, changes, in: read)
        }
    }

    private func departures(
        of classIndex: Int, _ stream: CheckedStream, _ read: ReadTransaction,
        _ limits: ServiceLimits
    ) throws(StoreError) -> Departures? {
        let key = DeparturesKey(
            classIndex: classIndex, telling: stream.definition.telling,
            quotesLargeInts: stream.definition.quotesLargeInts)
        return try table(key, in: departures, read) {
            var writer = ChangeWriter(stream, read, limits)
            var ends: [Int] = []
            ends.reserveCapacity(changes.order.count)
            for (identity, change) in zip(changes.order, changes.outcomes) {
                if identity.classIndex == classIndex {
                    writer.writeDeparture(of: identity, change)
                }
                ends.append(writer.byteCount)
            }
            writer.buffer.trim()
            return Departures(text: writer.take(), ends: ends)
        }
    }

    /// A table that is known, or is made: by one alone, for it may be large. Others go without: the one that makes it
    /// leaves its turn to them, which it would not get back if they waited for it.
    ///
    /// - Returns: Nil where another makes it, and where the view is late.
    private func table<Key: Hashable & Sendable, Table: Sendable>(
        _ key: Key, in tables: borrowing Mutex<[Key: Table]>, _ read: ReadTransaction,
        _ make: () -> Table
    ) throws(StoreError) -> Table? {
        if let known = tables.withLock({ $0[key] }) { return known }
        let made = try making.withLockIfAvailable { _ throws(StoreError) -> Table? in
            if let known = tables.withLock({ $0[key] }) { return known }
            let made = make()
            // An object that was not read is no other one.
            try read.checkFailure()
            if read.isLate { return nil }
            tables.withLock { $0[key] = made }
            return made
        }
        return made ?? nil
    }
}
