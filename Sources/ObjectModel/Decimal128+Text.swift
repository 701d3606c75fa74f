import CHoldfastDecimal

/// Decimals as text: the scientific strings of General Decimal Arithmetic (speleotrove.com/decimal).
extension Decimal128 {
    /// The longest text that is read: more digits than a number has say nothing more.
    private static let textByteCountMax = 128

    /// Reads `[+-]digits[.digits][e[+-]digits]`, `NaN`, `Infinity` or `-Infinity`.
    ///
    /// - Returns: Nil for other texts, and for a number that would have to be rounded: one of more than
    ///   34 digits, or outside the range.
    package init?(text: UnsafeRawBufferPointer) {
        guard text.count <= Self.textByteCountMax else { return nil }
        switch text.count {
        case 3 where text.elementsEqual("NaN".utf8):
            self = .nan
            return
        case 8 where text.elementsEqual("Infinity".utf8):
            self.init(high: 0x7800 << 48, low: 0)
            return
        case 9 where text.elementsEqual("-Infinity".utf8):
            self.init(high: 0xF800 << 48, low: 0)
            return
        default: break
        }
        guard Self.isNumber(text) else { return nil }
        var number = HFDecimal()
        let isExact = withUnsafeTemporaryAllocation(
            of: CChar.self, capacity: Self.textByteCountMax + 1
        ) { buffer in
            for (index, byte) in text.enumerated() { buffer[index] = CChar(bitPattern: byte) }
            buffer[text.count] = 0
            guard let start = buffer.baseAddress else { return false }
            return HFDecimalRead(start, &number)
        }
        guard isExact else { return nil }
        self.init(high: number.high, low: number.low)
        guard kind == .finite else { return nil }
    }

    /// Reads a text.
    package init?(_ text: String) {
        var text = text
        guard let number = text.withUTF8({ Decimal128(text: UnsafeRawBufferPointer($0)) }) else {
            return nil
        }
        self = number
    }

    /// Whether the bytes are a decimal number: the library reads anything else as NaN.
    private static func isNumber(_ text: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        func skipSign() {
            if position < text.count, text[position] == 0x2B || text[position] == 0x2D {
                position += 1
            }
        }
        func skipDigits() -> Int {
            let start = position
            while position < text.count, 0x30...0x39 ~= text[position] { position += 1 }
            return position - start
        }
        skipSign()
        var digitCount = skipDigits()
        if position < text.count, text[position] == UInt8(ascii: ".") {
            position += 1
            digitCount += skipDigits()
        }
        guard digitCount > 0 else { return false }
        if position < text.count, text[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            skipSign()
            guard skipDigits() > 0 else { return false }
        }
        return position == text.count
    }

    /// Writes the number as text, every digit that it was given: `1.10`, `-0.000001`, `1E+30`, `NaN`.
    ///
    /// - `append`: Takes ASCII bytes, in order.
    package func writeText(_ append: (UInt8) -> Void) {
        switch kind {
        case .nan: return "NaN".utf8.forEach(append)
        case .infinite: return (isNegative ? "-Infinity" : "Infinity").utf8.forEach(append)
        case .finite: break
        }
        if isNegative { append(UInt8(ascii: "-")) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 40) { digits in
            var rest = coefficient
            var first = digits.count
            repeat {
                first -= 1
                digits[first] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            write(UnsafeBufferPointer(rebasing: digits[first...]), append)
        }
    }

    private func write(_ digits: UnsafeBufferPointer<UInt8>, _ append: (UInt8) -> Void) {
        let exponent = exponent
        let adjusted = exponent + digits.count - 1
        if exponent <= 0, adjusted >= -6 {
            let wholeCount = digits.count + exponent
            if wholeCount <= 0 {
                append(UInt8(ascii: "0"))
                append(UInt8(ascii: "."))
                for _ in wholeCount..<0 { append(UInt8(ascii: "0")) }
                digits.forEach(append)
            } else {
                for (index, digit) in digits.enumerated() {
                    if index == wholeCount { append(UInt8(ascii: ".")) }
                    append(digit)
                }
            }
            return
        }
        for (index, digit) in digits.enumerated() {
            if index == 1 { append(UInt8(ascii: ".")) }
            append(digit)
        }
        append(UInt8(ascii: "E"))
        append(adjusted < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
        String(adjusted.magnitude).utf8.forEach(append)
    }
}

extension Decimal128: CustomStringConvertible {
    /// The number as text.
    public var description: String { String(writtenBy: writeText) }
}
