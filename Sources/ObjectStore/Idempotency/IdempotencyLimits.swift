/// How long and in how much room the replies to writes with an idempotency key are stored.
package struct IdempotencyLimits: Sendable, Equatable {
    /// How long a record is valid, in seconds.
    package var retentionSeconds = 86_400
    /// The bytes for all idempotency records, including their keys. When they are used up, new records are refused.
    package var byteCountMax = 256 << 20
    /// The bytes that one record may have.
    package var recordByteCountMax = 4 << 20

    /// The bytes for the records of one principal: a sixteenth of the room for a user, half of it for a token, and all of it in a store
    /// without principals.
    func shareByteCount(of owner: IdempotencyOwner) -> Int {
        owner.number == 0 ? byteCountMax : byteCountMax / (owner.isUser ? 16 : 2)
    }

    /// Makes the defaults.
    package init() {}
}
