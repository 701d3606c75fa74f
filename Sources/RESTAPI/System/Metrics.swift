import Glibc
import HoldfastBytes
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastThreads

extension RESTService {
    /// `GET /metrics`: figures for Prometheus.
    ///
    /// Cost: a snapshot, one look-up for each class, and some reads of /proc.
    func getMetrics(_ request: Request) -> Outcome {
        let text = MetricsText()
        text.family("holdfast_info", .gauge, "The version of the program.")
        text.sample(
            "holdfast_info", [("version", ServiceVersion.text), ("engine", store.engineName)], 1)
        if let metrics = serverMetrics.withLock({ $0 }) { writeServer(metrics, to: text) }
        var figures: StoreFigures?
        do throws(StoreError) { figures = try store.withRead(StoreFigures.init) } catch {
            logger.log(.error, "the store can't be read for metrics", ("error", .text("\(error)")))
        }
        figures?.write(to: text)
        writeStore(to: text)
        text.single(
            "holdfast_store_readable", .gauge, "Whether the store can be read.",
            figures == nil ? 0 : 1)
        writeScheduler(to: text)
        writeProcess(to: text)
        return .respond(Response(200, .metrics, Bytes(taking: text.buffer)))
    }

    private func writeServer(_ metrics: Metrics, to text: MetricsText) {
        let operations = metrics.operations()
        func name(_ operation: Metrics.Operation) -> String {
            operation.operationID.isEmpty ? "none" : operation.operationID
        }
        text.family(
            "holdfast_http_requests_total", .counter,
            "Requests that ended, by operation and class of status; aborted had no whole reply.")
        for operation in operations {
            for (statusClass, count) in operation.countByStatusClass.enumerated() where count > 0 {
                text.sample(
                    "holdfast_http_requests_total",
                    [
                        ("operation", name(operation)),
                        ("status", statusClass == 0 ? "aborted" : "\(statusClass)xx"),
                    ], Double(count))
            }
        }
        text.family(
            "holdfast_http_request_duration_seconds", .histogram,
            "Time from the request line to the end of the reply.")
        for operation in operations {
            let family = "holdfast_http_request_duration_seconds"
            let label = ("operation", name(operation))
            var count = 0
            for (index, bucket) in operation.durationBuckets.enumerated() {
                count += bucket
                let bounds = Metrics.durationBoundsMicroseconds
                let bound = index < bounds.count ? String(Double(bounds[index]) / 1e6) : "+Inf"
                text.sample(family + "_bucket", [label, ("le", bound)], Double(count))
            }
            text.sample(family + "_sum", [label], Double(operation.durationMicrosecondsSum) / 1e6)
            text.sample(family + "_count", [label], Double(count))
        }
        text.family(
            "holdfast_http_sent_bytes_total", .counter, "Bytes of reply bodies.", by: "operation",
            operations.map { (name($0), Double($0.sentByteCount)) })
        text.family(
            "holdfast_http_received_bytes_total", .counter, "Bytes of request bodies.",
            by: "operation", operations.map { (name($0), Double($0.receivedByteCount)) })
        text.single(
            "holdfast_http_requests_in_flight", .gauge, "Requests whose reply is not complete.",
            Double(metrics.inFlight.load(ordering: .relaxed)))
        text.single(
            "holdfast_http_connections", .gauge, "Open connections, streams included.",
            Double(metrics.connections.load(ordering: .relaxed)))
        text.single(
            "holdfast_http_connections_refused_total", .counter,
            "Connections that were refused because there were too many.",
            Double(metrics.refusedConnections.load(ordering: .relaxed)))
        text.single(
            "holdfast_http_message_bytes", .gauge,
            "Memory of the bodies and replies that are under way.",
            Double(metrics.messageMemory.byteCount))
        text.single(
            "holdfast_http_messages_refused_total", .counter,
            "Bodies and replies that were refused because others took all the memory for them.",
            Double(metrics.refusedMessages.load(ordering: .relaxed)))
        text.single(
            "holdfast_http_slow_replies_total", .counter,
            "Replies that were cut because their clients read too slowly.",
            Double(metrics.slowReplies.load(ordering: .relaxed)))
        text.single(
            "holdfast_streams", .gauge, "Open event streams.",
            Double(metrics.streams.load(ordering: .relaxed)))
        writeFeed(to: text)
    }

    private func writeFeed(to text: MetricsText) {
        guard let streams = runningStreams, let feed = streams.feedFigures else { return }
        text.single(
            "holdfast_stream_encodings_total", .counter,
            "Events or parts of events that were written as JSON for live streams, once for all that share them.",
            Double(streams.encodingCount))
        text.single(
            "holdfast_stream_steps_total", .counter,
            "Steps in which commits were delivered to live streams.", Double(feed.stepCount))
        text.single(
            "holdfast_stream_folded_steps_total", .counter,
            "Steps that covered several versions, because commits came faster than they were delivered.",
            Double(feed.foldedStepCount))
        text.single(
            "holdfast_stream_lag_seconds", .gauge,
            "The time from the first commit of the last step until its delivery.",
            Double(feed.lagNanoseconds) / 1e9)
    }

    private struct StoreFigures {
        let state: StoreState
        let schemaRevision: UInt64
        var counts: [(kind: ObjectClass.Kind, name: String, count: Double)] = []

        init(_ read: ReadTransaction) throws(StoreError) {
            state = try read.state()
            schemaRevision = read.catalog.schema.revision
            for rowClass in read.rows.classes where rowClass.definition.kind.standsAlone {
                let (kind, name) = (rowClass.definition.kind, rowClass.definition.name)
                counts.append((kind, name, Double(try read.count(rowClass))))
            }
        }

        func counts(of kind: ObjectClass.Kind) -> [(String, Double)] {
            counts.filter { $0.kind == kind }.map { ($0.name, $0.count) }
        }

        func write(to text: MetricsText) {
            text.single(
                "holdfast_store_version", .gauge, "The version of the last transaction.",
                Double(state.version))
            text.single(
                "holdfast_schema_revision", .gauge, "The revision of the schema.",
                Double(schemaRevision))
            text.single(
                "holdfast_change_log_bytes", .gauge, "Bytes of the change log.",
                Double(state.logByteCount))
            text.single(
                "holdfast_change_log_first_version", .gauge,
                "The first version that a change stream can resume from.", Double(state.logFirst))
            text.family(
                "holdfast_objects", .gauge, "Objects by class.", by: "class", counts(of: .object))
            text.family(
                "holdfast_outbox_objects", .gauge,
                "Objects of an asymmetric class that are not acknowledged yet.", by: "class",
                counts(of: .asymmetric))
        }
    }

    private func writeStore(to text: MetricsText) {
        if let count = store.storedByteCount {
            text.single(
                "holdfast_stored_bytes", .gauge, "Bytes that the data takes on its medium.",
                Double(count))
        }
        text.single(
            "holdfast_column_bytes", .gauge,
            "Bytes of memory of columns, which scans are answered from.",
            Double(store.columns.byteCount))
        writeMigration(to: text)
        text.single(
            "holdfast_oldest_export_seconds", .gauge,
            "Age of the oldest export that is being sent; its snapshot keeps pages from being used again.",
            Double(transfers.oldestExportSeconds))
        text.single(
            "holdfast_pinned_versions", .gauge,
            "Versions that are pinned for further reads; each keeps pages from being used again.",
            Double(served.pins.versionCount))
        text.family(
            "holdfast_held_versions", .gauge,
            "Versions that are held for longer than a request, by the kind of holder.",
            by: "holder",
            RetainedVersions.Holder.allCases.map {
                ($0.rawValue, Double(store.retainedVersions.count(of: $0)))
            })
        text.single(
            "holdfast_waiting_writes", .gauge,
            "Writes that wait for the writer, without the writes that it is running.",
            Double(store.waitingWriteCount))
        let commits = store.commitStatistics
        text.single(
            "holdfast_commits_total", .counter, "Commits, each with one sync.",
            Double(commits.commitCount))
        text.single(
            "holdfast_transactions_total", .counter,
            "Transactions that were committed; by commits, the mean size of a group.",
            Double(commits.transactionCount))
        text.single(
            "holdfast_commit_seconds_total", .counter,
            "Time that the engine took to apply and sync commits.", commits.seconds)
        text.single(
            "holdfast_commit_failures_total", .counter, "Commits that the engine refused.",
            Double(commits.failureCount))
    }

    private func writeMigration(to text: MetricsText) {
        let progress = store.migrationProgress
        text.family(
            "holdfast_migration_phase", .gauge,
            "The phase of a change of the schema: 1 for reading, writing, or removing leftovers.",
            by: "phase",
            MigrationProgress.Phase.allCases.map { ($0.rawValue, progress?.phase == $0 ? 1 : 0) })
        text.single(
            "holdfast_migration_objects_done", .gauge,
            "Objects read and written by the change of the schema, or entries removed after it.",
            Double(progress?.doneCount ?? 0))
        text.single(
            "holdfast_migration_objects", .gauge,
            "Objects that the change of the schema reads and writes in all; 0 while entries are removed.",
            Double(progress?.totalCount ?? 0))
    }

    private func writeScheduler(to text: MetricsText) {
        let counts = served.scheduler.counts
        text.single(
            "holdfast_jobs_waiting", .gauge,
            "Reads and other work that wait for their first time slice, or to begin again.",
            Double(counts.waiting))
        text.single(
            "holdfast_jobs_running", .gauge, "Reads and other work that run.",
            Double(counts.running))
        text.single(
            "holdfast_jobs_long", .gauge,
            "Reads that have outlived their first time slice and hold a snapshot, whether they run or wait for "
                + "their next slice.", Double(counts.long))
        text.single(
            "holdfast_memory_returns_total", .counter,
            "How often memory that long reads had freed was given back to the system.",
            Double(served.scheduler.memoryReturns))
    }

    private func writeProcess(to text: MetricsText) {
        let figures = ProcessFigures.read()
        text.single(
            "process_resident_memory_bytes", .gauge, "Memory in RAM, mapped files included.",
            Double(figures.residentByteCount))
        text.single(
            "holdfast_anonymous_memory_bytes", .gauge, "Memory in RAM that belongs to no file.",
            Double(figures.anonymousByteCount))
        text.single(
            "process_open_fds", .gauge, "Open file descriptors.", Double(figures.openFileCount))
        text.single(
            "process_cpu_seconds_total", .counter, "Processor time, user and system.",
            figures.cpuSeconds)
        text.single(
            "process_start_time_seconds", .gauge, "When the process started, since 1970.",
            figures.startSeconds)
    }
}

/// Writes figures in Prometheus' text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/).
struct MetricsText {
    /// The kinds of figure.
    enum Kind: String { case counter, gauge, histogram }

    /// The text so far.
    let buffer = ByteBuffer(capacity: 16 << 10)

    /// Begins a family; its samples follow.
    func family(_ name: String, _ kind: Kind, _ help: String) {
        buffer.append("# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
    }

    /// Writes a family of one sample for each text of a label.
    func family(
        _ name: String, _ kind: Kind, _ help: String, by label: String,
        _ samples: [(String, Double)]
    ) {
        family(name, kind, help)
        for (text, value) in samples { sample(name, [(label, text)], value) }
    }

    func sample(_ name: String, _ labels: [(String, String)] = [], _ value: Double) {
        buffer.append(name)
        if !labels.isEmpty {
            buffer.append(UInt8(ascii: "{"))
            for (index, (label, text)) in labels.enumerated() {
                if index > 0 { buffer.append(UInt8(ascii: ",")) }
                buffer.append(label)
                buffer.append("=\"" as StaticString)
                appendEscaped(text)
                buffer.append(UInt8(ascii: "\""))
            }
            buffer.append(UInt8(ascii: "}"))
        }
        buffer.append(UInt8(ascii: " "))
        if let integer = Int64(exactly: value) {
            buffer.append(String(integer))
        } else {
            buffer.append(value.isInfinite ? (value < 0 ? "-Inf" : "+Inf") : String(value))
        }
        buffer.append(UInt8(ascii: "\n"))
    }

    /// Writes a family of one sample without labels.
    func single(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        family(name, kind, help)
        sample(name, [], value)
    }

    private func appendEscaped(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): buffer.append("\\\\" as StaticString)
            case UInt8(ascii: "\""): buffer.append("\\\"" as StaticString)
            case UInt8(ascii: "\n"): buffer.append("\\n" as StaticString)
            default: buffer.append(byte)
            }
        }
    }
}

/// The resource usage of the process, from /proc (proc(5)).
struct ProcessFigures {
    /// Memory in RAM, mapped files included.
    var residentByteCount = 0
    /// Memory in RAM that belongs to no file but to the process itself.
    var anonymousByteCount = 0
    /// Open file descriptors.
    var openFileCount = 0
    /// Processor time of all threads, user and system.
    var cpuSeconds = 0.0
    /// When the process started, in seconds since 1970; 0 when the system does not tell.
    var startSeconds = 0.0

    /// Reads the figures of this moment; one that can't be read is 0. Cost: some system calls.
    static func read() -> ProcessFigures {
        var figures = ProcessFigures()
        for line in text(of: "/proc/self/status").split(separator: "\n") {
            let fields = line.split { $0 == " " || $0 == "\t" }
            guard fields.count >= 2, let kibibytes = Int(fields[1]) else { continue }
            if fields[0] == "VmRSS:" { figures.residentByteCount = kibibytes << 10 }
            if fields[0] == "RssAnon:" { figures.anonymousByteCount = kibibytes << 10 }
        }
        if let folder = opendir("/proc/self/fd") {
            while let entry = readdir(folder) {
                // Everything but `.`, `..` and the descriptor of this very look.
                if entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) {
                    figures.openFileCount += 1
                }
            }
            closedir(folder)
            figures.openFileCount -= 1
        }
        var usage = rusage()
        if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
            for time in [usage.ru_utime, usage.ru_stime] {
                figures.cpuSeconds += Double(time.tv_sec) + Double(time.tv_usec) / 1e6
            }
        }
        figures.startSeconds = started
        return figures
    }

    private static let started: Double = {
        // The 22nd field, counted behind the name in parentheses, which may hold anything.
        let stat = text(of: "/proc/self/stat")
        guard let end = stat.lastIndex(of: ")") else { return 0 }
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let ticks = Double(fields[19]) else { return 0 }
        for line in text(of: "/proc/stat").split(separator: "\n") where line.hasPrefix("btime ") {
            guard let boot = Double(line.dropFirst(6)) else { break }
            return boot + ticks / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
        }
        return 0
    }()

    private static func text(of path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = bytes.withUnsafeMutableBytes { readAll(file, into: $0, at: 0) }
        return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    }
}
