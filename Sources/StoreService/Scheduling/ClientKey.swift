/// The identity of a client for fair scheduling: clients whose keys are equal share a
/// share. Keys differ from process to process.
package struct ClientKey: Hashable, Sendable {
    private let hash: Int

    /// The client that has the token of a number.
    package init(token number: UInt64) {
        var hasher = Hasher()
        hasher.combine(number)
        hash = hasher.finalize()
    }

    /// The client at an address such as `127.0.0.1:50312`, whose port does not count; one of IPv6 stands in brackets.
    package init(address: String) {
        var hasher = Hasher()
        let text = address.utf8
        let port = text.last == UInt8(ascii: "]") ? nil : text.lastIndex(of: UInt8(ascii: ":"))
        for byte in text[..<(port ?? text.endIndex)] {
            hasher.combine(byte)
        }
        hash = hasher.finalize()
    }
}
