import Glibc
import ObjectJSON
import ObjectStore
import RESTAPI
import StoreService

extension Verb {
    /// `holdfast export`
    static let exportObjects = Verb(
        name: "export", summary: "Writes a whole store, or the objects of a class.",
        operands: "[FILE]", operandCount: 0...1,
        options: [
            OpenStore.data,
            Option("class", "NAME", "the class of the objects; without it the whole store"),
            Option(flag: "csv", "write CSV with a header line, for --class"),
            Option(
                "fields", "NAMES", "what to write of each, with commas between, for --class",
                fallback: "all"),
            OpenStore.mapSize,
        ],
        notes:
            "It writes NDJSON, one object a line; of a whole store the schema comes first, and 'import' takes "
            + "it. Without FILE, or with '-', it writes to standard output. A FILE that is there is replaced."
    ) { arguments throws(CommandFailure) in
        try ExportCommand(arguments).run()
    }
}

/// Runs an export from a store that no service has open.
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
        let address = ServiceAddress(arguments)
        let target =
            className.map { "/v1/classes/\(ObjectPath.segment($0))/export" } ?? "/v1/export"
        let accept = arguments.has("csv") ? "-H 'Accept: text/csv' " : ""
        let store = try OpenStore.open(
            arguments, for: .reading,
            instead: "a running service exports by itself: curl \(accept)'\(address.url)\(target)'")
        defer { store.close() }
        let directory = try arguments.required("data")
        let transaction: ReadTransaction
        do throws(StoreError) {
            transaction = try store.read()
        } catch {
            throw OpenStore.failure(error, directory)
        }
        defer { transaction.close() }
        let cursor: ExportCursor
        do throws(RequestFault) {
            let content =
                className.map {
                    ExportContent.objects(
                        .ofClass($0), fields: arguments.text("fields"),
                        isCSV: arguments.has("csv"))
                } ?? .store
            cursor = try ExportCursor(content, transaction, SchemaNames(transaction.rows))
        } catch {
            throw CommandFailure(error)
        }
        let path = arguments.operands.first ?? "-"
        let file = path == "-" ? 1 : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw Self.unwritable(path) }
        defer { if file != 1 { close(file) } }
        var byteCount = 0
        var shownAt = Clock.seconds()
        while true {
            let piece: UnsafeRawBufferPointer
            do throws(StoreError) {
                piece = try cursor.next()
            } catch {
                throw OpenStore.failure(error, directory)
            }
            if piece.isEmpty { break }
            guard Terminal.write(piece, to: file) else {
                // Who reads has had enough, as `head` has.
                if errno == EPIPE, file == 1 { return .failure }
                throw Self.unwritable(path)
            }
            byteCount += piece.count
            let now = Clock.seconds()
            if now - shownAt >= 0.2, file != 1 || isatty(1) == 0 {
                shownAt = now
                Terminal.progress(
                    "\(className ?? "store"): \(byteCount >> 20) MiB written, \(cursor.objectCount) objects"
                )
            }
        }
        Terminal.endProgress()
        if file != 1, fsync(file) != 0, errno != EINVAL { throw Self.unwritable(path) }
        return .success
    }

    private static func unwritable(_ path: String) -> CommandFailure {
        CommandFailure(
            "\(path == "-" ? "standard output" : "'\(path)'") can't be written: "
                + String(cString: strerror(errno)))
    }
}
