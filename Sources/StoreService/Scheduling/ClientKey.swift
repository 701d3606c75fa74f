import Glibc

/// The identity of a client for fair scheduling: clients with equal keys share a share. Keys differ from process to process.
package struct ClientKey: Hashable, Sendable {
    private let hash: Int

    package var number: Int { hash }

    package init(token number: UInt64) {
        var hasher = Hasher()
        hasher.combine(number)
        hash = hasher.finalize()
    }

    /// The client at an address such as `127.0.0.1:50312`. The port does not count. An address of IPv6 stands in
    /// brackets, and counts by its network, because one machine may take every address of it (RFC 4862).
    package init(address: String) {
        var hasher = Hasher()
        if let network = Self.network(of: address) {
            hasher.combine(network)
            hash = hasher.finalize()
            return
        }
        let text = address.utf8
        let port = text.last == UInt8(ascii: "]") ? nil : text.lastIndex(of: UInt8(ascii: ":"))
        for byte in text[..<(port ?? text.endIndex)] { hasher.combine(byte) }
        hash = hasher.finalize()
    }

    /// The network of an address: all addresses with the same first 16 bits, in IPv6 with the same first 48 bits, as
    /// the addresses of one customer of a provider have.
    package init(networkOf address: String) {
        var hasher = Hasher()
        if let network = Self.network(of: address) {
            hasher.combine(network & UInt64(bigEndian: 0xFFFF_FFFF_FFFF_0000))
        } else {
            let parts = address.prefix { $0 != "]" }.split(separator: ".", maxSplits: 2)
            for part in parts.prefix(2) { hasher.combine(part) }
        }
        hash = hasher.finalize()
    }

    /// The first 64 bits of an address of IPv6; nil for other addresses, and for addresses of one machine or of IPv4, which
    /// begin with zeros.
    private static func network(of address: String) -> UInt64? {
        guard address.utf8.first == UInt8(ascii: "[") else { return nil }
        var bytes = in6_addr()
        let name = address.dropFirst().prefix { $0 != "]" }
        guard inet_pton(AF_INET6, String(name), &bytes) == 1 else { return nil }
        let network = withUnsafeBytes(of: &bytes) { $0.loadUnaligned(as: UInt64.self) }
        return network == 0 ? nil : network
    }
}
