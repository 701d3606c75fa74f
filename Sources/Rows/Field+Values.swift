import HoldfastObjectModel

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
