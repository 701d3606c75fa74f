import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService
import HoldfastThreads
import Synchronization

/// The imports into a store and the exports from it, as many and as long as its limits allow. Thread-safe.
package final class Transfers: Sendable {
    private let served: ServedStore
    private let imports: WorkGate
    private let longLines = LongLineGate()
    /// The lines of a transaction of an import that is kept to rights.
    private static let keptLineCount = 1024
    private let exports = Mutex<[ObjectIdentifier: ExportLimit]>([:])

    package init(_ served: ServedStore) {
        self.served = served
        imports = WorkGate(countMax: served.limits.importCountMax)
    }

    /// Ends running imports within a chunk, and returns when no import runs.
    package func stop() { imports.stop() }

    // MARK: Imports

    /// The options of an import within the store's limits.
    package var importOptions: ImportOptions {
        var options = ImportOptions()
        options.limits = served.limits
        options.atomicLineCountMax = served.store.options.operationCountMax
        return options
    }

    /// Makes an import; ``ImportSession/start(_:)`` follows.
    ///
    /// - `unpacker`, `onRoom`: As in ``ImportSession``.
    /// - Throws: ``RequestFault`` for a class that does not take such objects, `.unavailable` when too many run.
    package func makeImport(
        _ target: ImportTarget, _ options: ImportOptions, unpacker: (any ImportUnpacker)? = nil,
        onRoom: @escaping @Sendable () -> Void = {}
    ) throws(RequestFault) -> ImportSession {
        let schema = served.store.catalog.rows
        try target.check(options.rights?.known().rows ?? schema, options.mode)
        guard imports.enter() else { throw .tooBusy }
        var options = options
        if options.rights != nil {
            // Each line takes the writer some times as long.
            options.chunkLineCount = min(options.chunkLineCount, Self.keptLineCount)
        }
        // The lines of a chunk are in memory together, and of a wide class each takes more.
        let byteCount = schema.classes.reduce(0) { max($0, ObjectDraft.byteCount(of: $1)) }
        options.chunkLineCount = min(
            options.chunkLineCount, max(1, ObjectReader.draftByteCountMax / max(1, byteCount)))
        let imports = self.imports
        let session = ImportSession(
            served.store, target, options, longLines: longLines, unpacker: unpacker, onRoom: onRoom
        ) {
            imports.leave()
        }
        session.feed.abandon { imports.isStopping }
        return session
    }

    // MARK: Exports

    /// Begins an export of the present version, or of a pinned version; ``end(_:)`` follows.
    ///
    /// - Throws: ``RequestFault`` when the content can't be exported, or the store can't be read.
    package func beginExport(
        _ content: ExportContent, of pin: SnapshotPin?, for caller: Caller
    ) throws(RequestFault) -> Export {
        let read = try served.holdRead(for: caller, of: pin)
        do throws(RequestFault) {
            let state = try served.mappingStoreErrors(
                read.withRead { read throws(StoreError) in try read.state() })
            let export = Export(
                pieces: try ExportCursor(content, read, served.names(of: read.rows)),
                version: StoreVersion(epoch: state.epoch, number: state.version),
                limit: ExportLimit(
                    served.limits, at: Self.seconds(),
                    storedByteCount: served.store.storedByteCount ?? 0),
                hold: served.store.retainedVersions.hold(read.commit, .export))
            exports.withLock { $0[ObjectIdentifier(export.limit)] = export.limit }
            return export
        } catch {
            read.close()
            throw error
        }
    }

    /// Ends an export and its snapshot.
    package func end(_ export: Export) {
        export.pieces.close()
        exports.withLock { $0[ObjectIdentifier(export.limit)] = nil }
    }

    /// Whether an export is to be cut; told once. Any thread.
    package func isOverdue(_ limit: ExportLimit) -> Bool {
        limit.passed(at: Self.seconds(), storedByteCount: served.store.storedByteCount ?? 0) != nil
    }

    package var exportCount: Int { exports.withLock { $0.count } }

    /// The seconds since the oldest open export began; 0 without one.
    package var oldestExportSeconds: Int {
        let begunAt = exports.withLock { $0.values.map(\.begunAt).min() }
        return begunAt.map { Self.seconds() - $0 } ?? 0
    }

    /// Seconds of the monotonic clock.
    private static func seconds() -> Int { Int(monotonicMilliseconds() / 1000) }
}
