import HoldfastBytes
import HoldfastText

/// Texts to be found in others, all at once: by one group of three characters of each, that which fewest of the
/// others have.
///
/// The needles are of ASCII characters in lower case, three at least. Cost: a look-up for each character of the
/// text, and a comparison for each needle that shares its group.
struct NeedleIndex {
    private struct Entry {
        let needle: [UInt8]
        /// Where its group stands in it.
        let offset: Int
        let owner: Int32
    }

    private var entries: [UInt32: [Entry]] = [:]

    /// Whether there are none.
    var isEmpty: Bool { entries.isEmpty }

    /// Enters a needle.
    mutating func add(_ needle: [UInt8], _ owner: Int32) {
        var best: (group: UInt32, offset: Int, count: Int)?
        for offset in 0...(needle.count - 3) {
            let group = Self.group(needle, offset)
            let count = entries[group]?.count ?? 0
            if best.map({ count < $0.count }) ?? true { best = (group, offset, count) }
        }
        guard let best else { return }
        entries[best.group, default: []].append(
            Entry(needle: needle, offset: best.offset, owner: owner))
    }

    /// Removes a needle of an owner.
    mutating func remove(_ needle: [UInt8], _ owner: Int32) {
        for offset in 0...(needle.count - 3) {
            let group = Self.group(needle, offset)
            guard
                let index = entries[group]?.firstIndex(where: {
                    $0.owner == owner && $0.needle == needle
                })
            else { continue }
            entries[group]?.remove(at: index)
            if entries[group]?.isEmpty == true { entries[group] = nil }
            return
        }
    }

    /// The most comparisons of needles with parts of one text.
    private static let comparisonCountMax = 100_000
    /// The longest text that is looked through, in bytes.
    private static let textByteCountMax = 256 << 10

    /// Hands over the owners of the needles that stand in a text, but for case, and of all where it is longer or fuller
    /// of what they begin with than is looked through, until `body` returns false; an owner may come several times.
    ///
    /// - `folded`: Memory for the text.
    /// - Returns: Whether it never did.
    func forEach(
        in text: UnsafeRawBufferPointer, _ folded: ByteBuffer, _ body: (Int32) -> Bool
    ) -> Bool {
        guard text.count >= 3 else { return true }
        guard text.count <= Self.textByteCountMax else { return forEach(body) }
        var comparisonCount = 0
        folded.removeAll()
        var offset = 0
        while offset < text.count {
            let scalar = CaseFolding.fold(UTF8Scalars.next(text, &offset))
            // No needle has anything else.
            folded.append(scalar < 0x80 ? UInt8(truncatingIfNeeded: scalar) : 0xFF)
        }
        let bytes = folded.bytes
        guard bytes.count >= 3 else { return true }
        for start in 0...(bytes.count - 3) {
            guard let found = entries[Self.group(bytes, start)] else { continue }
            comparisonCount += found.count
            if comparisonCount > Self.comparisonCountMax { return forEach(body) }
            for entry in found {
                let first = start - entry.offset
                if first >= 0, first + entry.needle.count <= bytes.count,
                    bytes[first..<first + entry.needle.count].elementsEqual(entry.needle),
                    !body(entry.owner)
                {
                    return false
                }
            }
        }
        return true
    }

    /// Hands over all owners, as above.
    private func forEach(_ body: (Int32) -> Bool) -> Bool {
        entries.values.joined().allSatisfy { body($0.owner) }
    }

    private static func group(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes.withUnsafeBytes { group($0, offset) }
    }

    @inline(__always)
    private static func group(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
        UInt32(bytes[offset]) << 16 | UInt32(bytes[offset + 1]) << 8 | UInt32(bytes[offset + 2])
    }
}
