/// An object, a collection or a projection of a realm, which is used where its realm is.
///
/// It is frozen for other threads, or handed to another realm by a ``ThreadSafeReference``.
public protocol ThreadConfined {
    /// The realm that it belongs to; nil where it is not managed.
    var realm: Realm? { get }
    /// Whether it is gone, or its realm was invalidated.
    var isInvalidated: Bool { get }
    /// Whether it is frozen, so that it always shows one version.
    var isFrozen: Bool { get }
    /// Returns the same as the realm's present version has it, for good: any thread may read it.
    func freeze() -> Self
    /// Returns the same as the calling code's live realm has it; nil where it is gone there.
    func thaw() -> Self?
    /// The way to it in any realm of its store, made where it is managed.
    func _makeAddress() -> _Address
    /// The wording of messages about an unmanaged value.
    static var _unmanaged: (freezing: String, thawing: String) { get }
}

/// The way to something in any realm of a store. Any thread may hold it.
///
/// Public because of the protocol that names it.
public struct _Address: @unchecked Sendable {
    // Unchecked: the closures that are handed over hold names, numbers and types.

    let find: (RealmCore) -> Any?

    init(_ find: @escaping (RealmCore) -> Any?) { self.find = find }
}

extension ThreadConfined {
    /// Returns the same as the realm's present version has it, for good: any thread may read it, several at once.
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
