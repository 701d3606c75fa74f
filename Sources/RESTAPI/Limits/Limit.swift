/// A limit or behaviour of the service that an option sets: the one declaration of its name, its meaning and the field that
/// stores it. The options of `holdfast serve`, their variables and defaults, and the limits that `GET /v1` lists derive from it.
package struct Limit: Sendable {
    /// The written form of the value.
    package enum Form: Sendable, Equatable {
        /// Bytes, such as `32MiB`, of at least so many.
        case size(min: Int)
        /// Seconds, such as `60s` or `7d`.
        case duration
        case count(ClosedRange<Int>)

        /// A size that is not nothing.
        package static let size = Form.size(min: 1)
    }

    /// The option without its dashes, such as `max-body`.
    package let option: String
    /// How the value is written.
    package let form: Form
    /// The description, one line.
    package let text: String
    /// The code of refusals and ends by this limit; nil if it refuses nothing.
    package let code: String?
    /// Where the value is kept: in bytes, seconds or pieces.
    package let path: WritableKeyPath<ServiceOptions, Int> & Sendable

    init(
        _ option: String, _ form: Form, _ text: String, _ code: String?,
        _ path: WritableKeyPath<ServiceOptions, Int> & Sendable
    ) {
        self.option = option
        self.form = form
        self.text = text
        self.code = code
        self.path = path
    }

    /// Its name in `GET /v1`: the option's without `max`, such as `body`, `importLine` or `exportRateMin`.
    package var name: String {
        let words = option.split(separator: "-").filter { $0 != "max" }
        return words.dropFirst().reduce(words.first.map(String.init) ?? "") {
            $0 + $1.prefix(1).uppercased() + $1.dropFirst()
        }
    }

    /// The default, as the option is written.
    package var defaultText: String {
        let value = ServiceOptions()[keyPath: path]
        let units: [(String, Int)] =
            switch form {
            case .size: [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)]
            case .duration: [("d", 86_400), ("h", 3600), ("s", 1)]
            case .count: [("", 1)]
            }
        let unit = units.first { value >= $0.1 && value % $0.1 == 0 }
        return "\(value / (unit?.1 ?? 1))\(unit?.0 ?? "")"
    }
}

extension Limit {
    /// Every one, in the order of the help.
    package static let all: [Limit] = [
        Limit(
            "max-body", .size, "bytes of a request body", "body-too-large", \.rest.bodyByteCountMax),
        Limit(
            "max-import-line", .size, "bytes of one line of an import", "line-too-long",
            \.rest.limits.importLineByteCountMax),
        Limit(
            "import-rate-min", .size(min: 0),
            "bytes a second that an import's client must send; 0 for no limit", "import-too-slow",
            \.rest.limits.importByteRateMin),
        Limit(
            "max-import-faults", .count(0...1_000_000_000), "faulty lines that an import takes",
            "too-many-faults", \.rest.limits.importFaultCountMax),
        Limit(
            "max-inflation", .count(1...2000),
            "how many times as long a compressed import may become, beyond 1 MiB",
            "inflation-too-large", \.rest.inflationRatioMax),
        Limit(
            "max-imports", .count(1...1000), "imports at a time", "busy",
            \.rest.limits.importCountMax),
        Limit(
            "max-target", .size, "bytes of a request target", "target-too-long",
            \.rest.targetByteCountMax),
        Limit(
            "max-headers", .size, "bytes of a request's headers", "headers-too-large",
            \.rest.headerByteCountMax),
        Limit(
            "max-json-depth", .count(1...1024), "how deep JSON may nest", "too-deep",
            \.rest.limits.jsonDepthMax),
        Limit(
            "max-page", .count(1...1_000_000), "objects of one page", "limit-out-of-range",
            \.rest.limits.pageObjectCountMax),
        Limit(
            "max-query-text", .size, "bytes of a query's text", "query-too-long",
            \.rest.limits.queryTextByteCountMax),
        Limit(
            "max-query-time", .duration, "how long a query may take, from its request on",
            "query-too-slow", \.rest.limits.queryTimeSecondsMax),
        Limit(
            "max-query-memory", .size, "memory of one query", "query-memory-exceeded",
            \.rest.limits.queryMemoryByteCountMax),
        Limit(
            "max-long-queries", .count(1...1000),
            "queries at a time that are past their first time slice", nil,
            \.rest.limits.scheduling.admittedCountMax),
        Limit(
            "max-long-query-memory", .size, "memory of all queries together", nil,
            \.rest.limits.scheduling.memoryByteCountMax),
        Limit(
            "column-memory", .size(min: 0),
            "memory for columns of properties that are scanned often; 0 for no columns", nil,
            \.store.columns.byteCountMax),
        Limit(
            "max-collection-elements", .count(1...1_000_000_000),
            "elements of a collection that a reply shows", nil,
            \.rest.limits.collectionElementCountMax),
        Limit(
            "max-collection-bytes", .size, "bytes of a collection that a reply shows", nil,
            \.rest.limits.collectionByteCountMax),
        Limit(
            "max-transaction", .count(1...100_000_000), "writes in one transaction",
            "too-many-operations", \.store.operationCountMax),
        Limit(
            "max-transaction-bytes", .size, "bytes that one transaction changes",
            "transaction-too-large", \.store.transactionByteCountMax),
        Limit(
            "idempotency-age", .duration,
            "how long replies are stored for repeats of their requests", nil,
            \.store.idempotency.retentionSeconds),
        Limit(
            "idempotency-bytes", .size, "bytes of all replies that are stored for repeats",
            "too-many-idempotency-keys", \.store.idempotency.byteCountMax),
        Limit(
            "max-idempotency-reply", .size, "bytes of one reply that is stored", "too-large",
            \.store.idempotency.recordByteCountMax),
        Limit(
            "max-connections", .count(1...1_000_000), "connections at a time, streams included",
            "too-many-connections", \.rest.connectionCountMax),
        Limit(
            "max-message-memory", .size,
            "memory for the bodies and replies of all connections",
            "message-memory-exceeded", \.rest.messageByteCountMax),
        Limit(
            "reply-rate-min", .size(min: 0),
            "bytes a second that a client must read of its reply, except exports; 0 for no limit",
            nil, \.rest.replyByteRateMin),
        Limit(
            "reserved-connections", .count(0...1_000_000),
            "connections that streams and waiting polls leave to other requests, at most half",
            "too-many-streams", \.rest.reservedConnectionCount),
        Limit(
            "rate-limit", .count(0...1_000_000),
            "requests a second of one token or user, or of an address without; 0 for no limit",
            "too-many-requests", \.rest.requestRateMax),
        Limit(
            "max-user-streams", .count(1...1_000_000),
            "streams and waiting polls of one user, or of one address without a token, at a time",
            "too-many-streams", \.rest.userStreamCountMax),
        Limit(
            "max-user-queries", .count(1...1_000_000),
            "queries of one user, or of one address without a token, that run or wait",
            "too-many-queries", \.rest.userQueryCountMax),
        Limit(
            "max-sign-in-tries", .count(1...1_000_000),
            "failed sign-ins, and sign-ups, in a minute, for one login and for one address",
            "too-many-tries", \.rest.signInTryCountMax),
        Limit(
            "max-waiting-sign-ins", .count(1...1_000_000),
            "sign-ins and other requests that wait for the hash of a password", "busy",
            \.rest.waitingSignInCountMax),
        Limit(
            "ticket-age", .duration, "how long a ticket waits to open its stream",
            "ticket-invalid", \.rest.limits.ticketSeconds),
        Limit(
            "ticket-return", .duration,
            "how long a ticket opens its stream again after the connection broke",
            "ticket-invalid", \.rest.limits.ticketReturnSeconds),
        Limit(
            "ticket-restart", .duration,
            "how old a ticket may be that opens its stream again after a restart",
            "ticket-invalid", \.rest.limits.ticketRestartSeconds),
        Limit(
            "max-token-tickets", .count(1...1_000_000), "tickets in use of one token or user",
            "too-many-tickets", \.rest.limits.tokenTicketCountMax),
        Limit(
            "max-tickets", .count(1...1_000_000), "tickets in use", "too-many-tickets",
            \.rest.limits.ticketCountMax),
        Limit(
            "max-stream-queries", .count(1...10_000), "queries of one stream of several",
            "too-many-queries", \.rest.limits.streamQueryCountMax),
        Limit(
            "max-token-streams", .count(1...1_000_000),
            "streams of several queries of one token or user at a time", "too-many-streams",
            \.rest.limits.tokenStreamCountMax),
        Limit(
            "max-streams", .count(1...1_000_000), "streams of several queries at a time",
            "too-many-streams", \.rest.limits.queryStreamCountMax),
        Limit(
            "stream-return", .duration, "how long a stream of several queries waits for a follower",
            "stream-not-found", \.rest.limits.streamReturnSeconds),
        Limit(
            "stream-queue", .size, "bytes that wait for a slow stream", nil,
            \.rest.limits.streamQueueByteCountMax),
        Limit(
            "heartbeat", .duration, "interval of stream heartbeats", nil, \.rest.heartbeatSeconds
        ),
        Limit(
            "min-version-wait", .duration, "how long a read waits for its minVersion",
            "version-not-reached", \.rest.limits.minVersionWaitSeconds),
        Limit(
            "max-snapshots", .count(1...1000), "versions pinned by snapshot=new at a time",
            "too-many-snapshots", \.rest.limits.snapshotCountMax),
        Limit(
            "snapshot-growth-max", .size,
            "bytes that the data may grow by before a pinned version ends", "snapshot-ended",
            \.rest.limits.snapshotGrowthByteCountMax),
        Limit(
            "reader-age-max", .duration,
            "how long a reader or a pinned version may stay open, exports excepted",
            "query-too-slow", \.rest.limits.readerAgeSecondsMax),
        Limit(
            "export-age-max", .duration, "how long an export may take", nil,
            \.rest.limits.exportAgeSecondsMax),
        Limit(
            "export-growth-max", .size, "bytes that the data may grow by during an export", nil,
            \.rest.limits.exportGrowthByteCountMax),
        Limit(
            "export-rate-min", .size, "bytes a second that an export's client has to read", nil,
            \.rest.limits.exportByteRateMin),
        Limit(
            "retention-age", .duration, "how far back a change stream can resume", "cursor-expired",
            \.store.retentionSeconds),
        Limit(
            "retention-bytes", .size, "bytes of the changes stored for resuming", "cursor-expired",
            \.store.retentionByteCount),
    ]
}
