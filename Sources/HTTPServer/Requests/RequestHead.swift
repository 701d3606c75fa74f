import Glibc

/// The request line and the fields of a request, read line by line as they come and checked byte by byte.
///
/// Whatever a proxy in front could read differently is a fault: lines that end with LF alone, folded lines, blanks before
/// a colon, control characters, more than one length or host (RFC 9112, sections 2.2 to 6.3; RFC 9110, section 5.5).
///
/// Pieces of the head are offsets into the bytes that were read, so that these may move until the head is complete.
/// Cost: one pass over the head; nothing is allocated but by a request with more fields than any before it. Loop's thread.
struct RequestHead: ~Copyable {
    /// What makes a head ambiguous, so that nothing behind it may be taken for a request.
    enum Fault {
        case requestLine
        case version
        case field
        case tooManyFields
        case host
        case contentLength
        case transferEncoding
        case contentType
    }

    /// How far reading has come.
    enum Progress {
        case incomplete
        /// The head has that many bytes.
        case complete(byteCount: Int)
        case broken(Fault)
    }

    private struct Field {
        let name: Range<Int32>
        let value: Range<Int32>
    }

    /// More fields are refused; each costs a look-up time.
    static let fieldCountMax = 256

    /// The `Content-Length`; 0 without one, the greatest number for one that is greater.
    private(set) var bodyByteCount: UInt64 = 0
    /// Whether the body comes in chunks.
    private(set) var isChunked = false
    /// Whether the client waits for a word before it sends the body.
    private(set) var expectsContinue = false
    private(set) var isHTTP11 = true

    private var base: UnsafePointer<UInt8>?
    private var methodRange: Range<Int32> = 0..<0
    private var targetRange: Range<Int32> = 0..<0
    private var fields: ContiguousArray<Field> = []
    /// Whether the request line is complete.
    private(set) var hasRequestLine = false
    private var lineStart = 0
    /// Where the search for the end of the line goes on.
    private var position = 0
    private var hostCount = 0
    private var contentLengthCount = 0
    private var transferEncodingCount = 0
    private var contentTypeCount = 0
    private var asksForClose = false
    private var asksForKeepAlive = false

    /// Forgets the request, for the next one; the memory of the fields is kept.
    mutating func reset() {
        var kept: ContiguousArray<Field> = []
        swap(&kept, &fields)
        kept.removeAll(keepingCapacity: true)
        self = RequestHead()
        fields = kept
    }

    // MARK: What was read

    /// The method as it was sent; valid as long as the bytes that were read last.
    var method: UnsafeBufferPointer<UInt8> { piece(methodRange) }

    /// The target as it was sent; valid as long as the bytes that were read last.
    var target: UnsafeBufferPointer<UInt8> { piece(targetRange) }

    /// Whether the client will take another reply on this connection (RFC 9112, section 9.3).
    var keepsConnection: Bool { !asksForClose && (isHTTP11 || asksForKeepAlive) }

    /// The first field of that name, compared without case. Cost: a pass over the fields.
    func value(_ name: HeaderName) -> RequestText? {
        for field in fields where isNamed(field, name.text) {
            return RequestText(piece(field.value))
        }
        return nil
    }

    /// Calls `body` with all fields of that name, in order.
    func forEach(_ name: HeaderName, _ body: (RequestText) -> Void) {
        for field in fields where isNamed(field, name.text) {
            body(RequestText(piece(field.value)))
        }
    }

    private func piece(_ range: Range<Int32>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: base.map { $0 + Int(range.lowerBound) }, count: range.count)
    }

    @inline(__always)
    private func isNamed(_ field: Field, _ name: StaticString) -> Bool {
        field.name.count == name.utf8CodeUnitCount
            && RequestText(piece(field.name)).equalsIgnoringCase(name)
    }

    // MARK: Reading

    /// Reads on.
    ///
    /// - `bytes`: All that was received since the head began, what was read before included.
    mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Progress {
        guard let start = bytes.baseAddress else { return .incomplete }
        base = start
        while let feed = memchr(start + position, 0x0A, bytes.count - position) {
            let end = UnsafePointer(feed.assumingMemoryBound(to: UInt8.self)) - start
            position = end + 1
            guard end > lineStart, start[end - 1] == 0x0D else { return .broken(.field) }
            let line = lineStart..<end - 1
            lineStart = position
            if line.isEmpty {
                // An empty line before the request line is left over from a body (RFC 9112, section 2.2).
                if !hasRequestLine { continue }
                if let fault = contradiction { return .broken(fault) }
                return .complete(byteCount: position)
            }
            if let fault = hasRequestLine ? readField(start, line) : readRequestLine(start, line) {
                return .broken(fault)
            }
        }
        position = bytes.count
        return .incomplete
    }

    /// Reads `method SP target SP version`.
    private mutating func readRequestLine(
        _ start: UnsafePointer<UInt8>, _ line: Range<Int>
    ) -> Fault? {
        var index = line.lowerBound
        while index < line.upperBound, isTokenByte(start[index]) { index += 1 }
        let methodEnd = index
        guard methodEnd > line.lowerBound, index < line.upperBound, start[index] == 0x20 else {
            return .requestLine
        }
        index += 1
        let targetStart = index
        // Blanks, control characters and a fragment would end it for somebody.
        while index < line.upperBound, start[index] > 0x20, start[index] != 0x7F,
            start[index] != 0x23
        {
            index += 1
        }
        let version = index + 1
        guard index > targetStart, index < line.upperBound, start[index] == 0x20,
            line.upperBound - version == 8, memcmp(start + version, "HTTP/", 5) == 0,
            isDigit(start[version + 5]), start[version + 6] == 0x2E, isDigit(start[version + 7])
        else { return .requestLine }
        hasRequestLine = true
        methodRange = range(line.lowerBound, methodEnd)
        targetRange = range(targetStart, index)
        isHTTP11 = start[version + 7] != 0x30
        return start[version + 5] == 0x31 ? nil : .version
    }

    /// Reads `name: value`.
    private mutating func readField(_ start: UnsafePointer<UInt8>, _ line: Range<Int>) -> Fault? {
        if fields.count == Self.fieldCountMax { return .tooManyFields }
        var index = line.lowerBound
        while index < line.upperBound, isTokenByte(start[index]) { index += 1 }
        guard index > line.lowerBound, index < line.upperBound, start[index] == 0x3A else {
            return .field
        }
        var valueStart = index + 1
        var valueEnd = line.upperBound
        while valueStart < valueEnd, isBlank(start[valueStart]) { valueStart += 1 }
        while valueEnd > valueStart, isBlank(start[valueEnd - 1]) { valueEnd -= 1 }
        let value = UnsafeBufferPointer(start: start + valueStart, count: valueEnd - valueStart)
        guard isFieldValue(value) else { return .field }
        let field = Field(
            name: range(line.lowerBound, index), value: range(valueStart, valueEnd))
        fields.append(field)
        return note(field, RequestText(value), hasBlankAfter: valueEnd < line.upperBound)
    }

    /// Takes in what a field says of the message or the connection.
    private mutating func note(
        _ field: Field, _ value: RequestText, hasBlankAfter: Bool
    ) -> Fault? {
        // Few fields pass the comparison of lengths.
        if isNamed(field, HeaderName.host.text) {
            hostCount += 1
            return isHost(value.bytes) ? nil : .host
        } else if isNamed(field, HeaderName.contentLength.text) {
            contentLengthCount += 1
            guard !value.isEmpty, value.bytes.allSatisfy(isDigit) else { return .contentLength }
            bodyByteCount = value.decimal ?? .max
        } else if isNamed(field, HeaderName.transferEncoding.text) {
            transferEncodingCount += 1
            // Some read another coding where a blank follows.
            isChunked = value.equalsIgnoringCase("chunked") && !hasBlankAfter
        } else if isNamed(field, HeaderName.contentType.text) {
            contentTypeCount += 1
        } else if isNamed(field, HeaderName.connection.text) {
            asksForClose = asksForClose || value.listContains("close")
            asksForKeepAlive = asksForKeepAlive || value.listContains("keep-alive")
        } else if isNamed(field, HeaderName.expect.text) {
            expectsContinue = value.equalsIgnoringCase("100-continue")
        }
        return nil
    }

    /// What the fields say against each other.
    private var contradiction: Fault? {
        if hostCount > 1 || (isHTTP11 && hostCount == 0) { return .host }
        if contentLengthCount > 1 || (isChunked && contentLengthCount > 0) { return .contentLength }
        if transferEncodingCount > (isChunked && isHTTP11 ? 1 : 0) { return .transferEncoding }
        return contentTypeCount > 1 ? .contentType : nil
    }

    private func range(_ start: Int, _ end: Int) -> Range<Int32> {
        // A head is bounded far below 2 GiB.
        Int32(truncatingIfNeeded: start)..<Int32(truncatingIfNeeded: end)
    }
}

/// One bit for each byte below 64 that a token may have (RFC 9110, section 5.6.2): `!#$%&'*+-.` and digits.
private let lowTokenBytes: UInt64 = 0x03FF_6CFA_0000_0000
/// The same for 64 to 127: letters and ``^_`|~``.
private let highTokenBytes: UInt64 = 0x57FF_FFFF_C7FF_FFFE

@inline(__always)
private func isTokenByte(_ byte: UInt8) -> Bool {
    let bits = byte < 64 ? lowTokenBytes : highTokenBytes
    return byte < 128 && bits >> UInt64(byte & 63) & 1 != 0
}

@inline(__always)
private func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

@inline(__always)
private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

/// Whether `bytes` have no control character but tabs (RFC 9110, section 5.5).
private func isFieldValue(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var hasControl = false
    // Without an early end, so that many bytes are looked at together.
    for byte in bytes { hasControl = hasControl || (byte < 0x20 && byte != 0x09) || byte == 0x7F }
    return !hasControl
}

/// Whether `bytes` may be a host with a port (RFC 3986, section 3.2; no commas, which would be a list).
private func isHost(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.allSatisfy { byte in
        switch byte {
        case 0x30...0x3B, 0x41...0x5B, 0x61...0x7A: byte != UInt8(ascii: "/")
        case 0x24...0x2B, UInt8(ascii: "!"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "="), UInt8(ascii: "]"), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
