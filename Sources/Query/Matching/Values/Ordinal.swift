import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

/// Values of fixed width as unsigned numbers in the order of the values. The same numbers stand
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

    static func of(_ value: Int64) -> UInt128 { UInt128(UInt64(bitPattern: value) ^ 1 << 63) }

    static func of(_ value: Double) -> UInt128 { UInt128(OrderedKey.orderedBits(value)) }

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

    /// Returns the ordinal of a value of the type that is stored so, or of a number that the type can hold; nil for others.
    static func of(_ value: Value, as storage: ElementStorage) -> UInt128? {
        switch (storage, value) {
        case (.bool, .bool(let value)): value ? 1 : 0
        case (.date, .date(let value)): of(value)
        case (.objectID, .objectID(let value)): of(value)
        case (.uuid, .uuid(let value)): of(value)
        default: number(value, as: storage)
        }
    }

    /// Returns the ordinals of the non-null values that satisfy `value ⋈ constant`; nil if no value does.
    ///
    /// Numbers of another type are compared exactly, but for decimals beside floats and doubles. A constant that is
    /// not comparable satisfies nothing. `comparison` is equality or one of the four orders.
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

/// Numbers of one type among numbers of another.
///
/// Ints, floats and doubles compare exactly, nothing is rounded. A decimal compares with a float or a
/// double as Realm does it: by the decimal of as many digits as the type surely keeps.
extension Ordinal {
    /// Returns the ordinal of a number in a numeric type; nil when the type can't hold it.
    static func number(_ value: Value, as storage: ElementStorage) -> UInt128? {
        switch storage {
        case .int: int(value).map { of($0) }
        case .double: double(value).map { of($0) }
        case .float: float(value).map { of($0) }
        case .decimal: Number(value)?.decimal.ordinal
        case .bool, .string, .data, .date, .objectID, .uuid, .link, .embedded, .mixed: nil
        }
    }

    private static func int(_ value: Value) -> Int64? {
        switch value {
        case .int(let value): value
        case .double(let value): Int64(exactly: value)
        case .float(let value): Int64(exactly: value)
        case .decimal(let value): value.isIntegral ? value.integerFloor : nil
        default: nil
        }
    }

    private static func double(_ value: Value) -> Double? {
        switch value {
        case .int(let value): Double(exactly: value)
        case .double(let value): value
        case .float(let value): Double(value)
        default: nil
        }
    }

    private static func float(_ value: Value) -> Float? {
        switch value {
        case .int(let value): Float(exactly: value)
        case .double(let value): value.isNaN ? .nan : Float(exactly: value)
        case .float(let value): value
        default: nil
        }
    }

    /// Returns the ordinals of the floats or doubles in a relation to a decimal; nil if no number is.
    ///
    /// Several of them equal one decimal, which has fewer digits, and some decimals equal no float or double.
    static func range(
        _ comparison: ComparisonOperator, _ decimal: Decimal128, as storage: ElementStorage
    ) -> ClosedRange<UInt128>? {
        // Beyond infinity there are only bits that are no value's.
        let last = storage == .float ? of(Float.infinity) : of(Double.infinity)
        let wanted = decimal.ordinal
        /// Counts the ordinals that satisfy a condition that holds up to some ordinal.
        func count(_ holds: (UInt128) -> Bool) -> UInt128 {
            var (low, high) = (UInt128(0), last + 1)
            while low < high {
                let middle = (low + high) / 2
                if holds(asDecimal(middle, storage)) { low = middle + 1 } else { high = middle }
            }
            return low
        }
        let less = count { $0 < wanted }
        let lessEqual = count { $0 <= wanted }
        func range(_ first: UInt128, _ end: UInt128) -> ClosedRange<UInt128>? {
            first < end ? first...(end - 1) : nil
        }
        switch comparison {
        case .equal: return range(less, lessEqual)
        case .less: return range(0, less)
        case .lessEqual: return range(0, lessEqual)
        case .greater: return range(lessEqual, last + 1)
        case .greaterEqual: return range(less, last + 1)
        default: return nil
        }
    }

    /// Returns the ordinal of the decimal that a float or double counts as.
    private static func asDecimal(_ ordinal: UInt128, _ storage: ElementStorage) -> UInt128 {
        let bits = UInt64(truncatingIfNeeded: ordinal)
        let number: Number =
            storage == .float
            ? .float(ComparedValue.float(UInt32(truncatingIfNeeded: bits)))
            : .double(ComparedValue.double(bits))
        return number.decimal.ordinal
    }

    /// Returns the ordinal of the greatest value of a numeric type that lies below a number which the
    /// type can't hold; nil without such a value.
    static func greatestBelow(
        _ constant: Value, as storage: ElementStorage
    ) -> (ordinal: UInt128, isNone: Bool)? {
        switch (storage, constant) {
        case (.int, .double(let number)): intBelow(number)
        case (.int, .float(let number)): intBelow(Double(number))
        case (.int, .decimal(let number)): intBelow(number)
        case (.double, .int(let number)): (of(nearestBelow(number, Double(number))), false)
        case (.float, .int(let number)): (of(nearestBelow(number, Float(number))), false)
        case (.float, .double(let number)):
            (of(Double(Float(number)) > number ? Float(number).nextDown : Float(number)), false)
        default: nil
        }
    }

    private static func intBelow(_ number: Double) -> (ordinal: UInt128, isNone: Bool) {
        if number.isNaN || number < -0x1p63 { return (0, true) }
        if number >= 0x1p63 { return (greatest(.int), false) }
        return (of(Int64(number.rounded(.down))), false)
    }

    private static func intBelow(_ number: Decimal128) -> (ordinal: UInt128, isNone: Bool) {
        if let floor = number.integerFloor { return (of(floor), false) }
        if number.kind == .nan || number.isNegative { return (0, true) }
        return (greatest(.int), false)
    }

    /// `nearest` or the number before it, whichever is the greatest that isn't above an int.
    private static func nearestBelow<Number: BinaryFloatingPoint>(
        _ number: Int64, _ nearest: Number
    ) -> Number {
        let isAbove = nearest >= 0x1p63 || Int64(nearest) > number
        return isAbove ? nearest.nextDown : nearest
    }
}
