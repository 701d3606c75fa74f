/// How long and in how much room the replies to writes with an idempotency key are stored.
package struct IdempotencyLimits: Sendable, Equatable {
    /// How long a record is valid, in seconds.
    package var retentionSeconds = 86_400
    /// The bytes that all idempotency records take, their keys included; the oldest go when there are more.
    package var byteCountMax = 256 << 20
    /// The bytes that one record may have.
    package var recordByteCountMax = 4 << 20

    /// Makes the defaults.
    package init() {}
}
