import Glibc
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRESTAPI
import HoldfastStoreService
import HoldfastTransfer

extension Verb {
    static let exportObjects = Verb(
        name: "export", summary: "Writes a whole store, or the objects of a class.",
        operands: "[FILE]", operandCount: 0...1,
        options: [
            OpenStore.data
        ] + ServiceClient.options + [
            Option("class", "NAME", "the class of the objects; without it the whole store"),
            Option(
                flag: "csv", "write CSV with a header line, for --class; default for a FILE *.csv"),
            Option(
                "fields", "NAMES", "the properties to write, with commas between, for --class",
                fallback: "all"), OpenStore.mapSize,
        ],
        notes:
            "It writes NDJSON, one object a line. A whole store begins with its schema, for 'import'. Without "
            + "FILE, or with '-', it writes to standard output. An existing FILE is replaced."
    ) { arguments throws(CommandFailure) in
        try ExportCommand(arguments).run()
    }
}

/// Runs an export from a store that no service has open, or from a running service.
struct ExportCommand {
    private let arguments: Arguments
    private let className: String?

    /// Reads the options.
    init(_ arguments: Arguments) throws(CommandFailure) {
        self.arguments = arguments
        className = arguments.text("class")
        if className == nil, arguments.has("csv") || arguments.text("fields") != nil {
            throw .usage("--csv and --fields need --class")
        }
    }

    /// Exports; returns when all is written.
    func run() throws(CommandFailure) -> ExitCode {
        if let client = try ServiceClient(arguments) {
            let target = "/v1/schema/classes/\(ObjectPath.segment(path))"
            if mayNameClass, try client.send("GET", target).status == 200 { throw classAsFile }
            return try run(client)
        }
        let store = try OpenStore.open(
            arguments, for: .reading, instead: ServiceAddress(arguments).instead)
        defer { store.close() }
        if mayNameClass, store.catalog.rows.rowClass(named: path) != nil { throw classAsFile }
        let directory = OpenStore.directory(arguments)
        let view: LongRead
        do throws(StoreError) {
            view = try store.holdRead()
        } catch {
            throw OpenStore.failure(error, directory)
        }
        defer { view.close() }
        let content =
            className.map {
                ExportContent.objects(.ofClass($0), fields: arguments.text("fields"), isCSV: isCSV)
            } ?? .store
        let cursor = try CommandFailure.telling(ExportCursor(content, view, SchemaNames(view.rows)))
        let file = try OutputFile(path)
        while true {
            let piece: UnsafeRawBufferPointer
            do throws(StoreError) {
                piece = try cursor.next()
            } catch {
                throw OpenStore.failure(error, directory)
            }
            if piece.isEmpty { break }
            guard file.write(piece) else {
                if file.isUnread { return .failure }
                throw file.unwritable
            }
            show(file)
        }
        return try finish(file)
    }

    private func run(_ client: ServiceClient) throws(CommandFailure) -> ExitCode {
        var query = TargetQuery()
        if let fields = arguments.text("fields") { query.add("fields", fields) }
        let target =
            className.map { "/v1/classes/\(ObjectPath.segment($0))/export" } ?? "/v1/export"
        let file = try OutputFile(path)
        let type = isCSV ? "text/csv" : "application/x-ndjson"
        let (status, refusal) = try client.send(
            "GET", target + query.text, headers: ["Accept: \(type)"],
            reply: { piece in
                guard file.write(piece) else { return false }
                show(file)
                return true
            })
        if file.isUnread { return .failure }
        if status == 0 { throw file.unwritable }
        if status >= 300 { throw ServiceClient.refused(status, refusal) }
        return try finish(file)
    }

    /// Whether FILE may be a class by mistake, which would get the whole store.
    private var mayNameClass: Bool { className == nil && !path.contains { "-./".contains($0) } }

    private var classAsFile: CommandFailure {
        .usage(
            "'\(path)' is a class; did you mean --class \(path)? A FILE of this name is ./\(path)")
    }

    private var path: String { arguments.operands.first ?? "-" }

    private var isCSV: Bool {
        arguments.has("csv") || className != nil && path.lowercased().hasSuffix(".csv")
    }

    private func show(_ file: OutputFile) {
        if file.isStandardOutput, isatty(1) == 1 { return }
        Terminal.progress("\(className ?? "store"): \(file.byteCount >> 20) MiB written")
    }

    private func finish(_ file: OutputFile) throws(CommandFailure) -> ExitCode {
        Terminal.endProgress()
        try file.finish()
        return .success
    }
}
