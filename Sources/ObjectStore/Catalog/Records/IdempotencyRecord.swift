import HoldfastBytes

/// The reply to a write, stored in the same commit under the identifier that the client's idempotency
/// key stands for, so that a repeat of the request is answered and not done again.
///
///     offset  bytes  field (little-endian)
///     0       8      number of the record, by which the oldest is found
///     8       8      when it was stored, in seconds since 1970
///     16      n      the reply, as the service has encoded it
package struct IdempotencyRecord: Sendable {
    var number: UInt64
    /// When it was stored, in seconds since 1970.
    var seconds: Int64
    /// The reply, as the service has encoded it.
    package var payload: [UInt8]

    static let headerByteCount = 16
    package static let idByteCount = 32
}

/// Room for idempotency records, which has a bound of its own.
package enum IdempotencyRoom: Sendable {
    /// A principal's share: a sixteenth of the store's room for a user, half of it for a token.
    case principal
    /// The room of all users together: half of the store's.
    case users
    /// The store's.
    case store
}

/// The principal that a record is counted for.
package struct IdempotencyOwner: Sendable, Hashable {
    /// Its number, the same for all tokens of a user; 0 without principals.
    package var number: UInt64
    package var isUser: Bool

    /// Names a principal.
    package init(number: UInt64, isUser: Bool) { (self.number, self.isUser) = (number, isUser) }

    /// The owner in a store without principals.
    package static let nobody = IdempotencyOwner(number: 0, isUser: false)

    /// The share of all users together.
    static let users: UInt64 = 0

    /// The rooms that its records have to fit into, each but the store's with the share that counts them.
    var rooms: [(room: IdempotencyRoom, share: UInt64?)] {
        let store = (IdempotencyRoom.store, UInt64?.none)
        if number == 0 { return [store] }
        return [(.principal, number)] + (isUser ? [(.users, Self.users)] : []) + [store]
    }

    /// The shares that count its records.
    var shares: [UInt64] { rooms.compactMap(\.share) }
}

/// The entry of a record's number.
///
///     offset  bytes  field (little-endian)
///     0       32     identifier of the record
///     32      8      number of its principal; not there without one
///     40      1      1 for a user, else 0; not there without a principal
struct IdempotencyNumber {
    var id: [UInt8]
    var owner: IdempotencyOwner

    init(id: [UInt8], owner: IdempotencyOwner) { (self.id, self.owner) = (id, owner) }

    /// Reads a stored entry; nil when it is damaged.
    init?(_ bytes: UnsafeRawBufferPointer) {
        let count = IdempotencyRecord.idByteCount
        guard bytes.count == count || bytes.count == count + 9 && bytes[count + 8] <= 1 else {
            return nil
        }
        id = Array(bytes[..<count])
        owner =
            bytes.count == count
            ? .nobody
            : IdempotencyOwner(
                number: bytes.loadUnaligned(fromByteOffset: count, as: UInt64.self),
                isUser: bytes[count + 8] == 1)
    }

    func append(to buffer: ByteBuffer) {
        buffer.append(id)
        if owner == .nobody { return }
        buffer.append(little: owner.number)
        buffer.append(owner.isUser ? 1 : 0 as UInt8)
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

/// The counters of all idempotency records together.
///
///     offset  bytes  field (little-endian)
///     0       8      number of the oldest record that may still be there
///     8       8      number of the next record
///     16      8      bytes of all records and of their keys
struct IdempotencyCounters: Equatable, Sendable {
    var first: UInt64 = 0
    var next: UInt64 = 0
    var byteCount: UInt64 = 0

    static let byteCount = 24

    init() {}

    /// Reads stored counters; nil when they are damaged.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        first = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
        next = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        byteCount = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        // Counting on from these bounds would overflow.
        guard first <= next, next < 1 << 62, byteCount < 1 << 62 else { return nil }
    }

    func append(to buffer: ByteBuffer) {
        buffer.append(little: first)
        buffer.append(little: next)
        buffer.append(little: byteCount)
    }
}
