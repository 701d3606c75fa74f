import Bytes
import HTTPServer
import ObjectJSON
import StoreService

/// The reply to a write as it is stored for repeats of the request. In the record it follows the hash of the
/// request.
///
///     bytes  field
///     2      status, little-endian
///     each   of the fields in ``fields``: its length in two bytes, little-endian, and its value
///     rest   the body, JSON; none when there was none
enum RecordedReply {
    /// The fields that replies to writes have.
    private static let fields: [HeaderName] = [
        .etag, .holdfastVersion, .location, .preferenceApplied,
    ]

    /// Tells a client that the reply is that of an earlier request.
    private static let replayed = HeaderName("Idempotency-Replayed")

    /// A reply as bytes.
    static func encode(_ response: Response) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 512)
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

    /// The reply that is stored.
    ///
    /// - `isRepeat`: Whether it was made to an earlier request.
    /// - Throws: ``RequestFault`` `.failed` when it can't be read.
    static func response(_ record: [UInt8], isRepeat: Bool) throws(RequestFault) -> Response {
        var rest = record[...]
        let status = try number(&rest)
        var values: [[UInt8]] = []
        for _ in fields {
            let count = Int(try number(&rest))
            guard rest.count >= count else { throw .unreadableIdempotencyRecord }
            values.append(Array(rest.prefix(count)))
            rest.removeFirst(count)
        }
        var response =
            rest.isEmpty
            ? Response(status) : Response(status, .json, HTTPServer.Bytes(Array(rest)))
        for (name, value) in zip(fields, values) {
            value.withUnsafeBufferPointer { response.headers.add(name, $0) }
        }
        if isRepeat { response.headers.add(replayed, "true" as StaticString) }
        return response
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) throws(RequestFault) -> UInt16 {
        guard let low = rest.popFirst(), let high = rest.popFirst() else {
            throw .unreadableIdempotencyRecord
        }
        return UInt16(low) | UInt16(high) << 8
    }
}
