extension FixedWidthInteger {
    /// Reads only decimal digits, for signed types after an optional `-`; nil if the text has another form or the value does not
    /// fit. Integers have this form in JSON strings and in paths. It is inlinable, since every read of an object calls it from
    /// another module.
    @inlinable
    package init?(jsonDigits text: UnsafeRawBufferPointer) {
        let isNegative = Self.isSigned && text.first == UInt8(ascii: "-")
        let digits = UnsafeRawBufferPointer(rebasing: text[(isNegative ? 1 : 0)...])
        guard !digits.isEmpty else { return nil }
        var value: Self = 0
        for byte in digits {
            guard let digit = byte.decimalDigit, value.appendDigit(digit, isNegative) else {
                return nil
            }
        }
        self = value
    }

    /// Multiplies by ten and moves `digit` further from zero; false if the result does not fit.
    @inlinable
    mutating func appendDigit(_ digit: UInt8, _ isNegative: Bool) -> Bool {
        let (tenfold, isTooLarge) = multipliedReportingOverflow(by: 10)
        let (sum, isSumTooLarge) =
            isNegative
            ? tenfold.subtractingReportingOverflow(Self(digit))
            : tenfold.addingReportingOverflow(Self(digit))
        self = sum
        return !isTooLarge && !isSumTooLarge
    }
}

extension Int64 {
    /// Reads the text of a JSON number with an integer value, such as `42.0` or `4.2e1`; nil if the value is not an integer or
    /// does not fit. It never rounds.
    init?(exactlyJSONNumber text: UnsafeRawBufferPointer) {
        let isNegative = text.first == UInt8(ascii: "-")
        var value: Int64 = 0
        // Zeros that count only if another digit follows.
        var zeroCount = 0
        var fractionDigitCount = 0
        var isInFraction = false
        var exponent = 0
        for (index, byte) in text.enumerated() {
            if let digit = byte.decimalDigit {
                if isInFraction { fractionDigitCount += 1 }
                guard digit != 0 else {
                    zeroCount += 1
                    continue
                }
                guard value.appendZeros(zeroCount), value.appendDigit(digit, isNegative) else {
                    return nil
                }
                zeroCount = 0
            } else if byte == UInt8(ascii: ".") {
                isInFraction = true
            } else if byte | 0x20 == UInt8(ascii: "e") {
                var digits = UnsafeRawBufferPointer(rebasing: text[(index + 1)...])
                if digits.first == UInt8(ascii: "+") {
                    digits = UnsafeRawBufferPointer(rebasing: digits.dropFirst())
                }
                guard let read = Int32(jsonDigits: digits) else {
                    guard value == 0 else { return nil }
                    break
                }
                exponent = Int(read)
                break
            }
        }
        if value != 0 {
            let trailingZeroCount = exponent - fractionDigitCount + zeroCount
            guard trailingZeroCount >= 0, value.appendZeros(trailingZeroCount) else { return nil }
        }
        self = value
    }

    /// Multiplies by a power of ten; false if the result does not fit.
    private mutating func appendZeros(_ count: Int) -> Bool {
        guard self != 0 else { return true }
        for _ in 0..<count {
            let (tenfold, isTooLarge) = multipliedReportingOverflow(by: 10)
            if isTooLarge { return false }
            self = tenfold
        }
        return true
    }
}

extension UInt8 {
    /// The value of an ASCII digit.
    @inlinable
    var decimalDigit: UInt8? {
        let digit = self &- UInt8(ascii: "0")
        return digit < 10 ? digit : nil
    }
}
