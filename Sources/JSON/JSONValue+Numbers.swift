import CSimdJSON

extension JSONValue {
    /// Whether this is a number.
    package var isNumber: Bool { tag == HFJSON_INTEGER || tag == HFJSON_DOUBLE }

    /// Whether this is a number without `.`, `e` and `E`, however large.
    package var isIntegerLiteral: Bool {
        isNumber && head & UInt32(HFJSON_FRACTION | HFJSON_EXPONENT) == 0
    }

    /// Whether this is a number with a `.`.
    package var hasFraction: Bool { head & UInt32(HFJSON_FRACTION) != 0 && isNumber }

    /// Whether this is a number with an `e` or `E`.
    package var hasExponent: Bool { head & UInt32(HFJSON_EXPONENT) != 0 && isNumber }

    /// Whether this is a number without `.`, `e` and `E` that does not fit into an `Int64`.
    package var isBigInteger: Bool { head & UInt32(HFJSON_BIG_INTEGER) != 0 && isNumber }

    /// A number of the kind ``Kind/integer``; nil when the value is something else.
    package var int64: Int64? {
        tag == HFJSON_INTEGER ? entry.load(fromByteOffset: 8, as: Int64.self) : nil
    }

    /// A number that is an integer and fits, in whatever form: `42`, `42.0`, `4.2e1`. Nothing is
    /// rounded. Linear in the text of numbers that are not of the kind ``Kind/integer``.
    package var exactInt64: Int64? {
        if let int64 { return int64 }
        return numberText.flatMap { Int64(exactlyJSONNumber: $0) }
    }

    /// An unsigned number without `.`, `e` and `E` that fits; nil when the value is something else.
    package var uint64: UInt64? {
        if let int64 { return UInt64(exactly: int64) }
        guard isBigInteger, let numberText else { return nil }
        return UInt64(jsonDigits: numberText)
    }

    /// The `Double` nearest to a number; nil when the value is something else. A number that is too
    /// large is infinite.
    package var double: Double? {
        switch tag {
        case HFJSON_DOUBLE:
            return entry.load(fromByteOffset: 8, as: Double.self)
        case HFJSON_INTEGER:
            if head & UInt32(HFJSON_NEGATIVE_ZERO) != 0 { return -0.0 }
            return Double(entry.load(fromByteOffset: 8, as: Int64.self))
        default:
            return nil
        }
    }

    /// The `Float` nearest to a number's text, rounded once; nil when the value is something else.
    /// A number that is too large is infinite. Linear in the text.
    package var float: Float? {
        guard let numberText else { return nil }
        let start = numberText.baseAddress?.assumingMemoryBound(to: UInt8.self)
        return HFJSONReadFloat(start, numberText.count)
    }

    /// A number as it was written; nil when the value is something else.
    package var numberText: UnsafeRawBufferPointer? {
        guard isNumber else { return nil }
        return UnsafeRawBufferPointer(start: source + low, count: Int(head >> 8))
    }
}
