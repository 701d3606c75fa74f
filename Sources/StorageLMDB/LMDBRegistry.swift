import CHoldfastLMDB
import HoldfastStorage
import Synchronization

/// The environments that this process has open.
///
/// LMDB forbids opening a file twice in one process: closing either would release the locks of both.
enum LMDBRegistry {
    private static let open = Mutex<[LMDBDirectory.Identity: LMDBEnvironment]>([:])

    /// Returns the environment of the options' directory, and opens it if this process does not have it open.
    ///
    /// An environment that is open already keeps its options, but `.full` durability overrides `.relaxed` for all engines that
    /// share it.
    static func environment(_ options: LMDBOptions) throws(StorageError) -> LMDBEnvironment {
        let directory = try LMDBDirectory(path: options.directory)
        let (environment, wasOpen) = try open.withLock {
            (open) throws(StorageError) -> (LMDBEnvironment, Bool) in
            if let environment = open[directory.identity] {
                environment.pool.withLock { $0.engineCount += 1 }
                return (environment, true)
            }
            let environment = try LMDBEnvironment.open(directory, options)
            open[directory.identity] = environment
            return (environment, false)
        }
        if wasOpen, options.durability == .full {
            // Done without the lock, because a thread with a write transaction may open and close engines.
            do throws(StorageError) {
                try environment.makeDurable()
            } catch {
                release(environment)
                throw error
            }
        }
        return environment
    }

    /// Ends one engine's use of `environment`.
    static func release(_ environment: LMDBEnvironment) {
        open.withLock { open in
            environment.pool.withLock { $0.engineCount -= 1 }
            close(environment, in: &open)
        }
    }

    /// Closes `environment` after its last use, unless an engine has been opened on it since.
    static func closeIfUnused(_ environment: LMDBEnvironment) {
        open.withLock { close(environment, in: &$0) }
    }

    private static func close(
        _ environment: LMDBEnvironment, in open: inout [LMDBDirectory.Identity: LMDBEnvironment]
    ) {
        let idle = environment.pool.withLock { pool -> [LMDBTransaction]? in
            guard pool.engineCount == 0, pool.useCount == 0, !pool.isClosed else { return nil }
            pool.isClosed = true
            return exchange(&pool.idle, with: [])
        }
        guard let idle else { return }
        open[environment.directory.identity] = nil
        environment.checkpointer.stop()
        environment.leaveInOrder()
        for reader in idle {
            reader.closeCursors()
            mdb_txn_abort(reader.handle)
        }
        environment.spare.close()
        mdb_env_close(environment.handle)
        environment.pool.withLock { $0.lock = nil }
    }
}
