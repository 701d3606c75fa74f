/// Reads UTF-8 scalar by scalar, in place.
///
/// Bytes that are not UTF-8, which data values may contain, count as one scalar each, beyond Unicode's range.
///
/// Public and inlinable, because it is called for each character of a scan.
public enum UTF8Scalars {
    /// The number added to a byte that is not UTF-8.
    public static let invalidBase: UInt32 = 0x11_0000

    /// Reads the scalar at `offset`, which must be within the text, and moves the offset behind it.
    @inlinable @inline(__always)
    public static func next(_ text: UnsafeRawBufferPointer, _ offset: inout Int) -> UInt32 {
        let first = text[offset]
        if first < 0x80 {
            offset += 1
            return UInt32(first)
        }
        return nextBeyondASCII(text, &offset)
    }

    @usableFromInline
    static func nextBeyondASCII(_ text: UnsafeRawBufferPointer, _ offset: inout Int) -> UInt32 {
        let first = text[offset]
        let count: Int
        switch first {
        case 0xC2...0xDF: count = 2
        case 0xE0...0xEF: count = 3
        case 0xF0...0xF4: count = 4
        default: count = 0
        }
        guard count > 0, offset + count <= text.count else {
            offset += 1
            return invalidBase | UInt32(first)
        }
        var scalar = UInt32(first) & (0xFF >> UInt32(count + 1))
        for index in offset + 1..<offset + count {
            let byte = text[index]
            guard byte & 0xC0 == 0x80 else {
                offset += 1
                return invalidBase | UInt32(first)
            }
            scalar = scalar << 6 | UInt32(byte & 0x3F)
        }
        offset += count
        return scalar
    }

    /// Returns the start of the scalar that ends at `end`, which must not be 0.
    package static func start(before end: Int, _ text: UnsafeRawBufferPointer) -> Int {
        var start = end - 1
        while start > 0, end - start < 4, text[start] & 0xC0 == 0x80 { start -= 1 }
        var check = start
        _ = next(text, &check)
        return check == end ? start : end - 1
    }

    /// Returns the first scalars of a well-formed text.
    package static func beginning(
        of text: UnsafeRawBufferPointer, _ scalarCount: Int
    ) -> UnsafeRawBufferPointer {
        var left = scalarCount
        for (offset, byte) in text.enumerated() where byte & 0xC0 != 0x80 {
            if left == 0 { return UnsafeRawBufferPointer(rebasing: text[..<offset]) }
            left -= 1
        }
        return text
    }

    /// Whether every byte of a text is ASCII. Cost: an eighth of a load and a test for each byte.
    package static func isASCII(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let start = text.baseAddress else { return true }
        var offset = 0
        while offset + 8 <= text.count {
            let eight = start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if eight & 0x8080_8080_8080_8080 != 0 { return false }
            offset += 8
        }
        while offset < text.count {
            if text[offset] >= 0x80 { return false }
            offset += 1
        }
        return true
    }
}
