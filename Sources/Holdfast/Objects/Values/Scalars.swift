import Foundation
import HoldfastObjectModel
import HoldfastRows

/// A type that is stored as a single plain value.
public protocol _Scalar: _OptionalPersistable {
    /// Makes a value from the stored value.
    static func _make(_ stored: StoredElement) -> Self
    var _stored: PlainValue { get }
}

/// A plain value, as the store has it.
public struct PlainValue: Hashable, Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

extension _Scalar {
    /// Reads a stored value.
    public static func _decode(_ stored: StoredElement) -> Self {
        if stored.isNull { return _unset() }
        return _make(stored)
    }

    /// Hands the value over to be stored.
    public static func _encode(_ value: Self, to sink: ElementSink) {
        sink.plain(value._stored.value)
    }

    /// Adds a property's value to a draft.
    public static func _state(_ value: Self, in statement: Statement) {
        statement.plain(value._stored.value)
    }

    /// Returns the operand of a condition.
    public static func _argument(_ value: Self) -> Any { value._stored }
}

extension StoredElement {
    /// The start of a value that is not null and has a fixed width.
    @inline(__always) var start: UnsafeRawPointer {
        bytes.baseAddress ?? UnsafeRawPointer(Self.zeros)
    }

    private nonisolated(unsafe) static let zeros: UnsafeMutableRawPointer = {
        let zeros = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 8)
        zeros.initializeMemory(as: UInt8.self, repeating: 0, count: 16)
        return zeros
    }()

    var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension ObjectBase {
    /// The address of a value of fixed width that is not null, if the object's row is known in the present layout; nil if a
    /// slower path has to be taken.
    @inlinable @inline(__always)
    final func _slot(_ position: FieldPosition) -> UnsafeRawPointer? {
        guard position.slot >= 0, let view = _view, view.pointee.holds(_generation), let row = _row
        else { return nil }
        return row + Int(position.slot)
    }

    /// The bytes of a text that is not null, if it is stored in the object's row and the row is known as for ``_slot(_:)``.
    @inlinable @inline(__always)
    final func _text(_ position: FieldPosition) -> UnsafeRawBufferPointer? {
        guard let slot = _slot(position), let row = _row else { return nil }
        let offset = Int(slot.loadUnaligned(as: UInt32.self))
        let count = Int(slot.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        // An out-of-line text has a bit that no count has.
        guard offset + count <= RowView(unchecked: row).byteCount else { return nil }
        return UnsafeRawBufferPointer(start: row + offset, count: count)
    }
}

/// An integer of any width that is stored in eight bytes.
public protocol _StoredInteger: _Scalar, FixedWidthInteger, _PrimaryKey {}

extension _StoredInteger {
    /// Makes a value from the stored value.
    public static func _make(_ stored: StoredElement) -> Self {
        Self(truncatingIfNeeded: stored.start.storedInt)
    }
    /// The stored form of the value.
    public var _stored: PlainValue { PlainValue(.int(Int64(self))) }
    /// The value of a property without a default.
    public static func _unset() -> Self { 0 }

    /// Reads a managed object's property.
    @inlinable @inline(__always)
    public static func _read(_ object: ObjectBase, _ position: FieldPosition) -> Self {
        if let slot = object._slot(position) {
            return Self(truncatingIfNeeded: slot.loadUnaligned(as: Int64.self))
        }
        return object.decode(position, Self.self)
    }
}

extension Int: _StoredInteger {
    /// The type of the values in an index.
    public typealias _Indexed = Int
    /// The type in the schema.
    public static var _element: ElementShape { ElementShape(.scalar(.int)) }
}
extension Int8: _StoredInteger {
    /// The type of the values in an index.
    public typealias _Indexed = Int8
    /// The type in the schema.
    public static var _element: ElementShape { ElementShape(.scalar(.int8)) }
}
extension Int16: _StoredInteger {
    /// The type of the values in an index.
    public typealias _Indexed = Int16
    /// The type in the schema.
    public static var _element: ElementShape { ElementShape(.scalar(.int16)) }
}
extension Int32: _StoredInteger {
    /// The type of the values in an index.
    public typealias _Indexed = Int32
    /// The type in the schema.
    public static var _element: ElementShape { ElementShape(.scalar(.int32)) }
}
extension Int64: _StoredInteger {
    /// The type of the values in an index.
    public typealias _Indexed = Int64
    /// The type in the schema.
    public static var _element: ElementShape { ElementShape(.scalar(.int64)) }
}

extension Bool: _Scalar, _Indexable {
    /// The type of the values in an index.
    public typealias _Indexed = Bool
    /// The type in the schema.
    public static var _element: ElementShape { ElementShape(.scalar(.bool)) }
    /// Makes a value from the stored value.
    public static func _make(_ stored: StoredElement) -> Bool { stored.start.storedBool }
    /// The stored form of the value.
    public var _stored: PlainValue { PlainValue(.bool(self)) }
    /// The value of a property without a default.
    public static func _unset() -> Bool { false }

    /// Reads a managed object's property.
    @inlinable @inline(__always)
    public static func _read(_ object: ObjectBase, _ position: FieldPosition) -> Bool {
        if let slot = object._slot(position) { return slot.load(as: UInt8.self) != 0 }
        return object.decode(position, Self.self)
    }
}

extension Double: _Scalar {
    /// The type in the schema.
    public static var _element: ElementShape { ElementShape(.scalar(.double)) }
    /// Makes a value from the stored value.
    public static func _make(_ stored: StoredElement) -> Double { stored.start.storedDouble }
    /// The stored form of the value.
    public var _stored: PlainValue { PlainValue(.double(self)) }
    /// The value of a property without a default.
    public static func _unset() -> Double { 0 }

    /// Reads a managed object's property.
    @inlinable @inline(__always)
    public static func _read(_ object: ObjectBase, _ position: FieldPosition) -> Double {
        if let slot = object._slot(position) { return slot.loadUnaligned(as: Double.self) }
        return object.decode(position, Self.self)
    }
}

extension Float: _Scalar {
    /// The type in the schema.
    public static var _element: ElementShape { ElementShape(.scalar(.float)) }
    /// Makes a value from the stored value.
    public static func _make(_ stored: StoredElement) -> Float { stored.start.storedFloat }
    /// The stored form of the value.
    public var _stored: PlainValue { PlainValue(.float(self)) }
    /// The value of a property without a default.
    public static func _unset() -> Float { 0 }
}

extension String: _Scalar, _PrimaryKey {
    /// The type of the values in an index.
    public typealias _Indexed = String
    /// The type in the schema.
    public static var _element: ElementShape { ElementShape(.scalar(.string)) }
    /// Makes a value from the stored value.
    public static func _make(_ stored: StoredElement) -> String { stored.text }
    /// The stored form of the value.
    public var _stored: PlainValue { PlainValue(.string(self)) }
    /// The value of a property without a default.
    public static func _unset() -> String { "" }

    /// Reads a managed object's property.
    @inlinable @inline(__always)
    public static func _read(_ object: ObjectBase, _ position: FieldPosition) -> String {
        if let text = object._text(position) { return String(decoding: text, as: UTF8.self) }
        return object.decode(position, Self.self)
    }
}

extension Data: _Scalar {
    /// The type in the schema.
    public static var _element: ElementShape { ElementShape(.scalar(.data)) }
    /// Makes a value from the stored value.
    public static func _make(_ stored: StoredElement) -> Data { Data(stored.bytes) }
    /// The stored form of the value.
    public var _stored: PlainValue { PlainValue(.data(Array(self))) }
    /// The value of a property without a default.
    public static func _unset() -> Data { Data() }
}

extension Date: _Scalar, _Indexable {
    /// The type of the values in an index.
    public typealias _Indexed = Date
    /// The type in the schema.
    public static var _element: ElementShape { ElementShape(.scalar(.date)) }
    /// Makes a value from the stored value.
    public static func _make(_ stored: StoredElement) -> Date {
        stored.start.storedDate.foundationDate
    }
    /// The stored form of the value.
    public var _stored: PlainValue { PlainValue(.date(Timestamp(self))) }
    /// The value of a property without a default.
    public static func _unset() -> Date { Date() }

    /// Reads a managed object's property.
    @inlinable @inline(__always)
    public static func _read(_ object: ObjectBase, _ position: FieldPosition) -> Date {
        if let slot = object._slot(position) {
            return Date(
                seconds: slot.loadUnaligned(as: Int64.self),
                nanoseconds: slot.loadUnaligned(fromByteOffset: 8, as: Int32.self))
        }
        return object.decode(position, Self.self)
    }
}

extension UUID: _Scalar, _PrimaryKey {
    /// The type of the values in an index.
    public typealias _Indexed = UUID
    /// The type in the schema.
    public static var _element: ElementShape { ElementShape(.scalar(.uuid)) }
    /// Makes a value from the stored value.
    public static func _make(_ stored: StoredElement) -> UUID {
        UUID(uuid: stored.start.loadUnaligned(as: uuid_t.self))
    }
    /// The stored form of the value.
    public var _stored: PlainValue {
        withUnsafeBytes(of: uuid) { bytes in
            PlainValue(
                .uuid(
                    UUID128(
                        high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                        low: UInt64(
                            bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))))
        }
    }
    /// The value of a property without a default.
    public static func _unset() -> UUID { UUID() }
}

extension Date {
    /// Makes a point in time from the store's seconds and nanoseconds since 1970.
    ///
    /// A date counts from 2001. Only that count is exact; a count from 1970 has fewer binary places for the fraction.
    @inlinable init(seconds: Int64, nanoseconds: Int32) {
        self.init(
            timeIntervalSinceReferenceDate: Double(seconds) - 978_307_200 + Double(nanoseconds)
                / 1e9)
    }
}

extension Timestamp {
    var foundationDate: Date { Date(seconds: seconds, nanoseconds: nanoseconds) }

    /// The point in time of a date, to the nanosecond. Dates outside the store's years are clamped.
    ///
    /// Reading it back gives the same date, except for dates within 97 days of the beginning of 2001, which may be finer.
    init(_ date: Date) {
        let interval = date.timeIntervalSinceReferenceDate
        guard interval.isFinite, abs(interval) < 9e15 else {
            self.init(
                seconds: interval < 0 ? -9_000_000_000_000_000 : 9_000_000_000_000_000,
                nanoseconds: 0)
            return
        }
        let seconds = interval.rounded(.down)
        let nanoseconds = ((interval - seconds) * 1e9).rounded()
        self.init(
            seconds: Int64(seconds) + 978_307_200 + (nanoseconds >= 1e9 ? 1 : 0),
            nanoseconds: nanoseconds >= 1e9 ? 0 : Int32(nanoseconds))
    }
}
