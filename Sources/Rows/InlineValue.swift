import HoldfastBytes
import HoldfastObjectModel

/// A plain value of fixed width, encoded as in a slot, a collection and a `mixed` value.
public struct InlineValue {
    /// The kind of value.
    public let element: ElementStorage
    /// The first eight bytes, as a little-endian number.
    public let low: UInt64
    /// The remaining bytes.
    public let high: UInt64

    @inlinable init(_ element: ElementStorage, low: UInt64, high: UInt64 = 0) {
        self.element = element
        self.low = low
        self.high = high
    }

    /// A bool.
    @inlinable public init(_ value: Bool) { self.init(.bool, low: value ? 1 : 0) }
    /// An int.
    @inlinable public init(_ value: Int64) { self.init(.int, low: UInt64(bitPattern: value)) }
    /// A double; every NaN becomes the one quiet NaN.
    @inlinable public init(_ value: Double) {
        self.init(.double, low: (value.isNaN ? Double.nan : value).bitPattern)
    }
    /// A float; every NaN becomes the one quiet NaN.
    @inlinable public init(_ value: Float) {
        self.init(.float, low: UInt64((value.isNaN ? Float.nan : value).bitPattern))
    }
    /// A decimal.
    public init(_ value: Decimal128) { self.init(.decimal, low: value.low, high: value.high) }
    /// A date.
    public init(_ value: Timestamp) {
        self.init(
            .date, low: UInt64(bitPattern: value.seconds),
            high: UInt64(UInt32(bitPattern: value.nanoseconds)))
    }
    /// An object identifier.
    public init(_ value: ObjectID) {
        self.init(.objectID, low: value.high.bigEndian, high: UInt64(value.low.bigEndian))
    }
    /// A UUID.
    public init(_ value: UUID128) {
        self.init(.uuid, low: value.high.bigEndian, high: value.low.bigEndian)
    }

    /// Reads a value at an address.
    ///
    /// - `element`: Of fixed width.
    init(at address: UnsafeRawPointer, _ element: ElementStorage) {
        switch element.fixedByteCount {
        case 1: self.init(element, low: UInt64(address.load(as: UInt8.self)))
        case 4: self.init(element, low: UInt64(address.loadUnaligned(as: UInt32.self)))
        case 12:
            self.init(
                element, low: address.loadUnaligned(as: UInt64.self),
                high: UInt64(address.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
        case 16:
            self.init(
                element, low: address.loadUnaligned(as: UInt64.self),
                high: address.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        default: self.init(element, low: address.loadUnaligned(as: UInt64.self))
        }
    }

    /// Takes a plain value of fixed width; nil for null, text, links, lists and maps.
    package init?(_ value: Value) {
        switch value {
        case .bool(let value): self.init(value)
        case .int(let value): self.init(value)
        case .double(let value): self.init(value)
        case .float(let value): self.init(value)
        case .decimal(let value): self.init(value)
        case .date(let value): self.init(value)
        case .objectID(let value): self.init(value)
        case .uuid(let value): self.init(value)
        case .null, .string, .data, .link, .list, .map: return nil
        }
    }

    package var value: Value {
        withUnsafeBytes(of: (low, high)) { bytes in
            guard let address = bytes.baseAddress else { return .null }
            return Value(at: address, element)
        }
    }

    var byteCount: Int { element.fixedByteCount ?? 0 }

    package func append(to buffer: ByteBuffer) {
        if byteCount == 8 { return buffer.append(little: low) }
        withUnsafeBytes(of: (low, high)) {
            buffer.append(UnsafeRawBufferPointer(rebasing: $0[0..<byteCount]))
        }
    }
}

extension Value {
    /// A plain value of fixed width at an address; null for other values.
    init(at address: UnsafeRawPointer, _ element: ElementStorage) {
        switch element {
        case .bool: self = .bool(address.storedBool)
        case .int: self = .int(address.storedInt)
        case .double: self = .double(address.storedDouble)
        case .float: self = .float(address.storedFloat)
        case .decimal: self = .decimal(address.storedDecimal)
        case .date: self = .date(address.storedDate)
        case .objectID: self = .objectID(address.storedObjectID)
        case .uuid: self = .uuid(address.storedUUID)
        case .string, .data, .link, .embedded, .mixed: self = .null
        }
    }
}
