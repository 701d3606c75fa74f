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

    private static let signs = [UInt8(ascii: "+"), UInt8(ascii: "-")]
}
