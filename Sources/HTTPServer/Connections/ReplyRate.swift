/// The least rate at which a client has to read its reply, so that it is not kept for one that takes a byte a minute.
struct ReplyRate {
    /// The state of a connection's sending.
    struct Progress {
        /// Bytes that the client has acknowledged since the connection began.
        let acknowledgedByteCount: UInt64
        /// Whether more was sent than that.
        let isWaiting: Bool
    }

    /// The request whose reply is measured, and where it stood when that began.
    private var sequence = 0
    private var measuredAt: UInt64 = 0
    private var acknowledgedByteCount: UInt64 = 0

    /// Whether a client read less than `byteRateMin` bytes a second over the last `seconds`. A reply whose next piece
    /// is not made yet is not its client's fault.
    ///
    /// - `sequence`: The number of the request on its connection.
    /// - `now`: Nanoseconds of the monotonic clock.
    /// - `progress`: Asked once each `seconds`.
    mutating func isTooSlow(
        _ sequence: Int, at now: UInt64, byteRateMin: Int, over seconds: Int,
        _ progress: () -> Progress
    ) -> Bool {
        let isFirst = sequence != self.sequence
        let elapsed = now &- measuredAt
        guard isFirst || elapsed >= UInt64(seconds) * 1_000_000_000 else { return false }
        let progress = progress()
        let read = progress.acknowledgedByteCount &- acknowledgedByteCount
        self.sequence = sequence
        measuredAt = now
        acknowledgedByteCount = progress.acknowledgedByteCount
        guard !isFirst, progress.isWaiting else { return false }
        return Double(read) < Double(byteRateMin) * Double(elapsed) / 1e9
    }
}
