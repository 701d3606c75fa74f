/// A property's wrapper, by its address in an object: `Persisted` of any type.
protocol PersistedField {
    static var shape: PropertyShape { get }
    /// Whether the value is of a type, or of the type of an optional path to it.
    static func holds(_ type: Any.Type) -> Bool
    static var valueType: any _Persistable.Type { get }
    static func attributes(at address: UnsafeMutableRawPointer) -> FieldAttributes
    static func originProperty(at address: UnsafeMutableRawPointer) -> String?
    /// Adds the value of an unmanaged object to a draft.
    static func state(_ address: UnsafeMutableRawPointer, in statement: Statement)
    /// Connects the value of an object that has become managed to the store.
    static func manage(
        _ address: UnsafeMutableRawPointer, _ object: ObjectBase, _ position: FieldPosition)
    /// Reads the value, whether or not the object is managed.
    static func value(_ address: UnsafeMutableRawPointer, _ object: ObjectBase) -> any _Persistable
    /// Sets the property to a value of any type, whether or not the object is managed; false if it does not fit.
    static func set(
        _ value: Any, _ address: UnsafeMutableRawPointer, _ object: ObjectBase,
        _ reader: ValueReader
    ) -> Bool
}

extension Persisted: PersistedField {
    private static func wrapper(_ address: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Self> {
        address.assumingMemoryBound(to: Self.self)
    }

    static var shape: PropertyShape { Value._shape }
    static var valueType: any _Persistable.Type { Value.self }

    static func holds(_ type: Any.Type) -> Bool { type == Value.self || type == Value?.self }

    static func attributes(at address: UnsafeMutableRawPointer) -> FieldAttributes {
        wrapper(address).pointee.attributes
    }

    static func originProperty(at address: UnsafeMutableRawPointer) -> String? {
        if case .origin(let property) = wrapper(address).pointee.content { property } else { nil }
    }

    static func state(_ address: UnsafeMutableRawPointer, in statement: Statement) {
        Value._stateHeld(by: address, in: statement)
    }

    static func manage(
        _ address: UnsafeMutableRawPointer, _ object: ObjectBase, _ position: FieldPosition
    ) {
        Value._manageHeld(by: address, object, position)
    }

    static func value(
        _ address: UnsafeMutableRawPointer, _ object: ObjectBase
    ) -> any _Persistable {
        let position = wrapper(address).pointee.position
        return position.member >= 0 ? Value._read(object, position) : wrapper(address).pointee.value
    }

    static func set(
        _ value: Any, _ address: UnsafeMutableRawPointer, _ object: ObjectBase,
        _ reader: ValueReader
    ) -> Bool {
        Value._setHeld(value, by: address, object, ExplicitValues(reader: reader))
    }
}

/// The location of a property's value: in a row, or in the object itself.
///
/// Public because accesses are inlined into programs.
public struct FieldPosition {
    /// The position of the property in its class's rows; negative in an unmanaged object.
    @usableFromInline var member: Int32
    /// The offset in rows of the present layout, for a value of fixed width or a text that may not be null; otherwise −1.
    @usableFromInline var slot: Int32

    /// In the object itself.
    @inlinable init() { (member, slot) = (-1, -1) }

    init(member: Int, slot: Int32) {
        self.member = Int32(truncatingIfNeeded: member)
        self.slot = slot
    }

    /// In a tracing instance, which notes the properties that are read.
    ///
    /// - `field`: The position of the property in its class.
    init(tracing field: Int) { self.init(member: -2 - field, slot: -1) }

    @inlinable var isTraced: Bool { member < -1 }
    /// The position of the property in its class, in a tracing instance.
    var field: Int { -2 - Int(member) }
}
