/// A collection of values by keys: a `Map`, or an `AnyRealmKeyedCollection` that wraps one.
///
/// A managed one is live: it shows the present version of its realm, and belongs to the realm's thread. Conditions, orders and
/// aggregates are about its values.
public protocol RealmKeyedCollection<Key, Value>: Sequence, _Observable, _Queried,
    CustomStringConvertible
where
    Element == SingleMapEntry<Key, Value>, _QueriedElement == Value, _ObservedElement == Value,
    _Change == RealmMapChange<Self>
{
    /// The type of the keys.
    associatedtype Key: _MapKey
    /// The type of the values.
    associatedtype Value: RealmCollectionValue

    /// The number of entries.
    var count: Int { get }
    /// The keys, in the order of their bytes.
    var keys: [Key] { get }
    /// The values, in the order of their keys.
    var values: [Value] { get }
    /// The value of a key; nil if the key is absent. Setting nil removes the key.
    subscript(key: Key) -> Value? { get nonmutating set }
    /// Removes all keys.
    func removeAll()
}

extension RealmKeyedCollection {
    /// Whether there is no entry.
    public var isEmpty: Bool { count == 0 }

    /// Sets the value of a key.
    public func updateValue(_ value: Value, forKey key: Key) { self[key] = value }
    /// Sets the value of a key.
    public func setValue(_ value: Value, forKey key: Key) { self[key] = value }
    /// The value of a key; nil if the key is absent.
    public func object(forKey key: Key) -> Value? { self[key] }
    /// Removes a key.
    public func removeObject(for key: Key) { self[key] = nil }

    /// The value of a key, or of a property of each value that is an object, by key.
    public func value(forKey key: Key) -> Any? { self[key] }

    /// The entries as pairs.
    public func asKeyValueSequence() -> [(key: Key, value: Value)] {
        map { (key: $0.key, value: $0.value) }
    }

    /// The entries, in order; at most the first 100.
    public var description: String {
        CollectionText.describe("\(Self.self)", Array(self)) { "\($0.key._key): \($0.value)" }
    }
}

/// Collections as descriptions show them.
enum CollectionText {
    /// More elements are only counted.
    private static let countMax = 100

    static func describe<C: Collection>(
        _ name: String, _ elements: C, _ text: (C.Element) -> String
    ) -> String {
        var lines = elements.prefix(countMax).enumerated().map { index, element in
            "\t[\(index)] " + text(element).replacing("\n", with: "\n\t")
        }
        if elements.count > countMax {
            lines.append("\t... \(elements.count - countMax) objects skipped.")
        }
        return "\(name) (\n" + lines.joined(separator: ",\n") + "\n)"
    }
}

/// A notification of a map's observer.
public enum RealmMapChange<MapType: RealmKeyedCollection> {
    /// The map as it was first found. Reported once, before everything else.
    case initial(MapType)
    /// Keys were removed, added, or have another value or a changed object as value; in the order of the keys' bytes.
    case update(
        MapType, deletions: [MapType.Key], insertions: [MapType.Key], modifications: [MapType.Key])
    /// Reading failed. Never reported: reading faults end the process.
    case error(any Error)
}
