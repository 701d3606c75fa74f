import CZlib
import Glibc
import ObjectStore
import RESTAPI
import Threads

extension Verb {
    /// `holdfast import`
    static let importObjects = Verb(
        name: "import", summary: "Imports NDJSON, one object a line, into a class.",
        operands: "FILE|-", operandCount: 1...1,
        options: [
            OpenStore.data, Option("class", "NAME", "the class of the objects"),
            Option(
                "mode", "create|merge|replace|ignore",
                "what becomes of objects that are there already",
                fallback: "create"),
            Option(flag: "atomic", "take all lines or none, in one transaction"),
            OpenStore.durability, OpenStore.mapSize,
            Option("max-import-line", "SIZE", "bytes of one line", fallback: "32MiB"),
        ],
        notes: """
            Gzip is recognised by itself. Good lines are kept and faulty ones reported on standard error,
            with exit code 1. Links may lead to objects of any line: they are checked at the end.
            """
    ) { arguments throws(CommandFailure) in
        try ImportCommand(arguments).run()
    }
}

/// Runs an import into a store that no service has open.
struct ImportCommand {
    private enum Mode: String, CaseIterable { case create, merge, replace, ignore }

    private let arguments: Arguments
    private let className: String
    private let path: String
    private var options = ImportOptions()

    /// Reads the options.
    init(_ arguments: Arguments) throws(CommandFailure) {
        self.arguments = arguments
        className = try arguments.required("class")
        path = arguments.operands.first ?? "-"
        options.mode =
            WriteMode(rawValue: try arguments.choice("mode", Mode.create).rawValue) ?? .create
        options.isAtomic = arguments.has("atomic")
        options.directory = try arguments.required("data")
        if let count = try arguments.byteCount("max-import-line") {
            options.lineByteCountMax = count
        }
    }

    /// Imports; returns when all is durable.
    func run() throws(CommandFailure) -> ExitCode {
        let address = ServiceAddress(arguments)
        let file = path == "-" ? "-" : "'\(path)'"
        let gzip = path.hasSuffix(".gz") ? " -H 'Content-Encoding: gzip'" : ""
        let target =
            "/v1/classes/\(ServiceAddress.escape(className))/import?mode=\(options.mode.rawValue)"
        let store = try OpenStore.open(
            arguments, createsMissing: false,
            instead: "a running service imports by itself: curl -T \(file)\(gzip) -X POST "
                + "-H 'Content-Type: application/x-ndjson' '\(address.url)\(target)'")
        defer { store.close() }
        guard let objectClass = store.catalog.schema.objectClass(named: className) else {
            let names = store.catalog.schema.classes.map(\.name)
            let hint =
                NearestName.of(className, among: names).map { "; did you mean '\($0)'?" } ?? ""
            throw CommandFailure("the store has no class '\(className)'\(hint)")
        }
        switch objectClass.kind {
        case .object: break
        case .embedded:
            throw CommandFailure("the class '\(className)' is embedded: its objects live in others")
        case .asymmetric where options.mode != .create:
            throw CommandFailure(
                "the class '\(className)' is asymmetric: its objects are only created, with --mode create"
            )
        case .asymmetric: break
        }
        let start = Clock.seconds()
        let report = try importAll(store)
        Terminal.endProgress()
        for entry in report.faults {
            let pointer = entry.fault.pointer.map { $0.isEmpty ? "" : " at \($0)" } ?? ""
            Terminal.complain(
                "line \(entry.line)\(pointer): \(entry.fault.detail) (\(entry.fault.code))")
        }
        let seconds = max(Clock.seconds() - start, 1e-3)
        Terminal.write(
            "\(className): \(report.importedCount) imported, \(report.failedCount) failed, "
                + "\(Int(Double(report.importedCount) / seconds)) a second, version \(report.version)\n"
        )
        return report.failedCount == 0 ? .success : .failure
    }

    private func importAll(_ store: Store) throws(CommandFailure) -> ImportReport {
        let input = try GzipInput(path)
        let room = Monitor(0)
        let result = Monitor<Result<ImportReport, Problem>??>(nil)
        let session = ImportSession(store, .objects(className: className), options) {
            room.signal {
                $0 += 1
                return true
            }
        }
        session.start { outcome in
            result.signal {
                $0 = .some(outcome)
                return true
            }
        }
        var byteCount = 0
        var shownAt = Clock.seconds()
        do throws(CommandFailure) {
            while true {
                let piece = try input.read()
                if piece.isEmpty { break }
                byteCount += piece.count
                if !session.append(piece) {
                    room.wait { count -> Void? in
                        guard count > 0 else { return nil }
                        count -= 1
                        return ()
                    }
                }
                let now = Clock.seconds()
                if now - shownAt >= 0.2 {
                    shownAt = now
                    Terminal.progress(
                        "\(className): \(byteCount >> 20) MiB read, \(session.progress) objects")
                }
            }
        } catch {
            session.abandon()
            _ = result.wait { $0 }
            Terminal.endProgress()
            throw CommandFailure(
                "\(error.message) (\(session.progress) lines before that were dealt with)")
        }
        session.complete()
        switch result.wait({ $0 }) {
        case .success(let report)?: return report
        case .failure(let problem)?:
            Terminal.endProgress()
            throw CommandFailure(problem.detail)
        case nil: throw CommandFailure("the import was given up")
        }
    }
}
