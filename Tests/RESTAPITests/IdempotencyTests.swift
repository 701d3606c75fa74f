import HoldfastAccess
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastStorage
import HoldfastStoreService
import HoldfastTestSupport
import HoldfastThreads
import Synchronization
import Testing

@Suite("idempotency keys")
struct IdempotencyTests {
    let dogs = "/v1/classes/Dog/objects"
    let things = "/v1/classes/Thing/objects"
    let transactions = "/v1/transactions"

    private func key(_ text: String) -> [(String, String)] { [("Idempotency-Key", text)] }

    private func count(_ name: String, _ server: TestServer) -> Int {
        server.send("GET", "/v1/classes/\(name)/objects?limit=1000&fields=$version").text
            .components(of: "$version")
    }

    @Test(
        "a repeat gets the first reply, byte for byte, and writes nothing",
        arguments: EngineCase.all)
    func repeats(engine: EngineCase) throws {
        let server = try TestServer(engine, schema: Schemas.everything)
        server.send("PUT", things + "/1", #"{"count":1}"#)
        let large = String(repeating: "x", count: 100_000)
        let requests: [(String, String, String, String)] = [
            ("POST", dogs, #"{"name":"Rex"}"#, "application/json"),
            ("POST", dogs, #"[{"name":"a"},{"name":"b"}]"#, "application/json"),
            ("POST", dogs + "?mode=merge", "{\"name\":\"\(large)\"}", "application/json"),
            ("PATCH", things + "/1", #"{"count":2}"#, "application/json"),
            (
                "PATCH", things + "/1", #"[{"op":"add","path":"/counts/-","value":1}]"#,
                "application/json-patch+json"
            ),
            ("PATCH", things + "?all=true", #"{"name":"n"}"#, "application/json"),
            (
                "POST", transactions,
                #"{"operations":[{"op":"create","class":"Toy","value":{"label":"t"}}]}"#,
                "application/json"
            ),
        ]
        for (number, (method, target, body, type)) in requests.enumerated() {
            let headers = key("key \(number)") + [("Content-Type", type)]
            let first = server.send(method, target, body, headers: headers)
            #expect(first.status == 200 || first.status == 201, "\(first.text)")
            #expect(first.headers["idempotency-replayed"] == nil)
            let version = server.store.version
            for _ in 0..<2 {
                let again = server.send(method, target, body, headers: headers)
                #expect(again.status == first.status)
                #expect(again.text == first.text)
                #expect(again.headers["idempotency-replayed"] == "true")
                for name in ["etag", "holdfast-version", "location", "content-type"] {
                    #expect(again.headers[name] == first.headers[name], "\(name)")
                }
            }
            #expect(server.store.version == version)
        }
        #expect(count("Dog", server) == 4)
        #expect(count("Toy", server) == 1)
        APIScenario("GET", things + "/1", status: 200, contains: [#""counts":[1]"#])
            .check(on: server)
        #expect(try StoreCheck.run(server.store).findings.isEmpty)
    }

    @Test(
        "a repeat has the present version of the store, and in another epoch the tags and versions of that"
    )
    func epochs() throws {
        let engine = LastingEngine(try EngineCase.memory.open())
        let requests: [(String, String, String)] = [
            ("POST", dogs, #"{"name":"Rex"}"#), ("POST", dogs, #"[{"name":"a"}]"#),
            (
                "POST", transactions,
                #"{"operations":[{"op":"create","class":"Toy","value":{"label":"t"}}]}"#
            ),
            ("PATCH", dogs + "?all=true", #"{"name":"n"}"#),
        ]
        var first: [HTTPClient.Reply] = []
        var server = try TestServer(engine, schema: Schemas.everything)
        for (number, (method, target, body)) in requests.enumerated() {
            first.append(server.send(method, target, body, headers: key("key \(number)")))
        }
        func repeats(_ number: Int) -> HTTPClient.Reply {
            let (method, target, body) = requests[number]
            return server.send(method, target, body, headers: key("key \(number)"))
        }
        server.send("PUT", things + "/1", #"{"count":1}"#)
        let former = server.store.version
        #expect(repeats(0).headers["holdfast-version"] == former.description)
        #expect(repeats(0).text == first[0].text)
        func epoch(_ version: StoreVersion) -> String { String(version.description.prefix(9)) }

        var options = StoreOptions()
        options.takesNewEpoch = true
        server = try TestServer(engine, schema: Schemas.everything, storeOptions: options)
        let present = server.store.version
        #expect(epoch(present) != epoch(former))
        for number in requests.indices {
            let again = repeats(number)
            #expect(again.status == first[number].status)
            #expect(again.headers["idempotency-replayed"] == "true")
            #expect(again.headers["holdfast-version"] == present.description)
            #expect(
                again.text == first[number].text.replacing(epoch(former), with: epoch(present)))
            #expect(
                again.headers["etag"]
                    == first[number].headers["etag"]?.replacing(epoch(former), with: epoch(present))
            )
        }
        // The version in the reply can be requested.
        let version = repeats(2).headers["holdfast-version"] ?? ""
        #expect(server.send("GET", dogs + "?minVersion=\(version)").status == 200)
    }

    @Test("another epoch changes no property of an object in a repeated reply, whatever its name")
    func epochsOfProperties() throws {
        let engine = LastingEngine(try EngineCase.memory.open())
        func named(_ name: String, _ type: PropertyType) -> Property {
            Property(name: name, type: type)
        }
        let text = PropertyType.single(.scalar(.string))
        let schema = Schema(classes: [
            ObjectClass(
                name: "Note", properties: [named("version", text), named("etag", text)]),
            ObjectClass(name: "Log", kind: .asymmetric, properties: [named("version", text)]),
        ])
        var server = try TestServer(engine, schema: schema)
        let epoch = server.store.version.description.prefix(9)
        let note = "{\"version\":\"\(epoch)7000\",\"etag\":\"\(epoch)8000\"}"
        let entry = "{\"version\":\"\(epoch)7000\"}"
        let requests = [
            ("/v1/classes/Note/objects", note), ("/v1/classes/Note/objects", "[\(note)]"),
            ("/v1/classes/Log/objects", entry),
            (
                transactions,
                "{\"operations\":[{\"op\":\"create\",\"class\":\"Note\",\"value\":\(note)}]}"
            ),
        ]
        var first: [HTTPClient.Reply] = []
        let minimal = [("Prefer", "return=minimal")]
        var firstMinimal: [HTTPClient.Reply] = []
        for (number, (target, body)) in requests.enumerated() {
            first.append(server.send("POST", target, body, headers: key("key \(number)")))
            #expect([200, 201].contains(first[number].status), "\(first[number].text)")
            firstMinimal.append(
                server.send("POST", target, body, headers: key("minimal \(number)") + minimal))
        }
        var options = StoreOptions()
        options.takesNewEpoch = true
        server = try TestServer(engine, schema: schema, storeOptions: options)
        let present = server.store.version.description.prefix(9)
        for (number, (target, body)) in requests.enumerated() {
            let again = server.send("POST", target, body, headers: key("key \(number)"))
            #expect(again.headers["idempotency-replayed"] == "true")
            // A stand-in keeps the values of the properties.
            let expected = first[number].text
                .replacing("\(epoch)7000\"", with: "<7>").replacing("\(epoch)8000\"", with: "<8>")
                .replacing(epoch, with: present)
                .replacing("<7>", with: "\(epoch)7000\"").replacing("<8>", with: "\(epoch)8000\"")
            #expect(again.text == expected)
            let short = server.send(
                "POST", target, body, headers: key("minimal \(number)") + minimal)
            #expect(short.status == firstMinimal[number].status, "\(short.text)")
            #expect(short.headers["idempotency-replayed"] == "true")
        }
    }

    @Test("a repeat gets the first reply whatever has happened since")
    func laterChanges() throws {
        let server = try TestServer(schema: Schemas.everything)
        let body = #"{"name":"p","dogs":[{"name":"Rex"}]}"#
        let first = server.send("POST", "/v1/classes/Person/objects", body, headers: key("k"))
        server.send("DELETE", "/v1/classes/Dog/objects?all=true")
        server.send("DELETE", "/v1/classes/Person/objects/p")
        let again = server.send("POST", "/v1/classes/Person/objects", body, headers: key("k"))
        #expect(again.status == 201)
        #expect(again.text == first.text)
        APIScenario("GET", "/v1/classes/Person/objects/p", status: 404).check(on: server)
    }

    @Test("a write that changes nothing, and one without a body in its reply, are kept too")
    func smallReplies() throws {
        let server = try TestServer(schema: Schemas.everything)
        server.send("PUT", things + "/1", #"{"count":1}"#)
        let etag = server.send("GET", things + "/1").headers["etag"]
        let unchanged = server.send("PATCH", things + "/1", #"{"count":1}"#, headers: key("a"))
        #expect(unchanged.status == 200 && unchanged.headers["etag"] == etag)
        server.send("PATCH", things + "/1", #"{"count":2}"#)
        let again = server.send("PATCH", things + "/1", #"{"count":1}"#, headers: key("a"))
        #expect(again.text == unchanged.text)
        APIScenario("GET", things + "/1", status: 200, contains: [#""count":2"#]).check(on: server)

        let minimal = key("b") + [("Prefer", "return=minimal")]
        for _ in 0..<2 {
            let reply = APIScenario(
                "POST", dogs, "{}", headers: minimal, status: 201,
                fields: ["preference-applied": "return=minimal", "location": ""]
            ).check(on: server)
            #expect(reply.body.isEmpty)
        }
        #expect(count("Dog", server) == 1)
        #expect(try StoreCheck.run(server.store).findings.isEmpty)
    }

    @Test(
        "another request with the key is refused, and the same key on another path is another key")
    func otherRequests() throws {
        let server = try TestServer(schema: Schemas.everything)
        APIScenario("POST", dogs, #"{"name":"a"}"#, headers: key("k"), status: 201).check(
            on: server)
        for (target, body) in [(dogs, #"{"name":"b"}"#), (dogs + "?mode=merge", #"{"name":"a"}"#)] {
            APIScenario(
                "POST", target, body, headers: key("k"), status: 422,
                contains: ["idempotency-key-reused"]
            ).check(on: server)
        }
        APIScenario(
            "PATCH", dogs + "?all=true", #"{"name":"a"}"#, headers: key("k"), status: 422,
            contains: ["idempotency-key-reused"]
        ).check(on: server)
        APIScenario("POST", "/v1/classes/Toy/objects", "{}", headers: key("k"), status: 201)
            .check(on: server)
        #expect(count("Dog", server) == 1)
    }

    @Test("a request that failed may be repeated with the key, and with a better body")
    func failures() throws {
        let engine = FaultyEngine(try EngineCase.memory.open())
        let server = try TestServer(engine, schema: Schemas.everything)
        APIScenario("POST", things, #"{"id":"x"}"#, headers: key("k"), status: 422)
            .check(on: server)
        APIScenario(
            "POST", "/v1/classes/Person/objects", #"{"name":"a","best":"b"}"#, headers: key("k"),
            status: 422, contains: ["dangling-link"]
        ).check(on: server)
        engine.failCommit(engine.commitCount + 1, with: .diskFull)
        APIScenario("POST", things, #"{"id":1}"#, headers: key("k"), status: 507).check(on: server)
        APIScenario("GET", things + "/1", status: 404).check(on: server)
        engine.failCommit(engine.commitCount + 1, with: .conflict)
        for _ in 0..<2 {
            APIScenario("POST", things, #"{"id":1}"#, headers: key("k"), status: 201)
                .check(on: server)
        }
        APIScenario("POST", things, #"{"id":1}"#, headers: key("l"), status: 409).check(on: server)
    }

    @Test("while the first request runs a repeat is refused")
    func running() throws {
        let server = try TestServer(schema: Schemas.everything)
        let gate = Monitor(false)
        let holdUp = AwaitedWrite { _ throws(StoreError) in gate.wait { $0 ? () : nil } }
        server.store.submit(holdUp)
        let port = server.server.addresses.first?.port ?? 0
        let statuses = Mutex<[Int]>([])
        let target = dogs
        try runThreads(2) { _ in
            let client = HTTPClient(port: port)
            defer { client.disconnect() }
            let reply = client.send(
                "POST", target,
                headers: [("Idempotency-Key", "k"), ("Content-Type", "application/json")],
                body: Array("{}".utf8))
            statuses.withLock { $0.append(reply.status) }
            // The one that came second is answered first, and then the other one may go on.
            gate.update { $0 = true }
        }
        _ = try holdUp.wait()
        #expect(statuses.withLock { $0 } == [409, 201])
        APIScenario("POST", dogs, "{}", headers: key("k"), status: 201).check(on: server)
        #expect(count("Dog", server) == 1)
    }

    @Test(
        "an operation that stores no reply refuses a key, and does nothing",
        arguments: [
            ("PATCH", "/v1/schema/classes/Dog", "{}"), ("POST", "/v1/tickets", "{}"),
            ("POST", "/v1/classes/Dog/query", "{}"), ("POST", "/v1/streams", "{}"),
            ("POST", "/v1/backups", ""), ("POST", "/v1/tokens", "{}"),
            ("POST", "/v1/classes/Dog/import", "{}"),
            ("POST", "/v1/import", "{}"),
        ])
    func refused(method: String, target: String, body: String) throws {
        let server = try TestServer(schema: Schemas.everything)
        APIScenario(
            method, target, body, headers: key("a"), status: 400,
            contains: ["invalid-header", "\"parameter\":\"Idempotency-Key\"", "leave it out"]
        ).check(on: server)
        #expect(count("Dog", server) == 0)
    }

    @Test("PUT and DELETE take no notice of a key")
    func repeatable() throws {
        let server = try TestServer(schema: Schemas.everything)
        for status in [201, 200] {
            APIScenario("PUT", things + "/1", "{}", headers: key("a"), status: status)
                .check(on: server)
        }
        for status in [204, 404] {
            APIScenario("DELETE", things + "/1", headers: key("a"), status: status)
                .check(on: server)
        }
    }

    @Test("a key has 1 to 255 printable characters")
    func keys() throws {
        let server = try TestServer(schema: Schemas.everything)
        let longest = String(repeating: "k", count: 255)
        for text in ["k", longest, "\"8e03978e-40d5\"", "a b~!"] {
            APIScenario("POST", dogs, "{}", headers: key(text), status: 201).check(on: server)
        }
        for text in ["", longest + "k", "Größe", "a\tb"] {
            APIScenario(
                "POST", dogs, "{}", headers: key(text), status: 400,
                contains: ["invalid-header", "\"parameter\":\"Idempotency-Key\""]
            ).check(on: server)
        }
        APIScenario("POST", dogs, "{}", headers: key("a") + key("b"), status: 400)
            .check(on: server)
        APIScenario(
            "POST", "/v1/classes/Dog/import", "{}",
            headers: key("a") + [("Content-Type", "application/x-ndjson")], status: 400,
            contains: ["mode=merge"]
        ).check(on: server)
        #expect(count("Dog", server) == 4)
    }

    @Test("a reply that is too long to be kept takes the write back; one at the limit is kept")
    func replyLimit() throws {
        // What is kept beside the body: two hashes' worth of fields, well under this.
        let fields = 200
        var options = StoreOptions()
        options.idempotency.recordByteCountMax = 4000 + fields
        let server = try TestServer(
            try EngineCase.memory.open(), schema: Schemas.everything, storeOptions: options)
        func body(_ count: Int) -> String {
            "{\"label\":\"\(String(repeating: "x", count: count))\"}"
        }
        let toys = "/v1/classes/Toy/objects"
        let overhead = server.send("POST", toys, body(0)).body.count
        APIScenario(
            "POST", toys, body(4000 + fields - overhead), headers: key("a"), status: 422,
            contains: ["too-large", "return=minimal"]
        ).check(on: server)
        #expect(count("Toy", server) == 1)
        for _ in 0..<2 {
            APIScenario("POST", toys, body(4000 - overhead), headers: key("b"), status: 201)
                .check(on: server)
            APIScenario(
                "POST", toys, body(9000), headers: key("c") + [("Prefer", "return=minimal")],
                status: 201
            ).check(on: server)
        }
        #expect(count("Toy", server) == 3)
    }

    @Test("keys of different tokens are different keys")
    func tokens() throws {
        let server = try GuardedServer(withTokens: true)
        func send(_ right: Right) throws -> HTTPClient.Reply {
            let token = try #require(server.tokens[right])
            return server.send(
                "POST", "/v1/classes/Node/objects?mode=merge",
                [
                    ("Authorization", "Bearer \(token)"), ("Idempotency-Key", "k"),
                    ("Content-Type", "application/json"),
                ], body: #"{"id":1}"#)
        }
        #expect(try send(.write).status == 201)
        let again = try send(.write)
        #expect(again.status == 201)
        #expect(again.headers["idempotency-replayed"] == "true")
        let other = try send(.admin)
        #expect(other.status == 200)
        #expect(other.headers["idempotency-replayed"] == nil)
        let third = try send(.admin)
        #expect(third.status == 200)
        #expect(third.headers["idempotency-replayed"] == "true")
    }
}
