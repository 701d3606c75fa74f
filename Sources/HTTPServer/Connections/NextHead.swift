/// The bytes of a request's head that arrive before its line is complete. libmicrohttpd does not report them.
///
/// Bytes that a connection receives while it has no request belong to the next request. The count is read at intervals, so the first byte is noticed
/// late by at most one interval.
struct NextHead {
    /// The time when bytes were first noticed, in nanoseconds of the monotonic clock; 0 if no bytes have arrived.
    private(set) var began: UInt64 = 0
    /// The bytes that the connection had received when it was looked at last; nil before that.
    private var byteCount: UInt64?
    private var lookedAt: UInt64 = 0

    /// Describes the head of a connection's next request.
    ///
    /// - `isFirst`: Whether the connection has received no bytes yet. If it has, bytes that arrive before the first look may belong to the
    ///   previous request, and count only when more bytes follow.
    init(isFirst: Bool) { byteCount = isFirst ? 0 : nil }

    /// Looks for bytes, unless that was done within the interval. Call it while the connection has no request.
    ///
    /// - `receivedByteCount`: The bytes that the connection has received so far.
    mutating func look(
        at now: UInt64, every interval: UInt64, _ receivedByteCount: () -> UInt64
    ) {
        guard began == 0, now &- lookedAt >= interval else { return }
        lookedAt = now
        let count = receivedByteCount()
        if let byteCount, count > byteCount { began = now }
        byteCount = count
    }
}
