import HoldfastObjectStore

extension Realm {
    /// A notification of a realm's observer.
    public enum Notification: String, Sendable {
        /// The realm shows another version.
        case didChange = "RLMRealmDidChangeNotification"
        /// There is a newer version, which the realm shows after ``Realm/refresh()``.
        case refreshRequired = "RLMRealmRefreshRequiredNotification"
    }

    /// The block of an observer of a realm.
    public typealias NotificationBlock = (_ notification: Notification, _ realm: Realm) -> Void

    /// Calls `block` when the realm shows another version, after ``refresh()``, the begin of a write, a commit or
    /// ``autorefresh``. A realm of a queue or an actor that does not follow commits by itself is notified that a newer version
    /// exists.
    ///
    /// - Returns: A token, which has to be kept as long as the block is to be called.
    public func observe(_ block: @escaping NotificationBlock) -> NotificationToken {
        RealmObservation(in: core, block).begin()
    }
}

/// An observer of a realm as a whole.
final class RealmObservation: Observation, @unchecked Sendable {
    private let block: Realm.NotificationBlock
    private var isNew = false

    init(in realm: RealmCore, _ block: @escaping Realm.NotificationBlock) {
        self.block = block
        super.init(in: realm)
    }

    override func note(_ step: RealmStep) { isNew = true }

    override func tellOfNewer() { block(.refreshRequired, Realm(realm)) }

    override func tell() {
        guard isNew else { return }
        isNew = false
        block(.didChange, Realm(realm))
    }
}
