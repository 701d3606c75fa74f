import HoldfastObjectModel
import HoldfastRows

/// A primary key that the program passes.
enum PrimaryKeyValue {
    /// Encodes a value of any type; nil if it does not fit the property.
    static func encoded<Key>(_ key: Key, _ rowClass: RowClass, _ member: Int) -> OrderedKey? {
        let property = rowClass.members[member]
        // Most keys are ints; the fast path needs no cast.
        if Key.self == Int.self, property.storage.element == .int {
            let int = Int64(unsafeBitCast(key, to: Int.self))
            return property.holds(int) ? OrderedKey(.int(int)) : nil
        }
        let draft = ObjectDraft(rowClass, isMerge: true)
        guard let value = plain(key), draft.set(member, value: value) else { return nil }
        return OrderedKey(value)
    }

    /// Whether a value has a property's type. The value may still be outside the range of the type.
    static func isOfType(_ key: Any, _ rowClass: RowClass, _ member: Int) -> Bool {
        plain(key).flatMap { InlineValue($0) }?.element == rowClass.members[member].storage.element
    }

    /// Converts a value of any type to the store's model; nil if it is not a plain value.
    static func plain(_ value: Any) -> Value? {
        if let scalar = value as? any _Scalar { return scalar._stored.value }
        guard let value = ExplicitValues.unwrapped(value) else { return .null }
        if let mapped = value as? any _CustomPersistable { return plain(mapped.persistedAny) }
        if let raw = (value as? any RawRepresentable)?.rawAny { return plain(raw) }
        return nil
    }
}

extension RawRepresentable { fileprivate var rawAny: Any { rawValue } }

extension _CustomPersistable { fileprivate var persistedAny: Any { persistableValue } }
