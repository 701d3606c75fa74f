import HoldfastRows

/// Cursors that no server made: a client may send anything.
enum CursorForgery {
    /// A list's cursor with other numbers and a checksum that fits.
    static func change(_ cursor: String, returned: UInt64, key: UInt64, sortBytes: [UInt8])
        -> String?
    {
        guard var bytes = decode(cursor), bytes.count >= 53 else { return nil }
        bytes = Array(bytes[..<25])
        for word in [returned, key] {
            withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
        }
        withUnsafeBytes(of: UInt32(sortBytes.count).littleEndian) { bytes.append(contentsOf: $0) }
        bytes += sortBytes
        let checksum = bytes.withUnsafeBytes { SipHash128.hash($0).high }
        withUnsafeBytes(of: checksum.littleEndian) { bytes.append(contentsOf: $0) }
        return encode(bytes)
    }

    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in text.utf8 {
            guard let digit = digits.firstIndex(of: byte) else { return nil }
            bits = bits << 6 | UInt32(digit)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }

    private static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(digits[Int(bits >> UInt32(count) & 63)])
            }
        }
        if count > 0 { text.append(digits[Int(bits << UInt32(6 - count) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }
}
