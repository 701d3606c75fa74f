import HoldfastObjectStore
import Synchronization

/// Has a realm of a queue, an actor or the main thread follow the commits of others. Thread-safe.
final class CommitFollower: Sendable {
    private let place: OpenRealms.Place
    private let confinement: Confinement
    /// Whether the realm is going to look, so that it looks once after many commits.
    private let isScheduled = Atomic(false)

    init(_ place: OpenRealms.Place, _ confinement: Confinement) {
        self.place = place
        self.confinement = confinement
    }

    /// Has the realm look for the newest version, later.
    func noteCommit() {
        if isScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
        confinement.schedule { [self] in
            isScheduled.store(false, ordering: .releasing)
            OpenRealms.core(at: place)?.followCommit()
        }
    }
}

extension RealmCore {
    /// Advances after a commit of others. Called where the realm belongs.
    func followCommit() {
        // A commit of its own that is on its way advances it when it is told of.
        if asyncWrites.commit != nil { return }
        checkThread()
        if isInWrite || isReleased { return }
        if autorefresh { _ = refresh() } else { observations.tellOfNewer() }
    }
}
