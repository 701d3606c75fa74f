import HoldfastBytes
import HoldfastText

/// Texts that are searched for in other texts, all at once: each by one of its groups of three characters, the group that the
/// fewest other needles have.
///
/// The needles have at least three characters, which are ASCII in lower case. Cost: a look-up for each character of the text, and
/// a comparison for each needle that shares its group.
///
/// Benchmark row: `filters`.
struct NeedleIndex {
    private struct Entry {
        let needle: [UInt8]
        /// The offset of the group in the needle.
        let offset: Int
        let owner: Int32
    }

    private var entries: [UInt32: [Entry]] = [:]

    var isEmpty: Bool { entries.isEmpty }

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

    /// The maximum number of comparisons of needles with parts of one text.
    private static let comparisonCountMax = 100_000
    /// The longest text that is searched, in bytes.
    private static let textByteCountMax = 256 << 10

    /// Passes on the owners of the needles that a text contains, ignoring case, until `body` returns false. If the text is too
    /// long, or has too many groups of needles, it passes on all owners. An owner may come several times.
    ///
    /// - `folded`: Memory for the text.
    /// - Returns: Whether `body` never returned false.
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
            // No needle has other characters.
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

    /// Passes on all owners in the same way.
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
