import HoldfastBytes

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
