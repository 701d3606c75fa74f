import Synchronization

/// A reference to an object or collection of a realm. It is resolved once, in another realm of the same store. Any thread may
/// hold it.
///
///     let reference = ThreadSafeReference(to: person)
///     queue.async {
///         let realm = try! Realm(queue: queue)
///         guard let person = realm.resolve(reference) else { return }  // It was deleted.
///     }
public final class ThreadSafeReference<Confined: ThreadConfined>: Sendable {
    private struct Target {
        let address: _Address
        /// Keeps the store open. It is not otherwise used, because it may belong to another thread.
        let origin: RealmCore
        /// The commit that has the object; the newest commit for an object of an uncommitted write.
        let commit: UInt64
    }

    private let target: Mutex<Target?>

    /// Refers to a managed object. Ends the process for an unmanaged one.
    public init(to threadConfined: Confined) {
        guard let realm = threadConfined.realm?.core else {
            Misuse.end(
                threadConfined.isInvalidated
                    ? "Cannot construct reference to invalidated object"
                    : "Cannot construct reference to unmanaged object")
        }
        realm.checkThread()
        if threadConfined.isInvalidated {
            Misuse.end("Cannot construct reference to invalidated object")
        }
        target = Mutex(
            Target(
                address: threadConfined._makeAddress(), origin: realm,
                commit: realm.isInWrite ? .max : realm.commitNumber))
    }

    /// Whether the reference has been resolved.
    public var isInvalidated: Bool { target.withLock { $0 == nil } }

    func resolve(in realm: RealmCore) -> Confined? {
        guard let target = target.withLock({ $0.take() }) else {
            Misuse.end("Can only resolve a thread safe reference once")
        }
        realm.checkThread()
        guard target.origin.opened.store === realm.opened.store else {
            Misuse.end(
                "Cannot resolve thread safe reference in Realm with different configuration than the source Realm."
            )
        }
        if target.origin.isFrozen { return target.address.find(target.origin) as? Confined }
        realm.catchUp(to: target.commit)
        return target.address.find(realm) as? Confined
    }
}

/// A variable with a managed value that can be read on any thread, queue and actor. Each reader gets it from its own realm.
///
///     @ThreadSafe var person = realm.objects(Person.self).first
///     queue.async { print(person?.name ?? "gone") }
@propertyWrapper
public final class ThreadSafe<T: ThreadConfined>: Sendable {
    private struct Target {
        let address: _Address
        /// Keeps the store open. It is not otherwise used, because it may belong to another thread.
        let origin: RealmCore
    }

    private let target: Mutex<Target?>

    /// The value, in the live realm that the calling code may use; a frozen value stays frozen. Nil if the object is gone.
    ///
    /// Ends the process for an unmanaged value. Cost: a look-up of the realm and one of the value.
    public var wrappedValue: T? {
        get {
            guard let target = target.withLock({ $0 }) else { return nil }
            if target.origin.isFrozen { return target.address.find(target.origin) as? T }
            guard let realm = try? OpenRealms.usableCore(of: target.origin.configuration) else {
                return nil
            }
            realm.checkThread()
            return target.address.find(realm) as? T
        }
        set {
            let new = newValue.map { Self.target($0) } ?? nil
            target.withLock { $0 = new }
        }
    }

    /// Wraps a managed value, or nil.
    public init(wrappedValue: T?) { target = Mutex(wrappedValue.map { Self.target($0) } ?? nil) }

    private static func target(_ value: T) -> Target? {
        if value.isInvalidated { return nil }
        guard let realm = value.realm?.core else {
            Misuse.end("Only managed objects may be wrapped as thread safe.")
        }
        return Target(address: value._makeAddress(), origin: realm)
    }
}
