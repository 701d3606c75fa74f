/// How long and in how much room the replies to writes with an idempotency key are stored.
package struct IdempotencyLimits: Sendable, Equatable {
    /// How long a record is valid, in seconds.
    package var retentionSeconds = 86_400
    /// The bytes for all idempotency records, including their keys. When they are used up, new records are refused.
    package var byteCountMax = 256 << 20
    /// The bytes that one record may have.
    package var recordByteCountMax = 4 << 20

    /// The bytes that an owner's records may take in a room.
    func byteCountMax(in room: IdempotencyRoom, of owner: IdempotencyOwner) -> UInt64 {
        switch room {
        case .principal: UInt64(byteCountMax / (owner.isUser ? 16 : 2))
        case .users: UInt64(byteCountMax / 2)
        case .store: UInt64(byteCountMax)
        }
    }

    /// Makes the defaults.
    package init() {}
}
