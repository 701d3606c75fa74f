import HoldfastObjectStore

/// The observations of a realm. Used only where the realm belongs.
final class RealmObservations {
    private struct Entry { weak var observation: Observation? }

    private var entries: [Entry] = []
    /// The view that observers know, if the realm has moved on without notifying them.
    private var known: (view: StoreView, own: OwnCommit?)?

    func add(_ observation: Observation) { entries.append(Entry(observation: observation)) }

    var isEmpty: Bool { entries.allSatisfy { $0.observation?.isEnded ?? true } }

    /// The observations that have not ended, in the order in which they began.
    var present: [Observation] {
        entries.compactMap { $0.observation.flatMap { $0.isEnded ? nil : $0 } }
    }

    /// Keeps the view that the realm leaves, if observers know it. They are later notified of the difference between that view
    /// and the one that the realm then shows, regardless of the versions between.
    ///
    /// - `own`: The realm's own write that led to the next version.
    /// - Returns: Whether the view is kept, until ``takeKnown()``.
    func keep(_ view: StoreView, before own: OwnCommit?) -> Bool {
        entries.removeAll { $0.observation == nil }
        if known != nil || isEmpty { return false }
        known = (view, own)
        return true
    }

    /// Hands over the view that observers know; nil if the realm still shows it.
    func takeKnown() -> (view: StoreView, own: OwnCommit?)? { known.take() }

    /// Makes all observations note the changes between two views of a realm.
    ///
    /// - `own`: The version that the realm's own write made, and the observations that are skipped. If others have written after
    ///   it, nothing is skipped, because the changes can't be told apart.
    func note(from before: StoreView, to after: StoreView, own: OwnCommit?) throws(StoreError) {
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
