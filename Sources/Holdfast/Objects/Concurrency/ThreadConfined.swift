/// An object, a collection or a projection of a realm. It is used only where its realm belongs.
///
/// For other threads it is frozen, or handed to another realm by a ``ThreadSafeReference``.
public protocol ThreadConfined {
    /// The realm that it belongs to; nil if it is unmanaged.
    var realm: Realm? { get }
    /// Whether the object is gone, or its realm was invalidated.
    var isInvalidated: Bool { get }
    /// Whether it is frozen, so that it always shows one version.
    var isFrozen: Bool { get }
    /// Returns the frozen object, which always shows the realm's present version. Any thread may read it.
    func freeze() -> Self
    /// Returns the same object in the calling code's live realm; nil if it is gone there.
    func thaw() -> Self?
    /// The address of the object, for use in any realm of its store. Made where the object is managed.
    func _makeAddress() -> _Address
    /// The wording of messages about an unmanaged value.
    static var _unmanaged: (freezing: String, thawing: String) { get }
}

/// The address of an object, collection or projection, for use in any realm of a store. Any thread may hold it.
///
/// Public because of the protocol that names it.
public struct _Address: @unchecked Sendable {
    // Unchecked: the closures capture only names, numbers and types.

    let find: (RealmCore) -> Any?

    init(_ find: @escaping (RealmCore) -> Any?) { self.find = find }
}

extension ThreadConfined {
    /// Returns the frozen object, which always shows the realm's present version. Any thread may read it, several at once.
    ///
    /// Inside a write this is the version before the write. Unmanaged and deleted objects cannot be frozen: both end the process.
    /// As long as a frozen object exists, the store's file grows with every commit.
    public func freeze() -> Self {
        guard let realm = confiningRealm else { Misuse.end(Self._unmanaged.freezing) }
        if realm.isFrozen { return self }
        realm.checkThread()
        if isInvalidated { Misuse.end("Object has been deleted or invalidated.") }
        guard let frozen = found(in: realm.freeze()) else {
            Misuse.end(
                "Cannot freeze an object in the same write transaction as it was created in.")
        }
        return frozen
    }

    /// Returns the same object in the live realm of the calling code, at the same version or a newer one; nil if it is gone
    /// there. A live object is returned as it is. An unmanaged object ends the process.
    public func thaw() -> Self? {
        guard let realm = confiningRealm else { Misuse.end(Self._unmanaged.thawing) }
        return realm.isFrozen ? found(in: realm.thaw()) : self
    }

    /// The wording of messages about an unmanaged value.
    public static var _unmanaged: (freezing: String, thawing: String) {
        let message = Misuse.unmanaged(String(describing: Self.self).prefix { $0 != "<" })
        return (message, message)
    }

    func found(in realm: RealmCore) -> Self? { _makeAddress().find(realm) as? Self }

    private var confiningRealm: RealmCore? { realm?.core }
}
