import Glibc
import HoldfastTestSupport
import Testing

/// Backup, restore and compaction by the command, also when it is killed.
@Suite("The command moves a store")
struct MovingTests {
    private static let path = ChildProcess.path(ofProduct: "holdfast")
    fileprivate let directory = TemporaryDirectory()
    fileprivate var data: String { directory.path + "/data" }
    private var file: String { directory.path + "/file.holdfast" }

    private static let schema = """
        {"classes":[{"name":"Node","primaryKey":"id","properties":{"id":"int","next":"Node","label":{"type":"string","indexed":true}}}]}
        """

    fileprivate func run(_ words: String...) -> (status: Int32, output: String) {
        let quoted = ([Self.path] + words).map { "'\($0)'" }.joined(separator: " ")
        let process = ChildProcess("/bin/sh", ["-c", "\(quoted) 2>&1 </dev/null"])
        var lines: [String] = []
        while let line = process.readLine() { lines.append(line) }
        return (process.wait(), lines.joined(separator: "\n"))
    }

    /// Makes a store of so many nodes.
    fileprivate func makeStore(_ count: Int) throws {
        let (schema, nodes) = (directory.path + "/schema", directory.path + "/nodes")
        TemporaryDirectory.write(Array(Self.schema.utf8), to: schema)
        let label = String(repeating: "l", count: 200)
        let text = (0..<count).map {
            #"{"id":\#($0),"next":\#(($0 + 1) % count),"label":"\#(label)\#($0)"}"# + "\n"
        }
        TemporaryDirectory.write(Array(text.joined().utf8), to: nodes)
        #expect(run("schema", "put", "--data", data, schema).status == 0)
        #expect(run("import", "--data", data, "--class", "Node", nodes).status == 0)
    }

    private func export(_ data: String) -> String {
        run("export", "--data", data, "--class", "Node").output
    }

    /// Kills a run after some microseconds; false when it had ended before.
    private func kill(after microseconds: UInt32, _ words: [String]) -> Bool {
        let process = ChildProcess(Self.path, words)
        usleep(microseconds)
        process.kill()
        return process.wait() != 0
    }

    @Test("into a file and out of it, and refuses what is no whole backup")
    func backupAndRestore() throws {
        try makeStore(2000)
        let made = run("backup", "--data", data, file)
        #expect(made.status == 0 && made.output.contains("bytes"), "\(made.output)")
        #expect(TemporaryDirectory.permissions(file) == 0o600)
        let target = directory.path + "/new"
        let restored = run("restore", "--data", target, file)
        #expect(
            restored.status == 0 && restored.output.contains("restored, version"),
            "\(restored.output)")
        #expect(export(target) == export(data))
        #expect(run("check", "--data", target).status == 0)
        #expect(!made.output.hasSuffix(restored.output.suffix(10)))
        // A directory with anything in it stays as it is.
        for full in [target, data, directory.path] {
            let refused = run("restore", "--data", full, file)
            #expect(
                refused.status == 1 && refused.output.contains("is not empty"), "\(refused.output)")
        }
        let bytes = try #require(TemporaryDirectory.contents(file))
        for (name, damaged, words) in [
            ("cut", Array(bytes.dropLast()), "is cut off"),
            ("none", Array("x".utf8), "is not a backup"),
            (
                "changed", bytes.enumerated().map { $0 == bytes.count / 2 ? $1 ^ 1 : $1 },
                "is damaged"
            ),
            ("newer", bytes.enumerated().map { $0 == 8 ? 9 : $1 }, "has format 9"),
        ] {
            let path = directory.path + "/" + name
            TemporaryDirectory.write(damaged, to: path)
            let refused = run("restore", "--data", directory.path + "/other", path)
            #expect(refused.status == 1 && refused.output.contains(words), "\(refused.output)")
            #expect(access(directory.path + "/other", F_OK) != 0)
        }
        #expect(run("restore", "--data", directory.path + "/other", "/no/such").status == 1)
        #expect(run("backup", "--data", data, "/no/such/file").output.contains("can't be written"))
        #expect(run("backup", "--data", directory.path + "/nothing", file).status == 1)
    }

    @Test("to less room, and it stays the same store")
    func compact() throws {
        try makeStore(5000)
        let before = export(data)
        let version = run("check", "--data", data).output.split(separator: " ").last
        let compacted = run("compact", "--data", data)
        #expect(
            compacted.status == 0 && compacted.output.contains("bytes now"), "\(compacted.output)")
        #expect(export(data) == before)
        let check = run("check", "--data", data)
        #expect(check.status == 0 && check.output.split(separator: " ").last == version)
        #expect(run("compact", "--data", directory.path + "/nothing").status == 1)
    }

    @Test("whole or not at all when it is killed")
    func killed() throws {
        try makeStore(20_000)
        let seed = SeededGenerator.testSeed("killed backups, restores and compactions")
        var random = SeededGenerator(seed: seed)
        let before = export(data)
        #expect(run("backup", "--data", data, file).status == 0)
        let whole = try #require(TemporaryDirectory.contents(file))
        let copy = directory.path + "/copy.holdfast"
        var killCount = 0
        for round in 0..<12 {
            if kill(
                after: .random(in: 0...250_000, using: &random), ["backup", "--data", data, copy])
            {
                killCount += 1
            }
            let made = TemporaryDirectory.contents(copy)
            #expect(made == nil || made?.count == whole.count, "seed \(seed), round \(round)")
            unlink(copy)

            let target = directory.path + "/target\(round)"
            if kill(
                after: .random(in: 0...800_000, using: &random),
                ["restore", "--data", target, file])
            {
                killCount += 1
                // It is no store, and the same command makes it one.
                let opened = run("check", "--data", target)
                if opened.status == 0 {
                    #expect(export(target) == before, "seed \(seed), round \(round)")
                } else {
                    // The directory was not there yet, or there was nothing in it.
                    #expect(
                        opened.output.contains("restore was interrupted")
                            || opened.output.contains("no directory")
                            || opened.output.contains("holds no store") && rmdir(target) == 0,
                        "\(opened.output)")
                    #expect(run("restore", "--data", target, file).status == 0)
                }
            }
            #expect(export(target) == before, "seed \(seed), round \(round)")
            TemporaryDirectory.remove(target)

            if kill(after: .random(in: 0...400_000, using: &random), ["compact", "--data", data]) {
                killCount += 1
            }
            #expect(export(data) == before, "seed \(seed), round \(round)")
        }
        #expect(run("check", "--data", data).status == 0)
        #expect(killCount > 0)
    }
}

extension MovingTests {
    @Test("as a whole, as CSV and from Realm Studio")
    func wholeStore() throws {
        try makeStore(30)
        let (whole, table) = (directory.path + "/whole", directory.path + "/TABLE.CSV")
        #expect(run("export", "--data", data, whole).status == 0)
        let target = directory.path + "/new"
        let imported = run("import", "--data", target, whole)
        #expect(imported.status == 0, "\(imported.output)")
        #expect(imported.output.contains("store: 30 imported, 0 failed"))
        #expect(run("export", "--data", target).output == run("export", "--data", data).output)
        #expect(run("export", "--data", data, "--class", "Node", "--csv", table).status == 0)
        let again = run(
            "import", "--data", target, "--class", "Node", "--mode", "ignore", table)
        #expect(again.output.contains("Node: 0 imported, 30 ignored, 0 failed"), "\(again.output)")
        let faulty = directory.path + "/faulty.csv"
        TemporaryDirectory.write(
            Array(("id;label\n" + String(repeating: "9.429,5;a\n", count: 1842) + "\n").utf8),
            to: faulty)
        let grouped = run(
            "import", "--data", target, "--class", "Node", "--delimiter", ";", faulty)
        #expect(
            grouped.status == 1
                && grouped.output.contains(
                    "holdfast: 1,842 lines, column 'id', first line 2: '9.429,5' is not an int."),
            "\(grouped.output)")
        let mongo = directory.path + "/mongo.json"
        TemporaryDirectory.write(
            Array(#"{"_id":{"$oid":"0123456789abcdef01234567"}}"#.utf8), to: mongo)
        let foreign = run("import", "--data", target, "--class", "Node", mongo)
        #expect(
            foreign.status == 1 && foreign.output.contains("--extended-json"), "\(foreign.output)")
        let features = directory.path + "/features.geojson"
        TemporaryDirectory.write(
            Array(
                (#"{"type":"FeatureCollection","features":[{"type":"Feature","id":200,"geometry":null,"#
                    + #""properties":{"label":"x"}},{"type":"Feature","id":201,"properties":5}]}"#)
                    .utf8),
            to: features)
        let sites = run(
            "import", "--data", target, "--class", "Node", "--skip", "geometry", features)
        #expect(sites.output.contains("line 2 at /properties: "), "\(sites.output)")
        #expect(sites.output.contains("Node: 1 imported, 1 failed"), "\(sites.output)")
        let realm = directory.path + "/realm.json"
        TemporaryDirectory.write(
            Array(
                #"{"Node":[{"id":100,"next":{"id":1,"label":"x"}},{"id":101,"next":5,"label":7}]}"#
                    .utf8),
            to: realm)
        let taken = run("import", "--data", target, "--realm-json", realm)
        #expect(
            taken.status == 1 && taken.output.contains("Node[1] at /object/label"),
            "\(taken.output)")
        #expect(taken.output.contains("store: 1 imported, 1 failed"))
        #expect(run("export", "--data", data, "--csv").status == 2)
        #expect(run("import", "--data", data, "--atomic", whole).status == 2)
        #expect(run("check", "--data", target).status == 0)
    }
}
