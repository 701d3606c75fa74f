import Glibc
import HoldfastTestSupport
import Testing

/// Verbs that work on a running service.
@Suite("The command on a running service")
struct RemoteTests {
    private static let path = ChildProcess.path(ofProduct: "holdfast")
    private let directory = TemporaryDirectory()

    private func run(_ words: String...) -> (status: Int32, output: String) { run(words) }

    private func run(_ words: [String]) -> (status: Int32, output: String) {
        let quoted = ([Self.path] + words).map { "'\($0)'" }.joined(separator: " ")
        let process = ChildProcess("/bin/sh", ["-c", "\(quoted) 2>&1 </dev/null"])
        var lines: [String] = []
        while let line = process.readLine() { lines.append(line) }
        return (process.wait(), lines.joined(separator: "\n"))
    }

    private func file(_ name: String, _ text: String) -> String {
        TemporaryDirectory.write(Array(text.utf8), to: directory.path + "/" + name)
        return directory.path + "/" + name
    }

    /// Starts a service with an admin's token.
    private func start() throws -> (ChildProcess, data: String, url: String, token: String) {
        let data = directory.path + "/data"
        let service = ChildProcess(
            Self.path, ["serve", "--data", data, "--listen", "127.0.0.1:0", "--bootstrap-token"])
        let token = try #require(service.readLine()?.split(separator: " ").last).description
        let url = try #require(service.readLine()?.split(separator: " ").last).description
        return (service, data, url, token)
    }

    @Test("takes its token from a file, as containers have secrets")
    func tokenFile() throws {
        let (service, _, url, token) = try start()
        defer {
            service.kill(SIGTERM)
            _ = service.wait()
        }
        let secret = file("secret", token + "\n")
        let listed = run("token", "list", "--url", url, "--token-file", secret)
        #expect(listed.status == 0 && listed.output.hasPrefix("bootstrap\t"), "\(listed.output)")
        #expect(run("schema", "get", "--url", url, "--token-file", secret).status == 0)
        // A stated token is the one that counts.
        let stated = run(
            "token", "list", "--url", url, "--token-file", secret, "--token", "hf_wrong")
        #expect(stated.status == 1 && stated.output.contains("401"), "\(stated.output)")
        let empty = run("token", "list", "--url", url, "--token-file", file("empty", "\n"))
        #expect(empty.status == 1 && empty.output.contains("is not a token"), "\(empty.output)")
        let absent = run("token", "list", "--url", url, "--token-file", directory.path + "/none")
        #expect(absent.status == 1 && absent.output.contains("can't be opened"))
    }

    @Test("sets the access document, prints it, and explains what it allows")
    func access() throws {
        let (service, _, url, token) = try start()
        defer {
            service.kill(SIGTERM)
            _ = service.wait()
        }
        func access(_ words: String...) -> (status: Int32, output: String) {
            run(["access", words[0], "--url", url, "--token", token] + words.dropFirst())
        }
        let schema = file(
            "schema.json",
            #"{"classes":[{"name":"Note","primaryKey":"id","properties":{"id":"int","owner":"string"}}]}"#
        )
        #expect(run("schema", "put", "--url", url, "--token", token, schema).status == 0)
        let node = file("notes.ndjson", #"{"id":1,"owner":"ann"}"#)
        #expect(
            run("import", "--url", url, "--token", token, "--class", "Note", node).status == 0)
        #expect(access("get").status == 1)
        let wrong = file("wrong.json", #"{"roles":{"m":{"classes":{"Nite":{"read":true}}}}}"#)
        let refused = access("put", wrong)
        #expect(refused.status == 1 && refused.output.contains("Note"), "\(refused.output)")
        let document = file(
            "access.json", #"{"roles":{"m":{"classes":{"Note":{"read":"owner == $user.id"}}}}}"#)
        let tried = access("put", "--dry-run", document)
        #expect(
            tried.status == 0 && tried.output.contains("access: would be revision 1"),
            "\(tried.output)")
        #expect(access("get").status == 1)
        let set = access("put", document)
        // No index serves the rule.
        #expect(
            set.status == 0 && set.output.contains("access: revision 1")
                && set.output.contains("warning:"), "\(set.output)")
        let shown = access("get")
        #expect(
            shown.status == 0 && shown.output.contains("\"owner == $user.id\""), "\(shown.output)")
        for user in [["--user", "ann"], ["--claim", "sub=ann"]] {
            let explained = run(
                [
                    "access", "explain", "--url", url, "--token", token, "--class", "Note", "--key",
                    "1",
                ]
                    + user)
            #expect(
                explained.status == 0
                    && explained.output.contains(#""read":{"allowed":true,"role":"m""#),
                "\(explained.output)")
        }
        let other = access("explain", "--user", "bob", "--class", "Note", "--key", "1")
        #expect(other.output.contains(#""read":{"allowed":false"#), "\(other.output)")
        #expect(access("explain", "--claim", "groups=[]").status == 1)
    }

    @Test("does what it does on a directory, with the token that the service asks for")
    func verbs() throws {
        let (service, data, url, token) = try start()
        defer {
            service.kill(SIGTERM)
            _ = service.wait()
        }
        let schema = file(
            "schema.js",
            #"[{"name":"Node","primaryKey":"id","properties":{"id":"int","label":"string?","tags":"string[]","next":{"type":"object","objectType":"Node"},"before":{"type":"linkingObjects","objectType":"Node","property":"next"},"extra":"{}","count":{"type":"list","objectType":"int","optional":true},"text":{"type":"string","indexed":"full-text","default":"x","mapTo":"t"}}},{"name":"Part","embedded":true,"properties":{"a":"mixed"}}]"#
        )
        let refused = run("schema", "put", "--url", url, "--from", "realm-js", schema)
        #expect(
            refused.status == 1 && refused.output.contains("HOLDFAST_TOKEN"), "\(refused.output)")
        let put = run(
            "schema", "put", "--url", url, "--token", token, "--from", "realm-js", schema)
        #expect(put.status == 0 && put.output == "schema: revision 1", "\(put.output)")
        let types = run("schema", "typescript", "--url", url, "--token", token).output
        #expect(types.contains("revision 1") && types.contains("export interface Classes {"))
        let shown = run("schema", "get", "--url", url, "--token", token).output
        for part in [
            #""next":{"type":"object","class":"Node","optional":true}"#,
            #""before":{"type":"linkingObjects","class":"Node","property":"next"}"#,
            #""extra":{"type":"map","element":{"type":"mixed"#, #""indexed":"fulltext""#,
            #""kind":"embedded""#, #""mapTo":"t""#, #""element":{"type":"int","optional":true}"#,
        ] {
            #expect(shown.contains(part), "\(part) of \(shown)")
        }
        let csv = file("nodes.csv", "Nr;label\n1;a\n2;b\nx;c\n")
        let imported = run(
            "import", "--url", url, "--token", token, "--class", "Node", "--delimiter", ";",
            "--map", "Nr=id",
            csv)
        #expect(
            imported.status == 1 && imported.output.contains("Node: 2 imported, 1 failed")
                && imported.output.contains("holdfast: Line 4, column "), "\(imported.output)")
        let faulty = file("faulty.CSV", "sep=;\nId;LABEL\n;\nx;a\n5.5;b\n")
        let grouped = run("import", "--url", url, "--token", token, "--class", "Node", faulty)
        #expect(
            grouped.output.contains(
                "holdfast: 2 lines, column 'Id', first line 4: 'x' is not an int.")
                && grouped.output.contains("Node: 0 imported, 2 failed"), "\(grouped.output)")
        let json = file("nodes.json", #"{"id":{"$numberInt":"3"},"next":2,"unknown":1}"#)
        let extended = run(
            "import", "--url", url, "--token", token, "--class", "Node", "--extended-json",
            "--unknown", "ignore", json)
        #expect(
            extended.status == 0 && extended.output.contains("1 unknown members left out"),
            "\(extended.output)")
        let wrong = run("import", "--url", url, "--token", token, "--class", "Node", json)
        #expect(wrong.status == 1 && wrong.output.contains("Node: 0 imported, 1 failed"))
        let features = file(
            "nodes.geojson", #"{"features":[{"type":"Feature","properties":{"id":3,"label":"c"}}]}"#
        )
        let merged = run(
            "import", "--url", url, "--token", token, "--class", "Node", "--mode", "merge",
            features)
        #expect(merged.output.contains("Node: 1 imported, 0 failed"), "\(merged.output)")
        let copy = directory.path + "/store.ndjson"
        #expect(run("export", "--url", url, "--token", token, copy).status == 0)
        let labels = run(
            "export", "--url", url, "--token", token, "--class", "Node", "--fields", "id,label",
            "--csv")
        #expect(
            labels.output.split(whereSeparator: \.isNewline) == ["id,label", "1,a", "2,b", "3,c"],
            "\(labels.output)")
        let table = directory.path + "/nodes.csv"
        let named = run(
            "export", "--url", url, "--token", token, "--class", "Node", "--fields", "id,label",
            table)
        #expect(named.status == 0, "\(named.output)")
        #expect(TemporaryDirectory.contents(table)?.starts(with: "id,".utf8) == true)
        let backup = directory.path + "/store.holdfast"
        // A copy that was interrupted.
        TemporaryDirectory.write([0], to: backup + ".part")
        let made = run("backup", "--url", url, "--token", token, backup)
        #expect(made.status == 0 && made.output.contains("bytes"), "\(made.output)")
        #expect(TemporaryDirectory.permissions(backup) == 0o600)
        #expect(run("restore", "--data", directory.path + "/restored", backup).status == 0)
        #expect(run("import", "--data", directory.path + "/other", copy).status == 0)
        for other in ["restored", "other"] {
            let count = run("export", "--data", directory.path + "/" + other, "--class", "Node")
            #expect(count.output.split(separator: "\n").count == 3, "\(count.output)")
        }
        let created = run(
            "token", "create", "--url", url, "--token", token, "--name", "reports", "--rights",
            "read", "--user", "ann", "--claim", "groups=[1]", "--expires", "1d")
        #expect(created.status == 0 && created.output.hasPrefix("hf_"), "\(created.output)")
        #expect(run("schema", "get", "--url", url, "--token", created.output).status == 0)
        #expect(run("token", "list", "--url", url, "--token", created.output).status == 1)
        #expect(
            run(
                "token", "change", "--url", url, "--token", token, "--name", "reports", "--rights",
                "write", "--claim", "level=3"
            ).status == 0)
        #expect(
            run("token", "change", "--data", data, "--name", "reports", "--expires", "2d").status
                == 0, "by the service that has the store")
        let names = run("token", "list", "--url", url, "--token", token)
        #expect(
            names.output.contains("reports\twrite\t")
                && names.output.contains("\tuser=ann\texpires=20")
                && names.output.contains("bootstrap\tadmin\t"),
            "\(names.output)")
        #expect(
            names.output == run("token", "list", "--data", data).output,
            "both ways say the same")
        #expect(
            run("token", "revoke", "--url", url, "--token", token, "--name", "reports").status == 0)
        #expect(run("schema", "get", "--url", url, "--token", created.output).status == 1)
        #expect(run("token", "revoke", "--url", url, "--token", token, "--all").status == 2)
        let lost = run("export", "--url", "http://127.0.0.1:1", "--class", "Node")
        #expect(lost.status == 1 && lost.output.contains("nothing answers at http://127.0.0.1:1"))
    }

    @Test("makes, lists, resets and removes accounts by their logins")
    func accounts() throws {
        let service = ChildProcess(
            Self.path,
            [
                "serve", "--data", directory.path + "/data", "--listen", "127.0.0.1:0",
                "--bootstrap-token",
            ])
        let token = try #require(service.readLine()?.split(separator: " ").last).description
        let url = try #require(service.readLine()?.split(separator: " ").last).description
        defer {
            service.kill(SIGTERM)
            _ = service.wait()
        }
        let password = file("password", "correct horse battery\n")
        func account(_ verb: String, _ login: String, _ operand: String = "") -> (Int32, String) {
            let words = ["account", verb, "--url", url, "--token", token, "--login", login]
            return run(words + (operand.isEmpty ? [] : [operand]))
        }
        let (status, id) = account("create", "ann@example.org", password)
        #expect(status == 0 && id.utf8.count == 36, "\(id)")
        let (again, why) = account("create", "ANN@example.org", password)
        #expect(again == 1 && why.contains("already"), "\(why)")
        let list = run("account", "list", "--url", url, "--token", token)
        #expect(
            list.output.hasPrefix(id + "\t") && list.output.hasSuffix("\tann@example.org"),
            "\(list.output)")
        let (made, code) = account("reset", "Ann@example.org")
        #expect(made == 0 && code.hasPrefix("hfr_"), "\(code)")
        #expect(account("delete", "nobody").0 == 1)
        #expect(account("delete", "ann@example.org").0 == 0)
        #expect(run("account", "list", "--url", url, "--token", token).output.isEmpty)
        #expect(run("account", "list").status == 2)
    }
}
