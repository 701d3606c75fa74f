import JSON
import ObjectJSON
import ObjectStore
import Rows
import Storage
import Synchronization

/// A store with what its use cases share: their limits, the names of its schemas, and threads for work that
/// may take long.
///
/// It answers nothing by itself: each use case is a type or function of its subject's folder, which is handed
/// this. Thread-safe.
package final class ServedStore: Sendable {
    /// The store.
    package let store: Store
    /// The limits of the use cases.
    package let limits: ServiceLimits
    /// Threads for reads and other work that may take long.
    package let scheduler: JobScheduler
    /// Requests that wait for a version.
    package let versionWaiter: VersionWaiter
    /// The requests with an idempotency key that run.
    package let idempotency = IdempotencyGate()
    private let report: @Sendable (StorageError, _ isTemporary: Bool) -> Void
    /// Is told of each query that takes ``ServiceLimits/slowQueryMilliseconds``.
    let reportSlow: @Sendable (SlowQuery) -> Void
    /// The names of the schemas that were used last, newest first.
    private let namesInUse = Mutex<[SchemaNames]>([])

    /// Makes the use cases' view of a store.
    ///
    /// - `report`: Is told of each failure of the storage, of which clients learn only that it happened.
    /// - `reportSlow`: Is told of each slow query, on the thread that ran it.
    package init(
        _ store: Store, limits: ServiceLimits,
        report: @escaping @Sendable (StorageError, _ isTemporary: Bool) -> Void,
        reportSlow: @escaping @Sendable (SlowQuery) -> Void = { _ in }
    ) {
        self.store = store
        self.limits = limits
        self.report = report
        self.reportSlow = reportSlow
        scheduler = JobScheduler(limits.scheduling)
        versionWaiter = VersionWaiter(store.publisher)
    }

    /// Answers everybody who waits for a version, and ends the threads: before the store is closed.
    package func stop() {
        versionWaiter.stop()
        scheduler.stop()
    }

    /// The names of a schema; made when it is first asked for.
    package func names(of schema: RowSchema) -> SchemaNames {
        namesInUse.withLock { known in
            if let names = known.first(where: { $0.schema === schema }) { return names }
            let names = SchemaNames(schema)
            known.insert(names, at: 0)
            // Copies of rows may still be of the schema before.
            if known.count > 4 { known.removeLast() }
            return names
        }
    }

    // MARK: Faults

    /// Runs an operation on the store and turns its error into a fault; what went wrong inside is
    /// reported.
    package func stored<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(RequestFault) -> Result {
        do { return try body() } catch { throw fault(error) }
    }

    /// The fault of a failed operation; what clients are not told is reported.
    package func fault(_ error: StoreError) -> RequestFault {
        switch error {
        case .stopped(.memory): return .queryMemory(limits)
        case .stopped(.time): return .queryTime(limits)
        case .stopped(.pattern): return .queryPattern
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
    /// - Throws: ``RequestFault`` `.malformed` with line and column when it is not JSON.
    package func json(
        _ body: UnsafeRawBufferPointer, _ parser: JSONParser
    ) throws(RequestFault) -> JSONValue {
        do {
            return try parser.parse(body, hasPadding: true, depthMax: limits.jsonDepthMax)
        } catch {
            throw RequestFault(error, in: body)
        }
    }
}
