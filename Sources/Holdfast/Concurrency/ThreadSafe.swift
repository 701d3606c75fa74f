import Synchronization

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
