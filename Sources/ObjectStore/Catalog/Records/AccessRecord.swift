import HoldfastStorage

/// The record of the access to a store, one for each store. It is made with the store.
///
///     field (as ``RecordCoder`` writes it)
///     1 byte: the form, 1
///     1 byte: 1 when a request needs a token, whether there is one or not; else 0
///     bytes:  the key that signs tickets, 32
struct AccessRecord: CodedRecord, Equatable, Sendable {
    /// Whether a request needs a token: from the first one on, and when all are revoked.
    var needsToken = false
    /// The key that signs tickets.
    var ticketKey: [UInt8]

    static let ticketKeyByteCount = 32

    /// Makes that of a new store: a key of the kernel's random bytes.
    init() {
        // The system's generator is `getrandom` (2).
        var generator = SystemRandomNumberGenerator()
        ticketKey = (0..<Self.ticketKeyByteCount).map { _ in
            UInt8.random(in: 0...UInt8.max, using: &generator)
        }
    }

    /// Reads a stored record; nil when it is damaged.
    init?(_ bytes: UnsafeRawBufferPointer) {
        ticketKey = []
        guard read(bytes), ticketKey.count == Self.ticketKeyByteCount else { return nil }
    }

    mutating func code(_ coder: inout RecordCoder) {
        Self.code(form: 1, &coder)
        var flag: UInt8 = needsToken ? 1 : 0
        coder.code(&flag)
        if flag > 1 { coder.fail() }
        needsToken = flag == 1
        coder.code(&ticketKey)
    }
}

/// The access to a store: its tokens, and whether one is needed.
package struct StoredAccess: Equatable, Sendable {
    /// The tokens, in the order of their numbers.
    package var tokens: [TokenRecord] = []
    package var needsToken = false
    /// The records of users that are or were barred, by their ids.
    package var users: [UserRecord] = []

    /// Reads that of a snapshot. Cost: a look at each token and each record of a user.
    ///
    /// - Throws: ``StorageError`` `.corrupted` when a record is damaged.
    init(_ snapshot: any StorageSnapshot) throws(StorageError) {
        let record = try snapshot.record(under: StoreKey.access) { AccessRecord($0) }
        needsToken = record?.needsToken ?? false
        tokens = try snapshot.records(in: KeyRange(prefix: StoreKey.tokenPrefix)) {
            TokenRecord($0, $1)
        }
        users = try Self.users(in: snapshot)
    }

    /// Reads the records of users that are or were barred, by their ids.
    static func users(in snapshot: any StorageSnapshot) throws(StorageError) -> [UserRecord] {
        try snapshot.records(in: KeyRange(prefix: StoreKey.userPrefix)) { UserRecord($0, $1) }
    }

    static let damaged = StorageError(.corrupted, operation: "read tokens")
}
