import Bytes
import HTTPServer
import JSON
import ObjectJSON

/// The reply to a write as it is kept for repeats of the request.
///
///     bytes  field
///     32     hash of the request
///     2      status, little-endian
///     each   of the fields in ``fields``: its length in two bytes, little-endian, and its value
///     rest   the body, JSON; none when there was none
enum KeptResponse {
    /// The fields that replies to writes have.
    private static let fields: [HeaderName] = [
        .etag, .holdfastVersion, .location, .preferenceApplied,
    ]

    /// Tells a client that the reply is that of an earlier request.
    private static let replayed = HeaderName("Idempotency-Replayed")

    /// A reply as bytes.
    static func encode(_ response: Response, to request: IdempotencyKey) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 512)
        buffer.append(request.request)
        append(Int(response.status), to: buffer)
        for name in fields {
            let value = Array((response.headers.value(name) ?? "").utf8.prefix(Int(UInt16.max)))
            append(value.count, to: buffer)
            buffer.append(value)
        }
        if case .bytes(let bytes) = response.body { buffer.append(bytes.buffer) }
        return buffer.array
    }

    private static func append(_ number: Int, to buffer: ByteBuffer) {
        buffer.append(UInt8(truncatingIfNeeded: number))
        buffer.append(UInt8(truncatingIfNeeded: number >> 8))
    }

    /// The reply that is kept.
    ///
    /// - Throws: ``RequestFault`` `.invalid` when it was made to another request, `.failed` when it can't be read.
    static func response(_ kept: [UInt8], to request: IdempotencyKey) throws(RequestFault)
        -> Response
    {
        var rest = kept[...]
        guard rest.count >= request.request.count else { throw .unreadable }
        guard rest.prefix(request.request.count).elementsEqual(request.request) else {
            throw .idempotencyKeyReused
        }
        rest.removeFirst(request.request.count)
        let status = try number(&rest)
        var values: [[UInt8]] = []
        for _ in fields {
            let count = Int(try number(&rest))
            guard rest.count >= count else { throw .unreadable }
            values.append(Array(rest.prefix(count)))
            rest.removeFirst(count)
        }
        var response =
            rest.isEmpty
            ? Response(status) : Response(status, .json, HTTPServer.Bytes(Array(rest)))
        for (name, value) in zip(fields, values) {
            value.withUnsafeBufferPointer { response.headers.add(name, $0) }
        }
        response.headers.add(replayed, "true" as StaticString)
        return response
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) throws(RequestFault) -> UInt16 {
        guard let low = rest.popFirst(), let high = rest.popFirst() else { throw .unreadable }
        return UInt16(low) | UInt16(high) << 8
    }
}

extension RequestFault {
    fileprivate static let unreadable = RequestFault(
        .failed, "storage-failed", "The reply that was kept for this Idempotency-Key can't be read."
    )
}
