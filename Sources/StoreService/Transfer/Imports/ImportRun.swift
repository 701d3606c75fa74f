import Bytes
import JSON
import ObjectJSON
import ObjectStore
import Rows
import Threads

/// The work of an import session, on its own thread.
struct ImportRun {
    let store: Store
    let className: String
    let options: ImportOptions
    let feed: ImportFeed
    /// Told how many more lines were dealt with.
    let progress: (Int) -> Void

    /// Chunks with the writer at a time: one that is being committed and one that waits behind it.
    private static let writeCountMax = 2

    /// A chunk on its way through the writer.
    private struct Submitted {
        var chunk: ImportChunk
        var isLast: Bool
        var outcome: Monitor<Result<StoreVersion, StoreError>?>
    }

    private let reader: ImportReader
    private let writer: ImportWriter
    private let deferred: DeferredLines

    init(
        store: Store, className: String, options: ImportOptions, feed: ImportFeed,
        progress: @escaping (Int) -> Void
    ) {
        self.store = store
        self.className = className
        self.options = options
        self.feed = feed
        self.progress = progress
        reader = ImportReader(options)
        writer = ImportWriter(options)
        deferred = DeferredLines(
            memoryByteCountMax: options.deferredByteCountMax, directory: options.directory)
    }

    /// Takes all chunks; nil when the sender went away.
    func run() -> Result<ImportReport, RequestFault>? {
        var report = ImportReport(options.mode, version: store.version)
        do throws(RequestFault) {
            let isComplete =
                options.isAtomic ? try runAtomic(&report) : try runChunks(&report)
            guard isComplete else { return nil }
        } catch {
            // The rest is received, so that the client is ready to hear.
            feed.close()
            guard feed.waitForEnd() else { return nil }
            return .failure(error)
        }
        report.faults.sort { $0.line < $1.line }
        return .success(report)
    }

    private func runChunks(_ report: inout ImportReport) throws(RequestFault) -> Bool {
        var submitted: [Submitted] = []
        while true {
            switch feed.next() {
            case .abandoned:
                // The writer must not meet chunks of a session that is over.
                for write in submitted { _ = wait(write) }
                return false
            case .refused(let problem):
                for write in submitted { _ = wait(write) }
                throw failure(problem, report)
            case .end:
                try settleAll(&submitted, &report)
                return try writeDeferred(&report)
            case .chunk(let chunk):
                do throws(RequestFault) {
                    try read(chunk)
                    submitted.append(submit(chunk, isLast: false))
                    if submitted.count >= Self.writeCountMax {
                        try settleFirst(&submitted, &report)
                    }
                } catch {
                    for write in submitted { _ = wait(write) }
                    throw failure(error, report)
                }
            }
        }
    }

    private func read(_ chunk: ImportChunk) throws(RequestFault) {
        let catalog = store.catalog
        guard let rowClass = catalog.rows.rowClass(named: className) else {
            throw RequestFault(StoreError.unknownClass(className))
        }
        reader.read(chunk, .object(rowClass), catalog)
    }

    private func submit(_ chunk: ImportChunk, isLast: Bool) -> Submitted {
        let outcome = Monitor<Result<StoreVersion, StoreError>?>(nil)
        let writer = self.writer
        store.submit(
            Write<Void> { transaction throws(StoreError) in
                try writer.write(transaction, chunk, isLast: isLast)
            } completion: { result in
                outcome.signal {
                    $0 = result.map(\.version)
                    return true
                }
            })
        return Submitted(chunk: chunk, isLast: isLast, outcome: outcome)
    }

    private func wait(_ write: Submitted) -> Result<StoreVersion, StoreError> {
        write.outcome.wait { $0 }
    }

    private func settleAll(
        _ submitted: inout [Submitted], _ report: inout ImportReport
    ) throws(RequestFault) {
        do throws(RequestFault) {
            while !submitted.isEmpty { try settleFirst(&submitted, &report) }
        } catch {
            for write in submitted { _ = wait(write) }
            throw failure(error, report)
        }
    }

    /// Waits for the oldest chunk and counts what became of its lines.
    private func settleFirst(
        _ submitted: inout [Submitted], _ report: inout ImportReport
    ) throws(RequestFault) {
        let first = submitted.removeFirst()
        switch wait(first) {
        case .failure(let error): throw RequestFault(error)
        case .success(let version): report.version = version
        }
        if first.chunk.isStale {
            // All behind it are stale too; they are read and written again in their order.
            let all = [first] + submitted
            for write in submitted { _ = wait(write) }
            writer.goOn()
            submitted = []
            for write in all {
                try read(write.chunk)
                submitted.append(submit(write.chunk, isLast: write.isLast))
            }
            return try settleFirst(&submitted, &report)
        }
        count(first.chunk, &report)
        try report.checkFailures(limit: options.faultyLineCountMax)
        reader.recycle(first.chunk)
    }

    private func count(_ chunk: ImportChunk, _ report: inout ImportReport) {
        report.add(chunk, limit: options.faultCountMax)
        for (position, keys) in zip(chunk.deferred, chunk.reservedKeys) {
            let line = chunk.lines[position]
            guard let draft = line.reading?.draft else { continue }
            deferred.append(line.number, chunk.text(of: line), draft, reservedKeys: keys)
        }
        progress(chunk.lines.count - chunk.deferred.count)
    }

    /// Adds to a failure what was done before it.
    private func failure(_ problem: RequestFault, _ report: ImportReport) -> RequestFault {
        var problem = problem
        problem.detail += " \(report.importedCount) lines had been imported before."
        return problem
    }

    // MARK: The end

    /// Writes the lines that waited, each behind those that it depends on; false when nobody waits for
    /// it any more.
    private func writeDeferred(_ report: inout ImportReport) throws(RequestFault) -> Bool {
        guard deferred.count > 0 else { return true }
        writer.forgetDeferredKeys()
        var batch: [Int] = []
        var byteCount = 0
        for group in deferred.groups() {
            let groupByteCount = group.reduce(0) { $0 + deferred.byteCount($1) }
            if !batch.isEmpty,
                batch.count + group.count > options.chunkLineCount
                    || byteCount + groupByteCount > options.chunkByteCount
            {
                if feed.isAbandoned { return false }
                try write(batch, &report)
                batch = []
                byteCount = 0
            }
            batch += group
            byteCount += groupByteCount
        }
        if feed.isAbandoned { return false }
        try write(batch, &report)
        return true
    }

    private func write(_ batch: [Int], _ report: inout ImportReport) throws(RequestFault) {
        let lines = batch.sorted()
        let chunk = ImportChunk(
            numbers: lines.map { deferred.number($0) },
            earlierKeys: lines.map { deferred.reservedKeys($0) },
            paddingByteCount: JSONParser.paddingByteCount
        ) { deferred.text(lines[$0], to: $1) }
        guard !deferred.hasFailed else {
            throw failure(
                RequestFault(
                    .storageFull, "storage-full", "There is no room for lines that wait for others."
                ),
                report)
        }
        try read(chunk)
        var submitted = [submit(chunk, isLast: true)]
        try settleAll(&submitted, &report)
    }

    // MARK: All or nothing

    private func runAtomic(_ report: inout ImportReport) throws(RequestFault) -> Bool {
        var chunks: [ImportChunk] = []
        var lineCount = 0
        var byteCount = 0
        loop: while true {
            switch feed.next() {
            case .abandoned: return false
            case .refused(let problem): throw problem
            case .end: break loop
            case .chunk(let chunk):
                try read(chunk)
                chunks.append(chunk)
                lineCount += chunk.lines.count
                byteCount += chunk.byteCount
                guard lineCount <= options.atomicLineCountMax else {
                    throw RequestFault(
                        StoreError.tooManyOperations(limit: options.atomicLineCountMax))
                }
                guard byteCount <= options.atomicByteCountMax else {
                    throw RequestFault(
                        .tooLarge, "import-too-large",
                        "An import with atomic=true takes \(options.atomicByteCountMax) bytes at most."
                    )
                }
            }
        }
        while true {
            let outcome = Monitor<Result<StoreVersion, StoreError>?>(nil)
            let writer = self.writer
            let all = chunks
            store.submit(
                Write<Void> { transaction throws(StoreError) in
                    try writer.writeAll(transaction, all)
                } completion: { result in
                    outcome.signal {
                        $0 = result.map(\.version)
                        return true
                    }
                })
            switch outcome.wait({ $0 }) {
            case .failure(let error): throw RequestFault(error)
            case .success(let version): report.version = version
            }
            guard chunks.contains(where: \.isStale) else { break }
            writer.goOn()
            for chunk in chunks { try read(chunk) }
        }
        for chunk in chunks { count(chunk, &report) }
        return true
    }
}
