import HoldfastObjectStore
import Synchronization

/// The base class of all observations of a realm's changes.
///
/// When the realm may call the program, each observation notes the changes since it noted last, with both views open, even if the
/// realm has made several steps, and reports them. If it has to note earlier, because too many views are kept, a write begins or
/// the realm is invalidated, the changes are joined with the next ones. Used only where the realm belongs, except for ending it.
class Observation: @unchecked Sendable {
    // Unchecked: subclasses change only where the realm belongs.

    let realm: RealmCore
    private let ended = Atomic(false)

    init(in realm: RealmCore) {
        Self.requireObservable(realm)
        self.realm = realm
    }

    /// Ends the process if no observation is possible: on another thread, inside a write, and in a frozen realm.
    static func requireObservable(_ realm: RealmCore) {
        realm.checkThread()
        if realm.isFrozen {
            Misuse.end("Frozen Realms do not change and do not have change notifications.")
        }
        if realm.isInWrite {
            Misuse.end("Cannot register notification blocks from within write transactions.")
        }
    }

    /// Registers the observation with the realm and returns its token.
    ///
    /// If the confinement can run code later, the first call does not wait for a commit.
    final func begin() -> NotificationToken {
        realm.observations.add(self)
        if realm.confinement.canSchedule {
            realm.confinement.schedule { [weak self] in self?.tellFirst() }
        }
        return NotificationToken(self)
    }

    private func tellFirst() {
        realm.checkThread()
        if isEnded || realm.isInWrite || realm.isReleased { return }
        realm.tellObservers()
    }

    final var isEnded: Bool { ended.load(ordering: .acquiring) }
    final func end() { ended.store(true, ordering: .releasing) }

    /// Notes the changes of a step of the realm.
    func note(_ step: RealmStep) throws(StoreError) {}
    /// Advances by a step without reporting its changes.
    func skip(_ step: RealmStep) throws(StoreError) {}
    /// Reports to the program that there is a newer version than the realm shows.
    func tellOfNewer() {}
    /// Reports the noted changes to the program.
    func tell() {}
}
