import HoldfastObjectStore
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastStorage
import Testing
import HoldfastTestSupport

@Suite("failures and limits of the store")
struct FailureTests {
    @Test(
        "a failed commit is told without a word of the inside, and changes nothing",
        arguments: [
            (StorageError.Code.diskFull, 507, "storage-full"), (.io, 500, "storage-failed"),
            (.corrupted, 500, "storage-failed"), (.memory, 503, "busy"),
            (.unavailable, 503, "storage-unavailable"), (.valueTooLong, 422, "too-large"),
        ])
    func failedCommit(code: StorageError.Code, status: Int, name: String) throws {
        let engine = FaultyEngine(try EngineCase.memory.open())
        let server = try TestServer(engine, schema: Schemas.everything)
        let path = "/v1/classes/Thing/objects/1"
        server.send("PUT", path, "{}")
        let before = server.send("GET", path)
        for (method, target, body) in [
            ("PUT", path, "{\"count\":1}"), ("PATCH", path, "{\"count\":1}"),
            ("POST", "/v1/classes/Thing/objects", "[{\"id\":2}]"), ("DELETE", path, nil),
        ] as [(String, String, String?)] {
            engine.failCommit(engine.commitCount + 1, with: code)
            APIScenario(
                method, target, body, status: status, contains: ["\"code\":\"\(name)\""],
                excludes: ["made to fail", "commit\""]
            ).check(on: server)
        }
        #expect(server.send("GET", path).text == before.text)
        APIScenario("GET", "/v1/classes/Thing/objects/2", status: 404).check(on: server)
    }

    @Test("figures of a store that fails while they are read say once that it can't be read")
    func metrics() throws {
        let engine = FaultyEngine(try EngineCase.memory.open())
        let server = try TestServer(engine, schema: Schemas.everything)
        try engine.failReads(.init(tags: [StoreKey.Tag.classState], after: 0, isLasting: true))
        server.send("PUT", "/v1/classes/Thing/objects/1", "{}")
        let lines = server.send("GET", "/metrics").text.split(separator: "\n")
        #expect(engine.endReadFault() > 0)
        #expect(lines.filter { $0.contains("holdfast_store_version") }.isEmpty)
        #expect(lines.filter { $0.contains("holdfast_commits_total") }.count == 3)
        #expect(
            lines.filter { $0.contains("holdfast_store_readable") }.map(String.init)
                == [
                    "# HELP holdfast_store_readable Whether the store can be read.",
                    "# TYPE holdfast_store_readable gauge", "holdfast_store_readable 0",
                ])
        let again = server.send("GET", "/metrics").text
        #expect(again.contains("\nholdfast_store_readable 1\n"))
    }

    @Test("a conflict with another commit is run again, unseen by the client")
    func conflict() throws {
        let engine = FaultyEngine(try EngineCase.memory.open())
        let server = try TestServer(engine, schema: Schemas.everything)
        engine.failCommit(engine.commitCount + 1, with: .conflict)
        APIScenario(
            "POST", "/v1/classes/Person/objects",
            #"[{"name":"A","best":"B","dogs":[{"name":"Rex"}]},{"name":"B","home":{"city":"x"}}]"#,
            status: 201, contains: [#""best":"B""#, #""city":"x""#]
        ).check(on: server)
        APIScenario("GET", "/v1/classes/Person/objects/A", status: 200).check(on: server)
    }

    @Test("a transaction takes as many operations as its limit, and not one more")
    func operations() throws {
        var options = StoreOptions()
        options.operationCountMax = 10
        let server = try TestServer(
            try EngineCase.memory.open(), schema: Schemas.everything, storeOptions: options)
        func body(_ count: Int) -> String {
            "[" + (0..<count).map { "{\"id\":\($0)}" }.joined(separator: ",") + "]"
        }
        APIScenario(
            "POST", "/v1/classes/Thing/objects", body(11), status: 422,
            contains: ["too-many-operations", "10"]
        ).check(on: server)
        APIScenario("GET", "/v1/classes/Thing/objects/0", status: 404).check(on: server)
        APIScenario("POST", "/v1/classes/Thing/objects", body(10), status: 201).check(on: server)
    }

    @Test("clients at the same time read what one of them wrote whole")
    func concurrentClients() throws {
        let server = try TestServer(.lmdb, schema: Schemas.everything)
        let port = server.server.addresses.first?.port ?? 0
        let threads = try (0..<6).map { number in
            try StartedThread { () -> Int in
                let client = HTTPClient(port: port)
                var faults = 0
                for round in 0..<80 {
                    let name = "P\(round % 4)"
                    let body =
                        #"{"age":\#(number),"role":"r\#(number)","best":{"name":"Q\#(number)"},"friends":["\#(name)"]}"#
                    let put = client.send(
                        "PUT", "/v1/classes/Person/objects/\(name)",
                        headers: [("Content-Type", "application/json")], body: Array(body.utf8))
                    if put.status != 200 && put.status != 201 { faults += 1 }
                    if !put.text.contains(
                        #""age":\#(number),"role":"r\#(number)","#)
                        || !put.text.contains(#""friends":["\#(name)"],"best":"Q\#(number)""#)
                    {
                        faults += 1
                    }
                    let get = client.send("GET", "/v1/classes/Person/objects/\(name)")
                    let isWhole = (0..<6).contains {
                        get.text.contains(#""age":\#($0),"role":"r\#($0)","#)
                            && get.text.contains(#""best":"Q\#($0)""#)
                    }
                    if get.status != 200 || !isWhole { faults += 1 }
                }
                return faults
            }
        }
        #expect(threads.map { $0.result() } == Array(repeating: 0, count: 6))
    }
}
