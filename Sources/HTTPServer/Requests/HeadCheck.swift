import CHoldfastMicroHTTPD
import Glibc

/// A check of the bytes of a request's head for faults that libmicrohttpd ignores and a proxy in front may read differently.
///
/// libmicrohttpd 0.9.75 appends the text of a folded line to the field's name, drops the rest of a field after a NUL, takes a
/// single LF as the end of a line, and uses the first of two lengths. But it takes the head apart in place, with a NUL for each
/// separator and for each byte of a line's end. So each piece of a well-formed head begins where the one before it ends, and
/// hidden text leaves a gap. libmicrohttpd 1.0 refuses such lines itself (``looksAtLines``), and then only the contents of fields
/// are checked.
///
/// Cost: one pass over the head, which copies its fields into the request. Connection thread.
struct HeadCheck: ~Copyable {
    /// Whether the ends of lines are checked, which libmicrohttpd 1.0 does itself.
    static var looksAtLines: Bool { !shim_checks_lines() }

    /// The `Content-Length`; 0 if there is none.
    private(set) var bodyByteCount: UInt64 = 0
    /// Whether the body comes in chunks.
    private(set) var isChunked = false
    /// The first fault; nil for a well-formed head. A fault makes the head ambiguous, so nothing after it may be taken for a
    /// request.
    private(set) var fault: ServerFault?

    /// The number of records that libmicrohttpd keeps for the fields, including one of its own.
    private(set) var recordCount = 0

    private let request: Request
    /// The start of the next field.
    private var position: UnsafePointer<UInt8>
    private var hostCount = 0
    private var contentLengthCount = 0
    private var transferEncodingCount = 0
    private var contentTypeCount = 0
    private var authorizationCount = 0
    /// The value of `Expect`, at its place in libmicrohttpd's memory.
    private var expectation: UnsafePointer<UInt8>?

    /// Checks the complete head of a request. Its target was loaded up to the first NUL.
    ///
    /// - `method`, `version`: As libmicrohttpd passes them, in the memory of the head.
    init(_ request: Request, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>) {
        self.request = request
        let handle = request.connection.handle
        let start = UnsafeRawPointer(method).assumingMemoryBound(to: UInt8.self)
        let version = UnsafeRawPointer(version).assumingMemoryBound(to: UInt8.self)
        let methodByteCount = strlen(method)
        // libmicrohttpd has made sure that the version has eight bytes.
        position = version + 10
        // A fault ends the pass over the fields, so the records are counted here.
        defer { if fault != nil { recordCount = Int(shim_request_header_count(handle)) } }
        guard start + methodByteCount + 1 + request.target.rawCount + 1 == version,
            isToken(UnsafeBufferPointer(start: start, count: methodByteCount)),
            isTarget(request.target.raw.bytes)
        else {
            fault = .requestLine
            return
        }
        let headByteCount = shim_request_header_bytes(handle)
        guard !Self.looksAtLines || isLineEnd(version + 8) else {
            fault = .field
            return
        }
        guard request.fields.reserve(byteCount: headByteCount) else {
            fault = .tooManyFields
            return
        }
        withUnsafeMutablePointer(to: &self) { check in
            shim_each_request_header(handle, visitField, check)
        }
        guard fault == nil else { return }
        // The empty line ends the head.
        let end = start + headByteCount
        if Self.looksAtLines, position + 2 != end || !isLineEnd(position) {
            fault = .field
        } else {
            fault = contradiction
        }
        // libmicrohttpd sends 100 Continue to a client that has nothing to send, and loses its reply if the client has shut its
        // sending side before.
        if !isChunked, bodyByteCount == 0, let expectation { shim_forget_value(expectation) }
    }

    /// The fault of fields that contradict each other; nil if they agree.
    private var contradiction: ServerFault? {
        let isHTTP11 = request.isHTTP11
        if hostCount > 1 || (isHTTP11 && hostCount == 0) { return .host }
        if contentLengthCount > 1 || (isChunked && contentLengthCount > 0) { return .contentLength }
        if transferEncodingCount > (isChunked && isHTTP11 ? 1 : 0) { return .transferEncoding }
        if contentTypeCount > 1 { return .contentType }
        return authorizationCount > 1 ? .authorization : nil
    }

    /// Reads the next field. Returns whether the head is well-formed so far.
    fileprivate mutating func visit(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        recordCount += 1
        // The first record is not from the client: see `shim_hide_cookies`.
        if recordCount == 1 { return true }
        guard isToken(name), isFieldValue(value), isInPlace(name, value) else {
            fault = .field
            return false
        }
        guard request.fields.append(name, value) else {
            fault = .tooManyFields
            return false
        }
        note(RequestText(name), RequestText(value))
        return fault == nil
    }

    /// Whether a field begins where the one before it ends, and its line ends with CR LF.
    private mutating func isInPlace(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        if !Self.looksAtLines { return true }
        guard name.baseAddress == position, let valueStart = value.baseAddress,
            isLineEnd(valueStart + value.count)
        else { return false }
        position = valueStart + value.count + 2
        return true
    }

    /// Notes a field that describes the message, such as its length.
    private mutating func note(_ name: RequestText, _ value: RequestText) {
        if name.equalsIgnoringCase(HeaderName.host.text) {
            hostCount += 1
            if !value.trimmed(0..<value.count).isHostWithPort { fault = .host }
        } else if name.equalsIgnoringCase(HeaderName.contentLength.text) {
            contentLengthCount += 1
            bodyByteCount = value.decimal ?? 0
        } else if name.equalsIgnoringCase(HeaderName.transferEncoding.text) {
            transferEncodingCount += 1
            // libmicrohttpd 0.9.75 takes the name with a blank after it for another coding.
            isChunked = value.equalsIgnoringCase("chunked")
        } else if name.equalsIgnoringCase(HeaderName.contentType.text) {
            contentTypeCount += 1
        } else if name.equalsIgnoringCase(HeaderName.authorization.text) {
            authorizationCount += 1
        } else if name.equalsIgnoringCase(HeaderName.expect.text) {
            expectation = value.bytes.baseAddress
        }
    }
}

extension ServerFault {
    fileprivate static let requestLine = ServerFault(
        400, .badTarget,
        "The request line must be a method, a target and a version with one blank between "
            + "them; blanks, control characters and '#' in the target must be "
            + "percent-encoded.")
    fileprivate static let field = header(
        "A header field is malformed. Each is a name, ':' and a value on one line that ends "
            + "with CR LF, without a blank before ':' and without control characters.")
    fileprivate static let tooManyFields = ServerFault(
        431, .headersTooLarge, "The request has more than \(RequestFields.countMax) header fields.")
    fileprivate static let host = header(
        "The request must have exactly one field Host, a host name with an optional port of at most "
            + "65535.")
    fileprivate static let contentLength = header(
        "The request must have at most one field Content-Length, and no such field beside "
            + "Transfer-Encoding.")
    fileprivate static let transferEncoding = header(
        "The only Transfer-Encoding that the service reads is 'chunked', in HTTP/1.1.")
    fileprivate static let contentType = header(
        "The request must have one field Content-Type at most.")
    fileprivate static let authorization = header(
        "The request must have at most one field Authorization.")

    private static func header(_ detail: String) -> ServerFault {
        ServerFault(400, .badHeader, detail)
    }
}

private let visitField: MHD_KeyValueIteratorN = { context, _, name, nameCount, value, valueCount in
    guard let check = context?.assumingMemoryBound(to: HeadCheck.self) else { return .NO }
    let name = UnsafeRawBufferPointer(start: name, count: nameCount)
    let value = UnsafeRawBufferPointer(start: value, count: valueCount)
    return check.pointee.visit(
        name.assumingMemoryBound(to: UInt8.self), value.assumingMemoryBound(to: UInt8.self))
        ? .YES : .NO
}

/// Whether CR LF ended a line here: libmicrohttpd has replaced both bytes by NUL.
@inline(__always)
private func isLineEnd(_ bytes: UnsafePointer<UInt8>) -> Bool { bytes[0] == 0 && bytes[1] == 0 }

/// One bit for each byte below 64 that a token may have (RFC 9110, section 5.6.2): `!#$%&'*+-.` and digits.
private let lowTokenBytes: UInt64 = 0x03FF_6CFA_0000_0000
/// The same for bytes from 64 to 127: letters and ``^_`|~``.
private let highTokenBytes: UInt64 = 0x57FF_FFFF_C7FF_FFFE

private func isToken(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    !bytes.isEmpty
        && bytes.allSatisfy { byte in
            let bits = byte < 64 ? lowTokenBytes : highTokenBytes
            return byte < 128 && bits >> UInt64(byte & 63) & 1 != 0
        }
}

/// Whether `bytes` have no control character except tabs (RFC 9110, section 5.5).
private func isFieldValue(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var controls: UInt8 = 0
    // The loop has no early end and no branch, so that it is vectorized.
    for byte in bytes {
        controls |= (byte < 0x20 ? 1 : 0) & (byte != 0x09 ? 1 : 0) | (byte == 0x7F ? 1 : 0)
    }
    return controls == 0
}

/// Whether `bytes` have nothing that some reader takes for the end of a target: blanks, control characters, a fragment.
private func isTarget(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var isBroken = false
    for byte in bytes { isBroken = isBroken || byte <= 0x20 || byte == 0x7F || byte == 0x23 }
    return !isBroken
}
