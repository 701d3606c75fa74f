/// A small writer of flat JSON objects for log lines and problem documents.
package struct JSONText: Sendable {
    /// The text so far.
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// An empty text.
    package init(capacity: Int = 256) {
        bytes.reserveCapacity(capacity)
    }

    /// Writes `{`, what `members` writes, and `}`.
    package mutating func object(_ members: (inout JSONText) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
        members(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Writes a member whose value is a string.
    package mutating func member(_ name: StaticString, _ value: String) {
        var value = value
        value.withUTF8 { member(name, $0) }
    }

    /// Writes a member whose value is UTF-8; other bytes are replaced.
    package mutating func member(_ name: StaticString, _ value: UnsafeBufferPointer<UInt8>) {
        key(name)
        quote(value)
    }

    /// Writes a member whose value is an integer.
    package mutating func member(_ name: StaticString, _ value: Int) {
        key(name)
        number(value)
    }

    /// Writes a member whose value is true or false.
    package mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        append(value ? "true" : "false")
    }

    private mutating func key(_ name: StaticString) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
        bytes.append(UInt8(ascii: "\""))
        append(name)
        append("\":")
    }

    /// Appends a constant as it stands.
    package mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: text.bytes)
    }

    /// Appends one byte as it stands.
    package mutating func append(_ byte: UInt8) {
        bytes.append(byte)
    }

    /// Appends a decimal number.
    package mutating func number(_ value: Int) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        let start = bytes.count
        repeat {
            bytes.append(0x30 + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    /// Appends a JSON string (RFC 8259, section 7).
    package mutating func quote(_ value: UnsafeBufferPointer<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        if isValidUTF8(value) {
            escape(value)
        } else {
            var repaired = String(decoding: value, as: UTF8.self)
            repaired.withUTF8 { escape($0) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ value: UnsafeBufferPointer<UInt8>) {
        if value.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && $0 != 0x7F }) {
            bytes.append(contentsOf: value)
            return
        }
        for byte in value {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x0A: append("\\n")
            case 0x0D: append("\\r")
            case 0x09: append("\\t")
            case 0..<0x20, 0x7F:
                append("\\u00")
                bytes.append(hexadecimalDigit(byte >> 4))
                bytes.append(hexadecimalDigit(byte & 15))
            default: bytes.append(byte)
            }
        }
    }
}

/// The lower-case digit of a value below 16.
func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? 0x30 + value : 0x61 + value - 10
}
