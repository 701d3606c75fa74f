import CMicroHTTPD
import Glibc

/// The request line and the fields of a request, checked byte by byte.
///
/// libmicrohttpd 0.9.75 passes over much that a proxy in front may read differently: it appends the
/// text of a folded line to the field's name, drops what follows a NUL, takes LF alone as the end
/// of a line, and goes by the first of two lengths. But it takes the head apart in place, with a NUL
/// for each separator and for each byte of a line's end. So each piece of a well-formed head begins
/// where the one before it ends, and whatever was hidden leaves a gap.
///
/// Cost: one pass over the head; nothing is allocated. Connection thread.
struct RequestHead {
    /// What makes a head ambiguous, so that nothing behind it may be taken for a request.
    enum Fault {
        case requestLine
        case field
        case host
        case contentLength
        case transferEncoding
        case contentType
    }

    /// The `Content-Length`; 0 without one.
    private(set) var bodyByteCount: UInt64 = 0
    /// Whether the body comes in chunks.
    private(set) var isChunked = false
    /// The first fault; nil for a head that is well-formed.
    private(set) var fault: Fault?

    /// Where the next field begins.
    private var position: UnsafePointer<UInt8>
    private var fieldCount = 0
    private var hostCount = 0
    private var contentLengthCount = 0
    private var transferEncodingCount = 0
    private var contentTypeCount = 0

    /// Reads the complete head of the request that `handle` receives.
    ///
    /// - `method`, `version`: As libmicrohttpd gives them, in the memory of the head.
    /// - `target`: The target up to its first NUL.
    init(
        _ handle: OpaquePointer, method: UnsafePointer<CChar>, target: RequestText,
        version: UnsafePointer<CChar>
    ) {
        let start = UnsafeRawPointer(method).assumingMemoryBound(to: UInt8.self)
        let version = UnsafeRawPointer(version).assumingMemoryBound(to: UInt8.self)
        let isHTTP11 = version[7] != UInt8(ascii: "0")
        let methodByteCount = strlen(method)
        // libmicrohttpd has made sure that the version has eight bytes.
        position = version + 10
        guard start + methodByteCount + 1 + target.count + 1 == version,
            isToken(UnsafeBufferPointer(start: start, count: methodByteCount)),
            isTarget(target.bytes)
        else {
            fault = .requestLine
            return
        }
        guard isLineEnd(version + 8) else {
            fault = .field
            return
        }
        withUnsafeMutablePointer(to: &self) { head in
            shim_each_request_header(handle, visitField, head)
        }
        guard fault == nil else { return }
        // The empty line ends the head.
        if position + 2 != start + shim_request_header_bytes(handle) || !isLineEnd(position) {
            fault = .field
        } else if hostCount > 1 || (isHTTP11 && hostCount == 0) {
            fault = .host
        } else if contentLengthCount > 1 || (isChunked && contentLengthCount > 0) {
            fault = .contentLength
        } else if transferEncodingCount > (isChunked && isHTTP11 ? 1 : 0) {
            fault = .transferEncoding
        } else if contentTypeCount > 1 {
            fault = .contentType
        }
    }

    /// Takes the next field in. Returns whether the head is well-formed so far.
    fileprivate mutating func visit(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        fieldCount += 1
        // The first is not the client's: see `shim_hide_cookies`.
        if fieldCount == 1 { return true }
        guard name.baseAddress == position, isToken(name), isFieldValue(value),
            let valueStart = value.baseAddress, isLineEnd(valueStart + value.count)
        else {
            fault = .field
            return false
        }
        position = valueStart + value.count + 2
        let name = RequestText(name)
        let value = RequestText(value)
        if name.equalsIgnoringCase(HeaderName.host.text) {
            hostCount += 1
            if !isHost(value.bytes) { fault = .host }
        } else if name.equalsIgnoringCase(HeaderName.contentLength.text) {
            contentLengthCount += 1
            bodyByteCount = value.decimal ?? 0
        } else if name.equalsIgnoringCase(HeaderName.transferEncoding.text) {
            transferEncodingCount += 1
            isChunked = value.equalsIgnoringCase("chunked")
        } else if name.equalsIgnoringCase(HeaderName.contentType.text) {
            contentTypeCount += 1
        }
        return fault == nil
    }
}

extension RequestHead.Fault {
    /// The code in the reply.
    var code: ServerFault.Code { self == .requestLine ? .badTarget : .badHeader }

    /// What the client is told.
    var detail: String {
        switch self {
        case .requestLine:
            "The request line must be a method, a target and a version with one blank between them; "
                + "blanks, control characters and '#' in the target must be percent-encoded."
        case .field:
            "A header field is malformed. Each is a name, ':' and a value on one line that ends with "
                + "CR LF, without a blank before ':' and without control characters."
        case .host:
            "The request must have exactly one field Host, a host name with an optional port."
        case .contentLength:
            "The request must have one field Content-Length at most, and none beside Transfer-Encoding."
        case .transferEncoding:
            "The only Transfer-Encoding that the service reads is 'chunked', in HTTP/1.1."
        case .contentType: "The request must have one field Content-Type at most."
        }
    }
}

private let visitField: MHD_KeyValueIteratorN = { context, _, name, nameCount, value, valueCount in
    guard let head = context?.assumingMemoryBound(to: RequestHead.self) else { return .NO }
    let name = UnsafeRawBufferPointer(start: name, count: nameCount)
    let value = UnsafeRawBufferPointer(start: value, count: valueCount)
    return head.pointee.visit(
        name.assumingMemoryBound(to: UInt8.self), value.assumingMemoryBound(to: UInt8.self))
        ? .YES : .NO
}

/// Whether CR LF stood here: both are NUL by now.
@inline(__always)
private func isLineEnd(_ bytes: UnsafePointer<UInt8>) -> Bool { bytes[0] == 0 && bytes[1] == 0 }

/// Whether `bytes` are a token (RFC 9110, section 5.6.2).
private func isToken(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    !bytes.isEmpty
        && bytes.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x5E...0x7A, 0x23...0x27: true
            case UInt8(ascii: "!"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: "|"), UInt8(ascii: "~"):
                true
            default: false
            }
        }
}

/// Whether `bytes` have no control character but tabs (RFC 9110, section 5.5).
private func isFieldValue(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var hasControl = false
    // Without an early end, so that many bytes are looked at together.
    for byte in bytes { hasControl = hasControl || (byte < 0x20 && byte != 0x09) || byte == 0x7F }
    return !hasControl
}

/// Whether `bytes` have nothing that ends a target for somebody: blanks, control characters, a fragment.
private func isTarget(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var isBroken = false
    for byte in bytes { isBroken = isBroken || byte <= 0x20 || byte == 0x7F || byte == 0x23 }
    return !isBroken
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
