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
        var count = 0
        while visited < StreamCatchUp.pieceObjectCount,
            writer.byteCount < byteCountMax
        {
            if let departures, let position = candidates.nextUnmatched() {
                let text = departures.text(at: position)
                if text.isEmpty { continue }
                beginChange(&writer, isFirst: count == 0, framing)
                writer.buffer.append(text)
                count += 1
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
            beginChange(&writer, isFirst: count == 0, framing)
            writer.write(event, withVersion: false)
            count += 1
        }
        if count == 0 { return nil }
        writer.endChangeEvent(framing)
        return writer
    }

    private func beginChange(
        _ writer: inout ChangeWriter, isFirst: Bool, _ framing: any EventFraming
    ) {
        if isFirst {
            writer.beginChangeEvent(version: through, framing)
        } else {
            writer.raw(",")
        }
    }
}
