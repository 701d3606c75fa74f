/// Reads base64 and base64url (RFC 4648), with or without padding.
enum Base64 {
    /// The bytes that `text` stands for; nil when it has other characters or an impossible length.
    static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        var padding = 0
        var digitCount = 0
        for byte in text {
            if byte == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let digit = value(byte) else { return nil }
            digitCount += 1
            bits = bits << 6 | digit
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                result.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        guard digitCount % 4 != 1, padding == 0 || (digitCount + padding) % 4 == 0, padding <= 2
        else { return nil }
        return result
    }

    private static func value(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
