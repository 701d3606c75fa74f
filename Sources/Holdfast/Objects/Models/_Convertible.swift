import Foundation

/// A type of properties into which values of other types, such as the values of dictionaries, can be converted.
public protocol _Convertible {
    /// Converts a value to the type; nil if it does not fit.
    static func _converted(_ value: Any, _ reader: ExplicitValues) -> Self?
}

/// Reads the values that a program passes.
public struct ExplicitValues {
    let reader: ValueReader

    /// A value without the optionals around it; nil for an empty optional.
    static func unwrapped(_ value: Any) -> Any? {
        if value is NSNull { return nil }
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return value }
        return mirror.children.first.flatMap { unwrapped($0.value) }
    }

    /// Whether a value is a number of Foundation, as in JSON documents. It casts to each type that can represent it; 1 also casts
    /// to a bool.
    static func isNumber(_ value: Any) -> Bool { type(of: value) is NSNumber.Type }

    static func isBool(_ value: Any) -> Bool {
        isNumber(value) ? (value as? NSNumber)?.isBool ?? false : value is Bool
    }
}

extension _Persistable {
    /// Converts a value to the type; nil if it does not fit.
    public static func _converted(_ value: Any, _ reader: ExplicitValues) -> Self? {
        value as? Self
    }
}

extension _StoredInteger {
    /// Converts a value to the type; nil if it does not fit.
    public static func _converted(_ value: Any, _ reader: ExplicitValues) -> Self? {
        if let value = value as? Self { return value }
        if value is Bool { return nil }
        // A literal dictionary with whole and fractional numbers has only doubles.
        if let value = value as? Double { return Self(exactly: value) }
        return (value as? any BinaryInteger).flatMap { Self(exactly: $0) }
    }
}

extension Double {
    /// Converts a value to the type; nil if it does not fit.
    public static func _converted(_ value: Any, _ reader: ExplicitValues) -> Double? {
        if let value = value as? Double { return value }
        if value is Bool { return nil }
        if let value = value as? Float { return Double(value) }
        return (value as? any BinaryInteger).map { Double($0) }
    }
}

extension Float {
    /// Converts a value to the type; nil if it does not fit.
    public static func _converted(_ value: Any, _ reader: ExplicitValues) -> Float? {
        if let value = value as? Float { return value }
        return Double._converted(value, reader).map { Float($0) }
    }
}

extension Decimal128 {
    /// Converts a value to the type; nil if it does not fit.
    public static func _converted(_ value: Any, _ reader: ExplicitValues) -> Decimal128? {
        switch value {
        case let value as Decimal128: value
        case _ where ExplicitValues.isBool(value): nil
        case is Double, is Float, is any BinaryInteger: Decimal128(value: value)
        case let value as String: try? Decimal128(string: value)
        default: nil
        }
    }
}

extension ObjectId {
    /// Converts a value to the type; nil if it does not fit.
    public static func _converted(_ value: Any, _ reader: ExplicitValues) -> ObjectId? {
        value as? ObjectId ?? (value as? String).flatMap { try? ObjectId(string: $0) }
    }
}

extension ObjectBase {
    /// Converts a value to the type; nil if it does not fit.
    public static func _converted(_ value: Any, _ reader: ExplicitValues) -> Self? {
        reader.reader.object(Self.self, value)
    }
}

extension Optional where Wrapped: _OptionalPersistable {
    /// Converts a value to the type; nil if it does not fit.
    public static func _converted(_ value: Any, _ reader: ExplicitValues) -> Wrapped?? {
        guard let value = ExplicitValues.unwrapped(value) else { return .some(nil) }
        return Wrapped._converted(value, reader).map { .some($0) }
    }
}

extension AnyRealmValue {
    /// Converts a value to the type; nil if it does not fit.
    public static func _converted(_ value: Any, _ reader: ExplicitValues) -> AnyRealmValue? {
        guard let value = ExplicitValues.unwrapped(value) else { return AnyRealmValue.none }
        switch value {
        case let value as AnyRealmValue: return value.adopted(reader)
        case _ where ExplicitValues.isNumber(value): return Self(value as? NSNumber)
        case let value as Bool: return .bool(value)
        case let value as Int: return .int(value)
        case let value as any BinaryInteger: return Int(exactly: value).map { .int($0) }
        case let value as Float: return .float(value)
        case let value as Double: return .double(value)
        case let value as String: return .string(value)
        case let value as Data: return .data(value)
        case let value as Date: return .date(value)
        case let value as ObjectId: return .objectId(value)
        case let value as Decimal128: return .decimal128(value)
        case let value as UUID: return .uuid(value)
        case let value as Object: return adopted(value, reader)
        case let value as [String: Any]:
            let values = value.compactMapValues { _converted($0, reader) }
            return values.count == value.count ? .fromDictionary(values) : nil
        case let value as [Any]:
            let values = value.compactMap { _converted($0, reader) }
            return values.count == value.count ? .fromArray(values) : nil
        default: return nil
        }
    }
}

extension AnyRealmValue {
    /// The value with copies of the parts that can't be stored as they are; nil after a fault.
    private func adopted(_ reader: ExplicitValues) -> AnyRealmValue? {
        switch self {
        case .object(let object): Self.adopted(object, reader)
        case .list(let list) where list.realm != nil: Self._converted(Array(list), reader)
        case .dictionary(let map) where map.realm != nil:
            Self._converted(Dictionary(uniqueKeysWithValues: map.asKeyValueSequence()), reader)
        default: self
        }
    }

    /// A number from Foundation in the type that it was made from; nil for an integer that does not fit into `Int`.
    private init?(_ number: NSNumber?) {
        guard let number else { return nil }
        switch number {
        case let decimal as NSDecimalNumber: self = .decimal128(Decimal128(number: decimal))
        case _ where number.isBool: self = .bool(number.boolValue)
        case _ where number.isOf("f"): self = .float(number.floatValue)
        case _ where number.isOf("d"): self = .double(number.doubleValue)
        default:
            guard let int = Int(exactly: number) else { return nil }
            self = .int(int)
        }
    }

    /// A link to an object, or to a copy of it; nil for an embedded one, which may come as a ``DynamicObject``.
    private static func adopted(_ object: Object, _ reader: ExplicitValues) -> AnyRealmValue? {
        (reader.reader.adopted(object) as? Object).map { .object($0) }
    }
}

extension NSNumber {
    fileprivate var isBool: Bool { isOf("c") || isOf("B") }

    /// Whether the number was made from a type, according to Foundation's letter for the type.
    fileprivate func isOf(_ letter: Unicode.Scalar) -> Bool {
        UInt8(bitPattern: objCType.pointee) == UInt8(ascii: letter)
    }
}

extension List {
    /// Converts a value to the type; nil if it does not fit.
    public static func _converted(_ value: Any, _ reader: ExplicitValues) -> List? {
        guard let values = ExplicitValues.unwrapped(value) else { return List() }
        guard let elements = (values as? any Sequence).map({ Self.all($0, reader) }) ?? nil else {
            return nil
        }
        let list = List()
        list.append(objectsIn: elements)
        return list
    }

    private static func all(_ values: some Sequence, _ reader: ExplicitValues) -> [Element]? {
        var elements: [Element] = []
        for value in values {
            guard let element = Element._converted(value, reader) else { return nil }
            elements.append(element)
        }
        return elements
    }
}

extension MutableSet {
    /// Converts a value to the type; nil if it does not fit.
    public static func _converted(_ value: Any, _ reader: ExplicitValues) -> MutableSet? {
        guard let list = List<Element>._converted(value, reader) else { return nil }
        let set = MutableSet()
        set.insert(objectsIn: list)
        return set
    }
}

extension Map {
    /// Converts a value to the type; nil if it does not fit.
    public static func _converted(_ value: Any, _ reader: ExplicitValues) -> Map? {
        guard let values = ExplicitValues.unwrapped(value) else { return Map() }
        guard let entries = (values as? any ExplicitEntries)?.stated ?? values as? [String: Any]
        else { return nil }
        let map = Map()
        for (key, value) in entries {
            guard let value = Value._converted(value, reader) else { return nil }
            map[Key(_key: key)] = value
        }
        return map
    }
}

/// A map with values of any type.
private protocol ExplicitEntries { var stated: [String: Any] { get } }

extension Map: ExplicitEntries {
    fileprivate var stated: [String: Any] {
        Dictionary(map { ($0.key._key, $0.value as Any) }, uniquingKeysWith: { $1 })
    }
}
