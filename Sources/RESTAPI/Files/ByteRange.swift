import HoldfastHTTPServer

/// The range of bytes that a request asks for (RFC 9110, section 14.2).
enum ByteRange: Equatable {
    /// The request asks for all bytes, for several ranges, or in a unit other than bytes.
    case all
    case part(Range<Int>)
    /// The range begins behind the last byte.
    case unsatisfiable

    /// Reads the value of `Range`.
    ///
    /// - `byteCount`: The number of bytes that there are.
    init(_ text: RequestText, of byteCount: Int) {
        self = .all
        let prefix = "bytes="
        let value = text.string
        guard value.lowercased().hasPrefix(prefix) else { return }
        let ends = value.dropFirst(prefix.count).split(
            separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return }
        let (first, last) = (Self.number(ends[0]), Self.number(ends[1]))
        switch (first, last) {
        case (nil, let count?) where ends[0].isEmpty:
            self =
                count == 0 || byteCount == 0
                ? .unsatisfiable : .part(max(0, byteCount - count)..<byteCount)
        case (let first?, let last) where last != nil || ends[1].isEmpty:
            if let last, last < first { return }
            self =
                first >= byteCount
                ? .unsatisfiable : .part(first..<min(last ?? .max, byteCount - 1) + 1)
        default: return
        }
    }

    /// The number that digits write; the largest number for more digits than fit; nil for any other text.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text) ?? .max
    }
}
