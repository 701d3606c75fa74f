/// A version of a store, from which cursors and ETags are made; written `<epoch>-<n>`.
package struct StoreVersion: Hashable, Sendable {
    package var epoch: UInt64
    package var number: UInt64

    package init(epoch: UInt64, number: UInt64) {
        self.epoch = epoch
        self.number = number
    }

    private static let alphabet: StaticString = "0123456789abcdefghijklmnopqrstuvwxyz"

    /// Hands the text of an epoch to `emit`: base 36, eight digits, so that texts have one length.
    package static func writeEpoch(_ epoch: UInt64, _ emit: (UInt8) -> Void) {
        var divisor: UInt64 = 78_364_164_096
        while divisor > 0 {
            emit(alphabet.utf8Start[Int(epoch / divisor % 36)])
            divisor /= 36
        }
    }

    /// One above the largest epoch.
    package static let epochEnd: UInt64 = 2_821_109_907_456

    /// Reads `<epoch>-<n>`; nil for other text.
    package init?(text: some StringProtocol) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == 8, (1...20).contains(parts[1].count) else {
            return nil
        }
        var epoch: UInt64 = 0
        for byte in parts[0] {
            switch byte {
            case 48...57: epoch = epoch * 36 + UInt64(byte - 48)
            case 97...122: epoch = epoch * 36 + UInt64(byte - 87)
            default: return nil
            }
        }
        guard parts[1].allSatisfy({ (48...57).contains($0) }),
            let number = UInt64(String(decoding: Array(parts[1]), as: UTF8.self))
        else { return nil }
        self.init(epoch: epoch, number: number)
    }
}

extension StoreVersion: CustomStringConvertible {
    /// `<epoch>-<n>`
    package var description: String {
        let number = String(number).utf8
        return String(unsafeUninitializedCapacity: 9 + number.count) { text in
            var count = 0
            Self.writeEpoch(epoch) { digit in
                text[count] = digit
                count += 1
            }
            text[count] = UInt8(ascii: "-")
            for (index, digit) in number.enumerated() { text[count + 1 + index] = digit }
            return count + 1 + number.count
        }
    }
}
