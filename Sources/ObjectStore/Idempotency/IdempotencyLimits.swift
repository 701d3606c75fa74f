/// How long and in how much room the replies to writes with an idempotency key are stored.
package struct IdempotencyLimits: Sendable, Equatable {
    /// How long a record is valid, in seconds.
    package var retentionSeconds = 86_400
    /// The bytes that all idempotency records take, their keys included; where there is no room new ones are refused.
    package var byteCountMax = 256 << 20
    /// The bytes that one record may have.
    package var recordByteCountMax = 4 << 20

    /// The bytes that the records of one principal take: of a user a sixteenth of the room, of a token half of it, and all of it where
    /// there are no principals.
    func shareByteCount(of owner: IdempotencyOwner) -> Int {
        owner.number == 0 ? byteCountMax : byteCountMax / (owner.isUser ? 16 : 2)
    }

    /// Makes the defaults.
    package init() {}
}
