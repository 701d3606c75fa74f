/// The addresses that begin alike, such as `10.0.0.0/8`.
package struct AddressRange: Sendable, Equatable {
    private let first: IPAddress
    private let bitCount: Int

    /// Reads a range in CIDR's form, or a single address; nil for what is neither.
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

    /// Whether an address is in the range.
    func contains(_ address: IPAddress) -> Bool {
        bitCount == 0 || (address.bits ^ first.bits) >> UInt128(128 - bitCount) == 0
    }
}
