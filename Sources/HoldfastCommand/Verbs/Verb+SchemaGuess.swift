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
            options of 'holdfast import' that fit, and the reason for each property. Nothing is changed. Only the first
            MiB, and at most 10,000 objects, are read. The file is CSV, one JSON object a line, an array of objects,
            MongoDB's extended JSON or a FeatureCollection; gzip is recognised. Links are proposed to classes of the
            store, if there is one. Options that you state are kept, and the rest is guessed:
              holdfast schema guess --class Sale sales.csv
            """
    ) { arguments throws(CommandFailure) in
        try GuessCommand(arguments).run()
    }

    /// The options in the order of the help.
    private static let guessOptions: [Option] = {
        var options = [OpenStore.data] + ServiceClient.options
        options.append(
            Option("class", "NAME", "the name of the class", fallback: "the file's name"))
        options += ReadingOptions.formats
        options += ReadingOptions.all
        options.append(OpenStore.mapSize)
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

    /// Prints the proposal.
    func run() throws(CommandFailure) -> ExitCode {
        if let client = try ServiceClient(arguments) {
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
            Terminal.write(reply + [UInt8(ascii: "\n")], to: 1)
            return .success
        }
        var options = GuessOptions(reading, className: className)
        options.form = form
        options.hasDelimiter = hasDelimiter
        let proposal = try propose(options)
        Terminal.write(proposal.text(encoding: ObjectPath.segment) + "\n")
        return .success
    }

    /// Proposes a class beside the classes of the directory; a default directory without a store has no classes.
    private func propose(_ options: GuessOptions) throws(CommandFailure) -> ClassProposal {
        guard
            arguments.text("data") != nil
                || LMDBEngine.isStore(directory: OpenStore.directory(arguments))
        else { return try CommandFailure.telling(ClassProposal(of: sample, options, nil)) }
        let store = try OpenStore.open(
            arguments, for: .reading, instead: ServiceAddress(arguments).instead)
        defer { store.close() }
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
