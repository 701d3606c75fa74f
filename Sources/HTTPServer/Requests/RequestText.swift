import Glibc

/// A piece of a request, not copied: a path segment, a query name or value, a header's value.
///
/// - Important: It points into the request and is valid until the request is answered. Take ``string`` to keep it.
package struct RequestText: @unchecked Sendable {
    // @unchecked: the bytes are written before the handler runs and constant until the answer.

    /// The bytes after percent-decoding; path and query pieces are valid UTF-8, headers need not be.
    package let bytes: UnsafeBufferPointer<UInt8>

    /// Refers to a part of another piece, and is valid as long as that piece.
    package init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    init(_ start: UnsafePointer<UInt8>, count: Int) {
        bytes = UnsafeBufferPointer(start: start, count: count)
    }

    package var count: Int { bytes.count }
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

    /// Returns the bytes in `range` without blanks at either end.
    func trimmed(_ range: Range<Int>) -> RequestText {
        var start = range.lowerBound
        var end = max(range.upperBound, start)
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
        return RequestText(UnsafeBufferPointer(rebasing: bytes[start..<end]))
    }

    /// The value of a decimal number without sign; nil if the text is not such a number, or the number is too large.
    package var decimal: UInt64? { UInt64(jsonDigits: UnsafeRawBufferPointer(bytes)) }
}

@inline(__always)
private func lower(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

/// Whether two runs of `count` bytes are equal. A missing run equals only an empty one.
@inline(__always)
func areEqual(_ left: UnsafePointer<UInt8>?, _ right: UnsafePointer<UInt8>?, _ count: Int) -> Bool {
    guard count > 0 else { return true }
    guard let left, let right else { return false }
    // Most runs that differ do so in the first byte, and testing it is faster than a call.
    return left[0] == right[0] && memcmp(left, right, count) == 0
}

extension RequestText {
    /// Whether the text may be a host with an optional port (RFC 3986, section 3.2; without commas, which would make a list).
    var isHostWithPort: Bool {
        guard let port = portStart else { return bytes.allSatisfy(Self.isOfHost) }
        let number = RequestText(UnsafeBufferPointer(rebasing: bytes[(port + 1)...]))
        return bytes[..<port].allSatisfy(Self.isOfHost)
            && (number.isEmpty || number.decimal.map { $0 <= UInt64(UInt16.max) } ?? false)
    }

    /// The position of the colon before the port: the first colon after the brackets of an IPv6 address, if there are any.
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

/// The degree to which a media type matches a client's `Accept` (RFC 9110, section 12.5.1).
package struct Acceptance: Sendable, Equatable {
    /// The preference in thousandths: the `q` of the most precise range; 0 refuses the type.
    package var quality: Int
    /// The precision of that range: the type itself (2), all its subtypes (1), or all types (0).
    package var precision: Int
    /// The position of that range in the list.
    package var position: Int
}

extension Request {
    /// Returns the preference of the fields `Accept`, which form one list (RFC 9110, section 5.3), for a media type. Nil if no
    /// range includes the type; without the field, the result is that of `*/*`. Parameters other than `q` are ignored. Cost: a
    /// pass over the headers, without allocation.
    ///
    /// - `type`: A type such as `text/csv`, in lower case.
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
    /// Whether a comma-separated list has `token` as an element (ignoring case) that its `q` does not refuse.
    package func listContains(_ token: StaticString) -> Bool {
        var isFound = false
        forEachElement { name, quality in
            if quality > 0, name.equalsIgnoringCase(token) { isFound = true }
        }
        return isFound
    }

    /// Calls `body` with the elements of a comma-separated list: the text before `;`, and the preference in thousandths (RFC
    /// 9110, section 12.4.2). Empty elements are left out.
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

    /// Returns the first position of a byte in a range; the range's end if the byte is missing.
    private func index(of byte: UInt8, in range: Range<Int>) -> Int {
        bytes[range].firstIndex(of: byte) ?? range.upperBound
    }

    /// Returns the precision with which a media range includes a type; nil if it does not include it.
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

    /// Returns a number from 0 to 1 in thousandths; 0 for invalid text.
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
