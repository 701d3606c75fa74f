/// A map of any kind, with given types of keys and values. It is as live as the map that it wraps.
public struct AnyRealmKeyedCollection<Key: _MapKey, Value: RealmCollectionValue> {
    let base: any RealmKeyedCollection<Key, Value>

    /// Wraps a map.
    public init<C: RealmKeyedCollection>(_ collection: C) where C.Key == Key, C.Value == Value {
        base = collection
    }
}

extension AnyRealmKeyedCollection: RealmKeyedCollection {
    /// An entry.
    public typealias Element = SingleMapEntry<Key, Value>

    /// The realm of the map's object; nil for an unmanaged one.
    public var realm: Realm? { base.realm }
    /// Whether the map's object is gone.
    public var isInvalidated: Bool { base.isInvalidated }
    /// Whether it is frozen, so that it always shows one version.
    public var isFrozen: Bool { base.isFrozen }
    /// The number of entries.
    public var count: Int { base.count }
    /// The keys, in the order of their bytes.
    public var keys: [Key] { base.keys }
    /// The values, in the order of their keys.
    public var values: [Value] { base.values }
    /// The elements in the store.
    public var _queried: QueriedElements { base._queried }
    /// The present elements.
    public var _all: [Value] { base.values }

    /// The value of a key; nil if the key is absent. Setting nil removes the key.
    public subscript(key: Key) -> Value? {
        get { base[key] }
        nonmutating set { base[key] = newValue }
    }

    /// Removes all keys.
    public func removeAll() { base.removeAll() }

    /// Walks the present entries, in the order of their keys.
    public func makeIterator() -> AnyIterator<SingleMapEntry<Key, Value>> {
        AnyIterator(
            keys.compactMap { key in self[key].map { SingleMapEntry(key: key, value: $0) } }
                .makeIterator())
    }
}
