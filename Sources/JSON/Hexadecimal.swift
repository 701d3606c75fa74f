import HoldfastBytes

/// Bytes as pairs of hexadecimal digits.
package enum Hexadecimal {
    private static let digits: StaticString = "0123456789abcdef"

    /// The lower-case digit of a value below 16.
    package static func digit(_ value: UInt8) -> UInt8 { digits.utf8Start[Int(value)] }

    /// Appends the two lower-case digits of a byte.
    package static func encode(_ byte: UInt8, into buffer: ByteBuffer) {
        buffer.append(digit(byte >> 4))
        buffer.append(digit(byte & 15))
    }

    /// Appends the lower-case digits of all bytes.
    package static func encode(_ bytes: UnsafeRawBufferPointer, into buffer: ByteBuffer) {
        buffer.reserve(bytes.count * 2)
        for byte in bytes { encode(byte, into: buffer) }
    }

    /// The bytes that pairs of digits of either case stand for; nil when the text is anything else.
    package static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = value(text[index]), let low = value(text[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The value of a digit of either case; nil for other bytes.
    package static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
