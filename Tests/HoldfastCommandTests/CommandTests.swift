import Glibc
import HoldfastTestSupport
import Testing

/// Runs the built command.
private struct Command {
    static let path = ChildProcess.path(ofProduct: "holdfast")

    /// What a run ended with; standard error is in `output` too.
    struct Outcome {
        var status: Int32
        var output: String
    }

    static func run(_ words: String..., input: String? = nil, environment: [String: String] = [:])
        -> Outcome
    {
        run(words, input: input, environment: environment)
    }

    static func run(
        _ words: [String], input: String? = nil, environment: [String: String] = [:]
    ) -> Outcome {
        // A shell joins the two outputs, and closes the input.
        let quoted = ([path] + words).map { "'\($0)'" }.joined(separator: " ")
        let source = input.map { "printf '%s' '\($0)' | " } ?? ""
        let ending = input == nil ? " </dev/null" : ""
        let process = ChildProcess(
            "/bin/sh", ["-c", "\(source)\(quoted) 2>&1\(ending)"], environment: environment)
        var lines: [String] = []
        while let line = process.readLine() { lines.append(line) }
        return Outcome(status: process.wait(), output: lines.joined(separator: "\n"))
    }
}

@Suite("The command")
struct CommandTests {
    private let directory = TemporaryDirectory()
    private var data: String { directory.path + "/data" }
    private let schema = """
        {"classes":[{"name":"Node","primaryKey":"id","properties":{"id":"int","next":"Node"}}]}
        """

    @Test(
        "ends with 2 and a hint when it is called wrongly",
        arguments: [
            ([], "usage: holdfast VERB"), (["serv"], "did you mean 'serve'"),
            (["token", "create"], "--name is needed"),
            (["export", "--url", "localhost"], "http://127.0.0.1:8080"),
            (["import", "--csv", "--extended-json", "--class", "Y", "x"], "does not go with"),
            (["import", "--geojson", "--extended-json", "--class", "Y", "x"], "does not go with"),
            (["import", "--geojson", "x"], "--geojson needs --class"),
            (["import", "--delimiter", "ab", "--class", "Y", "x.csv"], "ASCII"),
            (["import", "--skip", "a", "--class", "Y", "x"], "for CSV"),
            (["import", "--true", "ja", "--class", "Y", "x.ndjson"], "for CSV"),
            (["import", "--date-format", "Am=d", "--class", "Y", "x.csv"], "'Am=%d.%m.%Y'"),
            (
                ["import", "--true", "ja", "--false", "ja", "--class", "Y", "x.csv"],
                "other than that of the opposite"
            ),
            (["serve", "--dta", "x"], "did you mean --data"), (["token"], "token create"),
            (["import", "--data", "x", "--class", "Y"], "expected FILE"),
            (
                ["token", "create", "--data", "/tmp", "--name", "x", "--rights", "owner"],
                "read, write, admin"
            ),
            (["serve", "--data", "x", "--listen", "8080"], "HOST:PORT"),
            (["serve", "--data", "x", "--max-body", "much"], "32MiB"),
            (
                ["serve", "--data", "x", "--cors-origin", "app.example.org"],
                "https://app.example.org"
            ),
            (["serve", "--data", "x", "--trusted-proxy", "10.0.0.0/33"], "10.0.0.0/8"),
            (["serve", "--data", "x", "--jwt-keys", "keys.json"], "belong together"),
            (
                [
                    "serve", "--data", "x", "--jwt-keys", "http://id.example.org/keys",
                    "--jwt-issuer", "a", "--jwt-audience", "b",
                ], "use https://"
            ),
        ])
    func usage(words: [String], message: String) {
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        let process = ChildProcess("/bin/sh", ["-c", "'\(Command.path)' \(quoted) 2>&1"])
        var output = ""
        while let line = process.readLine() { output += line + "\n" }
        #expect(process.wait() == 2)
        #expect(output.contains(message), "\(output)")
    }

    @Test(
        "refuses a folder of pages with the store in it, before the store is made",
        arguments: ["", "/", "/../pages/.", "/link"])
    func publicStore(name: String) {
        let pages = directory.path + "/pages"
        #expect(mkdir(pages, 0o755) == 0)
        #expect(symlink(pages, pages + "/link") == 0)
        for data in [pages, pages + "/data", pages + "/./a/data/"] {
            let outcome = Command.run("serve", "--data", data, "--public", pages + name)
            #expect(outcome.status == 2, "\(outcome.output)")
            #expect(outcome.output.contains("the data folder '\(pages)"), "\(outcome.output)")
            #expect(outcome.output.contains("--public ./pages"), "\(outcome.output)")
        }
        #expect(access(pages + "/data", F_OK) != 0)
    }

    @Test("tells its version and its help")
    func help() {
        #expect(Command.run("version").output.hasPrefix("holdfast "))
        #expect(Command.run("--version").status == 0)
        let help = Command.run("--help")
        #expect(help.status == 0 && help.output.contains("exit codes: 0 done"))
        #expect(Command.run("token", "create", "--help").output.contains("--rights"))
        #expect(Command.run("help", "token", "create").output.contains("--rights"))
        #expect(
            Command.run("help", "serve").output == Command.run("serve", "--help").output)
        #expect(Command.run("serve", "--help").output.contains("--retention-age"))
    }

    @Test("ends without a word when nobody reads on: an export with 1, what is short with 0")
    func brokenPipes() throws {
        #expect(Command.run("schema", "put", "--data", data, "-", input: schema).status == 0)
        let nodes = (0..<20_000).map { "{\"id\":\($0)}\n" }.joined()
        TemporaryDirectory.write(Array(nodes.utf8), to: directory.path + "/nodes")
        let file = directory.path + "/nodes"
        #expect(
            Command.run("import", "--data", data, "--class", "Node", file).status == 0)
        for (words, status) in [("export --data \(data)", "1"), ("help", "0"), ("help serve", "0")]
        {
            let result = directory.path + "/result"
            // More than a pipe holds is left when the reader goes.
            let process = ChildProcess(
                "/bin/sh",
                [
                    "-c",
                    "{ '\(Command.path)' \(words) 2>'\(result)'; echo $? >>'\(result)'; } | head -n 1",
                ])
            #expect(process.readLine()?.isEmpty == false)
            process.wait()
            let told = TemporaryDirectory.contents(result).map {
                String(decoding: $0, as: UTF8.self)
            }
            #expect(told == status + "\n", "\(words)")
        }
    }

    @Test("puts a schema, imports, exports and checks, all without a service")
    func offline() throws {
        let put = Command.run("schema", "put", "--data", data, "-", input: schema)
        #expect(put.status == 0 && put.output == "schema: revision 1", "\(put.output)")
        let get = Command.run("schema", "get", environment: ["HOLDFAST_DATA": data])
        #expect(get.status == 0 && get.output.contains("\"name\":\"Node\""))
        let types = Command.run("schema", "typescript", "--data", data, "--plain-ints")
        #expect(types.status == 0, "\(types.output)")
        #expect(types.output.contains("  next: number | Node | null;"), "\(types.output)")
        let faulty = Command.run(
            "schema", "put", "--data", data, "-",
            input: #"{"classes":[{"name":"Node","properties":{"id":"intt"}}]}"#)
        #expect(faulty.status == 1 && faulty.output.contains("at /classes/0/properties/id"))
        let dry = Command.run("schema", "put", "--data", data, "--dry-run", "-", input: schema)
        #expect(dry.output == #"{"changes":[]}"#)

        let lines = #"{"id":1,"next":2}\n{"id":2,"next":1}\n{"id":"x"}\n"#
        let imported = Command.run("import", "--data", data, "--class", "Node", "-", input: lines)
        // The shell's printf with %s keeps the two characters, so the text is one faulty line.
        #expect(imported.status == 1 && imported.output.contains("0 imported, 1 failed"))
        TemporaryDirectory.write(
            Array("{\"id\":1,\"next\":2}\n{\"id\":2,\"next\":1}\n{\"id\":\"x\"}\n".utf8),
            to: directory.path + "/nodes")
        let again = Command.run(
            "import", "--data", data, "--class", "Node", "--mode", "replace",
            directory.path + "/nodes")
        #expect(again.status == 1 && again.output.contains("line 3 at /id"), "\(again.output)")
        #expect(again.output.contains("Node: 2 imported, 1 failed"))
        let exported = Command.run("export", "--data", data, "--class", "Node")
        #expect(exported.output == "{\"id\":1,\"next\":2}\n{\"id\":2,\"next\":1}")
        let file = directory.path + "/export"
        #expect(
            Command.run("export", "--data", data, "--class", "Node", "--fields", "id", file).status
                == 0)
        #expect(TemporaryDirectory.contents(file) == Array("{\"id\":1}\n{\"id\":2}\n".utf8))
        let check = Command.run("check", "--data", data)
        #expect(
            check.status == 0 && check.output.contains("check: no fault found"), "\(check.output)")
        #expect(
            Command.run("import", "--data", data, "--class", "Nod", file).output.contains(
                "did you mean 'Node'"))
        #expect(Command.run("export", "--data", data + "x", "--class", "Node").status == 1)
        #expect(
            Command.run("import", "--data", data, "--class", "Node", "/no/such/file").status == 1)
    }

    @Test("makes, lists and revokes tokens")
    func tokens() {
        #expect(
            Command.run("token", "create", "--data", data, "--name", "a", "--rights", "read").status
                == 1)
        mkdir(data, 0o700)
        let made = Command.run("token", "create", "--data", data, "--name", "a", "--rights", "read")
        #expect(made.status == 0 && made.output.hasPrefix("hf_"))
        #expect(
            Command.run("token", "create", "--data", data, "--name", "a", "--rights", "read").status
                == 1)
        #expect(Command.run("token", "list", "--data", data).output.hasPrefix("a\tread\t20"))
        #expect(Command.run("token", "change", "--data", data, "--name", "a").status == 2)
        for (option, value) in [("--claim", "a"), ("--claim", "a=1"), ("--expires", "9999999d")] {
            let refused = Command.run(
                "token", "create", "--data", data, "--name", "b", "--rights", "read", option, value)
            #expect(refused.status != 0, "\(option) \(value)")
        }
        #expect(
            Command.run(
                "token", "create", "--data", data, "--name", "b", "--rights", "metrics", "--user",
                "u 1", "--claim", "x=y", "--expires", "90s"
            ).status == 0)
        let listed = Command.run("token", "list", "--data", data).output
        #expect(listed.contains("\nb\tmetrics\t20") && listed.contains("user=u 1\texpires=20"))
        #expect(
            Command.run("token", "change", "--data", data, "--name", "b", "--never-expires").status
                == 0)
        #expect(!Command.run("token", "list", "--data", data).output.contains("expires"))
        let schema = #"""
            {"classes":[{"name":"Node","properties":{"id":"int"}},{"name":"Loose","properties":{"id":"int"}}]}
            """#
        #expect(Command.run("schema", "put", "--data", data, "-", input: schema).status == 0)
        for (options, status, terms) in [
            (["--class", "Nope"], 1, nil),
            (["--class", "Node", "--class", "Loose"], 0, "classes=Node,Loose"),
            (["--class", "Node"], 0, "classes=Node"),
            (["--class", "Node", "--all-classes"], 2, "classes=Node"),
            (["--all-classes"], 0, nil),
        ] as [([String], Int32, String?)] {
            let changed = Command.run(
                ["token", "change", "--data", data, "--name", "b"] + options)
            #expect(changed.status == status, "\(changed.output)")
            let listed = Command.run("token", "list", "--data", data).output
            #expect(terms.map { listed.contains($0) } ?? !listed.contains("classes"), "\(listed)")
        }
        #expect(Command.run("token", "revoke", "--data", data, "--name", "b").status == 0)
        #expect(Command.run("token", "revoke", "--data", data, "--name", "a").status == 0)
        #expect(Command.run("token", "revoke", "--data", data, "--name", "a").status == 1)
        #expect(Command.run("token", "list", "--data", data).output == "")
    }

    @Test("serves until SIGTERM, refuses a second process, and tells health")
    func serve() throws {
        let service = ChildProcess(
            Command.path, ["serve", "--data", data, "--listen", "127.0.0.1:0", "--bootstrap-token"])
        let token = try #require(service.readLine())
        #expect(token.contains("hf_"))
        let ready = try #require(service.readLine())
        #expect(ready.hasPrefix("holdfast: serving \(data) at http://127.0.0.1:"))
        let address = try #require(ready.split(separator: "/").last).description
        let health = Command.run(
            "health", "--timeout", "60s", environment: ["HOLDFAST_LISTEN": address])
        #expect(health.status == 0, "\(health.output)")
        let second = Command.run("serve", "--data", data, "--listen", "127.0.0.1:0")
        #expect(
            second.status == 1 && second.output.contains("in use by process \(service.identifier)"))
        let imported = Command.run(
            "import", "--data", data, "--class", "Node", "x",
            environment: ["HOLDFAST_LISTEN": address])
        #expect(
            imported.status == 1
                && imported.output.contains("--url http://\(address)"))
        let taken = Command.run("serve", "--data", data + "2", "--listen", address)
        #expect(taken.status == 1 && taken.output.contains("is in use: another process"))
        service.kill(SIGTERM)
        #expect(service.wait() == 0)
        #expect(Command.run("health", environment: ["HOLDFAST_LISTEN": address]).status == 1)
        // The token stays, and the second start prints none.
        let next = ChildProcess(
            Command.path, ["serve", "--data", data, "--listen", "127.0.0.1:0", "--bootstrap-token"])
        #expect(try #require(next.readLine()).hasPrefix("holdfast: serving"))
        next.kill(SIGINT)
        #expect(next.wait() == 0)
    }

    @Test("prints the link to the console only on a terminal, and not with --no-console")
    func consoleLink() throws {
        let words = ["serve", "--data", data, "--listen", "127.0.0.1:0"]
        let piped = ChildProcess(Command.path, words)
        #expect(try #require(piped.readLine()).hasPrefix("holdfast: serving"))
        piped.kill(SIGTERM)
        #expect(piped.wait() == 0)
        #expect(piped.readLine() == nil)
        #expect(try line(onTerminal: words + ["--no-console"]) == nil)
        #expect(try line(onTerminal: words)?.hasSuffix("/console/") == true)
        let token = ["token", "create", "--data", data, "--name", "a", "--rights", "admin"]
        #expect(Command.run(token).status == 0)
        #expect(try line(onTerminal: words)?.contains("/console/#/enter/hf_") == true)
        let everywhere = try line(onTerminal: words.dropLast() + ["0.0.0.0:0"])
        #expect(everywhere?.contains("http://127.0.0.1:") == true)
        // The log of a container is a terminal for output only.
        #expect(try line(onTerminal: words, input: "/dev/null") == nil)
    }

    @Test("leaves no token of a link when the service can't start")
    func failedStart() throws {
        let token = ["token", "create", "--data", data, "--name", "a", "--rights", "admin"]
        #expect(mkdir(data, 0o700) == 0)
        #expect(Command.run(token).status == 0)
        let terminal = PseudoTerminal()
        let words = "serve --data \(data) --listen 192.0.2.1:1"
        let service = ChildProcess(
            "/bin/sh",
            ["-c", "exec '\(Command.path)' \(words) <'\(terminal.path)' >'\(terminal.path)' 2>&1"])
        #expect(service.wait() != 0)
        let list = Command.run("token", "list", "--data", data)
        #expect(list.output.contains("a") && !list.output.contains("console-"), "\(list.output)")
    }

    /// The line that a service writes to a terminal behind its address; nil without one.
    ///
    /// - `input`: The path of its input; nil for the terminal.
    private func line(onTerminal words: [String], input: String? = nil) throws -> String? {
        let terminal = PseudoTerminal()
        let quoted = ([Command.path] + words).map { "'\($0)'" }.joined(separator: " ")
        let service = ChildProcess(
            "/bin/sh",
            ["-c", "exec \(quoted) <'\(input ?? terminal.path)' >'\(terminal.path)'"])
        #expect(try #require(terminal.readLine()).hasPrefix("holdfast: serving"))
        service.kill(SIGTERM)
        #expect(service.wait() == 0)
        return terminal.readLine()
    }

    @Test("says that the directory of a new store is made before its first token")
    func tokenOfNewStore() {
        let words = ["token", "create", "--data", data, "--name", "a", "--rights", "admin"]
        let refused = Command.run(words)
        #expect(
            refused.status == 1 && refused.output.contains("no directory '\(data)'")
                && refused.output.contains("mkdir '\(data)'"), "\(refused.output)")
        #expect(mkdir(data, 0o700) == 0, "nothing was made")
        #expect(Command.run(words).status == 0)
    }

    @Test("listens for other machines only with tokens or when told to")
    func otherMachines() throws {
        let refused = Command.run("serve", "--data", data, "--listen", "0.0.0.0:0")
        #expect(refused.status == 1 && refused.output.contains("token create"), "\(refused.output)")
    }

    @Test("makes no store where it only reads one", arguments: ["check", "compact", "export"])
    func noStore(verb: String) {
        mkdir(data, 0o700)
        let outcome =
            verb == "export"
            ? Command.run(verb, "--data", data, "--class", "Node", "-")
            : Command.run(verb, "--data", data)
        #expect(outcome.status == 1 && outcome.output.contains("no store"), "\(outcome.output)")
        #expect(rmdir(data) == 0, "the directory is still empty")
    }

    @Test("leaves a directory that holds something else as it is")
    func otherData() {
        mkdir(data, 0o700)
        TemporaryDirectory.write(Array("something else".utf8), to: data + "/holdfast.mdb")
        let outcome = Command.run("check", "--data", data)
        #expect(outcome.status == 1, "\(outcome.output)")
        #expect(outcome.output.contains("holds no store"), "\(outcome.output)")
        #expect(TemporaryDirectory.contents(data + "/holdfast.mdb") == Array("something else".utf8))
    }
}
