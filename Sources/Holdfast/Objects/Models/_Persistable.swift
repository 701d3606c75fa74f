/// A type that a property of a class of objects can have.
///
/// The requirements are the library's own. Types of the program conform through `PersistableEnum`, `CustomPersistable` and
/// `FailableCustomPersistable`.
public protocol _Persistable: _Convertible {
    /// The type of the values in an index of the property; `Void` if the property can't have an index.
    associatedtype _Indexed = Void
    /// The type in the schema.
    static var _shape: PropertyShape { get }
    /// The value of a property without a default.
    static func _unset() -> Self
    /// Reads a managed object's property.
    static func _read(_ object: ObjectBase, _ position: FieldPosition) -> Self
    /// Writes a managed object's property.
    static func _assign(_ value: Self, _ object: ObjectBase, _ position: FieldPosition)
    /// Returns the state of an unmanaged object after a value was assigned to its property.
    static func _held(_ value: Self, replacing old: Self?) -> Self
    /// Notes that a tracing instance's property was read. Returns a value that stands for it; nil if the type has no such value.
    static func _trace(_ object: ObjectBase, field: Int) -> Self?
    /// Returns the operand of a condition: the value, or its stored form.
    static func _argument(_ value: Self) -> Any
    /// Adds a property's value to a draft.
    static func _state(_ value: Self, in statement: Statement)
    /// Connects a property's value to the store after its object has become managed.
    static func _manage(_ value: Self, _ object: ObjectBase, _ position: FieldPosition)
    // The next three functions run for each property of each object that is added or made from a dictionary. They belong to the
    // type, so that they are compiled for it: generic code looks types up at run time.
    /// Adds the value in the wrapper of an unmanaged object's property to a draft.
    static func _stateHeld(by wrapper: UnsafeMutableRawPointer, in statement: Statement)
    /// Connects the wrapper of a property to the store after its object has become managed.
    static func _manageHeld(
        by wrapper: UnsafeMutableRawPointer, _ object: ObjectBase, _ position: FieldPosition)
    /// Sets the property of a wrapper to a value of any type, whether or not the object is managed; false if it does not fit.
    static func _setHeld(
        _ value: Any, by wrapper: UnsafeMutableRawPointer, _ object: ObjectBase,
        _ reader: ExplicitValues
    ) -> Bool
}

extension _Persistable {
    /// Returns the state of an unmanaged object after a value was assigned to its property.
    @inlinable
    public static func _held(_ value: Self, replacing old: Self?) -> Self { value }
    /// Returns the operand of a condition.
    public static func _argument(_ value: Self) -> Any { value }
    /// Connects a property's value to the store after its object has become managed.
    public static func _manage(_ value: Self, _ object: ObjectBase, _ position: FieldPosition) {}

    /// Adds the value in the wrapper of an unmanaged object's property to a draft.
    public static func _stateHeld(by wrapper: UnsafeMutableRawPointer, in statement: Statement) {
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<Self>.self)
        _state(wrapper.pointee.value, in: statement)
    }

    /// Connects the wrapper of a property to the store after its object has become managed.
    public static func _manageHeld(
        by wrapper: UnsafeMutableRawPointer, _ object: ObjectBase, _ position: FieldPosition
    ) {
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<Self>.self)
        if let held = wrapper.pointee.held { _manage(held, object, position) }
        wrapper.pointee.held = nil
        wrapper.pointee.position = position
    }

    /// Sets the property of a wrapper to a value of any type, whether or not the object is managed; false if it does not fit.
    public static func _setHeld(
        _ value: Any, by wrapper: UnsafeMutableRawPointer, _ object: ObjectBase,
        _ reader: ExplicitValues
    ) -> Bool {
        guard let new = _converted(value, reader) else { return false }
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<Self>.self)
        let position = wrapper.pointee.position
        if position.member >= 0 {
            _assign(new, object, position)
        } else {
            wrapper.pointee.held = _held(new, replacing: wrapper.pointee.held)
        }
        return true
    }
}

/// A type with values that an index can have.
public protocol _Indexable: _Persistable where _Indexed == Self {}

/// A type with values that can be primary keys.
public protocol _PrimaryKey: _Indexable {}

/// A type that can be the wrapped type of an optional, as `Int` in `Int?`.
public protocol _OptionalPersistable: RealmCollectionValue {
    /// Reads a stored value; nil for null, and for a value of another type.
    static func _decodeOptional(_ stored: StoredElement) -> Self?
}

/// A type of elements that have an object's properties: objects, and projections of them.
public protocol _ObjectView: RealmCollectionValue {}

/// A type that the elements of collections, and single properties, can have.
public protocol RealmCollectionValue: _Persistable, Hashable {
    /// The type in the schema.
    static var _element: ElementShape { get }
    static func _decode(_ stored: StoredElement) -> Self
    /// Hands the value over to be stored: exactly one call of `sink`.
    static func _encode(_ value: Self, to sink: ElementSink)
    /// Returns an object as an element of results.
    static func _of(_ object: consuming ObjectBase) -> Self
}

extension RealmCollectionValue {
    /// The type in the schema.
    public static var _shape: PropertyShape { PropertyShape(.single, _element) }

    /// Returns an object as an element of results.
    public static func _of(_ object: ObjectBase) -> Self {
        Misuse.end("'\(Self.self)' is not a class of objects.")
    }

    /// Reads a managed object's property.
    public static func _read(_ object: ObjectBase, _ position: FieldPosition) -> Self {
        object.decode(position, Self.self)
    }

    /// Writes a managed object's property.
    public static func _assign(_ value: Self, _ object: ObjectBase, _ position: FieldPosition) {
        object.assign(position) { _state(value, in: $0) }
    }

    /// Adds a property's value to a draft.
    public static func _state(_ value: Self, in statement: Statement) {
        statement.single { _encode(value, to: $0) }
    }

    /// Returns a value that stands for a tracing instance's property.
    public static func _trace(_ object: ObjectBase, field: Int) -> Self? {
        object.note(field)
        return _unset()
    }
}
