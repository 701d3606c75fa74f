import HoldfastObjectStore

/// The observations of a realm. Used only where the realm belongs.
final class RealmObservations {
    private struct Entry {
        weak var observation: Observation?
        /// Nil once it has ended.
        var present: Observation? { observation.flatMap { $0.isEnded ? nil : $0 } }
    }

    private var entries: [Entry] = []
    /// The views that observers know, if the realm has moved on without notifying them. Each is known to the entries up to its
    /// end, from the end of the view before; the other entries began at the view that the realm shows.
    private var known: [(view: StoreView, own: OwnCommit?, end: Int)] = []

    var knownViewCount: Int { known.count }

    func add(_ observation: Observation) { entries.append(Entry(observation: observation)) }

    var isEmpty: Bool { entries.allSatisfy { $0.present == nil } }

    /// The observations that have not ended, in the order in which they began.
    var present: [Observation] { entries.compactMap(\.present) }

    /// Keeps the view that the realm leaves, if observers know it. They are later notified of the difference between that view
    /// and the one that the realm then shows, regardless of the versions between.
    ///
    /// - `own`: The realm's own write that led to the next version.
    /// - Returns: Whether the view is kept, until ``takeKnown()``.
    func keep(_ view: StoreView, before own: OwnCommit?) -> Bool {
        if known.isEmpty { entries.removeAll { $0.present == nil } }
        if entries[(known.last?.end ?? 0)...].allSatisfy({ $0.present == nil }) { return false }
        known.append((view, own, entries.count))
        return true
    }

    /// Hands over the views that observers know, with these observers; none if the realm still shows them.
    func takeKnown() -> [(view: StoreView, own: OwnCommit?, observers: [Observation])] {
        defer { known = [] }
        let starts = [0] + known.map(\.end)
        return zip(known, starts).map { known, start in
            (known.view, known.own, entries[start..<known.end].compactMap(\.present))
        }
    }

    /// Makes all observations report a newer version that the realm does not show yet.
    func tellOfNewer() {
        for observation in present where !observation.isEnded { observation.tellOfNewer() }
    }
}

/// A commit of a realm's own.
struct OwnCommit {
    /// The version that the commit made.
    let version: UInt64
    /// Observations that are skipped.
    let silenced: [Observation]
}
