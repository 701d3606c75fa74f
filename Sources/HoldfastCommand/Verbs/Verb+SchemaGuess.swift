import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRESTAPI
import HoldfastStorageLMDB
import HoldfastTransfer

extension Verb {
    static let schemaGuess = Verb(
        name: "schema guess",
        summary: "Proposes a class for a file, with reasons and the options of its import.",
        operands: "FILE|-", operandCount: 1...1,
        options: guessOptions,
        notes: """
            Prints JSON: the class as 'PUT /v1/schema/classes/{class}' takes it, embedded classes that go before it, the
            options of 'holdfast import' that fit, and the reason for each property. Nothing is changed, except by --put, which
            puts the classes, and prints the reasons and the command that imports the file. Only the first
            MiB, and at most 10,000 objects, are read. The file is CSV, one JSON object a line, an array of objects,
            MongoDB's extended JSON or a FeatureCollection; gzip is recognised. Links are proposed to classes of the
            store, if there is one. Options that you state are kept, and the rest is guessed:
              holdfast schema guess --class Sale --put sales.csv
            """
    ) { arguments throws(CommandFailure) in
        try GuessCommand(arguments).run()
    }

    /// The options in the order of the help.
    private static let guessOptions: [Option] = {
        var options = [OpenStore.data] + ServiceClient.options
        options.append(
            Option("class", "NAME", "the name of the class", fallback: "the file's name"))
        options += [
            Option(flag: "put", "put the classes into the store; the class may not be there yet"),
            Option(
                "index", "PROPERTY", "give a property an index, with --put; repeatable",
                isRepeatable: true),
        ]
        options += ReadingOptions.formats
        options += ReadingOptions.all
        options += [OpenStore.durability, OpenStore.mapSize]
        return options
    }()
}

/// Proposes a class for a file, beside the classes of a directory or of a running service.
struct GuessCommand {
    private let arguments: Arguments
    private let path: String
    private let className: String
    private let sample: GuessSample
    private let form: GuessSample.Form
    /// The options as far as they are stated.
    private let reading: ImportOptions
    private let hasDelimiter: Bool

    /// Reads the options, and the beginning of the file.
    init(_ arguments: Arguments) throws(CommandFailure) {
        self.arguments = arguments
        path = arguments.operands.first ?? "-"
        className = arguments.text("class") ?? GuessOptions.className(ofFile: path)
        guard !arguments.has("csv") || !arguments.has("extended-json") else {
            throw .usage("--csv does not go with --extended-json")
        }
        guard arguments.has("put") || arguments.texts("index").isEmpty else {
            throw .usage("--index needs --put: without it nothing is changed")
        }
        sample = try Self.read(path)
        let file = ReadingOptions.isCSV(path)
        if arguments.has("csv") || (!arguments.has("extended-json") && file.isCSV) {
            form = .csv
        } else {
            form = arguments.has("extended-json") ? .json : sample.form
        }
        var reading = ImportOptions()
        reading.format = form == .csv ? .csv : .extendedJSON
        hasDelimiter = arguments.text("delimiter") != nil || file.hasTabs
        if file.hasTabs { reading.csv.delimiter = UInt8(ascii: "\t") }
        try ReadingOptions.read(arguments, into: &reading)
        self.reading = reading
    }

    /// The beginning of a file.
    private static func read(_ path: String) throws(CommandFailure) -> GuessSample {
        let input = try GzipInput(path)
        var bytes: [UInt8] = []
        while bytes.count < GuessSample.byteCountMax {
            let piece = try input.read()
            if piece.isEmpty { break }
            bytes += piece
        }
        return bytes.withUnsafeBytes { GuessSample($0) }
    }

    /// Prints the proposal, or puts its classes.
    func run() throws(CommandFailure) -> ExitCode {
        if let client = try ServiceClient(arguments) { return try run(client) }
        let isPut = arguments.has("put")
        // A default directory without a store has no classes.
        guard
            isPut || arguments.text("data") != nil
                || LMDBEngine.isStore(directory: OpenStore.directory(arguments))
        else {
            let proposal = try CommandFailure.telling(ClassProposal(of: sample, options, nil))
            Terminal.write(proposal.text(encoding: ObjectPath.segment) + "\n")
            return .success
        }
        let store = try OpenStore.open(
            arguments, for: isPut ? .making : .reading, instead: ServiceAddress(arguments).instead)
        defer { store.close() }
        let text = try propose(in: store).text(encoding: ObjectPath.segment)
        guard isPut else {
            Terminal.write(text + "\n")
            return .success
        }
        let proposed = try proposed(Array(text.utf8))
        try proposed.put(in: store)
        report(proposed, in: arguments.text("data").map { ["--data", $0] } ?? [])
        return .success
    }

    /// Asks a running service for the proposal.
    private func run(_ client: ServiceClient) throws(CommandFailure) -> ExitCode {
        var rest = sample.bytes[...]
        let reply = try client.text(
            "POST", target,
            headers: [
                "Accept: application/json",
                "Content-Type: \(form == .csv ? "text/csv" : "application/json")",
            ],
            body: { buffer in
                let count = min(rest.count, buffer.count)
                buffer.copyBytes(from: rest.prefix(count))
                rest = rest.dropFirst(count)
                return count
            })
        guard arguments.has("put") else {
            Terminal.write(reply + [UInt8(ascii: "\n")], to: 1)
            return .success
        }
        let proposed = try proposed(reply)
        try proposed.put(in: client)
        report(proposed, in: arguments.text("url").map { ["--url", $0] } ?? [])
        return .success
    }

    /// A proposal with the indexes that the options state.
    private func proposed(_ text: [UInt8]) throws(CommandFailure) -> ProposedClass {
        var proposed = try ProposedClass(text)
        for name in arguments.texts("index") { try proposed.index(name) }
        return proposed
    }

    private func report(_ proposed: ProposedClass, in place: [String]) {
        Terminal.write(proposed.report(file: path, in: place))
    }

    private var options: GuessOptions {
        var options = GuessOptions(reading, className: className)
        options.form = form
        options.hasDelimiter = hasDelimiter
        return options
    }

    /// Proposes a class beside the classes of a store.
    private func propose(in store: Store) throws(CommandFailure) -> ClassProposal {
        do throws(StoreError) {
            return try store.withRead { read throws(StoreError) -> ClassProposal in
                do throws(RequestFault) {
                    return try ClassProposal(of: sample, options, read)
                } catch { throw .refused(error) }
            }
        } catch { throw CommandFailure(RequestFault(error)) }
    }

    private var target: String {
        var query = TargetQuery()
        query.add("class", className)
        query.addReading(arguments, reading.format)
        if form == .csv, hasDelimiter {
            query.add("delimiter", String(decoding: [reading.csv.delimiter], as: UTF8.self))
        }
        return "/v1/schema/propose" + query.text
    }
}
