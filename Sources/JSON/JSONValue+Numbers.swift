import CHoldfastSimdJSON

extension JSONValue {
    // What the parser notes of a number, as in `CSimdJSON.h`.
    @inlinable static var bigIntegerBit: UInt32 { 1 << 6 }
    @inlinable static var negativeZeroBit: UInt32 { 1 << 7 }

    /// Whether this is a number.
    @inlinable public var isNumber: Bool { kind == .integer || kind == .double }

    /// Whether this is a number without `.`, `e` and `E` that does not fit into an `Int64`.
    @inlinable public var isBigInteger: Bool { head & Self.bigIntegerBit != 0 && isNumber }

    /// A number of the kind ``Kind/integer``; nil when the value is something else.
    @inlinable public var int64: Int64? {
        kind == .integer ? entry.load(fromByteOffset: 8, as: Int64.self) : nil
    }

    /// A number that is an integer and fits, in whatever form: `42`, `42.0`, `4.2e1`. Nothing is
    /// rounded. Linear in the text of numbers that are not of the kind ``Kind/integer``.
    public var exactInt64: Int64? {
        if let int64 { return int64 }
        return numberText.flatMap { Int64(exactlyJSONNumber: $0) }
    }

    /// The `Double` nearest to a number; nil when the value is something else. A number that is too
    /// large is infinite.
    @inlinable public var double: Double? {
        switch kind {
        case .double:
            return entry.load(fromByteOffset: 8, as: Double.self)
        case .integer:
            if head & Self.negativeZeroBit != 0 { return -0.0 }
            return Double(entry.load(fromByteOffset: 8, as: Int64.self))
        default:
            return nil
        }
    }

    /// The `Float` nearest to a number's text, rounded once; nil when the value is something else.
    /// A number that is too large is infinite. Linear in the text.
    public var float: Float? {
        guard let numberText else { return nil }
        let start = numberText.baseAddress?.assumingMemoryBound(to: UInt8.self)
        return HFJSONReadFloat(start, numberText.count)
    }

    /// A number as it was written; nil when the value is something else.
    @inlinable public var numberText: UnsafeRawBufferPointer? {
        guard isNumber else { return nil }
        return UnsafeRawBufferPointer(start: source + low, count: Int(head >> 8))
    }
}
