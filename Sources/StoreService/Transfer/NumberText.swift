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
}
