import HoldfastJSON
import HoldfastObjectModel

/// Readings of single values that more than one place of a request takes.
package enum ScalarText {
    /// Reads an int: a number without a fraction that fits, in any form, or a string of digits.
    package static func int(_ json: JSONValue) -> Int64? {
        if let value = json.exactInt64 { return value }
        return json.stringBytes.flatMap { Int64(jsonDigits: $0) }
    }

    /// Reads a double: a number, or the name of one that JSON lacks. Infinite for a number that is too
    /// large (``isTooLarge(_:)``).
    package static func double(_ json: JSONValue) -> Double? {
        if let value = json.double { return value }
        guard let text = json.stringBytes else { return nil }
        switch text.count {
        case 3 where text.elementsEqual("NaN".utf8): return .nan
        case 8 where text.elementsEqual("Infinity".utf8): return .infinity
        case 9 where text.elementsEqual("-Infinity".utf8): return -.infinity
        default: return nil
        }
    }

    /// Reads a float: a number that is rounded once, or the name of one that JSON lacks; nil for a number that is too large.
    package static func float(_ json: JSONValue) -> Float? {
        if let value = json.float { return value.isInfinite ? nil : value }
        return double(json).map { Float($0) }
    }

    /// Reads a decimal: a string, or a number, of at most 34 digits; nothing is rounded.
    package static func decimal(_ json: JSONValue) -> Decimal128? {
        (json.numberText ?? json.stringBytes).flatMap { Decimal128(text: $0) }
    }

    /// Whether a JSON number is beyond the range of a double.
    package static func isTooLarge(_ json: JSONValue) -> Bool {
        json.isNumber && json.double?.isInfinite == true
    }

    /// Whether a JSON value is an integer that only its size keeps from being an int.
    package static func isIntegerOutOfRange(_ json: JSONValue) -> Bool {
        if json.isBigInteger { return true }
        if let number = json.double {
            return number.rounded() == number && number.magnitude >= 0x1p63
        }
        guard let text = json.stringBytes, !text.isEmpty else { return false }
        let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
        return !digits.isEmpty && digits.allSatisfy { (48...57).contains($0) }
    }
}
