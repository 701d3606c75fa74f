import ObjectJSON
import ObjectStore
import Rows

extension RequestFault {
    /// The code of what needs more memory than it may take.
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
                + "hold all groups, medians, percentiles and distinct counts all values.")
    }

    /// A reply would take more memory than a read may.
    package static func replyTooLarge(_ limit: Int) -> RequestFault {
        RequestFault(
            .invalid, memoryCode,
            "The reply would take more than \(limit) bytes; ask for fewer fields or a smaller page, expand less, or page "
                + "the collections by …/properties/{property}.")
    }

    /// A query took longer than it may.
    package static func queryTime(_ limits: ServiceLimits) -> RequestFault {
        RequestFault(
            .unavailable, "query-too-slow",
            "The query took longer than \(limits.readSecondsMax) s and was stopped; "
                + "an index on a property that it compares would help (see explain=true).",
            retryAfterSeconds: 1)
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
            + "stopped; write it so that fewer ways lead through a text: without repetitions in repetitions, such as "
            + "(a+)+, and with one .* at most.")

    /// A write kept all others waiting for longer than it may.
    package static func writeTime(_ limits: ServiceLimits) -> RequestFault {
        RequestFault(
            .unavailable, "write-too-slow",
            "The changes took longer than \(limits.readSecondsMax) s, in which no other write is made, and "
                + "were taken back; divide them among several requests.",
            retryAfterSeconds: 1)
    }
}
