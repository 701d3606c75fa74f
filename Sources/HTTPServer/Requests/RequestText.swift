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

extension RequestText {
    /// Whether it may be a host with an optional port (RFC 3986, section 3.2; no commas, which would be a list).
    var isHostWithPort: Bool {
        guard let port = portStart else { return bytes.allSatisfy(Self.isOfHost) }
        let number = RequestText(UnsafeBufferPointer(rebasing: bytes[(port + 1)...]))
        return bytes[..<port].allSatisfy(Self.isOfHost)
            && (number.isEmpty || number.decimal.map { $0 <= UInt64(UInt16.max) } ?? false)
    }

    /// The position of the colon before the port: the first one behind the brackets that an IPv6 address stands in.
    private var portStart: Int? {
        let end = bytes.first == UInt8(ascii: "[") ? bytes.firstIndex(of: UInt8(ascii: "]")) : nil
        return bytes[(end ?? 0)...].firstIndex(of: UInt8(ascii: ":"))
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x3B, 0x41...0x5B, 0x61...0x7A, 0x24...0x2B, UInt8(ascii: "!"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "="), UInt8(ascii: "]"),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

/// How well a media type matches a client's `Accept` (RFC 9110, section 12.5.1).
package struct Acceptance: Sendable, Equatable {
    /// How much it is wanted, in thousandths: the `q` of the range that names it best; 0 refuses it.
    package var quality: Int
    /// Whether it is named by itself (2), with all subtypes (1), or with everything (0).
    package var precision: Int
    /// The place of the range that names it best.
    package var position: Int
}

extension Request {
    /// The preference of the fields `Accept`, which are one list (RFC 9110, section 5.3), for a media type; nil when
    /// no range of them has it, and as `*/*` when there is none. Parameters other than `q` do not count.
    /// Cost: a pass over the headers, without allocation.
    ///
    /// - `type`: Such as `text/csv`, in lower case.
    package func acceptance(of type: StaticString) -> Acceptance? {
        var best: Acceptance?
        var rangeCount = 0
        fields.forEach(.accept) { text in
            text.forEachElement { range, quality in
                if let precision = range.precision(of: type),
                    best.map({ precision > $0.precision }) ?? true
                {
                    best = Acceptance(quality: quality, precision: precision, position: rangeCount)
                }
                rangeCount += 1
            }
        }
        if rangeCount == 0 { return Acceptance(quality: 1000, precision: 0, position: 0) }
        return best
    }
}

extension RequestText {
    /// Whether a comma-separated list has `token` as an element (case ignored) that its `q` does not refuse.
    package func listContains(_ token: StaticString) -> Bool {
        var isFound = false
        forEachElement { name, quality in
            if quality > 0, name.equalsIgnoringCase(token) { isFound = true }
        }
        return isFound
    }

    /// Hands over the elements of a comma-separated list: what stands before `;`, and how much it is wanted, in
    /// thousandths (RFC 9110, section 12.4.2). Empty ones are left out.
    fileprivate func forEachElement(_ body: (RequestText, _ quality: Int) -> Void) {
        var start = 0
        while start <= count {
            let end = index(of: UInt8(ascii: ","), in: start..<count)
            if !trimmed(start..<end).isEmpty {
                let nameEnd = index(of: UInt8(ascii: ";"), in: start..<end)
                var quality = 1000
                var parameterStart = nameEnd + 1
                while parameterStart <= end {
                    let parameterEnd = index(of: UInt8(ascii: ";"), in: parameterStart..<end)
                    let parameter = trimmed(parameterStart..<parameterEnd)
                    if parameter.hasPrefix("q=") || parameter.hasPrefix("Q=") {
                        quality = parameter.thousandths(from: 2)
                    }
                    parameterStart = parameterEnd + 1
                }
                body(trimmed(start..<nameEnd), quality)
            }
            start = end + 1
        }
    }

    /// The first position of a byte in a range; its end where there is none.
    private func index(of byte: UInt8, in range: Range<Int>) -> Int {
        bytes[range].firstIndex(of: byte) ?? range.upperBound
    }

    /// How precisely a media range names a type; nil when it does not.
    fileprivate func precision(of type: StaticString) -> Int? {
        if equalsIgnoringCase(type) { return 2 }
        if self == "*/*" { return 0 }
        guard count > 2, bytes[count - 1] == UInt8(ascii: "*"),
            bytes[count - 2] == UInt8(ascii: "/")
        else { return nil }
        let kind = UnsafeBufferPointer(start: type.utf8Start, count: type.utf8CodeUnitCount)
        guard kind.count > count - 1 else { return nil }
        for index in 0..<count - 1 where bytes[index] | 0x20 != kind[index] | 0x20 { return nil }
        return 1
    }

    /// A number from 0 to 1 in thousandths; 0 for what is none.
    private func thousandths(from start: Int) -> Int {
        var value = 0
        var scale = 1000
        var hasPoint = false
        for byte in bytes[start...] {
            switch byte {
            case UInt8(ascii: "."):
                if hasPoint { return 0 }
                hasPoint = true
            case 0x30...0x39:
                if hasPoint { scale /= 10 }
                if hasPoint || value == 0 { value += Int(byte - 0x30) * scale }
            default: return 0
            }
        }
        return min(value, 1000)
    }
}
