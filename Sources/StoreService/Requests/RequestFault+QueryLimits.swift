import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

extension RequestFault {
    /// The code of a query that needs too much memory.
    package static let memoryCode = "query-memory-exceeded"

    /// A query or reply needs more memory than a read may take.
    package static func queryMemory(_ limits: ServiceLimits) -> RequestFault {
        RequestFault(
            .invalid, memoryCode,
            "The query needs more than \(limits.queryMemoryByteCountMax) bytes of memory; "
                + "ask for fewer fields or a smaller page, or sort by an indexed property.")
    }

    /// The body of a query has more values than it may take memory for.
    static func queryBodyMemory(_ limits: ServiceLimits) -> RequestFault {
        RequestFault(
            .invalid, memoryCode,
            "The body needs more than the \(limits.queryMemoryByteCountMax) bytes of memory of a query; divide "
                + "what it asks for among several queries.")
    }

    /// The arguments of a query would need more memory than it may take.
    static func tooManyArguments(_ countMax: Int, _ limits: ServiceLimits) -> RequestFault {
        RequestFault(
            .invalid, memoryCode,
            "The arguments have more than \(countMax) values, which need more than the "
                + "\(limits.queryMemoryByteCountMax) bytes of memory of a query; divide them among several queries."
        )
    }

    /// An aggregate needs more memory than a read may take.
    static func groupMemory(_ limits: ServiceLimits) -> RequestFault {
        RequestFault(
            .invalid, memoryCode,
            "The aggregate needs more than \(limits.queryMemoryByteCountMax) bytes of memory. Narrow the "
                + "filter, group by something with fewer values, or ask for a smaller page; 'order' and 'having' "
                + "keep all groups in memory, medians, percentiles and distinct counts all values.")
    }

    /// A reply would take more memory than a read may.
    package static func replyTooLarge(_ limit: Int) -> RequestFault {
        RequestFault(
            .invalid, memoryCode,
            "The reply would take more than \(limit) bytes; ask for fewer fields or a smaller page, expand less, or page "
                + "the collections by …/properties/{property}.")
    }

    /// The code of a query that takes too long.
    private static let timeCode = "query-too-slow"

    /// A read of any kind took longer than it may.
    package static func queryTime(_ limits: ServiceLimits) -> RequestFault {
        queryTime(limits, "narrow what it asks for, or ask for less at a time.")
    }

    private static func queryTime(_ limits: ServiceLimits, _ nextStep: String) -> RequestFault {
        RequestFault(
            .unavailable, timeCode,
            "The query took longer than \(limits.readSecondsMax) s and was stopped; " + nextStep,
            retryAfterSeconds: 1)
    }

    /// A read had no turn in its time, as others took theirs.
    static func queryWait(_ limits: ServiceLimits) -> RequestFault {
        RequestFault(
            .unavailable, timeCode,
            "The query could not run within \(limits.readSecondsMax) s, because of other long queries; try again, or send "
                + "fewer at a time.", retryAfterSeconds: 1)
    }

    /// Whether a query takes more time or memory than one may.
    package var isQueryLimit: Bool { isQueryTime || isQueryMemory }

    /// Whether a query or reply takes more memory than one may.
    package var isQueryMemory: Bool { code == Self.memoryCode }

    /// Whether a query takes more time than one may.
    package var isQueryTime: Bool { code == Self.timeCode }

    /// Returns the fault with the next step for a query that took too long, or itself if it is another.
    ///
    /// - `index`: The index that the query lacks; nil if no index would help.
    func advising(_ limits: ServiceLimits, _ index: @autoclosure () -> MissingIndex?)
        -> RequestFault
    {
        guard code == Self.timeCode, detail == RequestFault.queryTime(limits).detail else {
            return self
        }
        guard let index = index() else {
            return .queryTime(
                limits,
                "no index could serve its conditions; add a comparison (==, <, IN or BEGINSWITH, joined by "
                    + "AND) of an indexed property, so that fewer objects are read (see explain=true)."
            )
        }
        let name = index.rowClass.definition.properties[index.member].name
        return .queryTime(
            limits,
            "an index on '\(name)' of class '\(index.rowClass.definition.name)' would help (see explain=true)."
        )
    }

    /// An evaluation on a view was given up.
    package static func givenUp(
        _ failure: EvaluationFailure, _ limits: ServiceLimits
    ) -> RequestFault {
        switch failure {
        case .time: .queryTime(limits)
        case .memory: .queryMemory(limits)
        case .pattern: .queryPattern
        case .reply: .replyTooLarge(limits.queryMemoryByteCountMax)
        }
    }

    /// A regular expression has too many ways through a text.
    package static let queryPattern = RequestFault(
        .invalid, "query-pattern-too-complex",
        "A regular expression of MATCHES took longer than about a second for one value, or more than 8 MiB, and was "
            + "stopped; simplify it: avoid repetitions in repetitions, such as "
            + "(a+)+, and use .* at most once.")

    /// A write kept all others waiting for longer than it may.
    package static func writeTime(_ limits: ServiceLimits) -> RequestFault {
        RequestFault(
            .unavailable, "write-too-slow",
            "The changes took longer than \(limits.readSecondsMax) s, blocking other writes, and "
                + "were rolled back; divide them among several requests.", retryAfterSeconds: 1)
    }
}

extension ObjectWriter {
    /// Limits the elements of large collections that a reply or an event shows.
    package mutating func limitCollections(_ limits: ServiceLimits) {
        limitCollections(
            elementCountMax: limits.collectionElementCountMax,
            byteCountMax: limits.collectionByteCountMax)
    }

    /// Writes a reply from a view, within the limits of replies and of its job.
    package init(
        _ buffer: ByteBuffer, _ names: SchemaNames, _ read: ReadTransaction,
        _ limits: ServiceLimits, quotesLargeInts: Bool
    ) {
        self.init(buffer, names: names, read: read, epoch: read.epoch)
        self.quotesLargeInts = quotesLargeInts
        limitCollections(limits)
        byteCountMax = limits.memoryByteCountMax(of: read)
    }
}
