import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import HoldfastThreads
import HoldfastTransfer
import Testing

@Suite("An import")
struct ImportTests {
    @Test("counts blank lines wherever they stand, however many there are")
    func blankLines() throws {
        for (chunkLineCount, end) in [(3, "\n"), (8192, "\n"), (3, "\r\n")] {
            let store = try Importing.store()
            defer { store.close() }
            let blank = String(repeating: end, count: 20_000)
            let text =
                blank + "{\"id\":1}" + end + blank + "{\"id\":2}" + end + end + "{\"id\":\"x\"}"
                + end + end
                + blank + "x" + blank
            let report = try Importing.report(text, into: store, pieceByteCount: 999) {
                $0.chunkLineCount = chunkLineCount
            }
            #expect(report.codes == ["40004 wrong-type", "60006 malformed-json"])
            #expect(report.importedCount == 2)
        }
    }

    @Test("takes every line, whatever its end, and skips blank ones", arguments: EngineCase.all)
    func lineEnds(engine: EngineCase) throws {
        let store = try Importing.store(engine)
        defer { store.close() }
        let text = "\u{FEFF}{\"id\":1}\r\n\n  \t\r\n{\"id\":2}\n{\"id\":3}"
        for pieceByteCount in [1, 2, 7, 1000] {
            let report = try Importing.report(text, into: store, pieceByteCount: pieceByteCount) {
                $0.mode = .replace
            }
            #expect((report.importedCount, report.failedCount) == (3, 0))
        }
        #expect(try Importing.export(store).count == 3)
        try Importing.expectSound(store)
    }

    @Test("of nothing takes nothing")
    func nothing() throws {
        let store = try Importing.store()
        defer { store.close() }
        for text in ["", "\n", "\r\n\r\n", "\u{FEFF}", "\u{FEFF}\n"] {
            let report = try Importing.report(text, into: store)
            #expect((report.importedCount, report.failedCount) == (0, 0))
            #expect(report.version == store.version)
        }
    }

    @Test("keeps good lines and says what is wrong with each other")
    func faults() throws {
        let store = try Importing.store()
        defer { store.close() }
        let lines = [
            #"{"id":1,"label":"a"}"#, #"{"id":"x"}"#, #"{"id":2"#, #"{"id":1}"#, #"[1]"#,
            #"{"id":3,"lable":"b"}"#, #"{"label":"no key"}"#, #"{"id":4,"next":99}"#, #"{"id":5}"#,
            "\u{0}", #"{"id":6,"id":6}"#, #"{"id":7} {"id":8}"#,
            #"{"id":9,"others":[5,5,77,5,78]}"#,
        ]
        let report = try Importing.report(lines.joined(separator: "\n"), into: store)
        #expect((report.importedCount, report.failedCount) == (2, 11))
        #expect(
            report.codes == [
                "2 wrong-type", "3 malformed-json", "4 duplicate-key", "5 wrong-type",
                "6 unknown-property", "7 missing-key", "8 dangling-link", "10 malformed-json",
                "11 duplicate-name", "12 malformed-json", "13 dangling-link", "13 dangling-link",
            ])
        #expect(report.faults[4].fault.pointer == "/lable")
        #expect(report.faults[4].fault.hint == "label")
        #expect(report.faults[6].fault.pointer == "/next")
        #expect(report.faults.suffix(2).map(\.fault.pointer) == ["/others/2", "/others/4"])
        #expect(try Importing.export(store).count == 2)
        try Importing.expectSound(store)
    }

    @Test("counts every fault and lists the first ones")
    func manyFaults() throws {
        let store = try Importing.store()
        defer { store.close() }
        let text = String(repeating: "x\n", count: 2500) + "{\"id\":1}\n"
        let report = try Importing.report(text, into: store) { $0.chunkLineCount = 100 }
        #expect((report.importedCount, report.failedCount) == (1, 2500))
        #expect(report.faults.map(\.line) == Array(1...1000))
    }

    @Test("takes as many faulty lines as it may, and ends with one more", arguments: [1, 8192])
    func faultyLineLimit(chunkLineCount: Int) throws {
        let header = #"{"holdfast":1,"schema":{"classes":[]},"projections":[]}"# + "\n"
        for (count, isTaken) in [(20, true), (21, false)] {
            let faulty = String(repeating: "x\n", count: count)
            for (text, target) in [
                ("{\"id\":1}\n" + faulty, ImportTarget.objects(className: "Node")),
                (header + faulty, .store),
            ] {
                let store = try Importing.store()
                defer { store.close() }
                let result = Importing.run(Array(text.utf8), into: store, target) {
                    $0.limits.importFaultCountMax = 20
                    $0.chunkLineCount = chunkLineCount
                }
                switch try #require(result) {
                case .success(let report):
                    #expect(isTaken && report.failedCount == 20)
                case .failure(let fault):
                    #expect(!isTaken && fault.code == "too-many-faults", "\(fault.detail)")
                    #expect(fault.detail.contains("line 2:"), "\(fault.detail)")
                }
            }
        }
    }

    @Test("that ends says what became of the lines until there, and no others were taken")
    func countsAtTheEnd() throws {
        let store = try Importing.store()
        defer { store.close() }
        // A line that waits for the last one, three good ones, three faulty ones, and good ones again.
        let lines =
            ["{\"id\":1,\"next\":99}"] + (2...4).map { "{\"id\":\($0)}" } + ["x", "x", "x"]
            + (5...90).map { "{\"id\":\($0)}" } + ["{\"id\":99}"]
        let result = try #require(
            Importing.run(lines.joined(separator: "\n"), into: store) {
                $0.limits.importFaultCountMax = 2
                $0.chunkLineCount = 1
            })
        guard case .failure(let fault) = result else {
            Issue.record("three faulty lines were taken")
            return
        }
        let taken = try Importing.export(store).count
        // The line that waits is not there; chunks that were with the writer already are.
        let last = 7 + max(0, taken - 3)
        let end =
            "The import ended after line \(last); of the lines up to it: \(taken) imported, "
            + "3 faulty, 1 left out because they link to later lines."
        #expect(taken >= 3 && fault.detail.hasSuffix(end), "\(taken) taken: \(fault.detail)")
    }

    @Test("ends within a chunk when nobody waits for it any more")
    func nobodyWaits() throws {
        let store = try Importing.store()
        defer { store.close() }
        var options = ImportOptions()
        options.chunkLineCount = 1
        let session = ImportSession(store, .objects(className: "Node"), options) {}
        let lines = (0..<1000).map { "{\"id\":\($0)}\n" }.joined()
        // All the text is there before the first chunk is asked for.
        _ = Array(lines.utf8).withUnsafeBytes { session.feed.append($0) }
        session.feed.complete()
        let questions = Monitor(0)
        session.feed.abandon {
            questions.withLock { count in
                count += 1
                return count > 5
            }
        }
        let outcome = session.run { _ in }
        #expect(outcome == nil)
        #expect(session.progress <= 5)
        #expect(try Importing.export(store).count <= 5)
    }

    @Test("takes a line of the longest length and not one byte more")
    func longLines() throws {
        let store = try Importing.store()
        defer { store.close() }
        func line(_ id: Int, byteCount: Int) -> String {
            let head = "{\"id\":\(id),\"label\":\""
            return head + String(repeating: "x", count: byteCount - head.utf8.count - 2) + "\"}"
        }
        let text = [
            line(1, byteCount: 400), line(2, byteCount: 401), line(3, byteCount: 900),
            line(4, byteCount: 399), "{\"id\":5}",
        ]
        for (end, pieceByteCount) in [("\n", 1000), ("\r\n", 64), ("\n", 1)] {
            let report = try Importing.report(
                text.joined(separator: end), into: store, pieceByteCount: pieceByteCount
            ) {
                $0.limits.importLineByteCountMax = 400
                $0.mode = .replace
                $0.chunkByteCount = 300
            }
            #expect(report.codes == ["2 line-too-long", "3 line-too-long"])
            #expect(report.importedCount == 3)
        }
    }

    @Test("knows its modes", arguments: ImportOptions.modes)
    func modes(mode: WriteMode) throws {
        let store = try Importing.store()
        defer { store.close() }
        _ = try Importing.report(#"{"id":1,"label":"a","next":1}"#, into: store)
        let text = #"{"id":1,"label":"b"}"# + "\n" + #"{"id":2}"#
        let report = try Importing.report(text, into: store) { $0.mode = mode }
        let expected: [WriteMode: String] = [
            .create: #"{"id":1,"label":"a","next":1,"others":[]}"#,
            .ignore: #"{"id":1,"label":"a","next":1,"others":[]}"#,
            .merge: #"{"id":1,"label":"b","next":1,"others":[]}"#,
            .replace: #"{"id":1,"label":"b","next":null,"others":[]}"#,
        ]
        #expect(try Importing.export(store).first == expected[mode])
        #expect(report.codes == (mode == .create ? ["1 duplicate-key"] : []))
        #expect(report.importedCount == (mode == .create || mode == .ignore ? 1 : 2))
        #expect(report.ignoredCount == (mode == .ignore ? 1 : nil))
    }

    @Test("resolves links to later lines, in circles and across chunks", arguments: EngineCase.all)
    func forwardLinks(engine: EngineCase) throws {
        let store = try Importing.store(engine)
        defer { store.close() }
        // A ring whose every link leads to the next line, and the last to the first.
        let count = 500
        let lines = (0..<count).map { #"{"id":\#($0),"next":\#(($0 + 1) % count)}"# }
        let report = try Importing.report(lines.joined(separator: "\n"), into: store) {
            $0.chunkLineCount = 16
        }
        #expect((report.importedCount, report.failedCount) == (count, 0))
        #expect(Set(try Importing.export(store)).count == count)
        try Importing.expectSound(store)
    }

    @Test("of a chain whose end is missing takes none of it")
    func brokenChain() throws {
        let store = try Importing.store()
        defer { store.close() }
        let count = 2000
        let lines = (0..<count).map { #"{"id":\#($0),"next":\#($0 + 1)}"# }
        let report = try Importing.report(lines.joined(separator: "\n"), into: store) {
            $0.chunkLineCount = 64
        }
        #expect((report.importedCount, report.failedCount) == (0, count))
        #expect(
            report.faults.allSatisfy {
                $0.fault.code == "dangling-link" && $0.fault.pointer == "/next"
            })
        #expect(try Importing.export(store).isEmpty)
        try Importing.expectSound(store)
    }

    @Test("writes lines of one object in their order, also when one has to wait")
    func orderOfOneObject() throws {
        let store = try Importing.store()
        defer { store.close() }
        let text = """
            {"id":1,"label":"first","next":9}
            {"id":2}
            {"id":1,"label":"second"}
            {"id":3}
            {"id":1,"label":"third"}
            {"id":9}
            """
        let report = try Importing.report(text, into: store) {
            $0.mode = .merge
            $0.chunkLineCount = 2
        }
        #expect((report.importedCount, report.failedCount) == (6, 0))
        #expect(
            try Importing.export(store).contains(
                #"{"id":1,"label":"third","next":9,"others":[]}"#))
    }

    @Test("lets waiting lines overflow into a file")
    func overflow() throws {
        let store = try Importing.store()
        defer { store.close() }
        let directory = TemporaryDirectory()
        let count = 300
        let label = String(repeating: "l", count: 200)
        let lines = (0..<count).map {
            #"{"id":\#($0),"label":"\#(label)\#($0)","next":\#($0 + 1 == count ? 0 : $0 + 1)}"#
        }
        let report = try Importing.report(lines.joined(separator: "\n"), into: store) {
            $0.chunkLineCount = 10
            $0.deferredByteCountMax = 1000
            $0.limits.temporaryDirectory = directory.path
        }
        #expect((report.importedCount, report.failedCount) == (count, 0))
        let exported = Set(try Importing.export(store))
        #expect(exported.contains(#"{"id":150,"label":"\#(label)150","next":151,"others":[]}"#))
        try Importing.expectSound(store)
    }

    @Test("leaves nothing of a line whose nested object is faulty when it is written")
    func halfWrittenLine() throws {
        let store = try Importing.store()
        defer { store.close() }
        // The nested node is written first, and then the line's own key is taken.
        let text = """
            {"id":1}
            {"id":1,"next":{"id":50,"label":"nested"}}
            {"id":2,"next":{"id":51,"label":"kept"}}
            """
        let report = try Importing.report(text, into: store)
        #expect(report.codes == ["2 duplicate-key"])
        #expect(
            Set(try Importing.export(store)) == [
                #"{"id":1,"label":"","next":null,"others":[]}"#,
                #"{"id":2,"label":"","next":51,"others":[]}"#,
                #"{"id":51,"label":"kept","next":null,"others":[]}"#,
            ])
        try Importing.expectSound(store)
    }

    @Test("with atomic takes all lines or none")
    func atomic() throws {
        let store = try Importing.store()
        defer { store.close() }
        let good = "{\"id\":1,\"next\":2}\n{\"id\":2,\"next\":1}\n"
        let options: (inout ImportOptions) -> Void = {
            $0.isAtomic = true
            $0.chunkLineCount = 1
        }
        for (bad, code) in [
            ("{\"id\":1}", "3 duplicate-key"), ("{", "3 malformed-json"),
            ("{\"id\":3,\"others\":[7,8]}", "3 dangling-link"),
        ] {
            let report = try Importing.report(good + bad, into: store, change: options)
            #expect((report.importedCount, report.failedCount) == (0, 1))
            #expect(report.codes.first == code)
            #expect(try Importing.export(store).isEmpty)
        }
        let before = store.version.number
        let report = try Importing.report(good, into: store, change: options)
        #expect((report.importedCount, report.failedCount) == (2, 0))
        #expect(report.version.number == before + 1)
        try Importing.expectSound(store)
    }

    @Test("with atomic refuses more lines than a transaction takes")
    func atomicLimit() throws {
        let store = try Importing.store()
        defer { store.close() }
        for (count, isTaken) in [(10, true), (11, false)] {
            let text = (0..<count).map { "{\"id\":\($0 + count * 100)}" }.joined(separator: "\n")
            let result = try #require(
                Importing.run(text, into: store) {
                    $0.isAtomic = true
                    $0.atomicLineCountMax = 10
                })
            switch result {
            case .success: #expect(isTaken)
            case .failure(let problem):
                #expect(!isTaken)
                #expect((problem.kind, problem.code) == (.invalid, "too-many-operations"))
            }
        }
        #expect(try Importing.export(store).count == 10)
    }

    @Test("with atomic counts faulty lines against their own limit, not against the transaction")
    func atomicFaults() throws {
        let store = try Importing.store()
        defer { store.close() }
        let text = "{\"id\":1}\n" + String(repeating: "x\n", count: 20)
        for (faultyCountMax, isTaken) in [(20, true), (19, false)] {
            let result = try #require(
                Importing.run(text, into: store) {
                    $0.isAtomic = true
                    $0.atomicLineCountMax = 10
                    $0.limits.importFaultCountMax = faultyCountMax
                })
            switch result {
            case .success(let report):
                #expect(isTaken && (report.importedCount, report.failedCount) == (0, 20))
            case .failure(let fault):
                #expect(!isTaken && fault.code == "too-many-faults", "\(fault.detail)")
            }
        }
        #expect(try Importing.export(store).isEmpty)
    }

    @Test("goes on when the schema changes meanwhile")
    func schemaChange() throws {
        let store = try Importing.store()
        defer { store.close() }
        var larger = Importing.nodes
        // Before the others, so that every class has another position.
        for number in 0..<20 {
            larger.classes.insert(
                .init(name: "Extra\(number)", properties: [Schemas.property("a", .int)]), at: 0)
            var options = ImportOptions()
            options.chunkLineCount = 5
            let session = ImportSession(store, .objects(className: "Node"), options)
            let outcome = try session.run { feed throws in
                for line in 0..<100 {
                    let text = Array(
                        "{\"id\":\(number * 1000 + line),\"next\":\(number * 1000)}\n".utf8)
                    text.withUnsafeBytes { feed.send($0) }
                    if line == 50 { try TestServer.put(larger, in: store) }
                }
            }
            let report = try #require(outcome).get()
            #expect((report.importedCount, report.failedCount) == (100, 0))
        }
        #expect(try Importing.export(store).count == 2000)
        try Importing.expectSound(store)
    }

    @Test("makes new objects of a class without a primary key")
    func withoutKey() throws {
        let store = try Importing.store()
        defer { store.close() }
        _ = try Importing.report("{\"id\":1}", into: store)
        let text = "{\"$id\":77,\"label\":\"a\",\"node\":1}\n{\"label\":\"b\"}\n{\"node\":2}"
        let report = try Importing.report(text, into: store, "Loose")
        #expect((report.importedCount, report.codes) == (2, ["3 dangling-link"]))
        #expect(
            try Importing.export(store, "Loose") == [
                #"{"$id":1,"label":"a","node":1}"#, #"{"$id":2,"label":"b","node":null}"#,
            ])
    }
}
