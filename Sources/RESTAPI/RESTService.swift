import HTTPServer
import ObjectJSON
import ObjectStore
import Rows
import StoreService
import Synchronization

/// What the handlers of all operations share. Thread-safe; handlers are extensions of it, one file per
/// operation, named by the operation's id in `openapi.yaml`.
package final class RESTService: Sendable {
    /// The store that is served.
    let store: Store
    /// Limits and habits.
    let options: RESTOptions
    /// Who may do what; nil when everybody may do everything.
    let tokens: TokenTable?
    /// Threads for reads and other work that may take long.
    package let scheduler: JobScheduler
    let logger: Logger
    /// The imports that run.
    let imports: ImportGate
    /// The backups; nil where none can be made.
    let backups: BackupFolder?
    /// The document of the store's classes.
    let openAPI = OpenAPICache()
    /// The requests with an idempotency key that run.
    let idempotency = IdempotencyGate()
    /// The figures of the server that the service runs in, once it runs.
    let serverMetrics = Mutex<Metrics?>(nil)
    /// Requests that wait for a version.
    let versionWaiter: VersionWaiter
    /// Exports that are being sent.
    let exports = OpenExports()
    /// Change streams; made with the first one.
    private let hub = Mutex<StreamHub?>(nil)
    /// The names of the schemas that were used last, newest first.
    private let namesInUse = Mutex<[SchemaNames]>([])

    /// Makes the service of a store.
    package init(store: Store, options: RESTOptions, tokens: TokenTable?, logger: Logger) {
        self.store = store
        self.options = options
        self.tokens = tokens
        self.logger = logger
        scheduler = JobScheduler(options.scheduling)
        imports = ImportGate(countMax: options.importCountMax)
        backups = options.backupDirectory.map { BackupFolder(path: $0) }
        versionWaiter = VersionWaiter(store.publisher)
        store.observeFailures { error in
            logger.log(
                .error, "the storage failed beside the writes; what was acknowledged is kept",
                ("operation", .text(error.operation)), ("code", .text(error.code.rawValue)),
                ("native", .text(error.native ?? "")))
        }
    }

    /// Ends streams and answers everybody who waits for a change or a version: before the server is
    /// stopped.
    package func endWaiting() {
        hub.withLock { $0.take() }?.stop()
        versionWaiter.stop()
    }

    /// Ends the service's own threads: after the server has stopped, before the store is closed.
    package func stop() {
        endWaiting()
        scheduler.stop()
        imports.stop()
        backups?.stop()
    }

    /// Change streams.
    var streams: StreamHub {
        hub.withLock { present in
            if let present { return present }
            let fresh = StreamHub(self)
            fresh.start()
            present = fresh
            return fresh
        }
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
}
