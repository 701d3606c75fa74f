import Glibc
import HoldfastJSON

/// A request target, split into the raw text, path segments and query parameters.
///
/// It is split before it is decoded, so `%2F` stays inside a segment (RFC 3986, sections 2.2 and 3.3). In the path `+` stays `+`;
/// in the query it is a blank, as curl, browsers and most libraries write one (WHATWG URL, section 5). The storage is kept from
/// one request of a connection to the next, so a request of usual length allocates nothing.
struct Target: ~Copyable {
    /// The raw target, followed by room for decoded pieces (never longer than the raw text).
    private var memory: UnsafeMutablePointer<UInt8>?
    private var capacity = 0
    private var decodedEnd = 0
    private(set) var rawCount = 0
    /// The offsets of the path in the raw target.
    private(set) var path = 0..<0
    /// The host and port of an absolute-form target, which replace the field Host (RFC 9112, section 3.2.2).
    private(set) var authority: RequestText?
    private(set) var segments: ContiguousArray<RequestText> = []
    private(set) var query: ContiguousArray<(name: RequestText, value: RequestText)> = []

    deinit { free(memory) }

    /// The target as it was received.
    var raw: RequestText { RequestText(UnsafeBufferPointer(start: memory, count: rawCount)) }

    /// Copies the raw target. Returns false if there is no memory for it.
    mutating func load(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let count = text.count
        if count * 2 + 2 > capacity || (capacity > 4096 && count < 1024) {
            let wanted = max(512, count * 2 + 2)
            free(memory)
            memory = malloc(wanted)?.assumingMemoryBound(to: UInt8.self)
            capacity = memory == nil ? 0 : wanted
        }
        segments.removeAll(keepingCapacity: true)
        query.removeAll(keepingCapacity: true)
        guard let memory else {
            rawCount = 0
            return false
        }
        if let from = text.baseAddress { memcpy(memory, from, count) }
        rawCount = count
        path = 0..<0
        authority = nil
        decodedEnd = count
        return true
    }

    /// Splits and decodes the target. Cost: one pass over the raw text.
    mutating func parse() throws(ServerFault) {
        guard let memory, rawCount > 0 else { throw .noPath }
        var index = 0
        if memory[0] != UInt8(ascii: "/") { index = try readAbsoluteForm(memory) }
        let pathStart = index
        let slash = UInt8(ascii: "/")
        let question = UInt8(ascii: "?")
        while index < rawCount, memory[index] == slash {
            index += 1
            let start = index
            var isPlain = true
            while index < rawCount, memory[index] != slash, memory[index] != question {
                if memory[index] == UInt8(ascii: "%") || memory[index] >= 0x80 { isPlain = false }
                index += 1
            }
            segments.append(try piece(memory, start..<index, isPlain: isPlain))
        }
        // An absolute target without a path means the root (RFC 9110, section 4.2.3).
        if segments.isEmpty, authority != nil { segments.append(RequestText(memory, count: 0)) }
        path = pathStart..<index
        if index < rawCount { try parseQuery(memory, from: index + 1) }
    }

    private mutating func parseQuery(
        _ memory: UnsafeMutablePointer<UInt8>, from: Int
    ) throws(ServerFault) {
        var index = from
        while index < rawCount {
            let start = index
            var equals = -1
            var isPlain = true
            while index < rawCount, memory[index] != UInt8(ascii: "&") {
                let byte = memory[index]
                if byte == UInt8(ascii: "="), equals < 0 { equals = index }
                if byte == UInt8(ascii: "%") || byte == UInt8(ascii: "+") || byte >= 0x80 {
                    isPlain = false
                }
                index += 1
            }
            if index > start {
                let nameEnd = equals < 0 ? index : equals
                let valueStart = equals < 0 ? index : equals + 1
                let blank = UInt8(ascii: "+")
                let name = try piece(memory, start..<nameEnd, isPlain: isPlain, blank: blank)
                let value = try piece(memory, valueStart..<index, isPlain: isPlain, blank: blank)
                query.append((name, value))
            }
            index += 1
        }
    }

    private mutating func piece(
        _ memory: UnsafeMutablePointer<UInt8>, _ range: Range<Int>, isPlain: Bool,
        blank: UInt8? = nil
    ) throws(ServerFault) -> RequestText {
        if isPlain { return RequestText(memory + range.lowerBound, count: range.count) }
        let start = decodedEnd
        var index = range.lowerBound
        while index < range.upperBound {
            if memory[index] == UInt8(ascii: "%") {
                guard index + 2 < range.upperBound, let high = Hexadecimal.value(memory[index + 1]),
                    let low = Hexadecimal.value(memory[index + 2])
                else { throw .brokenEscape }
                memory[decodedEnd] = high << 4 | low
                index += 3
            } else {
                memory[decodedEnd] = memory[index] == blank ? UInt8(ascii: " ") : memory[index]
                index += 1
            }
            decodedEnd += 1
        }
        let text = RequestText(memory + start, count: decodedEnd - start)
        guard isValidUTF8(text.bytes) else { throw .notUTF8 }
        return text
    }

    /// Reads the part before the path in an absolute-form or asterisk-form target (RFC 9112, section 3.2). The scheme may be in
    /// either case (RFC 3986, section 3.1).
    ///
    /// - Returns: The position where the path begins.
    private mutating func readAbsoluteForm(
        _ memory: UnsafeMutablePointer<UInt8>
    ) throws(ServerFault) -> Int {
        if raw == "*" { return rawCount }
        let start =
            raw.hasPrefixIgnoringCase("http://") ? 7 : raw.hasPrefixIgnoringCase("https://") ? 8 : 0
        guard start > 0 else { throw .noPath }
        var index = start
        while index < rawCount, memory[index] != UInt8(ascii: "/"),
            memory[index] != UInt8(ascii: "?")
        {
            index += 1
        }
        let host = RequestText(memory + start, count: index - start)
        guard !host.isEmpty, host.isHostWithPort else { throw .noHost }
        authority = host
        return index
    }
}

/// Whether `bytes` are well-formed UTF-8 (no overlong forms, no surrogates).
func isValidUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    if bytes.allSatisfy({ $0 < 0x80 }) { return true }
    return String(validating: bytes, as: UTF8.self) != nil
}

extension ServerFault {
    fileprivate static let brokenEscape = ServerFault(
        400, .badEscape, "The request target has a '%' that two hexadecimal digits do not follow.")
    fileprivate static let notUTF8 = ServerFault(
        400, .badEncoding, "The request target does not decode to UTF-8.")
    /// The target is neither `/…`, `http://host/…` nor `*`.
    fileprivate static let noPath = ServerFault(
        400, .badTarget, "The request target has no path; it begins with '/'.")
    /// The host or port of an absolute target is invalid.
    fileprivate static let noHost = ServerFault(
        400, .badTarget,
        "The request target names no host with an optional port of at most 65535; it begins with "
            + "'/', or with http:// and a host.")
}
