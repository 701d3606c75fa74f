import HoldfastBytes
import HoldfastObjectModel

/// The value of one property, also if it is stored out of line. Valid as long as the row.
struct StoredField {
    let storage: FieldStorage
    let isNull: Bool
    /// The bytes of the slot, or of the value in the heap.
    let bytes: UnsafeRawBufferPointer
    /// Keeps the bytes of an assembled collection alive.
    private let buffer: ByteBuffer?

    /// Reads a field. An out-of-line collection is assembled, which costs time linear in its size.
    init(_ field: Field, _ storage: FieldStorage, _ source: any OverflowSource) {
        self.storage = storage
        isNull = field.isNull
        guard !isNull, storage.shape != .none else {
            buffer = nil
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        guard storage.shape != .single, field.isOutOfLine else {
            buffer = nil
            bytes = field.bytes(storage, source)
            return
        }
        let buffer = ByteBuffer()
        StoredCollection(field, storage, source).append(storage, to: buffer)
        self.buffer = buffer
        bytes = buffer.bytes
    }

    /// The elements of a list or set, or the values of a map.
    var elements: CollectionView { LeafView(bytes, storage).values }

    /// Whether removing the property would lose data: a value, or an element.
    var holdsData: Bool {
        if storage.shape == .none || isNull { return false }
        return storage.shape == .single || elements.count > 0
    }

    /// Maps the values by `read`; a single property has one value.
    private func map<Result>(null: Result, _ read: (UnsafeRawBufferPointer) -> Result) -> [Result] {
        if storage.shape == .single { return [isNull ? null : read(bytes)] }
        if isNull { return [] }
        let view = elements
        return (0..<view.count).map { view.isNull($0) ? null : read(view.bytes($0)) }
    }

    /// The plain values; a single property has one.
    var values: [Value] { map(null: .null) { Value(stored: $0, storage.element) } }

    /// The links; a single property has one.
    var links: [UInt64?] { map(null: nil) { $0.loadUnaligned(as: UInt64.self) } }

    /// The `mixed` values; a single property has one.
    var mixedValues: [MixedView] { map(null: MixedView(nil)) { MixedView($0) } }

    /// The embedded rows; a single property has at most one.
    var rows: [RowView] { map(null: nil) { RowView($0) }.compactMap { $0 } }

    /// The part of a map with its keys. The map must not be empty.
    var keyBytes: UnsafeRawBufferPointer {
        let count = bytes.count < 4 ? 0 : Int(bytes.loadUnaligned(as: UInt32.self)) + 4
        return UnsafeRawBufferPointer(rebasing: bytes[..<min(count, bytes.count)])
    }
}

/// Reads stored values at an address: a slot, or an element of a collection.
extension UnsafeRawPointer {
    /// A bool of one byte.
    @inlinable public var storedBool: Bool { load(as: UInt8.self) != 0 }
    /// An int of eight bytes.
    @inlinable public var storedInt: Int64 { loadUnaligned(as: Int64.self) }
    /// A double of eight bytes.
    @inlinable public var storedDouble: Double { loadUnaligned(as: Double.self) }
    /// A float of four bytes.
    @inlinable public var storedFloat: Float { loadUnaligned(as: Float.self) }
    /// A decimal of sixteen bytes.
    @inlinable public var storedDecimal: Decimal128 {
        Decimal128(
            high: loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            low: loadUnaligned(as: UInt64.self))
    }
    /// An object key of eight bytes.
    @inlinable public var storedLink: UInt64 { loadUnaligned(as: UInt64.self) }
    /// A date of twelve bytes.
    @inlinable public var storedDate: Timestamp {
        Timestamp(
            seconds: loadUnaligned(as: Int64.self),
            nanoseconds: loadUnaligned(fromByteOffset: 8, as: Int32.self))
    }
    /// An object identifier of twelve bytes.
    @inlinable public var storedObjectID: ObjectID {
        ObjectID(
            high: UInt64(bigEndian: loadUnaligned(as: UInt64.self)),
            low: UInt32(bigEndian: loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
    }
    /// A UUID of sixteen bytes.
    @inlinable public var storedUUID: UUID128 {
        UUID128(
            high: UInt64(bigEndian: loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
}
