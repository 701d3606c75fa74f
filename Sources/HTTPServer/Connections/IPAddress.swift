import Glibc

/// An IPv4 or IPv6 address. An IPv4 address is stored as the IPv6 address that maps it (RFC 4291, section 2.5.5.2).
struct IPAddress: Hashable, Sendable {
    let bits: UInt128

    /// Reads an address, with or without a port, such as `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` or `[2001:db8::1]:80`.
    init?(_ text: String) {
        var name = Substring(text)
        if name.hasPrefix("[") {
            guard let end = name.firstIndex(of: "]") else { return nil }
            name = name[..<end].dropFirst()
        } else if name.utf8.filter({ $0 == UInt8(ascii: ":") }).count == 1 {
            name = name.prefix { $0 != ":" }
        }
        var short = in_addr()
        if inet_pton(AF_INET, String(name), &short) == 1 {
            bits = 0xFFFF_0000_0000 | UInt128(UInt32(bigEndian: short.s_addr))
            return
        }
        var long = in6_addr()
        guard inet_pton(AF_INET6, String(name), &long) == 1 else { return nil }
        bits = withUnsafeBytes(of: &long) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
    }

    var isShort: Bool { bits >> 32 == 0xFFFF }

    /// The address in the form of ``Request/client``, without a port; IPv6 addresses are in brackets.
    var clientText: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        if isShort {
            var short = in_addr(s_addr: UInt32(truncatingIfNeeded: bits).bigEndian)
            inet_ntop(AF_INET, &short, &text, socklen_t(text.count))
        } else {
            var big = bits.bigEndian
            inet_ntop(AF_INET6, &big, &text, socklen_t(text.count))
        }
        let name = text.withUnsafeBytes { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return isShort ? name : "[\(name)]"
    }
}

/// A range of addresses with a common prefix, such as `10.0.0.0/8`.
package struct AddressRange: Sendable, Equatable {
    private let first: IPAddress
    private let bitCount: Int

    /// Reads a range in CIDR notation, or a single address; nil if the text is neither.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard !text.contains("["), let address = IPAddress(String(parts[0])) else { return nil }
        let longest = address.isShort ? 32 : 128
        var count = longest
        if parts.count == 2 {
            guard let stated = Int(parts[1]), (0...longest).contains(stated) else { return nil }
            count = stated
        }
        first = address
        bitCount = count + 128 - longest
    }

    func contains(_ address: IPAddress) -> Bool {
        bitCount == 0 || (address.bits ^ first.bits) >> UInt128(128 - bitCount) == 0
    }
}
