import Synchronization

/// Makes a realm of a queue, an actor or the main thread follow other commits. Thread-safe.
final class CommitFollower: Sendable {
    private let place: OpenRealms.Place
    private let confinement: Confinement
    /// Whether a look-up is scheduled, so that the realm looks only once after many commits.
    private let isScheduled = Atomic(false)

    init(_ place: OpenRealms.Place, _ confinement: Confinement) {
        self.place = place
        self.confinement = confinement
    }

    /// Schedules that the realm looks for the newest version.
    func noteCommit() {
        if isScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
        confinement.schedule { [self] in
            isScheduled.store(false, ordering: .releasing)
            OpenRealms.core(at: place)?.followCommit()
        }
    }
}

extension RealmCore {
    /// Advances after another commit. Called where the realm belongs.
    func followCommit() {
        // The realm's own pending commit advances it when its outcome is known.
        if asyncWrites.commit != nil { return }
        checkThread()
        if isInWrite || isReleased { return }
        if autorefresh { _ = refresh() } else { observations.tellOfNewer() }
    }
}
