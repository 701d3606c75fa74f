extension RequestText {
    /// Whether it may be a host with an optional port (RFC 3986, section 3.2; no commas, which would be a list).
    var isHostWithPort: Bool {
        guard let port = portStart else { return bytes.allSatisfy(Self.isOfHost) }
        let number = RequestText(UnsafeBufferPointer(rebasing: bytes[(port + 1)...]))
        return bytes[..<port].allSatisfy(Self.isOfHost)
            && (number.isEmpty || number.decimal.map { $0 <= UInt64(UInt16.max) } ?? false)
    }

    /// The position of the colon before the port: the first one behind the brackets that an IPv6 address stands in.
    private var portStart: Int? {
        let end = bytes.first == UInt8(ascii: "[") ? bytes.firstIndex(of: UInt8(ascii: "]")) : nil
        return bytes[(end ?? 0)...].firstIndex(of: UInt8(ascii: ":"))
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x3B, 0x41...0x5B, 0x61...0x7A, 0x24...0x2B, UInt8(ascii: "!"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "="), UInt8(ascii: "]"),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
