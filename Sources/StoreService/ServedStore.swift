import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStorage
import Synchronization
import HoldfastThreads

/// A store with the shared parts of its use cases: limits, the names of its schemas, and threads for work that may take long.
///
/// It answers nothing by itself: each use case is a type or function of its subject's folder, which is handed this. Thread-safe.
package final class ServedStore: Sendable {
    package let store: Store
    /// The limits of the use cases.
    package let limits: ServiceLimits
    /// Threads for reads and other work that may take long.
    package let scheduler: JobScheduler
    /// Requests that wait for a version.
    package let versionWaiter: VersionWaiter
    /// The versions that are kept for further reads.
    package let pins: SnapshotPins
    /// The requests with an idempotency key that run.
    package let idempotency = IdempotencyGate()
    private let report: @Sendable (StorageError, _ isTemporary: Bool) -> Void
    /// Is told of each query that takes ``ServiceLimits/slowQueryMilliseconds``.
    let reportSlow: @Sendable (SlowQuery) -> Void
    /// Receives each refused act of a user.
    private let reportRefused: @Sendable (RefusedAct) -> Void
    private static let namesCountMax = 64
    /// The names of the schemas that were made last, newest first.
    private let namesInUse = Mutex<[SchemaNames]>([])

    /// Makes the use cases' view of a store.
    ///
    /// - `report`: Is told of each failure of the storage, of which clients learn only that it happened.
    /// - `reportSlow`: Is told of each slow query, on the thread that ran it.
    /// - `reportRefused`: Receives each refused act of a user. Clients learn nothing of rules.
    package init(
        _ store: Store, limits: ServiceLimits,
        report: @escaping @Sendable (StorageError, _ isTemporary: Bool) -> Void,
        reportSlow: @escaping @Sendable (SlowQuery) -> Void = { _ in },
        reportRefused: @escaping @Sendable (RefusedAct) -> Void = { _ in }
    ) {
        self.store = store
        self.limits = limits
        self.report = report
        self.reportSlow = reportSlow
        self.reportRefused = reportRefused
        var scheduling = limits.scheduling
        scheduling.jobMemoryByteCountMax = limits.queryMemoryByteCountMax
        scheduler = JobScheduler(scheduling)
        versionWaiter = VersionWaiter(store.publisher)
        pins = SnapshotPins(store, limits)
    }

    /// Answers clients that wait for a version, and ends the threads and pinned versions, before the store is closed.
    package func stop() {
        versionWaiter.stop()
        scheduler.stop()
        pins.stop()
    }

    /// The names of a schema; made when it is first asked for.
    package func names(of schema: RowSchema) -> SchemaNames {
        namesInUse.withLock { known in
            if let names = known.first(where: { $0.schema === schema }) { return names }
            let names = SchemaNames(schema)
            known.insert(names, at: 0)
            // Copies of rows may still be of the schema before, and users may not know all of its names.
            if known.count > Self.namesCountMax { known.removeLast() }
            return names
        }
    }

    // MARK: Faults

    /// Runs an operation on the store and turns its error into a fault; internal causes are reported.
    package func mappingStoreErrors<Result>(
        _ body: @autoclosure () throws(StoreError) -> Result
    ) throws(RequestFault) -> Result {
        do { return try body() } catch { throw fault(error) }
    }

    /// The fault of a failed operation. Details that clients do not get are reported to the operator.
    package func fault(_ error: StoreError) -> RequestFault {
        switch error {
        case .stopped(let failure): return .givenUp(failure, limits)
        case .notAllowed(let act): reportRefused(act)
        default: break
        }
        let fault = RequestFault(error)
        if case .storage(let cause) = error { report(cause, fault.kind == .unavailable) }
        return fault
    }

    // MARK: Bodies

    /// Parses the JSON of a request.
    ///
    /// - `body`: With the padding that the parser needs behind it.
    /// - `isQuery`: Whether text and values count as the memory of a query.
    /// - Throws: ``RequestFault`` `.malformed` with line and column when it is not JSON, `.invalid` when they are more than a
    ///   query may take.
    package func json(
        _ body: UnsafeRawBufferPointer, _ parser: JSONParser, isQuery: Bool = false
    ) throws(RequestFault) -> JSONValue {
        do {
            return try parser.parse(
                body, hasPadding: true, depthMax: limits.jsonDepthMax,
                memoryMax: isQuery ? limits.queryMemoryByteCountMax - body.count : .max)
        } catch {
            throw error.code == .tooManyValues
                ? .queryBodyMemory(limits) : RequestFault(error, in: body)
        }
    }

    /// When a query that begins now has to be done, in milliseconds of the monotonic clock.
    package var queryDeadline: UInt64 {
        monotonicMilliseconds() + UInt64(limits.readSecondsMax) * 1000
    }

    /// The time for the reads of rules from a user's own object on threads that others wait for: a connection's and the writer's.
    static let factsMilliseconds: UInt64 = 1_000

    /// Ends a write that takes too long.
    func checkWriteTime(_ deadline: UInt64) throws(StoreError) {
        guard monotonicMilliseconds() < deadline else {
            throw .refused(RequestFault.writeTime(limits))
        }
    }

    /// The limits of a query on a view: the limits of its job, with a time that began with the request, or of a short read.
    package func queryLimits(of read: ReadTransaction) -> QueryLimits {
        QueryLimits(
            deadlineMilliseconds: (read.timeSlice as? Job)?.deadlineMilliseconds ?? read
                .shortDeadline
                ?? queryDeadline,
            memoryByteCountMax: limits.memoryByteCountMax(of: read))
    }

    /// The version that a view shows, and so the version of a reply made from it. The newest version is later if a
    /// write has ended since.
    ///
    /// - Throws: ``RequestFault`` when it can't be read.
    package func version(of read: ReadTransaction) throws(RequestFault) -> StoreVersion {
        StoreVersion(epoch: read.epoch, number: try mappingStoreErrors(read.state().version))
    }

    /// Throws where a view has failed: before something leaves the body of a ``withRead(for:of:_:)`` that was found there,
    /// such as a piece of a stream.
    package func check(_ read: ReadTransaction) throws(RequestFault) {
        try mappingStoreErrors(read.checkFailure())
    }

    /// Runs `body` on a view, where its result leaves the body of the ``withRead(for:of:_:)`` before that ends.
    ///
    /// - Throws: ``RequestFault`` as that.
    package func checked<Result>(
        _ read: ReadTransaction, _ body: () throws(RequestFault) -> Result
    ) throws(RequestFault) -> Result {
        let result: Result
        do throws(RequestFault) { result = try body() } catch {
            try check(read)
            throw error
        }
        try check(read)
        return result
    }

    /// The same behind an evaluation with a time of its own, which ends with it.
    package func checkTime(_ read: ReadTransaction) throws(RequestFault) {
        try check(read)
        read.limitFollowing(until: .max)
    }

    // MARK: Views

    /// Runs `body` with the view of a pinned version or of the last commit that is made for a caller. It is the only way
    /// to a view.
    ///
    /// - `deadline`: The deadline for the reads of rules, also from the user's own object, for restricted callers, in
    ///   milliseconds of the monotonic clock; nil for the time of a query.
    /// - Throws: ``RequestFault`` of `body`; first the fault of the view if storage or its budget has failed: values
    ///   read then, and faults found by them, are not valid.
    package func withRead<Result>(
        for caller: Caller, of pin: SnapshotPin? = nil, until deadline: UInt64? = nil,
        _ body: (ReadTransaction) throws(RequestFault) -> Result
    ) throws(RequestFault) -> Result {
        try withRead(for: caller, of: pin) { unrestricted in
            if caller.visibility != nil {
                unrestricted.limitFollowing(until: deadline ?? queryDeadline)
            }
        } run: { read throws(RequestFault) in
            read.shortDeadline = deadline
            return try body(read)
        }
    }

    /// Runs `run` with a view that is made for a caller. If a change of the schema has come between the two, the view
    /// is opened again.
    ///
    /// - `prepare`: Gives the view its limits.
    private func withRead<Result>(
        for caller: Caller, of pin: SnapshotPin?, _ prepare: (StoreView) -> Void,
        run: (ReadTransaction) throws(RequestFault) -> Result
    ) throws(RequestFault) -> Result {
        var attemptsLeft = 4
        while true {
            attemptsLeft -= 1
            let isLast = attemptsLeft == 0 || pin != nil
            let result = try withUnrestrictedRead(of: pin) {
                unrestricted throws(RequestFault) -> Result? in
                prepare(unrestricted)
                let read: ReadTransaction
                do throws(RequestFault) { read = try caller.view(of: unrestricted) } catch {
                    if !isLast, error.code == RequestFault.snapshotOfOtherNames.code { return nil }
                    throw error
                }
                return try run(read)
            }
            if let result { return result }
        }
    }

    private func withUnrestrictedRead<Result>(
        of pin: SnapshotPin?, _ body: (StoreView) throws(RequestFault) -> Result
    ) throws(RequestFault) -> Result {
        func run(_ read: StoreView) throws(StoreError) -> Result {
            do throws(RequestFault) { return try body(read) } catch { throw .refused(error) }
        }
        do throws(StoreError) {
            if let pin { return try pin.pinned.withRead(run) }
            return try store.withRead(reusing: RequestScratch.current.left, run)
        } catch { throw fault(error) }
    }

    /// The same in a job: the view takes turns as that does, and has its time and memory.
    ///
    /// - Throws: ``RequestFault`` as the job is to tell it.
    package func withRead<Result>(
        for caller: Caller, of pin: SnapshotPin? = nil, in job: Job,
        _ body: (ReadTransaction) throws(RequestFault) -> Result
    ) throws(RequestFault) -> JobOutcome<Result> {
        try job.attempt(limits) { () throws(RequestFault) in
            try withRead(for: caller, of: pin) { unrestricted in
                unrestricted.timeSlice = job
                unrestricted.limitFollowing(
                    until: job.deadlineMilliseconds, memoryByteCountMax: job.memoryByteCountMax)
            } run: { read throws(RequestFault) in
                try body(read)
            }
        }
    }

    /// Opens the view of a pinned version, or of the last commit, that is made for a caller and stays open from one call
    /// to the next.
    package func holdRead(for caller: Caller, of pin: SnapshotPin? = nil) throws(RequestFault)
        -> LongRead
    {
        let held =
            if let pin { pin.pinned.holdRead() } else { try mappingStoreErrors(store.holdRead()) }
        guard let visibility = caller.visibility else { return held }
        do throws(StoreError) {
            return try held.withRead { read throws(StoreError) in
                do throws(RequestFault) {
                    return held.restricted(to: try visibility.visibility(in: read.unrestricted))
                } catch { throw .refused(error) }
            }
        } catch {
            held.close()
            throw fault(error)
        }
    }

    /// The readable part for a caller as of the last commit; nil for everything.
    package func visibility(of caller: Caller) throws(RequestFault) -> Visibility? {
        guard caller.visibility != nil else { return nil }
        let deadline = monotonicMilliseconds() + Self.factsMilliseconds
        return try withRead(for: caller, until: deadline) { read in read.visibility }
    }

    /// The names that a visibility's principal knows, in the present schema.
    package func names(of visibility: Visibility?) -> SchemaNames {
        names(of: visibility?.rows ?? store.catalog.rows)
    }

    /// Runs `body` with a view of the last commit, if it needs one, or the caller may not read everything.
    package func withLinks<Result>(
        _ isNeeded: Bool, for caller: Caller, _ body: (ReadTransaction?) -> Result
    ) throws(RequestFault) -> Result {
        guard isNeeded || caller.visibility != nil else { return body(nil) }
        return try withRead(for: caller) { read in body(read) }
    }
}
