import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

/// Changes that a stream has missed, delivered piece by piece as its client reads.
///
/// Only the identities of the changed objects are kept, counted by ``FoldCache``. Their values are read when a piece is written,
/// so that memory does not grow with their size.
struct CatchUpChanges {
    /// The last version of the changes.
    var through: UInt64 { fold.changes.through }
    let fold: SharedFold
    /// The last version at which the client had exactly the result.
    let since: UInt64
    /// The objects that are not sent yet.
    private(set) var candidates: ObservedCandidates
    /// The events of objects that no longer match, if they are already written.
    let departures: SharedFold.Departures?
    /// Whether nothing is left.
    private(set) var isAtEnd = false
    /// Whether the changes cannot be reported object by object to a user that may not read everything.
    private(set) var isUndecided = false

    /// The number of objects that are tested for one piece.
    private static let pieceObjectCount = 2_000
    /// The maximum number of objects in a run of departures that is appended at once.
    private static let runObjectCountMax = 64

    /// Takes enough changes for a piece and writes them as one event that does not move the cursor.
    ///
    /// - Returns: Nil if no change in the piece concerns the query.
    /// - Throws: ``RequestFault`` for an object that is too large.
    mutating func takePiece(
        _ stream: CheckedStream, _ read: ReadTransaction, _ limits: ServiceLimits,
        _ framing: any EventFraming, byteCountMax: Int
    ) throws(RequestFault) -> SharedBytes? {
        let events = CatchUpEvents(of: stream.observed, fold.changes, since: since, in: read)
        var writer = ChangeWriter(stream, read, limits)
        var isEmpty = true
        /// Appends events that are already written, with a comma before each.
        func append(_ departures: UnsafeRawBufferPointer) {
            if departures.isEmpty { return }
            if isEmpty { writer.beginChangeEvent(version: through, framing) }
            writer.buffer.append(.init(rebasing: departures.dropFirst(isEmpty ? 1 : 0)))
            isEmpty = false
        }
        for _ in 0..<Self.pieceObjectCount {
            if writer.byteCount >= byteCountMax { break }
            if let departures,
                let run = events.takeDepartures(&candidates, countMax: Self.runObjectCountMax)
            {
                append(departures.text(of: run))
                continue
            }
            guard let candidate = candidates.next() else {
                isAtEnd = true
                break
            }
            guard let event = events.event(of: candidate) else { continue }
            if event.isUndecided {
                isUndecided = true
                return nil
            }
            if let departure = departure(event, candidate) {
                append(departure)
                continue
            }
            if isEmpty {
                writer.beginChangeEvent(version: through, framing)
            } else {
                writer.raw(",")
            }
            isEmpty = false
            writer.write(event, withVersion: false)
        }
        if isEmpty { return nil }
        writer.endChangeEvent(framing)
        return try writer.finish()
    }

    /// The event of an object that no longer matches, if it is already written.
    private func departure(
        _ event: QueryEvent, _ candidate: ObservedCandidate
    ) -> UnsafeRawBufferPointer? {
        guard event.kind == .leave || event.kind == .delete, let departures,
            let text = candidate.position.map({ departures.text(of: $0..<$0 + 1) })
        else { return nil }
        return text.isEmpty ? nil : text
    }
}
