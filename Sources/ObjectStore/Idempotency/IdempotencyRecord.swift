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

/// The principal that a record is counted for.
package struct IdempotencyOwner: Sendable, Hashable {
    /// Its number, the same for all tokens of a user; 0 without principals.
    package var number: UInt64
    /// Whether it is a user.
    package var isUser: Bool

    /// Names a principal.
    package init(number: UInt64, isUser: Bool) {
        (self.number, self.isUser) = (number, isUser)
    }

    /// The owner in a store without principals.
    package static let nobody = IdempotencyOwner(number: 0, isUser: false)
}

/// The entry of a record's number: its identifier, and the number of its principal, if it has one.
struct IdempotencyNumber {
    var id: [UInt8]
    var owner: UInt64

    init(id: [UInt8], owner: UInt64) { (self.id, self.owner) = (id, owner) }

    /// Reads a stored entry; nil when it is damaged.
    init?(_ bytes: UnsafeRawBufferPointer) {
        let count = IdempotencyRecord.idByteCount
        guard bytes.count == count || bytes.count == count + 8 else { return nil }
        id = Array(bytes[..<count])
        owner =
            bytes.count == count ? 0 : bytes.loadUnaligned(fromByteOffset: count, as: UInt64.self)
    }

    func append(to buffer: ByteBuffer) {
        buffer.append(id)
        if owner != 0 { buffer.append(little: owner) }
    }
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
