import HoldfastObjectModel
import HoldfastObjectSupport
import Testing
import HoldfastTestSupport

@Suite("words and regular expressions over HTTP")
struct FullTextTests {
    private let objects = "/v1/classes/Story/objects"

    private func open(_ engine: EngineCase = .memory, indexed: String = "\"fulltext\"") throws
        -> TestServer
    {
        let server = try TestServer(engine, schema: Schema())
        APIScenario(
            "PUT", "/v1/schema", schema(indexed), status: 200,
            contains: indexed == "false" ? [] : ["\"indexed\":\(indexed)"]
        ).check(on: server)
        let texts = [
            "The Old Man and the Sea", "Der alte Mann und das Meer", "Le vieil homme et la mér",
            "老人と海", "the sea, the sea",
        ]
        for (place, text) in texts.enumerated() {
            #expect(
                server.send(
                    "PUT", "\(objects)/\(place + 1)", #"{"text":"\#(text)","tags":["t\#(place)"]}"#
                ).status == 201)
        }
        return server
    }

    private func schema(_ indexed: String) -> String {
        #"{"classes":[{"name":"Story","primaryKey":"id","properties":{"id":"int","text":{"type":"string?","indexed":\#(indexed)},"matches":"string?","tags":"string[]"}}]}"#
    }

    /// The identifiers that a query with arguments finds.
    private func ids(_ server: TestServer, _ filter: String, _ arguments: String = "[]") -> String {
        let reply = server.send(
            "POST", "/v1/classes/Story/query",
            #"{"filter":"\#(filter)","args":\#(arguments),"fields":"id"}"#)
        #expect(reply.status == 200, "\(reply.text)")
        return reply.text
    }

    @Test("words are found, and explain tells by which index", arguments: EngineCase.all)
    func words(engine: EngineCase) throws {
        let server = try open(engine)
        for (filter, expected) in [
            ("text TEXT 'sea'", "[{\"id\":1},{\"id\":5}]"), ("text TEXT 'MER'", "[{\"id\":3}]"),
            ("text TEXT 'the -old'", "[{\"id\":5}]"), ("text TEXT 'ma* al*'", "[{\"id\":2}]"),
            ("text TEXT '海'", "[{\"id\":4}]"), ("ANY tags TEXT 't3'", "[{\"id\":4}]"),
        ] {
            #expect(ids(server, filter) == "{\"objects\":\(expected)}", "\(filter)")
        }
        #expect(ids(server, "text TEXT $0", "[\"Meer\"]") == #"{"objects":[{"id":2}]}"#)
        APIScenario(
            "POST", "/v1/classes/Story/query",
            #"{"filter":"text TEXT 'the sea'","explain":true,"count":"exact","fields":"id"}"#,
            status: 200,
            contains: [
                #""plan":"full-text index text, 2 words, then by object key""#,
                #""indexes":["text"]"#, #""count":2"#,
            ]
        ).check(on: server)
        APIScenario(
            "POST", "/v1/classes/Story/query",
            #"{"filter":"text TEXT 'sea' AND tags.@count >= 0","sort":"-matches","explain":true,"fields":"id"}"#,
            status: 200,
            contains: [#""plan":"full-text index text, 1 word, then sorted, each object tested""#]
        ).check(on: server)
        #expect(try server.store.findings() == [])
    }

    @Test("every way to write keeps the words", arguments: EngineCase.all)
    func writes(engine: EngineCase) throws {
        let server = try open(engine)
        func has(_ word: String, _ expected: [Int]) {
            let list = expected.map { "{\"id\":\($0)}" }.joined(separator: ",")
            #expect(ids(server, "text TEXT '\(word)'") == "{\"objects\":[\(list)]}", "\(word)")
        }
        server.send("PATCH", "\(objects)/1", #"{"text":"first lake"}"#)
        has("sea", [5])
        server.send(
            "PATCH", "\(objects)/2", #"[{"op":"replace","path":"/text","value":"second lake"}]"#,
            headers: [("Content-Type", "application/json-patch+json")])
        has("lake", [1, 2])
        server.send("PATCH", "\(objects)?filter=id%20%3E%3D%204", #"{"text":"bulk lake"}"#)
        has("lake", [1, 2, 4, 5])
        server.send("PATCH", "\(objects)/4", #"{"text":null}"#)
        server.send(
            "POST", "/v1/transactions",
            #"{"operations":[{"op":"put","class":"Story","id":6,"value":{"text":"a new lake"}},{"op":"delete","class":"Story","id":1}]}"#
        )
        has("lake", [2, 5, 6])
        server.send("DELETE", "\(objects)?filter=text%20TEXT%20%27bulk%27")
        has("lake", [2, 6])
        server.send(
            "POST", "/v1/classes/Story/import", "{\"id\":7,\"text\":\"imported lake\"}\n",
            headers: [("Content-Type", "application/x-ndjson")])
        has("lake", [2, 6, 7])
        #expect(try server.store.findings() == [])

        let export = server.send("GET", "/v1/export")
        #expect(export.text.contains(#""indexed":"fulltext""#))
        let other = try TestServer(engine, schema: Schema())
        APIScenario(
            "POST", "/v1/import", export.text,
            headers: [("Content-Type", "application/x-ndjson")], status: 200,
            contains: [#""failed":0"#]
        ).check(on: other)
        #expect(ids(other, "text TEXT 'lake'") == ids(server, "text TEXT 'lake'"))
        #expect(try other.store.findings() == [])
    }

    @Test("an index is added to objects that are there, and dropped", arguments: EngineCase.all)
    func migrates(engine: EngineCase) throws {
        let server = try open(engine, indexed: "false")
        let without = ids(server, "text TEXT 'sea'")
        APIScenario(
            "PUT", "/v1/schema?dryRun=true", schema("\"fulltext\""), status: 200,
            contains: [#""op":"addIndex""#, #""property":"text""#]
        ).check(on: server)
        for indexed in ["\"fulltext\"", "true", "\"fulltext\"", "false"] {
            APIScenario("PUT", "/v1/schema", schema(indexed), status: 200).check(on: server)
            #expect(ids(server, "text TEXT 'sea'") == without)
            #expect(try server.store.findings() == [])
        }
    }

    @Test("regular expressions fit whole values; what runs wild ends the query")
    func patterns() throws {
        let server = try open()
        #expect(ids(server, "text MATCHES $0", "[\".*Sea\"]") == #"{"objects":[{"id":1}]}"#)
        #expect(
            ids(server, "text MATCHES[c] $0", "[\".*\\\\bSEA\"]")
                == #"{"objects":[{"id":1},{"id":5}]}"#)
        #expect(ids(server, "matches MATCHES 'x'") == #"{"objects":[]}"#)
        #expect(ids(server, "matches == null AND id == 1") == #"{"objects":[{"id":1}]}"#)
        server.send(
            "PUT", "\(objects)/9",
            #"{"text":"\#(String(repeating: "a", count: 60))","tags":["\#(String(repeating: "a", count: 60))"]}"#
        )
        APIScenario(
            "POST", "/v1/classes/Story/query", #"{"filter":"text MATCHES '(a+)+b'"}"#, status: 422,
            contains: ["query-pattern-too-complex", "repetitions"]
        ).check(on: server)
        APIScenario(
            "GET", "\(objects)/9/properties/tags?filter=self%20MATCHES%20'(a%2B)%2Bb'", status: 422,
            contains: ["query-pattern-too-complex"]
        ).check(on: server)
        APIScenario(
            "PATCH", "\(objects)?filter=text%20MATCHES%20'(a%2B)%2Bb'", "{}", status: 422,
            contains: ["query-pattern-too-complex"]
        ).check(on: server)
        APIScenario(
            "GET", "\(objects)/1/properties/tags?filter=self%20MATCHES%20't.'", status: 200,
            contains: ["t0"]
        ).check(on: server)
    }

    @Test("errors name the column")
    func errors() throws {
        let server = try open()
        for (filter, code, column, part) in [
            ("text MATCHES '('", "query-syntax", 14, "parenthesis"),
            ("text TEXT ''", "query-syntax", 11, "no words"),
            ("text TEXT 'a -a'", "query-syntax", 11, "excluded"),
            ("id TEXT 'a'", "query-type", 4, "string"),
        ] {
            APIScenario(
                "POST", "/v1/classes/Story/query", #"{"filter":"\#(filter)"}"#, status: 400,
                contains: [#""code":"\#(code)""#, #""column":\#(column)"#, part]
            ).check(on: server)
        }
        APIScenario(
            "PUT", "/v1/schema",
            #"{"classes":[{"name":"Story","primaryKey":"id","properties":{"id":{"type":"int","indexed":"fulltext"}}}]}"#,
            status: 422, contains: ["full-text index needs a single string"]
        ).check(on: server)
    }

    @Test("the OpenAPI document says what is indexed how")
    func document() throws {
        let server = try open()
        APIScenario(
            "GET", "/v1/openapi.json", status: 200, contains: ["Its words are indexed, for `TEXT`."]
        ).check(on: server)
    }

    @Test("a stream follows a search for words")
    func stream() throws {
        let server = try open()
        let changes = "/v1/classes/Story/changes?filter=text%20TEXT%20%27sea%27&since="
        let start = server.send("GET", changes + "now")
        let cursor = try #require(start.json["cursor"]?.string)
        server.send("PATCH", "\(objects)/2", #"{"text":"the sea"}"#)
        server.send("PATCH", "\(objects)/1", #"{"text":"the lake"}"#)
        APIScenario(
            "GET", changes + cursor, status: 200,
            contains: [#""op":"leave","id":1"#, #""id":2"#]
        ).check(on: server)
    }
}
