import CHoldfastMicroHTTPD
import HoldfastThreads

// The end of requests: figures, log lines, callbacks.
extension Server {
    /// libmicrohttpd is done with a request. Called exactly once for each that began.
    func complete(_ request: Request, _ reason: MHD_RequestTerminationCode) {
        let isLate = reason == .REQUEST_TERMINATED_TIMEOUT_REACHED
        let ending = request.end(isLate ? lateReply() : nil)
        request.abortUpload()
        // Nothing else is being sent, and libmicrohttpd closes the connection.
        if let refusal = ending.refusal ?? ending.answer.flatMap(response(to:)) {
            write(refusal, for: request)
        }
        // Counted as answered before it is no longer under way: it is never neither.
        if ending.isCounted {
            var record = record(request, forLater: false)
            record.isCut = ending.isSent && reason != .REQUEST_TERMINATED_COMPLETED_OK
            finished(record, request)
        }
        if ending.wasBegun { metrics.inFlight.wrappingSubtract(1, ordering: .releasing) }
    }

    func record(_ request: Request, forLater: Bool) -> RequestRecord {
        var record = RequestRecord(
            route: request.route, method: request.method, status: request.status,
            startedAt: request.startedAt, byteCount: request.sentByteCount,
            receivedByteCount: request.receivedByteCount)
        if forLater, options.accessLog != nil {
            record.path = request.loggedPath.string
            record.id = request.id
            record.client = request.client
        }
        return record
    }

    private func finished(_ record: RequestRecord, _ request: Request) {
        finished(record) { text in
            text.member("path", request.loggedPath.bytes)
            request.withRequestID { text.member("requestId", $0) }
            text.member("client", request.client)
        }
    }

    /// An event stream is over.
    func streamFinished(_ record: RequestRecord) {
        finished(record) { text in
            text.member("path", record.path)
            text.member("requestId", record.id)
            text.member("client", record.client)
        }
        metrics.connections.wrappingSubtract(1, ordering: .relaxed)
        metrics.streams.wrappingSubtract(1, ordering: .releasing)
    }

    /// Counts what is over, and writes its line to the access log.
    private func finished(_ record: RequestRecord, _ rest: (inout LogLine) -> Void) {
        let microseconds = Int((monotonicNanoseconds() &- record.startedAt) / 1000)
        metrics.count(record, microseconds: microseconds)
        guard let log = options.accessLog else { return }
        var text = LogLine(logger.format, capacity: 384)
        text.timestamp()
        text.member("method", record.method.name.bytes)
        text.member("status", Int(record.status))
        if record.isCut { text.member("reply", "cut") }
        text.member("bytes", record.byteCount)
        text.member("microseconds", microseconds)
        if record.route >= 0 {
            text.member("operation", router.routes[record.route].operationID)
        }
        rest(&text)
        log.write(text.finish())
    }
}

extension Request {
    /// The target without its query: filters hold what objects hold.
    package var loggedPath: RequestText {
        let target = rawTarget.bytes
        let end = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
        return RequestText(UnsafeBufferPointer(rebasing: target[0..<end]))
    }
}
