import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

/// The work of an import session, on its own thread: the lines as they come, and then the lines that waited for others.
///
/// Memory: two chunks, up to ``ImportOptions/deferredByteCountMax`` of text that waits (more goes to a
/// file), and the entry of ``DeferredLines`` for each waiting line.
final class ImportRun {
    /// A chunk on its way through the writer.
    private struct Submitted {
        var chunk: ImportChunk
        var isLast: Bool
        var write: AwaitedWrite
    }

    /// Chunks with the writer at a time: one that is being committed and one that waits behind it.
    private static let writeCountMax = 2

    private let store: Store
    private let target: ImportTarget
    private let options: ImportOptions
    private let feed: ImportFeed
    private let progress: (Int) -> Void
    private let reader: ImportReader
    private let writer: ImportWriter
    private let deferred: DeferredLines
    private var submitted: [Submitted] = []
    private var report: ImportReport
    /// The acts that its user had no right to, each once.
    private var reported: Set<RefusedAct> = []
    /// The header of a CSV text, once it was read.
    var header: CSVHeader?
    /// The catalog of a whole store's lines, once there was a header.
    private var adopted: Catalog?
    /// The fault that ended the import while lines were taken.
    private(set) var failure: RequestFault?
    /// The chunks of an atomic import so far, with their good lines, their bytes and their faulty lines.
    private var kept: [ImportChunk] = []
    private var keptLineCount = 0
    private var keptByteCount = 0
    private var keptFaultCount = 0

    /// - `progress`: Told how many more lines were dealt with.
    init(
        _ store: Store, _ target: ImportTarget, _ options: ImportOptions, _ feed: ImportFeed,
        progress: @escaping (Int) -> Void
    ) {
        self.store = store
        self.target = target
        self.options = options
        self.feed = feed
        self.progress = progress
        reader = ImportReader(options)
        writer = ImportWriter(target, options)
        deferred = DeferredLines(
            memoryByteCountMax: options.deferredByteCountMax,
            directory: options.limits.temporaryDirectory)
        report = ImportReport(options, version: store.version)
    }

    /// Takes all lines; nil when no client waits for the import any more.
    ///
    /// - `cut`: Has ``take(_:)`` take the lines of the text; false when no more is wanted.
    func run(_ cut: () throws(RequestFault) -> Bool) -> Result<ImportReport, RequestFault>? {
        defer { kept = [] }
        do throws(RequestFault) {
            let isCut = try cut()
            if let failure { throw failure }
            // After the last line, too: lines of a client that has left may be missing.
            guard isCut, !feed.endIfAbandoned(), try takeRest() else {
                if let fault = feed.ending { throw fault }
                waitForWriter()
                return nil
            }
        } catch {
            // The rest of the text may take long to come.
            kept = []
            countSubmitted()
            // The rest is received, so that the client is ready to hear; not where it is told at once.
            feed.close()
            if error.endsUpload || feed.waitForEnd() { return .failure(report.ended(by: error)) }
            return feed.ending.map { .failure(report.ended(by: $0)) }
        }
        report.faults.sort { $0.line < $1.line }
        return .success(report)
    }

    /// Takes the next lines; returns whether more are wanted.
    func take(_ chunk: ImportChunk) -> Bool {
        if failure != nil || feed.endIfAbandoned() { return false }
        do throws(RequestFault) {
            guard try read(chunk) else { return true }
            if options.isAtomic {
                try keep(chunk)
            } else {
                submit(chunk, isLast: false)
                if submitted.count >= Self.writeCountMax { try settleFirst() }
            }
            return true
        } catch {
            failure = error
            return false
        }
    }

    /// Writes the rest after the end of the text; false if no client waits for the import any more.
    private func takeRest() throws(RequestFault) -> Bool {
        if options.isAtomic {
            try writeKept()
            return true
        }
        // Reports the missing header.
        if case .store = target, adopted == nil { adopted = try adopt(nil) }
        try settleAll()
        return try writeDeferred()
    }

    /// Reads the lines of a chunk; false without lines and without a header of a whole store.
    private func read(_ chunk: ImportChunk) throws(RequestFault) -> Bool {
        switch target {
        case .objects(let className):
            var catalog = store.catalog
            var schema = catalog.rows
            if let rights = options.rights { (catalog, schema, _) = try rights.known() }
            guard let rowClass = schema.rowClass(named: className) else {
                throw RequestFault(StoreError.unknownClass(className))
            }
            reader.read(chunk, rowClass, schema, catalog)
        case .store:
            if adopted == nil { adopted = try header(of: chunk).map(adopt) }
            guard let adopted else { return false }
            reader.read(chunk, nil, adopted.rows, adopted)
        }
        return true
    }

    // MARK: The header of a whole store

    /// The text of the first line that is not blank, which is then no line of the chunk; nil without one.
    private func header(of chunk: ImportChunk) throws(RequestFault) -> UnsafeRawBufferPointer? {
        if chunk.faults.first?.number == chunk.firstNumber {
            throw RequestFault(
                .tooLarge, "line-too-long",
                "The first line is longer than the \(options.limits.importLineByteCountMax) bytes "
                    + "that an import takes.")
        }
        return chunk.takeFirstLine()
    }

    /// Makes the schema of a header the store's, unless it is already.
    private func adopt(_ line: UnsafeRawBufferPointer?) throws(RequestFault) -> Catalog {
        let empty: StaticString = "null"
        let line = line ?? UnsafeRawBufferPointer(start: empty.utf8Start, count: 4)
        let parser = JSONParser()
        // The values that it has read are valid as long as the parser exists.
        defer { withExtendedLifetime(parser) {} }
        let root: JSONValue
        do throws(JSONError) {
            root = try parser.parse(line, depthMax: options.limits.jsonDepthMax)
        } catch { throw RequestFault(error, in: line) }
        let before = store.catalog
        defer {
            let after = store.catalog
            if after.rows.identity != before.rows.identity
                || after.projections != before.projections
            {
                options.noteSchemaChange?()
            }
        }
        return try StoreHeader.read(root).adopt(into: store)
    }

    // MARK: The writer

    private func submit(_ chunk: ImportChunk, isLast: Bool) {
        let write = commit { [writer] transaction throws(StoreError) in
            try writer.write(transaction, chunk, isLast: isLast)
        }
        submitted.append(Submitted(chunk: chunk, isLast: isLast, write: write))
    }

    private func commit(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Void
    ) -> AwaitedWrite {
        let write = AwaitedWrite { [feed] transaction throws(StoreError) in
            try body(transaction)
            // A transaction that began before the end of the import must not be committed.
            if let fault = feed.ending { throw .refused(fault) }
        }
        store.submit(write)
        return write
    }

    /// Waits for a commit and notes its version.
    private func wait(for write: AwaitedWrite) throws(RequestFault) {
        do {
            report.version = StoreVersion(epoch: store.epoch, number: try write.wait())
        } catch {
            throw options.rights?.fault(error) ?? RequestFault(error)
        }
    }

    /// Counts the chunks of an ended import that the writer still commits.
    private func countSubmitted() {
        for submitted in submitted {
            guard (try? wait(for: submitted.write)) != nil, !submitted.chunk.isStale else {
                continue
            }
            count(submitted.chunk)
        }
        submitted = []
    }

    /// Returns when the writer has no chunk of the import any more. It must not run chunks after the import's end.
    private func waitForWriter() {
        for submitted in submitted { _ = try? submitted.write.wait() }
        submitted = []
    }

    private func settleAll() throws(RequestFault) {
        while !submitted.isEmpty { try settleFirst() }
    }

    /// Waits for the oldest chunk and counts the outcome of its lines.
    private func settleFirst() throws(RequestFault) {
        let first = submitted.removeFirst()
        try wait(for: first.write)
        if first.chunk.isStale {
            // All behind it are stale too; they are read and written again in their order.
            let all = [first] + submitted
            waitForWriter()
            writer.goOn()
            for stale in all where try read(stale.chunk) {
                submit(stale.chunk, isLast: stale.isLast)
            }
            return try settleFirst()
        }
        count(first.chunk)
        try report.requireFewFaults(limit: options.limits.importFaultCountMax)
        reader.recycle(first.chunk)
    }

    private func count(_ chunk: ImportChunk) {
        report.add(chunk, limit: options.faultCountMax, header: header)
        for act in chunk.refusedActs where reported.insert(act).inserted {
            _ = options.rights?.fault(.notAllowed(act))
        }
        for (position, keys) in zip(chunk.deferred, chunk.reservedKeys) {
            let line = chunk.lines[position]
            var draft: ObjectDraft?
            if case .objects = target { draft = line.reading?.draft }
            deferred.append(line.number, chunk.text(of: line), draft, reservedKeys: keys)
        }
        progress(chunk.lines.count - chunk.deferred.count)
    }

    // MARK: Lines that waited

    /// Writes the lines that waited; false when no client waits for the import any more.
    private func writeDeferred() throws(RequestFault) -> Bool {
        writer.forgetWaitingKeys()
        switch target {
        case .objects: return try write(deferred.groups())
        // Their objects are there already, so any order does.
        case .store: return try write((0..<deferred.count).lazy.map { [$0] })
        }
    }

    private func write(_ groups: some Sequence<[Int]>) throws(RequestFault) -> Bool {
        var batch: [[Int]] = []
        var lineCount = 0
        var byteCount = 0
        for group in groups {
            let groupByteCount = group.reduce(0) { $0 + deferred.byteCount($1) }
            if lineCount + group.count > options.chunkLineCount
                || byteCount + groupByteCount > options.chunkByteCount
            {
                guard try write(batch) else { return false }
                batch = []
                lineCount = 0
                byteCount = 0
            }
            batch.append(group)
            lineCount += group.count
            byteCount += groupByteCount
        }
        return try write(batch)
    }

    private func write(_ batch: [[Int]]) throws(RequestFault) -> Bool {
        if batch.isEmpty { return true }
        if feed.endIfAbandoned() { return false }
        // Restricted lines are written group by group.
        let lines = options.rights == nil ? batch.joined().sorted() : batch.flatMap { $0.sorted() }
        let chunk = ImportChunk(
            numbers: lines.map { deferred.number($0) },
            earlierKeys: lines.map { deferred.reservedKeys($0) }, groupCounts: batch.map(\.count)
        ) { deferred.text(lines[$0], to: $1) }
        guard !deferred.hasFailed else {
            throw RequestFault(
                .storageFull, "storage-full",
                "There is no space for lines that wait for others; free disk space, then repeat the import."
            )
        }
        if try read(chunk) { submit(chunk, isLast: true) }
        try settleAll()
        return true
    }

    // MARK: All or nothing

    private func keep(_ chunk: ImportChunk) throws(RequestFault) {
        kept.append(chunk)
        keptLineCount += chunk.lines.count { $0.reading != nil }
        keptByteCount += chunk.byteCount
        keptFaultCount += chunk.readFaults.count
        if keptFaultCount > options.limits.importFaultCountMax {
            for chunk in kept { count(chunk) }
            try report.requireFewFaults(limit: options.limits.importFaultCountMax)
        }
        guard keptLineCount <= options.atomicLineCountMax else {
            throw RequestFault(StoreError.tooManyOperations(limit: options.atomicLineCountMax))
        }
        guard keptByteCount <= options.atomicByteCountMax else {
            throw RequestFault(
                .tooLarge, "import-too-large",
                "An import with atomic=true takes \(options.atomicByteCountMax) bytes at most.")
        }
    }

    private func writeKept() throws(RequestFault) {
        while true {
            try wait(
                for: commit { [writer, kept] transaction throws(StoreError) in
                    try writer.writeAll(transaction, kept)
                })
            guard kept.contains(where: \.isStale) else { break }
            writer.goOn()
            for chunk in kept { _ = try read(chunk) }
        }
        for chunk in kept { count(chunk) }
        try report.requireFewFaults(limit: options.limits.importFaultCountMax)
    }
}
