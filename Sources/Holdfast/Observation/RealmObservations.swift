import HoldfastObjectStore

/// The observations of a realm. Where the realm belongs alone uses it.
final class RealmObservations {
    private struct Entry {
        weak var observation: Observation?
    }

    private var entries: [Entry] = []
    /// The view that observers know, once the realm has left it without having them told.
    private var known: (view: StoreView, own: OwnCommit?)?

    func add(_ observation: Observation) {
        entries.append(Entry(observation: observation))
    }

    /// Whether no observer is left.
    var isEmpty: Bool { entries.allSatisfy { $0.observation?.isEnded ?? true } }

    /// Those that have not ended, in the order in which they began.
    var present: [Observation] {
        entries.compactMap { $0.observation.flatMap { $0.isEnded ? nil : $0 } }
    }

    /// Keeps the view that the realm leaves, where observers know it: what they are told is how that differs from what the realm shows by then,
    /// whatever was between.
    ///
    /// - `own`: The write of the realm's own that led away from it.
    /// - Returns: Whether it is kept, until ``takeKnown()``.
    func keep(_ view: StoreView, before own: OwnCommit?) -> Bool {
        entries.removeAll { $0.observation == nil }
        if known != nil || isEmpty { return false }
        known = (view, own)
        return true
    }

    /// Hands over the view that observers know; nil where the realm shows it.
    func takeKnown() -> (view: StoreView, own: OwnCommit?)? { known.take() }

    /// Has all note what changed between two views of a realm.
    ///
    /// - `own`: The version that a write of the realm's own made, and those whom it is not to be told. Where others have
    ///   written behind it, it is told them, too: the two can't be told apart.
    func note(
        from before: StoreView, to after: StoreView, own: OwnCommit?
    ) throws(StoreError) {
        let present = present
        if present.isEmpty { return }
        let step = try RealmStep(from: before, to: after)
        for observation in present {
            if let own, own.version == step.version,
                own.silenced.contains(where: { $0 === observation })
            {
                try observation.skip(step)
            } else {
                try observation.note(step)
            }
        }
    }

    /// Has all tell that there is a newer version, which the realm does not show yet.
    func tellOfNewer() {
        for observation in present where !observation.isEnded { observation.tellOfNewer() }
    }
}

/// A commit of a realm's own.
struct OwnCommit {
    /// The version that it made.
    let version: UInt64
    /// Those whom it is not told.
    let silenced: [Observation]
}
