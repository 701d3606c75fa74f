import Glibc
import HoldfastTestSupport
import Testing

/// Proposals of classes by the command, from the file to the import.
@Suite("The command proposes a class")
struct GuessTests {
    private static let path = ChildProcess.path(ofProduct: "holdfast")
    private let directory = TemporaryDirectory()
    private var data: String { directory.path + "/data" }

    private func run(_ words: [String]) -> (status: Int32, output: String) {
        let quoted = ([Self.path] + words).map { "'\($0)'" }.joined(separator: " ")
        let process = ChildProcess(
            "/bin/sh", ["-c", "cd '\(directory.path)'; \(quoted) 2>&1 </dev/null"])
        var lines: [String] = []
        while let line = process.readLine() { lines.append(line) }
        return (process.wait(), lines.joined(separator: "\n"))
    }

    private func run(_ words: String...) -> (status: Int32, output: String) { run(words) }

    private func file(_ name: String, _ text: String) -> String {
        TemporaryDirectory.write(Array(text.utf8), to: directory.path + "/" + name)
        return directory.path + "/" + name
    }

    private static let sales = "Nr;Summe;Am\n1;9.429,59;31.12.2025\n2;;1.2.2026\n"

    @Test("for a file, without a store")
    func withoutStore() {
        let guess = run("schema", "guess", file("sales.csv", Self.sales))
        #expect(guess.status == 0, "\(guess.output)")
        #expect(
            guess.output.hasPrefix(
                #"{"class":{"name":"Sales","kind":"object","primaryKey":"Nr","properties":{"Nr":{"type":"int"},"#
                    + #""Summe":{"type":"double","optional":true},"Am":{"type":"date"}}}"#),
            "\(guess.output)")
        #expect(
            guess.output.contains(
                #""options":["--csv","--delimiter",";","--decimal-comma","--date-format","Am=%d.%m.%Y"]"#
            ),
            "\(guess.output)")
        let named = run("schema", "guess", "--class", "Sale", file("x.json", "[{\"id\":1}]"))
        #expect(named.output.contains(#""name":"Sale""#), "\(named.output)")
        #expect(named.output.contains(#""options":["--extended-json"]"#), "\(named.output)")
        let feature =
            #"{"type":"Feature","id":1,"properties":{},"geometry":{"type":"Point","coordinates":[1,2]}}"#
        for name in ["x.json", "x.GeoJSON"] {
            let sites = run("schema", "guess", file(name, feature))
            #expect(sites.output.contains(#""options":["--geojson"]"#), "\(sites.output)")
        }
    }

    @Test("which a directory takes, with the options of the import")
    func intoDirectory() {
        let schema = file(
            "schema.json",
            #"{"classes":[{"name":"Country","primaryKey":"iso","properties":{"iso":"string"}},"#
                + #"{"name":"Sales","primaryKey":"Nr","properties":{"Nr":"int","Summe":"double?","Am":"date"}}]}"#
        )
        #expect(run("schema", "put", "--data", data, schema).status == 0)
        let countries = file("countries.ndjson", "{\"iso\":\"DE\"}\n{\"iso\":\"FR\"}\n")
        #expect(run("import", "--data", data, "--class", "Country", countries).status == 0)
        let trips = file("trips.tsv", "id\tcountry\n1\tDE\n2\tFR\n")
        let linked = run("schema", "guess", "--data", data, trips)
        #expect(
            linked.output.contains(
                #""country":{"type":"object","class":"Country","optional":true}"#),
            "\(linked.output)")
        #expect(linked.output.contains(#""options":["--csv","--delimiter","tab"]"#))
        let sales = file("sales.csv", Self.sales)
        let imported = run(
            "import", "--data", data, "--class", "Sales", "--csv", "--delimiter", ";",
            "--decimal-comma", "--date-format", "Am=%d.%m.%Y", sales)
        #expect(imported.status == 0 && imported.output.contains("2 imported, 0 failed"))
        let absent = run("schema", "guess", "--data", directory.path + "/none", sales)
        #expect(absent.status == 1 && absent.output.contains("no directory"), "\(absent.output)")
    }

    @Test("for a running service, by the same options")
    func remote() throws {
        let (service, url, token) = try serve()
        defer {
            service.kill(SIGTERM)
            _ = service.wait()
        }
        let sales = file("sales.csv", Self.sales)
        let stated = ["--class", "Sale", "--map", "Summe=sum", "--skip", "Am", sales]
        let remote = run(["schema", "guess", "--url", url, "--token", token] + stated)
        #expect(remote.status == 0, "\(remote.output)")
        #expect(remote.output.contains(#""sum":{"type":"double","optional":true}"#))
        #expect(remote.output == run(["schema", "guess"] + stated).output)
        let refused = run("schema", "guess", "--url", url, sales)
        #expect(refused.status == 1 && refused.output.contains("401"), "\(refused.output)")
    }

    @Test("which an import makes, in a directory and in a service")
    func guessedImport() throws {
        let sales = file("sales.csv", Self.sales)
        let made = run("import", "--data", data, "--guess", sales)
        #expect(made.status == 0, "\(made.output)")
        #expect(
            made.output.hasPrefix(
                "Sales: a new class\n  Nr, int: All 2 values are whole numbers; the values are unique"
            ),
            "\(made.output)")
        #expect(made.output.contains("Sales: 2 imported, 0 failed"), "\(made.output)")
        let exported = run("export", "--data", data, "--class", "Sales").output
        let expected =
            #"{"Nr":1,"Summe":9429.59,"Am":"2025-12-31T00:00:00Z"}"# + "\n"
            + #"{"Nr":2,"Summe":null,"Am":"2026-02-01T00:00:00Z"}"#
        #expect(exported == expected, "\(exported)")
        let again = run("import", "--data", data, "--guess", sales)
        #expect(again.status == 1 && again.output.contains("has a class 'Sales'"))
        let other = run("import", "--data", data, "--guess", "--class", "Sale", sales)
        #expect(other.status == 0 && other.output.contains("Sale: 2 imported"), "\(other.output)")
        for (words, message) in [
            (["--guess", "-"], "name a FILE"),
            (["--guess", "--realm-json", sales], "the console's page 'Move'"),
        ] {
            let refused = run(["import", "--data", data] + words)
            #expect(refused.status == 2 && refused.output.contains(message), "\(refused.output)")
        }
        let list = run("import", "--data", data, "--class", "Sales", file("list.json", "[{}]"))
        #expect(
            list.status == 1
                && list.output.contains("an array of objects and MongoDB's export --extended-json"),
            "\(list.output)")
        let (service, url, token) = try serve()
        defer {
            service.kill(SIGTERM)
            _ = service.wait()
        }
        let site = file(
            "sites.geojson",
            #"{"features":[{"type":"Feature","id":7,"properties":{"a:b":"x"},"geometry":{"type":"Point","coordinates":[1,2]}}]}"#
        )
        for (path, name) in [(sales, "Sales"), (site, "Sites")] {
            let words = ["import", "--url", url, "--token", token, "--guess", path]
            let sent = run(words)
            #expect(
                sent.status == 0 && sent.output.hasPrefix("\(name): a new class\n")
                    && sent.output.contains(", int: "),
                "\(sent.output)")
            #expect(sent.output.contains("imported, 0 failed"), "\(sent.output)")
            let twice = run(words)
            #expect(
                twice.status == 1 && twice.output.contains("has a class '\(name)'"),
                "\(twice.output)")
        }
        let remote = run("export", "--url", url, "--token", token, "--class", "Sales").output
        #expect(remote == expected, "\(remote)")
    }

    /// Starts a service; its URL and a token follow.
    private func serve() throws -> (service: ChildProcess, url: String, token: String) {
        let service = ChildProcess(
            Self.path,
            [
                "serve", "--data", directory.path + "/served", "--listen", "127.0.0.1:0",
                "--bootstrap-token",
            ])
        let token = try #require(service.readLine()?.split(separator: " ").last).description
        let url = try #require(service.readLine()?.split(separator: " ").last).description
        return (service, url, token)
    }

    @Test(
        "not for options that contradict each other, and not for a file without objects",
        arguments: [
            (["--csv", "--extended-json", "x.csv"], 2, "does not go with"),
            (["--delimiter", "ab", "x.csv"], 2, "ASCII"),
            (["--true", "ja", "x.ndjson"], 2, "for CSV"),
            (["--class", "1st", "x.csv"], 1, "letter"),
            (["none.csv"], 1, "can't be opened"), (["x.csv"], 1, "no object"), ([], 2, "FILE"),
        ] as [([String], Int32, String)])
    func refusals(words: [String], status: Int32, message: String) {
        _ = file("x.csv", "id,a\n")
        _ = file("x.ndjson", "{}\n")
        let outcome = run(["schema", "guess"] + words)
        #expect(outcome.status == status && outcome.output.contains(message), "\(outcome.output)")
    }

    @Test("and lists its options in the help")
    func help() {
        let help = run("schema", "guess", "--help")
        #expect(help.status == 0)
        for option in ["--class NAME", "--decimal-comma", "--date-format", "--map", "--url"] {
            #expect(help.output.contains(option), "\(help.output)")
        }
    }
}
