import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

/// Values of fixed width as unsigned numbers in the order of the values; the numbers are what stands
/// in an ``OrderedKey`` behind its first byte.
enum Ordinal {
    /// Returns the largest ordinal of a type.
    static func greatest(_ storage: ElementStorage) -> UInt128 {
        switch storage {
        case .bool: 1
        case .int, .double, .link: UInt128(UInt64.max)
        case .float: UInt128(UInt32.max)
        case .decimal: Decimal128.greatestOrdinal
        case .date, .objectID: (1 << 96) - 1
        case .uuid, .string, .data, .embedded, .mixed: .max
        }
    }

    /// Returns the ordinal of the stored value at an address: a slot or an element of a fixed width.
    static func stored(_ address: UnsafeRawPointer, _ storage: ElementStorage) -> UInt128 {
        switch storage {
        case .bool: address.storedBool ? 1 : 0
        case .int: of(address.storedInt)
        case .double: UInt128(OrderedKey.orderedBits(address.storedDouble))
        case .float: UInt128(OrderedKey.orderedBits(address.storedFloat))
        case .decimal: address.storedDecimal.ordinal
        case .date: of(address.storedDate)
        case .objectID: of(address.storedObjectID)
        case .uuid: of(address.storedUUID)
        case .link: UInt128(address.storedLink)
        case .string, .data, .embedded, .mixed: 0
        }
    }

    /// Returns the ordinal of an int.
    static func of(_ value: Int64) -> UInt128 { UInt128(UInt64(bitPattern: value) ^ 1 << 63) }

    /// Returns the ordinal of a double.
    static func of(_ value: Double) -> UInt128 { UInt128(OrderedKey.orderedBits(value)) }

    /// Returns the ordinal of a float.
    static func of(_ value: Float) -> UInt128 { UInt128(OrderedKey.orderedBits(value)) }

    private static func of(_ value: Timestamp) -> UInt128 {
        of(value.seconds) << 32 | UInt128(UInt32(bitPattern: value.nanoseconds))
    }

    private static func of(_ value: ObjectID) -> UInt128 {
        UInt128(value.high) << 32 | UInt128(value.low)
    }

    private static func of(_ value: UUID128) -> UInt128 {
        UInt128(value.high) << 64 | UInt128(value.low)
    }

    /// Returns the ordinal of a value of the type that is stored so, or of a number that the type can
    /// hold; nil for others.
    static func of(_ value: Value, as storage: ElementStorage) -> UInt128? {
        switch (storage, value) {
        case (.bool, .bool(let value)): value ? 1 : 0
        case (.date, .date(let value)): of(value)
        case (.objectID, .objectID(let value)): of(value)
        case (.uuid, .uuid(let value)): of(value)
        default: number(value, as: storage)
        }
    }

    /// Returns the ordinals of the non-null values that satisfy `value ⋈ constant`; nil when none do.
    ///
    /// Numbers of another type are compared exactly, but for decimals beside floats and doubles. A constant that is not comparable satisfies
    /// nothing. `comparison` is equality or one of the four orders.
    static func range(
        _ comparison: ComparisonOperator, _ constant: Value, as storage: ElementStorage
    ) -> ClosedRange<UInt128>? {
        if case .decimal(let number) = constant, storage == .double || storage == .float {
            return range(comparison, number, as: storage)
        }
        let last = greatest(storage)
        if let exact = of(constant, as: storage) {
            switch comparison {
            case .equal: return exact...exact
            case .lessEqual: return 0...exact
            case .greaterEqual: return exact...last
            case .less: return exact == 0 ? nil : 0...(exact - 1)
            case .greater: return exact == last ? nil : (exact + 1)...last
            default: return nil
            }
        }
        guard let below = greatestBelow(constant, as: storage) else { return nil }
        switch comparison {
        case .less, .lessEqual: return below.isNone ? nil : 0...below.ordinal
        case .greater, .greaterEqual:
            if below.isNone { return 0...last }
            return below.ordinal == last ? nil : (below.ordinal + 1)...last
        default: return nil
        }
    }

    /// Appends the key of the value that has this ordinal.
    static func appendKey(_ ordinal: UInt128, _ storage: ElementStorage, to buffer: ByteBuffer) {
        buffer.append(1 as UInt8)
        var shift = ((storage.fixedByteCount ?? 0) - 1) * 8
        while shift >= 0 {
            buffer.append(UInt8(truncatingIfNeeded: ordinal >> UInt128(shift)))
            shift -= 8
        }
    }
}
