import ObjectStore

/// Changes that a stream has missed, delivered piece by piece as its client reads.
///
/// Only which objects changed is kept, counted by ``FoldCache``; what became of them is read when a piece is written,
/// so that memory does not grow with their size.
struct MissedChanges {
    /// The last version of the changes.
    var through: UInt64 { fold.changes.through }
    private let fold: FoldCache.Fold
    /// The objects that are left.
    private(set) var candidates: ObservedCandidates
    /// How objects are told that do not match without a test.
    private let departures: SharedFold.Departures?
    /// Whether nothing is left.
    private(set) var isAtEnd = false

    init(
        _ fold: FoldCache.Fold, _ candidates: ObservedCandidates,
        _ departures: SharedFold.Departures?
    ) {
        self.fold = fold
        self.candidates = candidates
        self.departures = departures
    }

    /// Takes as much as makes a piece and writes it, as one event that does not move the cursor.
    ///
    /// - Returns: Nil when nothing of it concerns the query.
    mutating func takePiece(
        _ stream: CheckedStream, _ read: ReadTransaction, _ limits: ServiceLimits,
        _ framing: any EventFraming, byteCountMax: Int
    ) -> ChangeWriter? {
        let matcher = stream.observed.matcher(in: read)
        var writer = ChangeWriter(stream, read, limits)
        var visited = 0
        var isEmpty = true
        while visited < StreamCatchUp.pieceObjectCount,
            writer.byteCount < byteCountMax
        {
            if let departures, let positions = candidates.nextUnmatched() {
                let text = departures.text(of: positions)
                if text.isEmpty { continue }
                if isEmpty { writer.beginChangeEvent(version: through, framing) }
                // A comma is between two.
                writer.buffer.append(.init(rebasing: text.dropFirst(isEmpty ? 1 : 0)))
                isEmpty = false
                continue
            }
            guard let candidate = candidates.next() else {
                isAtEnd = true
                break
            }
            visited += 1
            guard let event = stream.observed.event(of: candidate, in: read, matcher) else {
                continue
            }
            if isEmpty {
                writer.beginChangeEvent(version: through, framing)
            } else {
                writer.raw(",")
            }
            writer.write(event, withVersion: false)
            isEmpty = false
        }
        if isEmpty { return nil }
        writer.endChangeEvent(framing)
        return writer
    }
}
