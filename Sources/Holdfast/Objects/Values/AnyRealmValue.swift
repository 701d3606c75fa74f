import Foundation
import HoldfastObjectModel
import HoldfastRows

/// A value of any type that a property can have, including objects, or nothing.
///
/// Two values are equal if they have the same case and equal contents. `.int(1)` and `.double(1)` are not equal, although a query
/// finds both by either.
public enum AnyRealmValue {
    /// Nothing.
    case none
    /// An integer.
    case int(Int)
    /// True or false.
    case bool(Bool)
    /// A floating-point number of single precision.
    case float(Float)
    /// A floating-point number.
    case double(Double)
    /// Text.
    case string(String)
    /// Bytes.
    case data(Data)
    /// A point in time.
    case date(Date)
    /// A link to an object. Links to embedded and asymmetric objects are not possible.
    case object(Object)
    /// An object identifier.
    case objectId(ObjectId)
    /// A decimal number.
    case decimal128(Decimal128)
    /// A UUID.
    case uuid(UUID)
    /// Values by keys.
    case dictionary(Map<String, AnyRealmValue>)
    /// Values in order.
    case list(List<AnyRealmValue>)

    /// Nothing.
    public init() { self = .none }

    /// Values by keys, copied.
    public static func fromDictionary(_ values: [String: AnyRealmValue]) -> AnyRealmValue {
        let map = Map<String, AnyRealmValue>()
        for (key, value) in values { map[key] = value }
        return .dictionary(map)
    }

    /// Values in order, copied.
    public static func fromArray(_ values: [AnyRealmValue]) -> AnyRealmValue {
        let list = List<AnyRealmValue>()
        list.append(objectsIn: values)
        return .list(list)
    }

    /// The integer; nil for other cases.
    public var intValue: Int? { if case .int(let value) = self { value } else { nil } }
    /// The bool; nil for other cases.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The number of single precision; nil for other cases.
    public var floatValue: Float? { if case .float(let value) = self { value } else { nil } }
    /// The number; nil for other cases.
    public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
    /// The text; nil for other cases.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The bytes; nil for other cases.
    public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }
    /// The point in time; nil for other cases.
    public var dateValue: Date? { if case .date(let value) = self { value } else { nil } }
    /// The identifier; nil for other cases.
    public var objectIdValue: ObjectId? {
        if case .objectId(let value) = self { value } else { nil }
    }
    /// The decimal number; nil for other cases.
    public var decimal128Value: Decimal128? {
        if case .decimal128(let value) = self { value } else { nil }
    }
    /// The UUID; nil for other cases.
    public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }
    /// The values by keys; nil for other cases.
    public var dictionaryValue: Map<String, AnyRealmValue>? {
        if case .dictionary(let value) = self { value } else { nil }
    }
    /// The values in order; nil for other cases.
    public var listValue: List<AnyRealmValue>? {
        if case .list(let value) = self { value } else { nil }
    }
    /// The object, if it has the given class; nil for other cases.
    public func object<T: Object>(_ type: T.Type) -> T? {
        if case .object(let value) = self { value as? T } else { nil }
    }
    /// The object of any class, with access to its properties by name; nil for other cases and for an unmanaged object.
    public var dynamicObject: DynamicObject? {
        if case .object(let value) = self { value.seen(as: DynamicObject.self) } else { nil }
    }
}

extension AnyRealmValue: Hashable {
    /// Whether both have the same case and equal contents.
    public static func == (a: AnyRealmValue, b: AnyRealmValue) -> Bool {
        switch (a, b) {
        case (.none, .none): true
        case (.int(let x), .int(let y)): x == y
        case (.bool(let x), .bool(let y)): x == y
        case (.float(let x), .float(let y)): x == y
        case (.double(let x), .double(let y)): x == y
        case (.string(let x), .string(let y)): x == y
        case (.data(let x), .data(let y)): x == y
        case (.date(let x), .date(let y)): x == y
        case (.object(let x), .object(let y)): x == y
        case (.objectId(let x), .objectId(let y)): x == y
        case (.decimal128(let x), .decimal128(let y)): x == y
        case (.uuid(let x), .uuid(let y)): x == y
        case (.list(let x), .list(let y)): x === y || x.elementsEqual(y)
        case (.dictionary(let x), .dictionary(let y)):
            x === y
                || x.asKeyValueSequence().elementsEqual(y.asKeyValueSequence()) {
                    $0.key == $1.key && $0.value == $1.value
                }
        default: false
        }
    }

    /// Hashes the parts that `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .none: hasher.combine(0)
        case .int(let value): hasher.combine(value)
        case .bool(let value): hasher.combine(value)
        case .float(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        case .objectId(let value): hasher.combine(value)
        case .decimal128(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .list(let value): hasher.combine(value.count)
        case .dictionary(let value): hasher.combine(value.count)
        }
    }
}

extension AnyRealmValue: RealmCollectionValue, _Indexable {
    /// The type of the values in an index.
    public typealias _Indexed = AnyRealmValue
    /// The type in the schema.
    public static var _element: ElementShape { ElementShape(.scalar(.mixed)) }
    /// The value of a property without a default.
    public static func _unset() -> AnyRealmValue { .none }

    /// Reads a stored value.
    public static func _decode(_ stored: StoredElement) -> AnyRealmValue {
        stored.isNull ? .none : AnyRealmValue(MixedView(stored.bytes), stored)
    }

    /// Hands the value over to be stored.
    public static func _encode(_ value: AnyRealmValue, to sink: ElementSink) {
        if case .none = value { return sink.null() }
        sink.mixed { value.write(to: $0, depth: $0.depth) }
    }

    /// Writes a managed object's property.
    public static func _assign(
        _ value: AnyRealmValue, _ object: ObjectBase, _ position: FieldPosition
    ) {
        // The value may be the object's own list or dictionary, which is read while it is written.
        object.place?.realm.flush()
        object.assign(position) { _state(value, in: $0) }
    }

    /// Reads a stored value. Its lists and dictionaries are live.
    private init(_ view: MixedView, _ stored: StoredElement) {
        switch view.kind {
        case .null: self = .none
        case .list:
            if let object = stored.object {
                self = .list(List(MixedReference(stored, in: object, .list)))
            } else {
                self = .fromArray((0..<view.count).map { AnyRealmValue(view.element($0), stored) })
            }
        case .map:
            if let object = stored.object {
                self = .dictionary(Map(MixedReference(stored, in: object, .map)))
            } else {
                let map = Map<String, AnyRealmValue>()
                for index in 0..<view.count {
                    map[String(decoding: view.key(index), as: UTF8.self)] = AnyRealmValue(
                        view.element(index), stored)
                }
                self = .dictionary(map)
            }
        case .link:
            guard let link = view.link,
                let index = stored.realm.schema.rows.classIndexByNumber[link.classNumber],
                let binding = stored.realm.schema.byIndex[index],
                let object = stored.realm.object(binding, key: link.key, row: nil) as? Object
            else {
                self = .none
                return
            }
            self = .object(object)
        case .bool, .int, .double, .float, .decimal, .string, .data, .date, .objectID, .uuid:
            self = AnyRealmValue(Value(stored: view.bytes, .mixed))
        }
    }

    /// A plain value; nil for a link and for collections.
    init(_ value: Value) {
        switch value {
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(Int(value))
        case .double(let value): self = .double(value)
        case .float(let value): self = .float(value)
        case .decimal(let value): self = .decimal128(Decimal128(value))
        case .string(let value): self = .string(value)
        case .data(let value): self = .data(Data(value))
        case .date(let value): self = .date(value.foundationDate)
        case .objectID(let value): self = .objectId(ObjectId(value))
        case .uuid(let value): self = .uuid(UUID(value))
        case .null, .link, .list, .map: self = .none
        }
    }

    private var isCollection: Bool {
        switch self {
        case .list, .dictionary: true
        default: false
        }
    }

    private func write(to sink: MixedSink, depth: Int) {
        // A list that contains itself several times would take too long to encode.
        if sink.hasFault { return sink.null() }
        if isCollection, depth >= ModelLimits.mixedDepthMax {
            sink.fail("Max nesting level reached")
            return sink.null()
        }
        switch self {
        case .none: sink.null()
        case .int(let value): sink.plain(.int(Int64(value)))
        case .bool(let value): sink.plain(.bool(value))
        case .float(let value): sink.plain(.float(value))
        case .double(let value): sink.plain(.double(value))
        case .string(let value): sink.plain(.string(value))
        case .data(let value): sink.plain(value._stored.value)
        case .date(let value): sink.plain(value._stored.value)
        case .object(let value): sink.object(value)
        case .objectId(let value): sink.plain(.objectID(value.core))
        case .decimal128(let value): sink.plain(.decimal(value.core))
        case .uuid(let value): sink.plain(value._stored.value)
        case .list(let list):
            sink.list(count: list.count) { list[$0].write(to: sink, depth: depth + 1) }
        case .dictionary(let map):
            let keys = map.keys
            sink.map(keys) { (map[keys[$0]] ?? .none).write(to: sink, depth: depth + 1) }
        }
    }
}

extension UUID {
    init(_ value: UUID128) {
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) {
            $0.storeBytes(of: value.high.bigEndian, as: UInt64.self)
            $0.storeBytes(of: value.low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        self.init(uuid: bytes)
    }
}
