import HTTPServer
import ObjectStore
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
    /// Threads for long reads.
    let workers: WorkerPool
    let logger: Logger
    /// The figures of the server that the service runs in, once it runs.
    let serverMetrics = Mutex<Metrics?>(nil)

    /// Makes the service of a store.
    package init(store: Store, options: RESTOptions, tokens: TokenTable?, logger: Logger) {
        self.store = store
        self.options = options
        self.tokens = tokens
        self.logger = logger
        workers = WorkerPool(threadCount: options.workerThreadCount)
    }
    /// Ends the service's threads; call it when its server has stopped.
    package func stop() {
        workers.stop()
    }
}
