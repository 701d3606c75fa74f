import Bytes
import ObjectStore
import Query
import Synchronization

/// Folded changes that several streams have missed, with what they read of them in common: each object is read and its
/// departure written once for all, and a stream tests those alone that a condition of its filter finds. Any thread.
final class SharedFold: Sendable {
    /// The events by which objects of a class are forgotten, as JSON, by their positions in the changes.
    struct Departures: Sendable {
        fileprivate let text: SharedBytes
        /// Where each ends.
        fileprivate let ends: [Int]

        /// The event of an object; empty for one that was deleted after the changes.
        func text(at position: Int) -> UnsafeRawBufferPointer {
            let start = position > 0 ? ends[position - 1] : 0
            return UnsafeRawBufferPointer(rebasing: text.buffer.bytes[start..<ends[position]])
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

    init(_ changes: FoldedChanges) { self.changes = changes }

    /// Takes what does not match from the objects that a stream has to test, where a condition of its filter tells.
    ///
    /// The tables hold what was at some time behind the changes. What has happened since is among later changes, which
    /// the stream is told of next.
    ///
    /// - Returns: How those are told; nil where each object has to be tested, or the view is late.
    /// - Throws: ``StoreError`` when an object can't be read.
    func narrow(
        _ candidates: inout ObservedCandidates, of stream: CheckedStream, _ read: ReadTransaction,
        _ limits: ServiceLimits
    ) throws(StoreError) -> Departures? {
        guard let classIndex = stream.observed.classIndex,
            let anchors = stream.observed.ownAnchors,
            let departures = try departures(of: classIndex, stream, read, limits)
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
        candidates.narrow(to: matching.sorted())
        return departures
    }

    private func values(
        at place: ValuePlace, of classIndex: Int, _ read: ReadTransaction
    ) throws(StoreError) -> FoldedValues? {
        let key = ValuesKey(classIndex: classIndex, place: place)
        if let known = values.withLock({ $0[key] }) { return known }
        let made = FoldedValues(at: place, of: classIndex, changes, in: read)
        guard try isWhole(read) else { return nil }
        values.withLock { $0[key] = made }
        return made
    }

    private func departures(
        of classIndex: Int, _ stream: CheckedStream, _ read: ReadTransaction,
        _ limits: ServiceLimits
    ) throws(StoreError) -> Departures? {
        let key = DeparturesKey(
            classIndex: classIndex, telling: stream.definition.telling,
            quotesLargeInts: stream.definition.quotesLargeInts)
        if let known = departures.withLock({ $0[key] }) { return known }
        var writer = ChangeWriter(stream, read, limits)
        var ends: [Int] = []
        ends.reserveCapacity(changes.order.count)
        for (identity, change) in zip(changes.order, changes.outcomes) {
            if identity.classIndex == classIndex {
                writer.writeDeparture(of: identity, change)
            }
            ends.append(writer.byteCount)
        }
        guard try isWhole(read) else { return nil }
        let made = Departures(text: writer.take(), ends: ends)
        departures.withLock { $0[key] = made }
        return made
    }

    /// Whether everything was read: an object that was not is no other one.
    private func isWhole(_ read: ReadTransaction) throws(StoreError) -> Bool {
        try read.checkFailure()
        return !read.isLate
    }
}
