/// A property that a realm stores.
///
///     class Dog: Object {
///         @Persisted(primaryKey: true) var id: ObjectId
///         @Persisted(indexed: true) var name = "Rex"
///         @Persisted var age: Int?
///     }
///
/// In a managed object the property is read from and written to the store. In an unmanaged object it is a stored property.
/// Without an explicit value it has the default of its type, which is made at the first read.
@propertyWrapper
public struct Persisted<Value: _Persistable> {
    /// The location of the value in a managed object. It is the first member, because ``ClassBinding`` writes it by its address.
    @usableFromInline var position = FieldPosition()
    @usableFromInline var attributes: FieldAttributes
    @usableFromInline var content: Content

    /// The rest of the wrapper's state, as an enum, so that a managed object has almost nothing to free.
    @usableFromInline
    enum Content {
        /// No value yet; the default is that of the type.
        case unset
        /// The value of an unmanaged object.
        case held(Value)
        /// No value yet: an inverse link of a property.
        case origin(String)
    }

    // Inlined, as all that objects are made of: in the program the types of the properties are known.

    /// A property with the default value of its type.
    @inlinable public init() { self.init(FieldAttributes(), .unset) }

    /// A property with a default value, which is made for each object.
    ///
    /// The value is not a closure, so that an initializer can set the property before `super.init()`.
    @inlinable public init(wrappedValue value: Value) {
        self.init(FieldAttributes(), value)
    }

    @inlinable init(_ attributes: FieldAttributes, _ content: Content) {
        self.attributes = attributes
        self.content = content
    }

    @inlinable init(_ attributes: FieldAttributes, _ value: Value) {
        self.init(attributes, .held(Value._held(value, replacing: nil)))
    }

    /// Only properties of objects can be persisted.
    @available(
        *, unavailable,
        message: "@Persisted is for properties of Object, EmbeddedObject and AsymmetricObject"
    ) public var wrappedValue: Value {
        get { Misuse.end("@Persisted is for properties of classes of objects.") }
        // swift-format-ignore: UnusedSetterValue
        set { Misuse.end("@Persisted is for properties of classes of objects.") }
    }

    /// The value of an object's property.
    @inlinable
    public static subscript<Owner: ObjectBase>(_enclosingInstance object: Owner,
        wrapped property: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Self>
    ) -> Value {
        @inline(__always) get {
            let position = object[keyPath: storage].position
            if position.member >= 0 { return Value._read(object, position) }
            if !position.isTraced, let held = object[keyPath: storage].held { return held }
            // By its address: a key path that is handed over would be made for each access.
            return withUnsafeMutablePointer(to: &object[keyPath: storage]) { unmanaged($0, object) }
        }
        @inline(__always) set {
            let position = object[keyPath: storage].position
            if position.member >= 0 { return Value._assign(newValue, object, position) }
            object[keyPath: storage].held = Value._held(
                newValue, replacing: object[keyPath: storage].held)
        }
    }

    /// Returns the value of an unmanaged object's property, and makes it if it does not exist yet. A tracing instance notes the
    /// property.
    @usableFromInline
    static func unmanaged(
        _ wrapper: UnsafeMutablePointer<Self>, _ object: ObjectBase
    ) -> Value {
        let position = wrapper.pointee.position
        guard position.isTraced else { return wrapper.pointee.value }
        guard let value = Value._trace(object, field: position.field) else {
            KeyPathTrace.endReading()
        }
        return value
    }

    /// The value of an unmanaged object; nil if it does not exist yet.
    @inlinable var held: Value? {
        @inline(__always) get { if case .held(let value) = content { value } else { nil } }
        @inline(__always) set { content = newValue.map { .held($0) } ?? .unset }
    }

    /// The value of an unmanaged object, which is made if it does not exist yet.
    var value: Value {
        mutating get {
            let made: Value
            switch content {
            case .held(let value): return value
            case .unset, .origin: made = Value._unset()
            }
            content = .held(made)
            return made
        }
    }
}

extension Persisted where Value._Indexed: _Indexable {
    /// A property with an index.
    @inlinable public init(indexed: Bool) { self.init(FieldAttributes(isIndexed: indexed), .unset) }

    /// A property with an index and a default value.
    @inlinable
    public init(wrappedValue value: Value, indexed: Bool) {
        self.init(FieldAttributes(isIndexed: indexed), value)
    }
}

extension Persisted where Value._Indexed: _PrimaryKey {
    /// A property that is the primary key of its class.
    @inlinable public init(primaryKey: Bool) {
        self.init(FieldAttributes(isPrimaryKey: primaryKey), .unset)
    }

    /// A property that is the primary key of its class, with a default value.
    @inlinable
    public init(wrappedValue value: Value, primaryKey: Bool) {
        self.init(FieldAttributes(isPrimaryKey: primaryKey), value)
    }
}

/// The wrapper of an optional property, which a decoder makes if the key is missing.
public protocol OptionalCodingWrapper {
    /// A property without a value.
    init()
}

extension Persisted: OptionalCodingWrapper where Value: ExpressibleByNilLiteral {}

extension KeyedDecodingContainer {
    /// Decodes an optional property, which is nil if the key is missing.
    public func decode<Wrapper: Decodable & OptionalCodingWrapper>(
        _ type: Wrapper.Type, forKey key: Key
    ) throws -> Wrapper {
        try decodeIfPresent(type, forKey: key) ?? Wrapper()
    }
}

extension Persisted: Decodable where Value: Decodable {
    /// Decodes the value of an unmanaged object's property.
    public init(from decoder: any Decoder) throws {
        self.init(FieldAttributes(), .held(try decoder.singleValueContainer().decode(Value.self)))
    }
}

extension Persisted: Encodable where Value: Encodable {
    /// Encodes the value of an unmanaged object's property.
    ///
    /// - Throws: `EncodingError` for a managed object, because a wrapper by itself does not know the object's realm.
    public func encode(to encoder: any Encoder) throws {
        guard position.member < 0 else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription:
                        "Only unmanaged objects can be encoded by synthesized code: write encode(to:) in the class, "
                        + "or encode an unmanaged copy, init(value:)."))
        }
        var copy = self
        var container = encoder.singleValueContainer()
        try container.encode(copy.value)
    }
}
