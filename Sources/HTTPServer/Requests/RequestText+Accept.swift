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
