import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// A collection of values by keys. The keys are strings.
///
/// A managed map is iterated in the order of its keys' bytes. Keys must not contain `.` or `$`; percent-encode them. An invalid
/// key fails the write that would store it.
public final class Map<Key: _MapKey, Value: RealmCollectionValue> {
    private enum Content {
        case own([String: Value])
        case stored(CollectionReference)
    }

    private var content: Content

    /// An empty map.
    public init() { content = .own([:]) }

    init(_ place: CollectionReference) { content = .stored(place) }

    var place: CollectionReference? {
        if case .stored(let place) = content { place } else { nil }
    }

    /// The realm of the map's object; nil if it is unmanaged.
    public var realm: Realm? { place.map { Realm($0.realm) } }
    /// Whether the map's object is gone.
    public var isInvalidated: Bool { place?.isInvalidated ?? false }
    /// Whether it is frozen, so that it always shows one version.
    public var isFrozen: Bool { place?.realm.isFrozen ?? false }

    /// The number of entries.
    public var count: Int {
        switch content {
        case .own(let values): values.count
        case .stored(let place): place.count
        }
    }

    /// The keys, in the order of their bytes.
    public var keys: [Key] {
        switch content {
        case .own(let values):
            values.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { Key(_key: $0) }
        case .stored(let place): (0..<place.count).map { Key(_key: place.key($0)) }
        }
    }

    /// The values, in the order of their keys.
    public var values: [Value] { keys.compactMap { self[$0] } }

    private var entries: [(String, Value)] {
        keys.compactMap { key in self[key].map { (key._key, $0) } }
    }

    /// The value of a key; nil if the key is absent. Setting nil removes the key.
    public subscript(key: Key) -> Value? {
        get {
            switch content {
            case .own(let values): values[key._key]
            case .stored(let place): place.value(key._key).map { Value._decode($0) }
            }
        }
        set {
            guard let newValue else { return removeObject(for: key) }
            updateValue(newValue, forKey: key)
        }
    }

    /// Sets the value of a key.
    public func updateValue(_ value: Value, forKey key: Key) {
        switch content {
        case .own(var values):
            values[key._key] = value
            content = .own(values)
        case .stored(let place):
            place.requireWrite()
            if let fault = MapKey.message(key._key) { return place.realm.fail(fault) }
            place.put(.key(Array(key._key.utf8)), .put) {
                $0.entries(CollectionOfOne((key._key, value)))
            }
        }
    }

    /// Removes a key.
    public func removeObject(for key: Key) {
        switch content {
        case .own(var values):
            values[key._key] = nil
            content = .own(values)
        case .stored(let place):
            place.requireWrite()
            if place.value(key._key) != nil { place.remove(.key(Array(key._key.utf8))) }
        }
    }

    /// Removes all keys.
    public func removeAll() { assign([]) }

    /// Adds other entries.
    ///
    /// - Parameters:
    ///   - other: The entries.
    ///   - combine: Returns the value for a key that both maps contain, from the present value and the other one.
    public func merge<S: Sequence>(
        _ other: S, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows where S.Element == (key: Key, value: Value) {
        for (key, value) in other {
            updateValue(try self[key].map { try combine($0, value) } ?? value, forKey: key)
        }
    }

    /// Whether an entry meets a condition.
    public func contains(
        where condition: (_ key: Key, _ value: Value) throws -> Bool
    ) rethrows -> Bool {
        for entry in self where try condition(entry.key, entry.value) { return true }
        return false
    }

    private func assign(_ entries: [(String, Value)]) {
        switch content {
        case .own: content = .own(Dictionary(entries, uniquingKeysWith: { _, last in last }))
        case .stored(let place): place.assign(entries: entries)
        }
    }
}

extension MapKey {
    /// The message of the fault of a key; nil if the key is valid.
    static func message(_ key: String) -> String? {
        switch fault(of: key) {
        case nil: nil
        case .character(let character): "Dictionary::insert: key must not contain '\(character)'"
        case .tooLong:
            "Dictionary::insert: key must not have more than \(ModelLimits.keyByteCountMax) bytes"
        }
    }
}

/// A type that the keys of a map can have: `String`.
public protocol _MapKey: Hashable {
    /// Makes a key of its text.
    init(_key: String)
    /// The text.
    var _key: String { get }
}

extension String: _MapKey {
    /// Makes a key of its text.
    public init(_key: String) { self = _key }
    /// The text.
    public var _key: String { self }
}

extension Map: RealmKeyedCollection {
    /// An entry.
    public typealias Element = SingleMapEntry<Key, Value>

    /// Walks the present entries, in the order of their keys.
    public func makeIterator() -> IndexingIterator<[SingleMapEntry<Key, Value>]> {
        keys.compactMap { key in self[key].map { SingleMapEntry(key: key, value: $0) } }
            .makeIterator()
    }
}

/// An entry of a map.
public struct SingleMapEntry<Key: _MapKey, Value: RealmCollectionValue> {
    /// The key.
    public let key: Key
    /// The value.
    public let value: Value
}

extension Map: _Persistable {
    /// The type in the schema.
    public static var _shape: PropertyShape { PropertyShape(.map, Value._shape.element) }
    /// The value of a property without a default.
    public static func _unset() -> Map { Map() }

    /// Reads a managed object's property.
    public static func _read(_ object: ObjectBase, _ position: FieldPosition) -> Map {
        Map(CollectionReference(object, member: Int(position.member)))
    }

    /// Writes a managed object's property.
    public static func _assign(_ value: Map, _ object: ObjectBase, _ position: FieldPosition) {
        let entries = value.entries
        CollectionReference(object, member: Int(position.member)).assign { $0.entries(entries) }
    }

    /// Returns the state of an unmanaged object after a value was assigned to its property.
    public static func _held(_ value: Map, replacing old: Map?) -> Map {
        let entries = value.entries
        let held = old ?? Map()
        held.assign(entries)
        return held
    }

    /// Returns a value that stands for a tracing instance's property.
    public static func _trace(_ object: ObjectBase, field: Int) -> Map? {
        object.note(field)
        return Map()
    }

    /// Adds a property's value to a draft.
    public static func _state(_ value: Map, in statement: Statement) {
        statement.entries(value.entries)
    }

    /// Connects a property's value to the store after its object has become managed.
    public static func _manage(_ value: Map, _ object: ObjectBase, _ position: FieldPosition) {
        value.content = .stored(CollectionReference(object, member: Int(position.member)))
    }
}
