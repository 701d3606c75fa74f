import CMicroHTTPD

/// How well a media type matches a client's `Accept` (RFC 9110, section 12.5.1).
package struct Acceptance: Sendable, Equatable {
    /// How much it is wanted, in thousandths: the `q` of the range that names it best; 0 refuses it.
    package var quality: Int
    /// Whether it is named by itself (2), with all subtypes (1), or with everything (0).
    package var precision: Int
    /// The place of the range that names it best.
    package var position: Int
}

/// The fields `Accept` of a request, read for one media type.
private struct AcceptReader {
    let type: StaticString
    var best: Acceptance?
    var rangeCount = 0

    /// Reads the next field.
    mutating func read(_ text: RequestText) {
        var start = 0
        while start <= text.count {
            var end = start
            while end < text.count, text.bytes[end] != UInt8(ascii: ",") { end += 1 }
            if !text.trimmed(start..<end).isEmpty {
                if let found = text.acceptance(start..<end, of: type, position: rangeCount),
                    best.map({ found.precision > $0.precision }) ?? true
                {
                    best = found
                }
                rangeCount += 1
            }
            start = end + 1
        }
    }
}

extension Request {
    /// What the fields `Accept`, which are one list (RFC 9110, section 5.3), say of a media type; nil when
    /// no range of them has it, and as `*/*` when there is none. Parameters other than `q` do not count.
    /// Cost: a pass over the headers, without allocation.
    ///
    /// - `type`: Such as `text/csv`, in lower case.
    package func acceptance(of type: StaticString) -> Acceptance? {
        var reader = AcceptReader(type: type)
        if phase != .finished {
            shim_each_request_header(connection.handle, visitAccept, &reader)
        }
        if reader.rangeCount == 0 { return Acceptance(quality: 1000, precision: 0, position: 0) }
        return reader.best
    }
}

private let visitAccept: MHD_KeyValueIteratorN = { context, _, name, nameCount, value, valueCount in
    guard let reader = context?.assumingMemoryBound(to: AcceptReader.self), let name, let value
    else { return .YES }
    let text = RequestText(
        UnsafeRawPointer(name).assumingMemoryBound(to: UInt8.self), count: nameCount)
    if text.equalsIgnoringCase(HeaderName.accept.text) {
        reader.pointee.read(
            RequestText(
                UnsafeRawPointer(value).assumingMemoryBound(to: UInt8.self), count: valueCount))
    }
    return .YES
}

extension RequestText {
    /// What one range of a field `Accept` says of a media type.
    fileprivate func acceptance(_ range: Range<Int>, of type: StaticString, position: Int)
        -> Acceptance?
    {
        var nameEnd = range.lowerBound
        while nameEnd < range.upperBound, bytes[nameEnd] != UInt8(ascii: ";") { nameEnd += 1 }
        guard let precision = trimmed(range.lowerBound..<nameEnd).precision(of: type) else {
            return nil
        }
        var quality = 1000
        var index = nameEnd
        while index < range.upperBound {
            var end = index + 1
            while end < range.upperBound, bytes[end] != UInt8(ascii: ";") { end += 1 }
            let parameter = trimmed(index + 1..<end)
            if parameter.hasPrefix("q=") || parameter.hasPrefix("Q=") {
                quality = parameter.thousandths(from: 2)
            }
            index = end
        }
        return Acceptance(quality: quality, precision: precision, position: position)
    }

    /// How precisely a media range names a type; nil when it does not.
    private func precision(of type: StaticString) -> Int? {
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
