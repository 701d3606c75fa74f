import CHoldfastICU
import HoldfastBytes

/// Folds texts, so that texts that differ only in accents, or also in case, have equal bytes.
///
/// One thread at a time uses it. It keeps its memory from text to text.
package final class TextFolder {
    private let ignoresCase: Bool
    private let buffer = ByteBuffer(capacity: 256)

    package init(ignoresCase: Bool) { self.ignoresCase = ignoresCase }

    /// Returns the folded text. It is the text itself for an ASCII text if case is kept; other results are valid until the next
    /// call.
    package func fold(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        if !ignoresCase, UTF8Scalars.isASCII(text) { return text }
        buffer.removeAll()
        append(text, to: buffer)
        return buffer.bytes
    }

    /// Appends the folded text. Cost: some nanoseconds for each character, more for rare characters with accents.
    package func append(_ text: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        var offset = 0
        // The last written scalar, and its offset.
        var last: (scalar: UInt32, start: Int) = (0, buffer.count)
        while offset < text.count {
            let scalar = UTF8Scalars.next(text, &offset)
            if scalar < 0x80 {
                buffer.append(UInt8(truncatingIfNeeded: folded(scalar)))
                last.scalar = 0
            } else {
                AccentFolding.forEachPart(of: scalar) { part in
                    if let whole = Hangul.composition(last.scalar, part) {
                        buffer.truncate(to: last.start)
                        last.scalar = whole
                    } else {
                        last = (folded(part), buffer.count)
                    }
                    Self.append(last.scalar, to: buffer)
                }
            }
        }
    }

    @inline(__always)
    private func folded(_ scalar: UInt32) -> UInt32 {
        ignoresCase ? CaseFolding.fold(scalar) : scalar
    }

    /// Appends a scalar as UTF-8, or a byte that is not UTF-8.
    @inline(__always)
    private static func append(_ scalar: UInt32, to buffer: ByteBuffer) {
        func tail(_ shift: UInt32) -> UInt8 {
            UInt8(truncatingIfNeeded: 0x80 | (scalar >> shift & 0x3F))
        }
        switch scalar {
        case ..<0x80: buffer.append(UInt8(truncatingIfNeeded: scalar))
        case ..<0x800:
            buffer.append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
            buffer.append(tail(0))
        case ..<0x1_0000:
            buffer.append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
            buffer.append(tail(6))
            buffer.append(tail(0))
        case ..<UTF8Scalars.invalidBase:
            buffer.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
            buffer.append(tail(12))
            buffer.append(tail(6))
            buffer.append(tail(0))
        default: buffer.append(UInt8(truncatingIfNeeded: scalar))
        }
    }
}

/// The composition of Hangul syllables from letters, by The Unicode Standard, section 3.12.
enum Hangul {
    private static let (syllables, leads, vowels, tails) = (
        UInt32(0xAC00), UInt32(0x1100), UInt32(0x1161), UInt32(0x11A7)
    )
    private static let (leadCount, vowelCount, tailCount) = (UInt32(19), UInt32(21), UInt32(28))

    /// Composes a scalar and the letter after it; nil if they cannot be composed.
    @inline(__always)
    static func composition(_ first: UInt32, _ second: UInt32) -> UInt32? {
        guard second >= vowels, second < tails + tailCount else { return nil }
        if second < vowels + vowelCount {
            guard first >= leads, first < leads + leadCount else { return nil }
            return syllables + ((first - leads) * vowelCount + second - vowels) * tailCount
        }
        guard second > tails, first >= syllables,
            first < syllables + leadCount * vowelCount * tailCount,
            (first - syllables) % tailCount == 0
        else { return nil }
        return first + second - tails
    }
}

/// A scalar without its accents: its canonical decomposition without nonspacing marks (category Mn).
///
/// Hangul syllables stay whole, as users see them. ``TextFolder`` composes syllables that are written as single letters. Other
/// marks keep their order.
enum AccentFolding {
    /// Marks a scalar with several remaining scalars in the table.
    private static let several = UInt32.max
    /// Marks a scalar without remaining scalars.
    static let nothing: UInt32 = 0

    /// The remaining scalar for each scalar below ``CaseFolding/tableCount``.
    private static let table: [UInt32] = (0..<UInt32(CaseFolding.tableCount)).map { scalar in
        var left = nothing
        decompose(scalar) { left = left == nothing ? $0 : several }
        return left
    }

    /// Passes the remaining scalars of a scalar that is not ASCII.
    @inline(__always)
    static func forEachPart(of scalar: UInt32, _ body: (UInt32) -> Void) {
        if scalar < UInt32(CaseFolding.tableCount) {
            let part = table[Int(scalar)]
            if part != several {
                if part != nothing { body(part) }
                return
            }
        } else if isWhole(scalar) {
            return body(scalar)
        }
        decompose(scalar, body)
    }

    /// Whether a scalar beyond the table surely has no accents, without a look-up: ideographs and syllables, which make up whole
    /// texts, private use, and bytes that are not UTF-8.
    private static func isWhole(_ scalar: UInt32) -> Bool {
        (scalar >= 0x3400 && scalar < 0xA000) || (scalar >= 0xAC00 && scalar < 0xF900)
            || scalar >= 0xE_0200
    }

    private static func decompose(_ scalar: UInt32, _ body: (UInt32) -> Void) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: Int(HFDecompositionMax)) { parts in
            guard let start = parts.baseAddress else { return }
            for part in parts[..<Int(HFDecompose(scalar, start))] where !HFIsNonspacingMark(part) {
                body(part)
            }
        }
    }
}

/// ICU's simple case folding, from one scalar to one scalar. Texts that differ only in case become equal.
public enum CaseFolding {
    /// The end of the scalars with a table: Latin, Greek, Cyrillic, and more.
    static let tableCount = 0x2000

    /// The folded form of each scalar of the table.
    private static let table: [UInt32] = (0..<UInt32(tableCount)).map { HFFoldCase($0) }

    /// Returns the folded form of a scalar. Cost: a look-up; about 5 ns for scalars beyond U+1FFF.
    @inlinable @inline(__always)
    public static func fold(_ scalar: UInt32) -> UInt32 {
        if scalar < 0x80 { return scalar &- 0x41 < 26 ? scalar | 0x20 : scalar }
        return foldBeyondASCII(scalar)
    }

    @usableFromInline
    static func foldBeyondASCII(_ scalar: UInt32) -> UInt32 {
        if scalar < UInt32(tableCount) { return table[Int(scalar)] }
        return scalar < UTF8Scalars.invalidBase ? HFFoldCase(scalar) : scalar
    }
}
