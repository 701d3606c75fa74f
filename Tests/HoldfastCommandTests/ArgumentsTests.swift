import HoldfastRESTAPI
import Testing

@testable import HoldfastCommand

@Suite("Arguments")
struct ArgumentsTests {
    private let verb = Verb(
        name: "try", summary: "Tries.", operands: "FILE", operandCount: 0...1,
        options: [
            Option("data", "DIR", "a directory"), Option("size", "SIZE", "a size"),
            Option("age", "DURATION", "an age"), Option("count", "N", "a number"),
            Option("origin", "URL", "origins", isRepeatable: true), Option(flag: "force", "a flag"),
        ]
    ) { _ in .success }

    private func parse(
        _ words: [String], _ environment: [String: String] = [:]
    ) throws(CommandFailure) -> Arguments {
        try Arguments(words, verb: verb, environment: environment)
    }

    @Test("are options in either spelling, flags and operands")
    func spellings() throws {
        let arguments = try parse([
            "--data", "a", "--force", "x", "--size=3KiB", "--origin", "p", "--origin=q",
        ])
        #expect(arguments.text("data") == "a")
        #expect(arguments.has("force"))
        #expect(arguments.operands == ["x"])
        #expect(try arguments.byteCount("size") == 3072)
        #expect(arguments.texts("origin") == ["p", "q"])
        #expect(try parse(["--", "--data"]).operands == ["--data"])
        #expect(try parse(["-"]).operands == ["-"])
        #expect(try parse(["--help", "--nonsense"]).wantsHelp)
    }

    @Test("come from the environment when they are not given")
    func environment() throws {
        let variables = [
            "HOLDFAST_DATA": "e", "HOLDFAST_FORCE": "true", "HOLDFAST_ORIGIN": "a,b",
            "HOLDFAST_COUNT": "",
        ]
        let arguments = try parse(["--data", "a"], variables)
        #expect(arguments.text("data") == "a")
        #expect(arguments.has("force"))
        #expect(arguments.texts("origin") == ["a", "b"])
        #expect(arguments.text("count") == nil)
        let off = try parse([], ["HOLDFAST_FORCE": "false"])
        #expect(!off.has("force"))
        #expect(throws: CommandFailure.self) { try parse([], ["HOLDFAST_FORCE": "maybe"]) }
    }

    @Test(
        "that are wrong say what is right",
        arguments: [
            (["--dat", "a"], "--data"), (["--data"], "needs a value"),
            (["--force=1"], "takes no value"),
            (["--data", "a", "--data", "b"], "twice"), (["a", "b"], "FILE"),
            (["-x"], "no option -x"),
        ])
    func faults(words: [String], message: String) {
        let failure = #expect(throws: CommandFailure.self) { try parse(words) }
        #expect(failure?.code == .usage)
        #expect(failure?.message.contains(message) == true)
    }

    @Test(
        "of other programs lead to ours",
        arguments: [
            ("serve", ["--port", "8080"], "did you mean --listen HOST:PORT?"),
            ("serve", ["-p", "8080"], "did you mean --listen HOST:PORT?"),
            ("serve", ["--db=x"], "did you mean --data DIR?"),
            ("serve", ["-d", "x"], "did you mean --data DIR?"),
            ("serve", ["/tmp/x"], "did you mean --data /tmp/x?"),
            ("schema get", ["--server", "x"], "did you mean --url URL?"),
            ("access get", ["--data", "x"], "did you mean --url URL?"),
            ("health", ["--url", "x"], "did you mean --listen HOST:PORT?"),
            ("export", ["--class", "A", "--format", "csv"], "did you mean --csv?"),
            ("account create", ["--email", "a", "-"], "did you mean --login LOGIN?"),
            ("import", ["Trip", "a.json"], "did you mean --class Trip?"),
            ("import", ["a.json", "b.json"], nil),
            ("import", ["--class", "A", "B", "a.json"], nil),
            ("export", ["--class", "A", "--format", "yaml"], nil),
            ("serve", ["--data", "x", "/tmp/x"], nil), ("health", ["/tmp/x"], nil),
        ] as [(String, [String], String?)])
    func foreignOptions(name: String, words: [String], hint: String?) throws {
        let verb = try #require(App.verbs.first { $0.name == name })
        let failure = #expect(throws: CommandFailure.self) {
            try Arguments(words, verb: verb, environment: [:])
        }
        #expect(failure?.code == .usage)
        let message = failure?.message ?? ""
        #expect(message.contains(hint ?? "did you mean") == (hint != nil), "\(message)")
    }

    @Test(
        "begin with a verb, which one of other programs leads to",
        arguments: [
            (["start"], "serve"), (["run", "--data", "x"], "serve"), (["dump"], "export"),
            (["load", "x"], "import"), (["repair"], "check"), (["vacuum"], "compact"),
            (["migrate", "x"], "schema put"), (["typegen"], "schema typescript"),
            (["infer", "x.csv"], "schema guess"),
            (["user", "create"], "account create"), (["admin", "create"], "token create"),
            (["db", "push"], "schema put"), (["studio"], "serve"),
            (["user"], "account"), (["users", "frobnicate"], "account"), (["-v"], "--version"),
            (["serv"], "serve"), (["frobnicate"], nil),
        ] as [([String], String?)])
    func foreignVerbs(words: [String], verb: String?) {
        #expect(Verb.meant(by: words, among: App.verbs) == verb)
    }

    @Test("take a folder that is stated for what is meant, whatever service a variable names")
    func folderAndService() throws {
        let verb = Verb(
            name: "try", summary: "Tries.",
            options: [Option("data", "DIR", "a folder")] + ServiceClient.options
        ) { _ in .success }
        let variables = ["HOLDFAST_URL": "http://127.0.0.1:8080", "HOLDFAST_TOKEN": "hf_"]
        let folder = try Arguments(["--data", "a"], verb: verb, environment: variables)
        #expect(folder.text("url") == nil && folder.text("data") == "a")
        let service = try Arguments([], verb: verb, environment: variables)
        #expect(service.text("url") != nil)
        let failure = #expect(throws: CommandFailure.self) {
            try Arguments(
                ["--data", "a", "--url", "http://127.0.0.1:8080"], verb: verb, environment: [:])
        }
        #expect(failure?.message.contains("give one of them") == true)
    }

    @Test(
        "have durations and sizes",
        arguments: [
            ("90s", 90), ("5m", 300), ("12h", 43_200), ("7d", 604_800), ("0s", nil), ("5", nil),
            ("1w", nil),
            ("s", nil), ("-1s", nil), ("99999999999999999999d", nil), ("9223372036854775807d", nil),
        ] as [(String, Int?)])
    func durations(text: String, seconds: Int?) throws {
        if let seconds {
            let read = try parse(["--age", text]).seconds("age")
            #expect(read == seconds)
        } else {
            #expect(throws: CommandFailure.self) { try parse(["--age", text]).seconds("age") }
        }
    }

    @Test(
        "have sizes in bytes",
        arguments: [
            ("17", 17), ("1B", 1), ("2KiB", 2048), ("32MiB", 32 << 20), ("1GiB", 1 << 30),
            ("1TiB", 1 << 40),
            ("1kB", 1000), ("5MB", 5_000_000), ("1mib", nil), ("KiB", nil), ("", nil), ("0", nil),
            ("0MiB", nil), ("9223372036854775807KiB", nil),
        ] as [(String, Int?)])
    func sizes(text: String, byteCount: Int?) throws {
        if let byteCount {
            let read = try parse(["--size", text]).byteCount("size")
            #expect(read == byteCount)
        } else {
            #expect(throws: CommandFailure.self) { try parse(["--size=" + text]).byteCount("size") }
        }
    }

    @Test("take 0 for no columns at all, and for no other size")
    func noColumns() throws {
        for text in ["0", "0MiB"] {
            var options = ServiceOptions()
            let limit = try #require(Limit.all.first { $0.option == "column-memory" })
            let verb = Verb(name: "try", summary: "Tries.", options: [limit.commandOption]) { _ in
                .success
            }
            let arguments = try Arguments(
                ["--column-memory", text], verb: verb, environment: [:])
            try limit.apply(arguments, to: &options)
            #expect(options.store.columns.byteCountMax == 0)
        }
        let failure = #expect(throws: CommandFailure.self) {
            try parse(["--size", "0"]).byteCount("size")
        }
        #expect(failure?.message.contains("--size has to be more than '0'") == true)
    }

    @Test("of every verb are in its help, with their defaults")
    func help() {
        for verb in App.verbs {
            for option in verb.options {
                #expect(verb.help.contains("--\(option.name)"))
                if let fallback = option.fallback {
                    #expect(verb.help.contains("(default: \(fallback))"))
                }
            }
            #expect(Set(verb.options.map(\.name)).count == verb.options.count)
        }
    }
}
