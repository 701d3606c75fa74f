import ObjectStore
import RESTAPI

/// The options of the service and of its store.
struct ServiceOptions {
    /// Of the service.
    var rest = RESTOptions()
    /// Of the store.
    var store = StoreOptions()
}

/// A limit or habit of the service that an option sets.
struct LimitOption: Sendable {
    /// What the value is written as.
    enum Form: Sendable {
        case size, duration
        /// A size, or 0 for none of it.
        case sizeOrNone
        case count(ClosedRange<Int>)
    }

    /// The option.
    var option: Option
    /// How its value is read.
    var form: Form
    /// Puts the value where it belongs.
    var apply: @Sendable (Int, inout ServiceOptions) -> Void

    private init(
        _ name: String, _ form: Form, _ help: String, fallback: String,
        _ apply: @escaping @Sendable (Int, inout ServiceOptions) -> Void
    ) {
        let value =
            switch form {
            case .size, .sizeOrNone: "SIZE"
            case .duration: "DURATION"
            case .count: "N"
            }
        option = Option(name, value, help, fallback: fallback)
        self.form = form
        self.apply = apply
    }

    /// Reads the option, if it is given, and applies it.
    func apply(
        _ arguments: Arguments, to options: inout ServiceOptions
    ) throws(CommandFailure) {
        let value =
            switch form {
            case .size: try arguments.byteCount(option.name)
            case .sizeOrNone: try arguments.byteCount(option.name, min: 0)
            case .duration: try arguments.seconds(option.name)
            case .count(let range): try arguments.number(option.name, in: range)
            }
        if let value { apply(value, &options) }
    }

    /// Every one, in the order of the help.
    static let all: [LimitOption] = [
        LimitOption("max-body", .size, "bytes of a request body", fallback: "32MiB") {
            $1.rest.bodyByteCountMax = $0
        },
        LimitOption("max-import-line", .size, "bytes of one line of an import", fallback: "32MiB") {
            $1.rest.limits.importLineByteCountMax = $0
        },
        LimitOption(
            "max-import-faults", .count(0...1_000_000_000), "faulty lines that an import takes",
            fallback: "100000"
        ) {
            $1.rest.limits.importFaultCountMax = $0
        },
        LimitOption(
            "max-inflation", .count(1...2000),
            "bytes that a byte of a compressed import may become, beyond 1 MiB", fallback: "256"
        ) {
            $1.rest.inflationRatioMax = $0
        },
        LimitOption("max-imports", .count(1...1000), "imports at a time", fallback: "8") {
            $1.rest.limits.importCountMax = $0
        },
        LimitOption("max-target", .size, "bytes of a request target", fallback: "16KiB") {
            $1.rest.targetByteCountMax = $0
        },
        LimitOption("max-headers", .size, "bytes of a request's headers", fallback: "16KiB") {
            $1.rest.headerByteCountMax = $0
        },
        LimitOption("max-json-depth", .count(1...1024), "how deep JSON may nest", fallback: "128") {
            $1.rest.limits.jsonDepthMax = $0
        },
        LimitOption("max-page", .count(1...1_000_000), "objects of one page", fallback: "1000") {
            $1.rest.limits.pageObjectCountMax = $0
        },
        LimitOption("max-query-text", .size, "bytes of a query's text in a body", fallback: "1MiB")
        {
            $1.rest.limits.queryTextByteCountMax = $0
        },
        LimitOption(
            "max-query-time", .duration, "how long a query may take, from its request on",
            fallback: "30s"
        ) {
            $1.rest.limits.queryTimeSecondsMax = $0
        },
        LimitOption("max-query-memory", .size, "memory of one query", fallback: "256MiB") {
            $1.rest.limits.queryMemoryByteCountMax = $0
        },
        LimitOption(
            "max-long-queries", .count(1...1000),
            "queries past their first time slice that are under way at once", fallback: "8"
        ) {
            $1.rest.limits.longQueryCountMax = $0
        },
        LimitOption(
            "max-long-query-memory", .size, "memory of all those together", fallback: "512MiB"
        ) {
            $1.rest.limits.longQueryMemoryByteCountMax = $0
        },
        LimitOption(
            "column-memory", .sizeOrNone,
            "memory for columns of properties that are scanned often; 0 for none",
            fallback: "256MiB"
        ) {
            $1.store.columns.byteCountMax = $0
        },
        LimitOption(
            "max-collection-elements", .count(1...1_000_000_000),
            "elements of a collection that a reply shows", fallback: "10000"
        ) {
            $1.rest.limits.collectionElementCountMax = $0
        },
        LimitOption(
            "max-collection-bytes", .size, "bytes of a collection that a reply shows",
            fallback: "1MiB"
        ) {
            $1.rest.limits.collectionByteCountMax = $0
        },
        LimitOption(
            "max-transaction", .count(1...100_000_000), "writes in one transaction",
            fallback: "100000"
        ) {
            $1.store.operationCountMax = $0
        },
        LimitOption(
            "max-transaction-bytes", .size, "bytes that one transaction changes",
            fallback: "512MiB"
        ) {
            $1.store.transactionByteCountMax = $0
        },
        LimitOption(
            "idempotency-age", .duration, "how long replies are kept for repeats of their requests",
            fallback: "24h"
        ) {
            $1.store.replyLimits.retentionSeconds = $0
        },
        LimitOption(
            "idempotency-bytes", .size, "bytes of replies that are kept for that",
            fallback: "256MiB"
        ) {
            $1.store.replyLimits.byteCountMax = $0
        },
        LimitOption(
            "max-idempotency-reply", .size, "bytes of one reply that is kept", fallback: "4MiB"
        ) {
            $1.store.replyLimits.replyByteCountMax = $0
        },
        LimitOption(
            "max-connections", .count(1...1_000_000), "connections at a time, streams included",
            fallback: "10000"
        ) {
            $1.rest.connectionCountMax = $0
        },
        LimitOption("stream-queue", .size, "bytes that wait for a slow stream", fallback: "1MiB") {
            $1.rest.limits.streamQueueByteCountMax = $0
        },
        LimitOption("heartbeat", .duration, "how often an idle stream says so", fallback: "15s") {
            $1.rest.heartbeatSeconds = $0
        },
        LimitOption(
            "min-version-wait", .duration, "how long a read waits for its minVersion",
            fallback: "5s"
        ) {
            $1.rest.limits.minVersionWaitSeconds = $0
        },
        LimitOption(
            "reader-age-max", .duration, "how long a reader may stay open, exports excepted",
            fallback: "60s"
        ) {
            $1.rest.limits.readerAgeSecondsMax = $0
        },
        LimitOption(
            "export-age-max", .duration, "how long an export may take", fallback: "1h"
        ) {
            $1.rest.limits.exportAgeSecondsMax = $0
        },
        LimitOption(
            "export-growth-max", .size, "bytes that the data may grow by during an export",
            fallback: "1GiB"
        ) {
            $1.rest.limits.exportGrowthByteCountMax = $0
        },
        LimitOption(
            "export-rate-min", .size, "bytes a second that an export's client has to read",
            fallback: "4KiB"
        ) {
            $1.rest.limits.exportByteRateMin = $0
        },
        LimitOption(
            "retention-age", .duration, "how far back a change stream can resume", fallback: "7d"
        ) {
            $1.store.retentionSeconds = $0
        },
        LimitOption(
            "retention-bytes", .size, "bytes of changes that are kept for that", fallback: "1GiB"
        ) {
            $1.store.retentionByteCount = UInt64($0)
        },
    ]
}
