/// The record of a completed request, for the access log and the metrics.
struct RequestRecord: Sendable {
    var route = -1
    var method = Method.other
    var status: UInt16 = 0
    /// Whether the reply with ``status`` was cut before its end.
    var isCut = false
    var startedAt: UInt64 = 0
    var byteCount = 0
    var receivedByteCount = 0
    /// Set only for streams, and only while there is an access log.
    var path = ""
    var id = ""
    var client = ""
}
