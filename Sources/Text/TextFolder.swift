import HoldfastBytes

/// Folds texts so that those which differ only in accents, or in case too, have equal bytes.
///
/// One thread at a time uses it. It keeps its memory from text to text.
package final class TextFolder {
    private let ignoresCase: Bool
    private let buffer = ByteBuffer(capacity: 256)

    /// Makes a folder.
    package init(ignoresCase: Bool) { self.ignoresCase = ignoresCase }

    /// Returns the folded text: the text itself where folding changes nothing that is cheap to see, else
    /// bytes that are valid until the next call.
    package func fold(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        if !ignoresCase, UTF8Scalars.isASCII(text) { return text }
        buffer.removeAll()
        append(text, to: buffer)
        return buffer.bytes
    }

    /// Appends the folded text. Cost: some nanoseconds a character; those with accents that are rare take
    /// longer.
    package func append(_ text: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        var offset = 0
        // The scalar written last, and where it begins.
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

    /// Appends a scalar as UTF-8, or the byte that is none.
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
