import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

/// Changes that a stream has missed, delivered piece by piece as its client reads.
///
/// Only which objects changed is kept, counted by ``FoldCache``; what became of them is read when a piece is written,
/// so that memory does not grow with their size.
struct MissedChanges {
    /// The last version of the changes.
    var through: UInt64 { fold.changes.through }
    let fold: SharedFold
    /// The last version whose result the client held exactly.
    let since: UInt64
    /// The objects that are left.
    private(set) var candidates: ObservedCandidates
    /// The events of those that do not match, where they are written already.
    let departures: SharedFold.Departures?
    /// Whether nothing is left.
    private(set) var isAtEnd = false
    /// Whether it can't be told object by object to those who may not read everything.
    private(set) var isUndecided = false

    /// Objects that are tested for one piece.
    private static let pieceObjectCount = 2_000
    /// Objects whose departures are appended at once.
    private static let runObjectCountMax = 64

    /// Takes as much as makes a piece and writes it, as one event that does not move the cursor.
    ///
    /// - Returns: Nil when nothing of it concerns the query.
    /// - Throws: ``RequestFault`` for an object that is too large.
    mutating func takePiece(
        _ stream: CheckedStream, _ read: ReadTransaction, _ limits: ServiceLimits,
        _ framing: any EventFraming, byteCountMax: Int
    ) throws(RequestFault) -> SharedBytes? {
        let events = MissedEvents(of: stream.observed, fold.changes, since: since, in: read)
        var writer = ChangeWriter(stream, read, limits)
        var isEmpty = true
        /// Appends what is written already, with a comma before each event.
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

    /// The event of an object that does not match, where it is written already.
    private func departure(
        _ event: QueryEvent, _ candidate: ObservedCandidate
    ) -> UnsafeRawBufferPointer? {
        guard event.kind == .leave || event.kind == .delete, let departures,
            let text = candidate.position.map({ departures.text(of: $0..<$0 + 1) })
        else { return nil }
        return text.isEmpty ? nil : text
    }
}
