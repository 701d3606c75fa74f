import HoldfastBytes

extension JSONWriter {
    /// Writes a string, escaped as needed.
    public func string(_ text: String) {
        var text = text
        text.withUTF8 { string(UnsafeRawBufferPointer($0)) }
    }

    /// Writes a string, escaped as needed.
    ///
    /// - Parameter text: UTF-8; it is not checked. It must not lie in the buffer.
    public func string(_ text: UnsafeRawBufferPointer) {
        buffer.reserve(text.count + 2)
        buffer.append(UInt8(ascii: "\""))
        stringContent(text)
        buffer.append(UInt8(ascii: "\""))
    }

    /// Writes bytes as a string of base64 (RFC 4648, section 4, with padding).
    public func base64(_ bytes: UnsafeRawBufferPointer) {
        quoted { Base64.encode(bytes, into: buffer) }
    }

    /// Writes what `write` appends, which needs no escape, as a string.
    @inlinable @inline(__always)
    public func quoted(_ write: () -> Void) {
        buffer.append(UInt8(ascii: "\""))
        write()
        buffer.append(UInt8(ascii: "\""))
    }

    /// Writes text escaped as needed, without quotes: the parts of a string that comes in parts.
    public func stringContent(_ text: UnsafeRawBufferPointer) {
        guard let start = text.baseAddress else { return }
        var at = 0
        while at < text.count {
            let stop = Self.firstEscape(in: start, from: at, to: text.count)
            buffer.append(UnsafeRawBufferPointer(start: start + at, count: stop - at))
            guard stop < text.count else { return }
            escape(start.load(fromByteOffset: stop, as: UInt8.self))
            at = stop + 1
        }
    }

    /// Where the first quote, backslash or control character stands, or `end`.
    private static func firstEscape(
        in text: UnsafeRawPointer, from start: Int, to end: Int
    ) -> Int {
        var at = start
        while at + 8 <= end {
            let found = escapes(in: text.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            if found != 0 { return at + found.trailingZeroBitCount / 8 }
            at += 8
        }
        while at < end, !needsEscape(text.load(fromByteOffset: at, as: UInt8.self)) { at += 1 }
        return at
    }

    /// Marks the highest bit of the lowest byte that needs an escape; bytes above it may be marked
    /// without need. Zero when none does.
    private static func escapes(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* 0x22)
        let backslashes = word ^ (ones &* 0x5C)
        let found =
            ((quotes &- ones) & ~quotes)
            | ((backslashes &- ones) & ~backslashes)
            | ((word &- ones &* 0x20) & ~word)
        return found & (ones &* 0x80)
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): buffer.append("\\\"" as StaticString)
        case UInt8(ascii: "\\"): buffer.append("\\\\" as StaticString)
        case UInt8(ascii: "\n"): buffer.append("\\n" as StaticString)
        case UInt8(ascii: "\r"): buffer.append("\\r" as StaticString)
        case UInt8(ascii: "\t"): buffer.append("\\t" as StaticString)
        case 0x08: buffer.append("\\b" as StaticString)
        case 0x0C: buffer.append("\\f" as StaticString)
        default:
            buffer.append("\\u00" as StaticString)
            Hexadecimal.encode(byte, into: buffer)
        }
    }
}
