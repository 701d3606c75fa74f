import HoldfastBytes

/// Numbers in text.
enum NumberText {
    /// Whether a text is a number as JSON writes it (RFC 8259, section 6).
    static func isJSON(_ text: UnsafeRawBufferPointer) -> Bool {
        var rest = text[...]
        func digits() -> Int {
            let count = rest.prefix { (48...57).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let isZero = rest.first == UInt8(ascii: "0")
        let count = digits()
        guard count > 0, !isZero || count == 1 else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard digits() > 0 else { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") {
                rest = rest.dropFirst()
            }
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }

    /// The JSON form of a number in a table: the text may have a sign or zeros before the number (`+5`, `004`), or
    /// no digits on one side of the point (`.5`, `5.`), as for a decimal. Nil for a text that is not a number.
    static func json(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        var rest = text[...]
        var number: [UInt8] = []
        func take(_ bytes: [UInt8]) -> UInt8? {
            guard let first = rest.first, bytes.contains(first) else { return nil }
            rest = rest.dropFirst()
            return first
        }
        func digits() -> Slice<UnsafeRawBufferPointer> {
            let digits = rest.prefix { (48...57).contains($0) }
            rest = rest.dropFirst(digits.count)
            return digits
        }
        if take(Self.signs) == UInt8(ascii: "-") { number.append(UInt8(ascii: "-")) }
        let whole = digits()
        let significant = whole.drop { $0 == UInt8(ascii: "0") }
        number += significant.isEmpty ? [UInt8(ascii: "0")] : Array(significant)
        var count = whole.count
        if let point = take([UInt8(ascii: ".")]) {
            let decimals = digits()
            if !decimals.isEmpty { number += [point] + Array(decimals) }
            count += decimals.count
        }
        guard count > 0 else { return nil }
        if let exponent = take([UInt8(ascii: "e"), UInt8(ascii: "E")]) {
            number.append(exponent)
            if let sign = take(Self.signs) { number.append(sign) }
            let powers = digits()
            guard !powers.isEmpty else { return nil }
            number += Array(powers)
        }
        return rest.isEmpty ? number : nil
    }

    /// Appends a number that has a decimal comma as one with a decimal point, without the points between its
    /// thousands. Other text is appended too. False if there are points elsewhere.
    static func appendPointed(_ text: UnsafeRawBufferPointer, to buffer: ByteBuffer) -> Bool {
        var digitCount = 0
        var isGrouped = false
        // In front of the decimals and the exponent.
        var isWhole = true
        for byte in text {
            switch byte {
            case 48...57:
                digitCount += 1
                buffer.append(byte)
            case UInt8(ascii: "."):
                guard isWhole, isGrouped ? digitCount == 3 : (1...3).contains(digitCount) else {
                    return false
                }
                isGrouped = true
                digitCount = 0
            default:
                if isWhole, isGrouped, digitCount != 3 { return false }
                if digitCount > 0 || byte == UInt8(ascii: ",") { isWhole = false }
                buffer.append(byte == UInt8(ascii: ",") ? UInt8(ascii: ".") : byte)
            }
        }
        return !(isWhole && isGrouped) || digitCount == 3
    }

    private static let signs = [UInt8(ascii: "+"), UInt8(ascii: "-")]
}
