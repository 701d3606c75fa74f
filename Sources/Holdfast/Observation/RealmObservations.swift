import HoldfastObjectStore

/// The observations of a realm. Used only where the realm belongs.
final class RealmObservations {
    /// An observation, with the view that it knows.
    final class Entry {
        private weak var observation: Observation?
        /// The view up to which the observation has noted the changes; nil if the realm still shows that view, or shows none.
        var known: KnownView?

        fileprivate init(_ observation: Observation) { self.observation = observation }

        /// Nil once it has ended.
        var present: Observation? { observation.flatMap { $0.isEnded ? nil : $0 } }
    }

    /// The observations, in the order in which they began.
    private(set) var entries: [Entry] = []

    func add(_ observation: Observation) { entries.append(Entry(observation)) }

    var isEmpty: Bool { entries.allSatisfy { $0.present == nil } }

    /// Keeps a view that the realm leaves, for the observations that know no earlier one. They later note the difference between
    /// that view and the one that the realm then shows, regardless of the versions between.
    ///
    /// - Returns: The number of views that are kept, or more.
    func keep(_ view: KnownView) -> Int {
        // A loop that is under way still has the entries that go.
        for entry in entries where entry.present == nil { entry.known = nil }
        entries.removeAll { $0.present == nil }
        var count = 0
        var last: KnownView?
        for entry in entries {
            if entry.known == nil { entry.known = view }
            // Neighbours began at the same view, or were notified of the same one.
            if entry.known !== last { count += 1 }
            last = entry.known
        }
        return count
    }

    /// Releases all views. The observations must not be used afterwards.
    func release() { entries = [] }

    /// Makes all observations report a newer version that the realm does not show yet.
    func tellOfNewer() {
        for entry in entries { entry.present?.tellOfNewer() }
    }
}

/// A view that a realm no longer shows, open as long as observations know it.
final class KnownView {
    let view: StoreView
    private let versions: RetainedVersions
    /// The last step from the view. Most observations have it in common.
    private var step: RealmStep?

    /// - `versions`: Where the view is registered as a realm's.
    init(_ view: StoreView, _ versions: RetainedVersions) {
        self.view = view
        self.versions = versions
    }

    /// Calls `body` with the step to a later view. The view stays open meanwhile.
    func withStep(
        to after: StoreView, _ body: (RealmStep) throws(StoreError) -> Void
    ) throws(StoreError) {
        if step?.after !== after { step = try RealmStep(from: view, to: after) }
        if let step { try body(step) }
        withExtendedLifetime(self) {}
    }

    deinit {
        versions.end(view.commit, .realm)
        view.close()
    }
}
