import Glibc

/// A text to be found in many others, prepared once.
///
/// Its first and its last byte are searched sixteen offsets at a time. Only if both
/// are as far apart as in the text, the whole text is compared.
///
/// Benchmark row: `scan`.
struct NeedleSearch {
    /// The text; with ``ignoresCase`` of ASCII alone and in lower case.
    let needle: [UInt8]
    /// Whether ASCII letters of either case are the same.
    let ignoresCase: Bool

    /// Prepares a text; nil for an empty one, and for one that is not ASCII where case is ignored.
    init?(_ text: UnsafeRawBufferPointer, ignoresCase: Bool) {
        guard !text.isEmpty, !ignoresCase || text.allSatisfy({ $0 < 0x80 }) else { return nil }
        needle = text.map { ignoresCase ? Self.lower($0) : $0 }
        self.ignoresCase = ignoresCase
    }

    @inline(__always)
    private static func lower(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Calls `body` with every offset where the text may stand, in rising order: both bytes fit.
    ///
    /// - `body`: Returns the offset from which to go on.
    @inline(__always)
    func forEachCandidate(
        in hay: UnsafePointer<UInt8>, _ count: Int, _ body: (Int) -> Int
    ) {
        let last = count - needle.count
        guard last >= 0 else { return }
        let end = needle.count - 1
        let (a, b) = (needle[0], needle[end])
        // A letter in lower case equals both of its forms with this bit set, and no other byte does.
        let softA: UInt8 = ignoresCase && a &- 0x61 < 26 ? 0x20 : 0
        let softB: UInt8 = ignoresCase && b &- 0x61 < 26 ? 0x20 : 0
        let memory = UnsafeRawPointer(hay)
        let (wantedA, wantedB) = (SIMD16<UInt8>(repeating: a), SIMD16<UInt8>(repeating: b))
        let (bitA, bitB) = (SIMD16<UInt8>(repeating: softA), SIMD16<UInt8>(repeating: softB))
        @inline(__always)
        func fits(_ offset: Int) -> SIMD2<UInt64> {
            let blockA = memory.loadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
            let blockB = memory.loadUnaligned(fromByteOffset: offset + end, as: SIMD16<UInt8>.self)
            return unsafeBitCast(
                ((blockA | bitA) .== wantedA) .& ((blockB | bitB) .== wantedB),
                to: SIMD2<UInt64>.self)
        }
        var offset = 0
        while offset + 15 <= last {
            // Where nothing fits for long, most of the time went into finding that out.
            while offset + 63 <= last {
                let all =
                    (fits(offset) | fits(offset + 16)) | (fits(offset + 32) | fits(offset + 48))
                if all[0] | all[1] != 0 { break }
                offset += 64
            }
            guard offset + 15 <= last else { break }
            let words = fits(offset)
            if words[0] | words[1] == 0 {
                offset += 16
                continue
            }
            let lane =
                words[0] != 0
                ? words[0].trailingZeroBitCount / 8 : 8 + words[1].trailingZeroBitCount / 8
            offset = max(body(offset + lane), offset + lane + 1)
        }
        while offset <= last {
            if hay[offset] | softA == a, hay[offset + end] | softB == b {
                offset = max(body(offset), offset + 1)
            } else {
                offset += 1
            }
        }
    }

    /// Whether the text is at an offset that has as many readable bytes behind it.
    @inline(__always)
    func stands(at hay: UnsafePointer<UInt8>) -> Bool {
        needle.withUnsafeBufferPointer { needle in
            guard let wanted = needle.baseAddress else { return true }
            if !ignoresCase { return memcmp(hay, wanted, needle.count) == 0 }
            for position in 0..<needle.count where Self.lower(hay[position]) != wanted[position] {
                return false
            }
            return true
        }
    }
}
