import Glibc
import HoldfastJSON

/// A piece of a request in place: a path segment, a query name or value, a header's value.
///
/// - Important: It points into the request and is valid until the request is answered. Take
///   ``string`` to keep it.
package struct RequestText: @unchecked Sendable {
    // @unchecked: the bytes are written before the handler runs and constant until the answer.

    /// The bytes after percent-decoding; path and query pieces are valid UTF-8, headers need not be.
    package let bytes: UnsafeBufferPointer<UInt8>

    /// A part of another piece, valid as long as that.
    package init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    init(_ start: UnsafePointer<UInt8>, count: Int) {
        bytes = UnsafeBufferPointer(start: start, count: count)
    }

    /// Number of bytes.
    package var count: Int { bytes.count }
    /// Whether there are no bytes.
    package var isEmpty: Bool { bytes.isEmpty }
    /// A copy; bytes that are not UTF-8 are repaired.
    package var string: String { String(decoding: bytes, as: UTF8.self) }

    /// Byte-wise equality, without a copy.
    package static func == (left: RequestText, right: StaticString) -> Bool {
        left.count == right.utf8CodeUnitCount
            && areEqual(left.bytes.baseAddress, right.utf8Start, left.count)
    }

    /// The opposite of `==`.
    package static func != (left: RequestText, right: StaticString) -> Bool { !(left == right) }

    /// Equality that ignores the case of ASCII letters.
    package func equalsIgnoringCase(_ other: StaticString) -> Bool {
        count == other.utf8CodeUnitCount && hasPrefixIgnoringCase(other)
    }

    /// Whether `self` begins with `prefix`, ignoring the case of ASCII letters.
    package func hasPrefixIgnoringCase(_ prefix: StaticString) -> Bool {
        let prefix = prefix.bytes
        guard count >= prefix.count else { return false }
        return zip(bytes, prefix).allSatisfy { $0 == $1 || lower($0) == lower($1) }
    }

    /// Whether `self` begins with `prefix`, byte by byte.
    package func hasPrefix(_ prefix: StaticString) -> Bool {
        count >= prefix.utf8CodeUnitCount
            && areEqual(bytes.baseAddress, prefix.utf8Start, prefix.utf8CodeUnitCount)
    }

    /// The bytes in `range` without blanks at either end.
    func trimmed(_ range: Range<Int>) -> RequestText {
        var start = range.lowerBound
        var end = max(range.upperBound, start)
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
        return RequestText(UnsafeBufferPointer(rebasing: bytes[start..<end]))
    }

    /// A decimal number without sign that fits, or nil.
    package var decimal: UInt64? { UInt64(jsonDigits: UnsafeRawBufferPointer(bytes)) }
}

@inline(__always)
private func lower(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
}

/// Whether two runs of `count` bytes are the same; a missing one equals only an empty one.
@inline(__always)
func areEqual(_ left: UnsafePointer<UInt8>?, _ right: UnsafePointer<UInt8>?, _ count: Int) -> Bool {
    guard count > 0 else { return true }
    guard let left, let right else { return false }
    // Most of those that differ do so in the first byte, and a call takes longer than to look at it.
    return left[0] == right[0] && memcmp(left, right, count) == 0
}
