import Bytes
import Glibc
import JSON
import ObjectJSON
import ObjectModel
import ObjectStore
import Rows
import Threads

/// The work of a whole store's import, on its own thread: the header, the lines as they come, and then
/// those that waited for others, in their order.
///
/// Memory: two chunks, up to ``ImportOptions/deferredByteCountMax`` of text that waits (more goes to a
/// file), and 40 bytes for each line that does.
struct StoreImportRun {
    /// A line that waits.
    private struct Waiting {
        var number: Int
        var offset: Int
        var count: Int
        /// The object that was created for it; 0 for none.
        var createdKey: UInt64
    }

    /// A chunk on its way through the writer.
    private struct Submitted {
        var chunk: ImportChunk
        var outcome: Monitor<Result<StoreVersion, StoreError>?>
    }

    /// Chunks with the writer at a time: one that is being committed and one that waits behind it.
    private static let writeCountMax = 2

    private let store: Store
    private let options: ImportOptions
    private let feed: ImportFeed
    private let progress: (Int) -> Void
    private let reader: ImportReader
    private let writer: StoreImportWriter
    private let text: SpilledText
    private var waiting: ContiguousArray<Waiting> = []
    private var submitted: [Submitted] = []
    private var report: ImportReport
    /// The catalog of all lines, once there was a header.
    private var catalog: Catalog?

    /// - `progress`: Told how many more lines were dealt with.
    init(
        store: Store, options: ImportOptions, feed: ImportFeed, progress: @escaping (Int) -> Void
    ) {
        self.store = store
        self.options = options
        self.feed = feed
        self.progress = progress
        reader = ImportReader(options)
        writer = StoreImportWriter(options.mode)
        text = SpilledText(
            memoryByteCountMax: options.deferredByteCountMax, directory: options.directory)
        report = ImportReport(options.mode, version: store.version)
    }

    /// Takes all lines; nil when the sender went away.
    mutating func run() -> Result<ImportReport, RequestFault>? {
        do throws(RequestFault) {
            guard try takeLines() else { return nil }
            guard try completeWaiting() else { return nil }
        } catch {
            // The writer must not meet chunks of an import that is over.
            for write in submitted { _ = write.outcome.wait { $0 } }
            // The rest is received, so that the client is ready to hear.
            feed.close()
            guard feed.waitForEnd() else { return nil }
            var problem = error
            if report.importedCount > 0 {
                problem.detail += " \(report.importedCount) objects had been imported before."
            }
            return .failure(problem)
        }
        report.faults.sort { $0.line < $1.line }
        return .success(report)
    }

    private mutating func takeLines() throws(RequestFault) -> Bool {
        while true {
            switch feed.next() {
            case .abandoned:
                for write in submitted { _ = write.outcome.wait { $0 } }
                return false
            case .refused(let problem): throw problem
            case .end:
                // Says what is missing.
                if catalog == nil { catalog = try adopt(nil) }
                while !submitted.isEmpty { try settleFirst() }
                return true
            case .chunk(let chunk):
                if catalog == nil { catalog = try header(of: chunk).map(adopt) }
                guard let catalog else { continue }
                reader.read(chunk, .store, catalog)
                submit(chunk) { [writer] transaction throws(StoreError) in
                    try writer.write(transaction, chunk)
                }
                if submitted.count >= Self.writeCountMax { try settleFirst() }
            }
        }
    }

    // MARK: The header

    /// The text of the first line that is not blank, which is then no line of the chunk; nil when there
    /// is none.
    private func header(of chunk: ImportChunk) throws(RequestFault) -> UnsafeRawBufferPointer? {
        if let number = chunk.tooLongNumbers.first, number == chunk.firstNumber {
            throw RequestFault(
                .tooLarge, "line-too-long",
                "The first line is longer than the \(options.lineByteCountMax) bytes that an import "
                    + "takes.")
        }
        return chunk.takeFirstLine()
    }

    /// Makes the schema of a header the store's, unless it is already.
    private func adopt(_ line: UnsafeRawBufferPointer?) throws(RequestFault) -> Catalog {
        let empty: StaticString = "null"
        let line = line ?? UnsafeRawBufferPointer(start: empty.utf8Start, count: 4)
        let parser = JSONParser()
        let root: JSONValue
        do throws(JSONError) {
            root = try parser.parse(line, depthMax: options.jsonDepthMax)
        } catch {
            throw RequestFault(error, in: line)
        }
        return try StoreHeader.read(root).adopt(into: store)
    }

    // MARK: Lines that waited

    /// Writes the lines that waited; false when nobody waits for the import any more.
    private mutating func completeWaiting() throws(RequestFault) -> Bool {
        var first = 0
        while first < waiting.count, let catalog {
            if feed.isAbandoned { return false }
            var end = first
            var byteCount = 0
            while end < waiting.count, end - first < options.chunkLineCount,
                end == first || byteCount + waiting[end].count <= options.chunkByteCount
            {
                byteCount += waiting[end].count
                end += 1
            }
            let lines = waiting[first..<end]
            let chunk = ImportChunk(
                numbers: lines.map(\.number), paddingByteCount: JSONParser.paddingByteCount
            ) { text.read(lines[first + $0].offset, lines[first + $0].count, to: $1) }
            guard !text.hasFailed else {
                throw RequestFault(
                    .storageFull, "storage-full", "There is no room for lines that wait for others."
                )
            }
            chunk.createdKeys = lines.map(\.createdKey)
            reader.read(chunk, .store, catalog)
            submit(chunk) { [writer] transaction throws(StoreError) in
                try writer.complete(transaction, chunk)
            }
            try settleFirst()
            first = end
        }
        return true
    }

    // MARK: The writer

    private mutating func submit(
        _ chunk: ImportChunk,
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Void
    ) {
        let outcome = Monitor<Result<StoreVersion, StoreError>?>(nil)
        store.submit(
            Write<Void>(body) { result in
                outcome.signal {
                    $0 = result.map(\.version)
                    return true
                }
            })
        submitted.append(Submitted(chunk: chunk, outcome: outcome))
    }

    /// Waits for the oldest chunk and counts what became of its lines.
    private mutating func settleFirst() throws(RequestFault) {
        let first = submitted.removeFirst()
        switch first.outcome.wait({ $0 }) {
        case .failure(let error): throw RequestFault(error)
        case .success(let version): report.version = version
        }
        let chunk = first.chunk
        report.add(chunk, limit: options.faultCountMax)
        try report.checkFailures(limit: options.faultyLineCountMax)
        for (index, position) in chunk.deferred.enumerated() {
            let line = chunk.lines[position]
            waiting.append(
                Waiting(
                    number: line.number, offset: text.append(chunk.text(of: line)),
                    count: line.count, createdKey: chunk.createdKeys[index]))
        }
        progress(chunk.lines.count - chunk.deferred.count)
        reader.recycle(chunk)
    }
}
