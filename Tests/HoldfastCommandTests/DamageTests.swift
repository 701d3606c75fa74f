import Glibc
import HoldfastTestSupport
import Testing

@Suite("The command and damaged stores")
struct DamageTests {
    private let directory = TemporaryDirectory()
    private var data: String { directory.path + "/data" }
    private static let pageByteCount = 4096

    private struct Outcome {
        var status: Int32
        var output: String
    }

    /// Runs the command on the store; standard error is in the outcome too.
    private func run(_ words: String...) -> Outcome {
        let path = ChildProcess.path(ofProduct: "holdfast")
        let quoted = ([path] + words).map { "'\($0)'" }.joined(separator: " ")
        let process = ChildProcess(
            "/bin/sh", ["-c", "exec \(quoted) 2>&1 </dev/null"],
            environment: ["HOLDFAST_DATA": data, "SWIFT_BACKTRACE": "enable=no"])
        var lines: [String] = []
        while let line = process.readLine() { lines.append(line) }
        return Outcome(status: process.wait(), output: lines.joined(separator: "\n"))
    }

    /// A store of some hundred objects, closed in order.
    private func makeStore() throws {
        let schema = """
            {"classes":[{"name":"Node","primaryKey":"id","properties":{"id":"int","name":{"type":"string",\
            "indexed":true},"next":"Node"}}]}
            """
        TemporaryDirectory.write(Array(schema.utf8), to: directory.path + "/schema")
        try #require(run("schema", "put", directory.path + "/schema").status == 0)
        var lines = ""
        for id in 0..<400 {
            lines +=
                #"{"id":\#(id),"name":"node number \#(id * 7919 % 400)","next":\#(id / 2)}"# + "\n"
        }
        TemporaryDirectory.write(Array(lines.utf8), to: directory.path + "/nodes")
        try #require(run("import", "--class", "Node", directory.path + "/nodes").status == 0)
    }

    private func expectDamage(_ outcome: Outcome, _ what: String) {
        #expect(outcome.status == 3, "\(what): \(outcome.output)")
        #expect(outcome.output.contains("docs/moving-data.md"), "\(what): \(outcome.output)")
    }

    @Test("a data file that was cut short is damage to every verb, and the message says what to do")
    func cutShort() throws {
        try makeStore()
        try #require(run("compact").status == 0)
        let whole = try #require(TemporaryDirectory.contents(data + "/holdfast.mdb"))
        let last = whole.count / Self.pageByteCount - 1
        for length in [0, 5000, Self.pageByteCount * last / 2, Self.pageByteCount * last + 100] {
            TemporaryDirectory.write(Array(whole.prefix(length)), to: data + "/holdfast.mdb")
            expectDamage(run("check"), "check \(length)")
            expectDamage(run("export", directory.path + "/export"), "export \(length)")
            expectDamage(run("backup", directory.path + "/backup"), "backup \(length)")
            expectDamage(run("serve", "--listen", "127.0.0.1:0"), "serve \(length)")
        }
        TemporaryDirectory.write(whole, to: data + "/holdfast.mdb")
        #expect(run("check").status == 0)
    }

    @Test(
        "check tells of damaged pages by exit code 3 or finds nothing, and is never ended by a signal"
    )
    func damagedPages() throws {
        try makeStore()
        let whole = try #require(TemporaryDirectory.contents(data + "/holdfast.mdb"))
        var random = SeededGenerator(seed: SeededGenerator.testSeed("damaged pages"))
        let pageCount = whole.count / Self.pageByteCount
        var found = 0
        for round in 0..<40 {
            var bytes = whole
            let page = Int.random(in: 0..<pageCount, using: &random) * Self.pageByteCount
            switch round % 4 {
            case 0:
                for offset in page..<page + Self.pageByteCount { bytes[offset] = 0xFF }
            case 1:
                for offset in page..<page + Self.pageByteCount { bytes[offset] = 0 }
            case 2:
                for offset in page + 8..<page + 64 {
                    bytes[offset] = UInt8.random(in: 0...255, using: &random)
                }
            default:
                bytes[page + Int.random(in: 0..<128, using: &random)] ^= 0x80
            }
            TemporaryDirectory.write(bytes, to: data + "/holdfast.mdb")
            let outcome = run("check")
            #expect(
                [0, 1, 3].contains(outcome.status) && !outcome.output.isEmpty,
                "round \(round): \(outcome.status) \(outcome.output)")
            if outcome.status == 3 {
                found += 1
                expectDamage(outcome, "round \(round)")
            }
        }
        #expect(found > 0)
    }

    /// Serves the store and ends the service at once, without order.
    private func crash(_ words: String...) throws {
        let service = ChildProcess(
            ChildProcess.path(ofProduct: "holdfast"),
            ["serve", "--data", data, "--listen", "127.0.0.1:0"] + words)
        try #require(service.readLine()?.hasPrefix("holdfast: serving") == true)
        service.kill()
        service.wait()
    }

    /// The epoch of the version that `check` names.
    private func epoch() throws -> String {
        let words = run("check").output.split(separator: " ")
        let version = try #require(words.firstIndex(of: "version").map { words[$0 + 1] })
        return String(version.prefix { $0 != "-" })
    }

    @Test("a store that lost its journal is damage, until --new-epoch accepts the loss")
    func missingJournal() throws {
        try makeStore()
        let former = try epoch()
        try crash()
        #expect(try epoch() == former)
        for file in 0...1 { unlink("\(data)/holdfast.mdb-journal-\(file)") }
        for outcome in [run("check"), run("serve", "--listen", "127.0.0.1:0"), run("compact")] {
            expectDamage(outcome, "without a journal")
            #expect(outcome.output.contains("--new-epoch"), "\(outcome.output)")
        }
        #expect(run("compact", "--new-epoch").status == 0)
        #expect(run("check").status == 0)
        #expect(try epoch() != former)
    }

    @Test("a relaxed store that crashed has a new epoch, whatever it is served as next")
    func relaxed() throws {
        try makeStore()
        let first = try epoch()
        try crash("--durability", "relaxed")
        #expect(try epoch() == first)
        try crash("--durability", "full")
        let second = try epoch()
        #expect(second != first)
        try crash("--durability", "full")
        #expect(try epoch() == second)
    }

    @Test("check and serve name the damaged page, which ends neither by a signal")
    func pages() throws {
        try makeStore()
        var bytes = try #require(TemporaryDirectory.contents(data + "/holdfast.mdb"))
        // No branch page (flag 1 at byte 10) has an entry: LMDB asserts that it has two.
        for page in 2..<bytes.count / Self.pageByteCount {
            let start = page * Self.pageByteCount
            if bytes[start + 10] == 1 { (bytes[start + 12], bytes[start + 13]) = (16, 0) }
        }
        TemporaryDirectory.write(bytes, to: data + "/holdfast.mdb")
        for outcome in [
            run("check"), run("serve", "--listen", "127.0.0.1:0"),
        ] {
            expectDamage(outcome, "check")
            #expect(outcome.output.contains("its bounds are wrong"), "\(outcome.output)")
            #expect(!outcome.output.contains("signal"), "\(outcome.output)")
        }
    }

    @Test(
        "meta pages with numbers that can't be are damage to every verb, and end none by a signal")
    func metaPages() throws {
        try makeStore()
        let whole = try #require(TemporaryDirectory.contents(data + "/holdfast.mdb"))
        // The size of pages, the last page and the transaction, in both meta pages (`MDB_meta`).
        let places = [(40, UInt64(0x2_0000)), (136, 1 << 40), (144, 1 << 63), (136, 1 << 62)]
        for (offset, number) in places {
            for meta in 0...1 {
                var bytes = whole
                withUnsafeBytes(of: number.littleEndian) { number in
                    let count = offset == 40 ? 4 : 8
                    for index in 0..<count {
                        bytes[meta * Self.pageByteCount + offset + index] = number[index]
                    }
                }
                // The newest one counts.
                if offset == 136 { bytes[meta * Self.pageByteCount + 144 + 2] = 1 }
                TemporaryDirectory.write(bytes, to: data + "/holdfast.mdb")
                for outcome in [
                    run("check"), run("serve", "--listen", "127.0.0.1:0"),
                ] {
                    expectDamage(outcome, "\(number) at \(offset) of \(meta)")
                    #expect(!outcome.output.contains("signal"), "\(outcome.output)")
                }
            }
        }
    }
}
