import HoldfastBytes

/// The reply to a write, stored in the same commit under the identifier that the client's idempotency
/// key stands for, so that a repeat of the request is answered and not done again.
///
///     offset  bytes  field (little-endian)
///     0       8      number of the record, by which the oldest is found
///     8       8      when it was stored, in seconds since 1970
///     16      n      the reply, as the service has encoded it
package struct IdempotencyRecord: Sendable {
    /// The number of the record.
    var number: UInt64
    /// When it was stored, in seconds since 1970.
    var seconds: Int64
    /// The reply, as the service has encoded it.
    package var payload: [UInt8]

    static let headerByteCount = 16
    /// The bytes of an identifier.
    package static let idByteCount = 32
}

extension IdempotencyRecord {
    /// Reads a stored record; nil when it is damaged.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let header = Self.header(bytes) else { return nil }
        number = header.number
        seconds = header.seconds
        payload = Array(bytes[Self.headerByteCount...])
    }

    /// Reads the fields before the payload.
    static func header(_ bytes: UnsafeRawBufferPointer) -> (number: UInt64, seconds: Int64)? {
        guard bytes.count >= headerByteCount else { return nil }
        return (
            bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self)
        )
    }

    func append(to buffer: ByteBuffer) {
        buffer.append(little: number)
        buffer.append(little: UInt64(bitPattern: seconds))
        buffer.append(payload)
    }

    /// The bytes that a record counts in the limit: its entry and that of its number.
    static func byteCount(ofValue count: Int) -> UInt64 {
        UInt64(StoreKey.recordKeyByteCount + count + StoreKey.recordNumberByteCount + idByteCount)
    }
}
