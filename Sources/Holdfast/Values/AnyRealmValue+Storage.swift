import Foundation
import HoldfastObjectModel
import HoldfastRows

extension AnyRealmValue: RealmCollectionValue, _Indexable {
    /// The type whose values an index has.
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
        // A list or dictionary may be the object's own, and is read while it is written.
        object.place?.realm.flush()
        object.assign(position) { _state(value, in: $0) }
    }

    /// Reads a stored value; its lists and dictionaries are live.
    private init(_ view: MixedView, _ stored: StoredElement) {
        switch view.kind {
        case .null: self = .none
        case .list:
            if let object = stored.object {
                self = .list(List(MixedPlace(stored, in: object, .list)))
            } else {
                self = .fromArray((0..<view.count).map { AnyRealmValue(view.element($0), stored) })
            }
        case .map:
            if let object = stored.object {
                self = .dictionary(Map(MixedPlace(stored, in: object, .map)))
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

    /// A plain value; none for a link and for collections.
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
        // A list that holds itself several times has no end worth waiting for.
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
