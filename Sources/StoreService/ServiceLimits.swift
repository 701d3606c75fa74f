import HoldfastObjectStore

/// The limits of use cases, for every caller.
package struct ServiceLimits: Sendable {
    /// Objects of one page at most.
    package var pageObjectCountMax = 1_000
    /// Objects of a page when the request does not say.
    package var pageObjectCountDefault = 100
    /// How deep JSON nests.
    package var jsonDepthMax = 128
    /// Bytes of a query's text in a body.
    package var queryTextByteCountMax = 1 << 20
    /// Seconds a query may take.
    package var queryTimeSecondsMax = 30
    /// Bytes of memory a query may take.
    package var queryMemoryByteCountMax = 256 << 20
    /// The milliseconds from which a query is slow and logged; nil for no log.
    package var slowQueryMilliseconds: Int?
    /// Elements of a collection that a reply or an event shows; larger ones are left out of it.
    package var collectionElementCountMax = 10_000
    /// Bytes of a collection, as stored, that a reply or an event shows; larger ones are left out of it.
    package var collectionByteCountMax = 1 << 20
    package var importLineByteCountMax = 256 << 20
    /// Bytes a second that the client of an import has to send.
    package var importByteRateMin = 4 << 10
    /// Seconds over which the rates of imports, exports and other replies are measured.
    package var rateSeconds = 60
    /// Faulty lines that an import takes; with one more it ends.
    package var importFaultCountMax = 100_000
    /// Seconds that a read with `minVersion` waits for that version.
    package var minVersionWaitSeconds = 5
    /// Bytes of a stream's queue.
    package var streamQueueByteCountMax = 1 << 20
    /// Milliseconds of processor time that one filter may use of the feed's thread in a step; beyond it workers test it.
    package var feedFilterMilliseconds: UInt64 = 5
    /// Microseconds of processor time that all streams may use on the feed's thread in a step. Beyond it, workers
    /// report the rest.
    package var feedStepMicroseconds = StepBudget.microseconds
    /// Queries of one stream of several.
    package var streamQueryCountMax = 100
    /// Streams of several queries of one token or user at a time; without tokens, of all clients.
    package var tokenStreamCountMax = 1_000
    /// The streams of one user, or of one anonymous visitor, that wait for a follower.
    package var userWaitingStreamCountMax = 20
    /// Streams of several queries at a time.
    package var queryStreamCountMax = 10_000
    /// Bytes of the texts of all queries of such streams together.
    package var queryStreamByteCountMax = 64 << 20
    /// The same for one user, or one anonymous visitor.
    package var userQueryStreamByteCountMax: Int { queryStreamByteCountMax / 16 }
    /// Seconds that a stream of several queries waits for a follower.
    package var streamReturnSeconds = 60
    /// Seconds in which a ticket has to open its stream.
    package var ticketSeconds = 30
    /// Seconds in which a ticket opens its stream again, after the connection broke.
    package var ticketReturnSeconds = 60
    /// The greatest age of a ticket, in seconds, that opens its stream again after a restart of the service.
    package var ticketRestartSeconds = 86_400
    /// Tickets in use of one token or user; without either, of one address.
    package var tokenTicketCountMax = 1000
    /// Tickets in use.
    package var ticketCountMax = 10_000
    /// Versions that may be pinned at a time.
    package var snapshotCountMax = 8
    /// The same for one user, or one anonymous visitor.
    package var userSnapshotCountMax: Int { max(1, snapshotCountMax / 4) }
    /// Bytes that the data may grow by while a version is pinned.
    package var snapshotGrowthByteCountMax = 256 << 20
    /// Seconds that a reader or a pinned version may stay open, exports excepted.
    package var readerAgeSecondsMax = 60
    /// Seconds that an export may take.
    package var exportAgeSecondsMax = 3600
    /// Bytes that the data may grow by while an export is being sent.
    package var exportGrowthByteCountMax = 1 << 30
    /// Bytes a second that the client of an export has to read.
    package var exportByteRateMin = 4 << 10
    /// Imports at a time.
    package var importCountMax = 8
    /// Where imports put lines that wait for others; nil keeps them in memory.
    package var temporaryDirectory: String?
    /// The directory of backups; nil if backups can't be made.
    package var backupDirectory: String?
    /// The limits of reads that run long, together; of one it is ``queryMemoryByteCountMax``.
    package var scheduling = SchedulerLimits()

    /// Makes the defaults.
    package init() {}

    /// Seconds after which a query is stopped, whichever limit comes first.
    package var readSecondsMax: Int { min(queryTimeSecondsMax, readerAgeSecondsMax) }

    /// Bytes after which a page of changes or of an outbox ends, at any number of objects.
    package var replyByteCount: Int { queryMemoryByteCountMax / 4 }

    /// Bytes of memory that a query on a view may use.
    package func memoryByteCountMax(of read: ReadTransaction) -> Int {
        if read.isBrief { return min(queryMemoryByteCountMax, Self.briefByteCountMax) }
        return (read.timeSlice as? Job)?.memoryByteCountMax ?? queryMemoryByteCountMax
    }

    /// The bytes of a reply, or of its collected values, beyond which no thread of connections makes it.
    private static let briefByteCountMax = 1 << 20
}
