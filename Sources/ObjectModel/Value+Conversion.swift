extension Value {
    /// The outcome of converting a value to the new type of its property.
    package enum Converted: Equatable, Sendable {
        /// The same value in the other type.
        case exact(Value)
        /// The nearest value of the other type.
        case rounded(Value)
        /// The other type has no corresponding value.
        case none

        /// Makes an outcome without rounding: exact, or no value.
        fileprivate init(_ value: Value?) { self = value.map { .exact($0) } ?? .none }
    }

    /// Converts the value to another scalar type. Null stays null. Links and lists cannot be converted.
    ///
    /// Numbers convert to each other, exactly if the other type can represent them. Every type with a text form converts to
    /// `string`, and from the texts that it accepts in JSON. Cost: up to a microsecond, plus the cost of a text.
    package func converted(to scalar: ScalarType) -> Converted {
        if self == .null { return .exact(.null) }
        if scalarType == scalar.widened {
            guard case .int(let number) = self, let range = scalar.narrowRange else {
                return .exact(self)
            }
            return range.contains(number) ? .exact(self) : .none
        }
        switch scalar {
        case .int, .int8, .int16, .int32, .int64:
            guard let number = integer, scalar.integerRange?.contains(number) ?? false else {
                return .none
            }
            return .exact(.int(number))
        case .double: return convertedToDouble()
        case .float: return convertedToFloat()
        case .decimal128: return Converted(decimal.map(Value.decimal))
        case .bool: return Converted(flag.map(Value.bool))
        case .string: return Converted(text.map(Value.string))
        case .data:
            guard case .string(let text) = self else { return .none }
            return .exact(.data(Array(text.utf8)))
        case .date: return read { Timestamp(rfc3339: $0).map(Value.date) }
        case .objectID: return read { ObjectID(text: $0).map(Value.objectID) }
        case .uuid: return read { UUID128(text: $0).map(Value.uuid) }
        case .mixed: return .exact(self)
        }
    }

    /// Converts a string's bytes by `body`.
    private func read(_ body: (UnsafeRawBufferPointer) -> Value?) -> Converted {
        guard case .string(var text) = self else { return .none }
        return Converted(text.withUTF8 { body(UnsafeRawBufferPointer($0)) })
    }

    /// The value as an integer; nil if it is not one.
    private var integer: Int64? {
        switch self {
        case .bool(let value): value ? 1 : 0
        case .int(let value): value
        case .double(let value): Int64(exactly: value)
        case .float(let value): Int64(exactly: value)
        case .decimal(let value): value.isIntegral ? value.integerFloor : nil
        case .string(let text): Int64(text)
        case .null, .data, .date, .objectID, .uuid, .link, .list, .map: nil
        }
    }

    private func convertedToDouble() -> Converted {
        switch self {
        case .double: return .exact(self)
        case .bool(let value): return .exact(.double(value ? 1 : 0))
        case .int(let value):
            if let exact = Double(exactly: value) { return .exact(.double(exact)) }
            return .rounded(.double(Double(value)))
        case .float(let value): return .exact(.double(Double(value)))
        case .decimal(let value):
            guard let number = Self.double(of: value) else { return .none }
            if value.kind != .finite { return .exact(.double(number)) }
            guard number.isFinite else { return .none }
            let isSame = Decimal128("\(number)").map { $0.ordinal == value.ordinal } ?? false
            return isSame ? .exact(.double(number)) : .rounded(.double(number))
        case .string(let text):
            guard let decimal = Decimal128(text), let number = Self.double(of: decimal),
                number.isFinite || decimal.kind != .finite
            else { return .none }
            return .exact(.double(number))
        case .null, .data, .date, .objectID, .uuid, .link, .list, .map: return .none
        }
    }

    private static func double(of decimal: Decimal128) -> Double? {
        switch decimal.kind {
        case .nan: .nan
        case .infinite: decimal.isNegative ? -.infinity : .infinity
        case .finite: Double(decimal.description)
        }
    }

    private func convertedToFloat() -> Converted {
        switch convertedToDouble() {
        case .exact(.double(let number)):
            let nearest = Float(number)
            if number.isFinite, !nearest.isFinite { return .none }
            let isSame = number.isNaN || Double(nearest) == number
            // A text is read as the nearest number, as in JSON.
            if case .string = self { return .exact(.float(nearest)) }
            return isSame ? .exact(.float(nearest)) : .rounded(.float(nearest))
        case .rounded(.double(let number)):
            let nearest = Float(number)
            return nearest.isFinite ? .rounded(.float(nearest)) : .none
        default: return .none
        }
    }

    /// The value as a decimal; nil if it is not one.
    private var decimal: Decimal128? {
        switch self {
        case .bool(let value): Decimal128(value ? 1 : 0)
        case .int(let value): Decimal128(value)
        // The shortest decimal that reads back as the same number.
        case .double(let value): Decimal128(value.text)
        case .float(let value): Decimal128(value.text)
        case .string(let text): Decimal128(text)
        case .null, .decimal, .data, .date, .objectID, .uuid, .link, .list, .map: nil
        }
    }

    /// The value as a bool; nil if it is not one.
    private var flag: Bool? {
        if case .string(let text) = self { return Bool(text) }
        switch integer {
        case 0?: return false
        case 1?: return true
        default: return nil
        }
    }

    /// The value's text, which reads back as the same value; nil for data that is not text.
    private var text: String? {
        switch self {
        case .bool(let value): value ? "true" : "false"
        case .int(let value): String(value)
        case .double(let value): value.text
        case .float(let value): value.text
        case .decimal(let value): value.description
        case .string(let text): text
        case .data(let bytes): String(validating: bytes, as: UTF8.self)
        case .date(let value): value.description
        case .objectID(let value): value.description
        case .uuid(let value): value.description
        case .null, .link, .list, .map: nil
        }
    }
}

extension BinaryFloatingPoint where Self: CustomStringConvertible {
    /// The shortest text that reads back as the same number, as in JSON.
    fileprivate var text: String {
        if isNaN { return "NaN" }
        if isInfinite { return self < 0 ? "-Infinity" : "Infinity" }
        return description
    }
}
