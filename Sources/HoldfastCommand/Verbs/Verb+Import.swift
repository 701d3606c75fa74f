import Glibc
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRESTAPI
import HoldfastStoreService
import HoldfastThreads
import HoldfastTransfer

extension Verb {
    static let importObjects = Verb(
        name: "import", summary: "Imports objects of one class, or a whole store.",
        operands: "FILE|-", operandCount: 1...1,
        options: importOptions,
        notes: """
            Gzip is recognised. --guess makes the class for a file, as 'schema guess' proposes it, and reads the file
            accordingly. With --class the text is NDJSON, one object a line, CSV or GeoJSON; without it, an export of a
            whole store, whose schema a new store gets too. --realm-json imports the JSON of any version of Realm Studio
            into a store that has its classes, or only --class. Good lines are imported; faulty ones are reported on
            standard error, equal faults together (exit code 1). Links may lead to objects of any line: they are checked at the end.
            """
    ) { arguments throws(CommandFailure) in
        try ImportCommand(arguments).run()
    }

    /// The options in the order of the help.
    private static let importOptions: [Option] = {
        var options = [OpenStore.data] + ServiceClient.options
        options.append(
            Option("class", "NAME", "the class of the objects; without it a whole store's export"))
        options.append(
            Option(flag: "guess", "make the class for FILE first, named like FILE or by --class"))
        options += ReadingOptions.formats
        options += [
            Option(flag: "realm-json", "the text is JSON as Realm Studio exports it"),
            Option(
                "mode", "create|merge|replace|ignore",
                "how to treat objects that exist already", fallback: "create"),
            Option(flag: "atomic", "import all lines or none, in one transaction"),
            Option(
                "unknown", "fault|ignore", "how to treat members that the class does not have",
                fallback: "fault"),
        ]
        options += ReadingOptions.all
        options += [
            OpenStore.durability, OpenStore.mapSize, OpenStore.newEpoch,
            Option("max-import-line", "SIZE", "bytes of one line", fallback: "256MiB"),
        ]
        return options
    }()
}

/// Runs an import into a store that no service has open, or into a running service.
struct ImportCommand {
    let arguments: Arguments
    let className: String?
    let isRealmJSON: Bool
    /// Guesses the class that is made for the file; nil for a class of the store.
    private let guess: GuessCommand?
    let path: String
    var options = ImportOptions()

    /// Reads the options.
    init(_ arguments: Arguments) throws(CommandFailure) {
        self.arguments = arguments
        isRealmJSON = arguments.has("realm-json")
        path = arguments.operands.first ?? "-"
        let isGuessed = arguments.has("guess")
        if isGuessed, isRealmJSON {
            throw .usage(
                "--guess does not go with --realm-json: the console's page 'Move' proposes the classes of such a file"
            )
        }
        if isGuessed, path == "-" { throw .usage("--guess reads its text twice: name a FILE") }
        guess = try isGuessed ? GuessCommand(arguments) : nil
        className = guess?.className ?? arguments.text("class")
        options.mode = try arguments.choice("mode", .create, of: ImportOptions.modes, \.rawValue)
        options.isAtomic = arguments.has("atomic")
        options.limits.temporaryDirectory = OpenStore.directory(arguments)
        options.limits.importByteRateMin = 0
        options.limits.importFaultCountMax = .max
        options.groupsFaults = !isRealmJSON
        let unknown = try arguments.choice("unknown", "fault", of: ["fault", "ignore"], \.self)
        options.ignoresUnknown = unknown == "ignore"
        try readForm()
        if let count = try arguments.byteCount("max-import-line") {
            options.limits.importLineByteCountMax = count
        }
    }

    /// Reads the options that say how the text is written.
    private mutating func readForm() throws(CommandFailure) {
        // The proposal has these options.
        if guess != nil { return }
        let stated = try ReadingOptions.format(arguments, besides: ["realm-json"])
        let isOfClass = className != nil && !isRealmJSON
        let file = ReadingOptions.format(ofFile: path)
        options.format = stated ?? (isOfClass ? file.format : nil) ?? .ndjson
        if options.format == .csv, file.hasTabs { options.csv.delimiter = UInt8(ascii: "\t") }
        try ReadingOptions.read(arguments, into: &options)
        if let option = options.format.option, !isOfClass {
            throw .usage("--\(option) needs --class")
        }
        if options.isAtomic, !isOfClass {
            throw .usage("--atomic needs --class, and does not go with --realm-json")
        }
    }

    /// The subject of the import, for messages.
    var subject: String { className ?? "store" }

    /// Imports; returns when all is durable.
    func run() throws(CommandFailure) -> ExitCode {
        if let client = try ServiceClient(arguments) {
            guard let guess else { return try run(client) }
            return try run(client, proposed: makeClass(guess, in: client))
        }
        let proposal = try guess?.propose(needsStore: false)
        let isMaking = className == nil && !isRealmJSON || proposal != nil
        let store = try OpenStore.open(
            arguments, for: isMaking ? .making : .changing,
            instead: ServiceAddress(arguments).instead)
        defer { store.close() }
        var command = self
        if let proposal { command.options = try makeClass(proposal, in: store) }
        return try command.run(store)
    }

    private func run(_ store: Store) throws(CommandFailure) -> ExitCode {
        if let className {
            try CommandFailure.telling(
                ImportTarget.objects(className: className).check(store.catalog.rows, options.mode))
        }
        let start = monotonicNanoseconds()
        var converter: RealmJSONConverter?
        let report = try importAll(store, &converter)
        if let groups = report.groups { complain(groups) }
        for entry in report.groups == nil ? report.faults : [] {
            let pointer = entry.fault.pointer.map { $0.isEmpty ? "" : " at \($0)" } ?? ""
            let location = converter?.location(ofLine: entry.line) ?? "line \(entry.line)"
            Terminal.complain("\(location)\(pointer): \(entry.fault.detail) (\(entry.fault.code))")
        }
        for fault in (converter?.faults ?? []).prefix(options.faultCountMax) {
            Terminal.complain("\(fault.location): \(fault.detail)")
        }
        let failedCount = report.failedCount + (converter?.faults.count ?? 0)
        if options.format == .ndjson, className != nil, report.faults.first?.line == 1,
            let first = report.faults.first?.fault, first.pointer?.isEmpty ?? true,
            first.code == "malformed-json" || first.code == "wrong-type"
        {
            Terminal.complain(
                "the first line is not a JSON object: CSV needs --csv, GeoJSON --geojson, an array of objects "
                    + "and MongoDB's export --extended-json, and Realm Studio's export --realm-json"
            )
        }
        let seconds = max(Double(monotonicNanoseconds() - start) / 1e9, 1e-3)
        Terminal.write(
            "\(subject): \(report.importedCount) imported, "
                + (report.ignoredCount.map { "\($0) ignored, " } ?? "") + "\(failedCount) failed, "
                + (report.unknownCount.map { "\($0) unknown members left out, " } ?? "")
                + "\(Int(Double(report.importedCount) / seconds)) a second, version \(report.version)\n"
        )
        return failedCount == 0 ? .success : .failure
    }

    /// Reports faults, equal ones together.
    func complain(_ groups: FaultGroups) {
        for group in groups.list { Terminal.complain(group.text) }
        if groups.restCount > 0 {
            Terminal.complain(
                "\(groups.restCount) more faults, of other columns or kinds: correct these first, then "
                    + "import again")
        }
    }

    /// - `converter`: Set for JSON of Realm Studio.
    private func importAll(
        _ store: Store, _ converter: inout RealmJSONConverter?
    ) throws(CommandFailure) -> ImportReport {
        let input = try GzipInput(path)
        let target = isRealmJSON ? nil : className
        let session = ImportSession(
            store, target.map { .objects(className: $0) } ?? .store, options)
        var byteCount = 0
        let outcome: Result<ImportReport, RequestFault>?
        do throws(CommandFailure) {
            outcome = try session.run { feed throws(CommandFailure) in
                if isRealmJSON {
                    converter = RealmJSONConverter(
                        store.catalog, options, onlyClass: className, feed.send)
                }
                while true {
                    let piece = try input.read()
                    if piece.isEmpty { break }
                    byteCount += piece.count
                    if let converter {
                        try CommandFailure.telling(converter.append(piece))
                    } else {
                        feed.send(piece)
                    }
                    Terminal.progress(
                        "\(subject): \(byteCount >> 20) MiB read, \(session.progress) objects")
                }
                if let converter { try CommandFailure.telling(converter.complete()) }
            }
        } catch {
            throw CommandFailure(
                "\(error.message) (\(session.progress) lines before it were processed)")
        }
        switch outcome {
        case .success(let report)?: return report
        case .failure(let fault)?: throw CommandFailure(fault)
        case nil: throw CommandFailure("the import was given up")
        }
    }
}
