import HoldfastObjectStore
import Synchronization

/// Somebody who is told of changes in a realm: what all kinds of observations share.
///
/// When the realm may call the program, all note what has changed since they noted last, with the views before and after at hand, however many
/// steps of the realm are between, and are told then. What was noted and not told yet, as behind the begin of another observation, is told
/// with what is noted next as one change. Where the realm belongs alone uses it, but for its end.
class Observation: @unchecked Sendable {
    // Unchecked: subclasses change where the realm belongs alone.

    let realm: RealmCore
    private let ended = Atomic(false)

    init(in realm: RealmCore) {
        Self.requireObservable(realm)
        self.realm = realm
    }

    /// Ends the process where no observer can be told: on another thread, inside a write, and in a frozen realm.
    static func requireObservable(_ realm: RealmCore) {
        realm.checkThread()
        if realm.isFrozen {
            Misuse.end("Frozen Realms do not change and do not have change notifications.")
        }
        if realm.isInWrite {
            Misuse.end("Cannot register notification blocks from within write transactions.")
        }
    }

    /// Has the realm's changes noted, and returns what keeps the observation.
    ///
    /// Where code can be run later the first call does not wait for a commit.
    final func begin() -> NotificationToken {
        // From here on it is told, of no step before.
        realm.noteChanges()
        realm.observations.add(self)
        if realm.confinement.canSchedule {
            realm.confinement.schedule { [weak self] in self?.tellFirst() }
        }
        return NotificationToken(self)
    }

    private func tellFirst() {
        realm.checkThread()
        if isEnded || realm.isInWrite || realm.isReleased { return }
        realm.noteChanges()
        tell()
    }

    final var isEnded: Bool { ended.load(ordering: .acquiring) }
    final func end() { ended.store(true, ordering: .releasing) }

    /// Notes what a step of the realm changed.
    func note(_ step: RealmStep) throws(StoreError) {}
    /// Goes along with a step whose changes are not told.
    func skip(_ step: RealmStep) throws(StoreError) {}
    /// Tells the program that there is a newer version than the realm shows.
    func tellOfNewer() {}
    /// Tells the program what was noted.
    func tell() {}
}
