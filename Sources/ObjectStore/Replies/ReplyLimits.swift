/// How long and in how much room the replies to writes with an idempotency key are kept.
package struct ReplyLimits: Sendable, Equatable {
    /// How long a reply is kept, in seconds.
    package var retentionSeconds = 86_400
    /// The bytes that all kept replies take, their keys included; the oldest go when there are more.
    package var byteCountMax = 256 << 20
    /// The bytes that one reply may have.
    package var replyByteCountMax = 4 << 20

    /// Makes the defaults.
    package init() {}
}
