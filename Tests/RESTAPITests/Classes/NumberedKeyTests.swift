import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("keys that the store numbers")
struct NumberedKeyTests {
    static func numbered(_ name: String, _ type: ScalarType, optional: Bool = false) -> ObjectClass
    {
        ObjectClass(
            name: name, primaryKey: "id",
            properties: [
                Schemas.property("id", type, optional: optional, default: .next),
                Schemas.property("text", .string, optional: true), Schemas.link("next", name),
            ])
    }

    static let schema = Schema(
        classes: [
            numbered("Item", .int), numbered("Tiny", .int8), numbered("Short", .int16),
            numbered("Middle", .int32), numbered("Long", .int64),
            numbered("Loose", .int, optional: true),
        ])

    static func server(_ engine: EngineCase = .memory) throws -> TestServer {
        try TestServer(engine, schema: schema)
    }

    private func create(_ server: TestServer, _ body: String = "{}", _ name: String = "Item")
        -> Int64?
    {
        let reply = server.send("POST", "/v1/classes/\(name)/objects", body)
        #expect(reply.status == 201, "\(reply.text)")
        return reply.json["id"]?.int
    }

    @Test(
        "numbers begin at 1, are never used again, and go on above what was stated",
        arguments: EngineCase.all)
    func numbers(engine: EngineCase) throws {
        let server = try Self.server(engine)
        APIScenario(
            "POST", "/v1/classes/Item/objects", "{\"text\":\"a\"}", status: 201,
            contains: [#"{"id":1,"text":"a","next":null}"#],
            fields: ["location": "/v1/classes/Item/objects/1", "etag": ""]
        ).check(on: server)
        #expect(create(server) == 2)
        APIScenario("DELETE", "/v1/classes/Item/objects/2", status: 204).check(on: server)
        #expect(create(server) == 3)
        APIScenario("PUT", "/v1/classes/Item/objects/10", "{}", status: 201).check(on: server)
        #expect(create(server) == 11)
        #expect(create(server, "{\"id\":5}") == 5)
        #expect(create(server, "{\"id\":-7}") == -7)
        #expect(create(server) == 12)
        APIScenario("DELETE", "/v1/classes/Item/objects?all=true", status: 200).check(on: server)
        #expect(create(server) == 13)
        // What fails uses no number.
        APIScenario("POST", "/v1/classes/Item/objects", "{\"next\":99}", status: 422).check(
            on: server)
        APIScenario("POST", "/v1/classes/Item/objects", "{\"text\":5}", status: 422).check(
            on: server)
        #expect(create(server) == 14)
        #expect(try StoreCheck.run(server.store).findings == [])
    }

    @Test("several objects of an array, an import and nested ones get numbers in their order")
    func many() throws {
        let server = try Self.server()
        let reply = server.send(
            "POST", "/v1/classes/Item/objects",
            #"[{"text":"a"},{"id":4},{"text":"b"},{"text":"c","next":{"text":"d"}}]"#)
        #expect(reply.status == 201, "\(reply.text)")
        #expect(reply.json["objects"]?.elements.map { $0["id"]?.int } == [1, 4, 5, 6])
        #expect(reply.json["objects"]?.elements.last?["next"]?.int == 7)
        let imported = server.send(
            "POST", "/v1/classes/Item/import",
            "{\"text\":\"x\"}\n{\"id\":20}\n{\"text\":\"y\"}\n{\"next\":1}\n",
            headers: [("Content-Type", "application/x-ndjson")])
        #expect(imported.json["imported"]?.int == 4, "\(imported.text)")
        let all = server.send("GET", "/v1/classes/Item/objects?sort=id")
        #expect(all.ids == [1, 4, 5, 6, 7, 8, 20, 21, 22])
        APIScenario(
            "POST", "/v1/classes/Item/objects?mode=merge", "{}", status: 201,
            contains: [#"{"id":23"#]
        ).check(on: server)
        APIScenario(
            "POST", "/v1/classes/Item/objects?mode=replace", "{}", status: 201,
            contains: [#"{"id":24"#]
        ).check(on: server)
    }

    @Test("a transaction numbers its objects, and its references lead to them")
    func transactions() throws {
        let server = try Self.server()
        let reply = server.send(
            "POST", "/v1/transactions",
            #"""
            {"operations":[
             {"op":"create","class":"Item","value":{"text":"first","next":{"$ref":"b"}}},
             {"op":"create","class":"Item","value":{"id":1,"text":"stated"}},
             {"op":"create","class":"Item","ref":"b","value":{"text":"second"}},
             {"op":"merge","class":"Item","ref":"c","value":{"text":"third","next":{"$ref":"b"}}},
             {"op":"patch","class":"Item","id":{"$ref":"b"},"value":{"text":"changed"}},
             {"op":"create","class":"Item","ref":"d","value":{}},
             {"op":"delete","class":"Item","id":{"$ref":"d"}}]}
            """#)
        // The first takes 1 before the second states it.
        #expect(reply.status == 409, "\(reply.text)")
        let good = server.send(
            "POST", "/v1/transactions",
            #"""
            {"operations":[
             {"op":"create","class":"Item","value":{"text":"first","next":{"$ref":"b"}}},
             {"op":"create","class":"Item","value":{"id":5,"text":"stated"}},
             {"op":"create","class":"Item","ref":"b","value":{"text":"second"}},
             {"op":"put","class":"Item","ref":"c","value":{"text":"third","next":{"$ref":"b"}}},
             {"op":"patch","class":"Item","id":{"$ref":"b"},"value":{"text":"changed"}},
             {"op":"put","class":"Item","id":{"$ref":"c"},"value":{"text":"replaced"}},
             {"op":"patch","class":"Item","id":{"$ref":"b"},"value":[{"op":"replace","path":"/next","value":5}]},
             {"op":"create","class":"Item","ref":"d","value":{}},
             {"op":"delete","class":"Item","id":{"$ref":"d"}}]}
            """#)
        #expect(good.status == 200, "\(good.text)")
        #expect(
            good.json["results"]?.elements.map { $0["id"]?.int } == [1, 5, 6, 7, 6, 7, 6, 8, 8])
        let all = server.send("GET", "/v1/classes/Item/objects?sort=id")
        #expect(all.ids == [1, 5, 6, 7])
        #expect(
            all.json["objects"]?.elements.map { $0["text"]?.string }
                == ["first", "stated", "changed", "replaced"])
        #expect(all.json["objects"]?.elements.map { $0["next"]?.int } == [6, nil, 5, nil])
        #expect(create(server) == 9)
        APIScenario(
            "POST", "/v1/transactions",
            #"{"operations":[{"op":"create","class":"Item","ref":"a","value":{}},"#
                + #"{"op":"patch","class":"Item","id":{"$ref":"a"},"value":{"id":77}}]}"#,
            status: 422, contains: ["key-mismatch", "/operations/1/value"]
        ).check(on: server)
        #expect(try StoreCheck.run(server.store).findings == [])
    }

    @Test(
        "the greatest number of each width is the last one",
        arguments: [
            ("Tiny", "127", "128"), ("Short", "32767", "32768"),
            ("Middle", "2147483647", "2147483648"),
            ("Long", "9223372036854775807", "9223372036854775808"),
            ("Item", "9223372036854775807", "9223372036854775808"),
        ])
    func widths(name: String, last: String, tooMuch: String) throws {
        let server = try Self.server()
        let path = "/v1/classes/\(name)/objects"
        #expect(create(server, "{\"id\":\((Int64(last) ?? 0) - 1)}", name) != nil)
        APIScenario("POST", path, "{}", status: 201, contains: ["{\"id\":\(last),"]).check(
            on: server)
        APIScenario(
            "POST", path, "{}", status: 409,
            contains: ["numbers-exhausted", last, "\"pointer\":\"/id\""]
        ).check(on: server)
        APIScenario(
            "POST", path, "[{\"id\":1},{}]", status: 409, contains: ["\"pointer\":\"/1/id\""]
        ).check(on: server)
        APIScenario(
            "POST", "/v1/transactions",
            "{\"operations\":[{\"op\":\"create\",\"class\":\"\(name)\",\"value\":{}}]}",
            status: 409,
            contains: ["\"pointer\":\"/operations/0/value/id\""]
        ).check(on: server)
        APIScenario("POST", path, "{\"id\":\(tooMuch)}", status: 422).check(on: server)
        APIScenario("POST", path, "{\"id\":1}", status: 201).check(on: server)
    }

    @Test("an optional key may be stated as null once, and is numbered when it is left out")
    func optional() throws {
        let server = try Self.server()
        let path = "/v1/classes/Loose/objects"
        APIScenario(
            "POST", path, "{\"id\":null}", status: 201,
            fields: ["location": "/v1/classes/Loose/object?key=null"]
        ).check(on: server)
        APIScenario("POST", path, "{\"id\":null}", status: 409).check(on: server)
        APIScenario("POST", path, "{}", status: 201, contains: ["{\"id\":1,"]).check(on: server)
    }

    @Test(
        "numbers go on after a restart, and above keys that were there before",
        arguments: EngineCase.all)
    func lasting(engineCase: EngineCase) throws {
        let engine = LastingEngine(try engineCase.open())
        var plain = Self.schema
        plain.classes[0].properties[0].defaultValue = nil
        do {
            let server = try TestServer(engine, schema: plain)
            for id in [3, 30, -5] {
                APIScenario("PUT", "/v1/classes/Item/objects/\(id)", "{}", status: 201).check(
                    on: server)
            }
            APIScenario(
                "POST", "/v1/classes/Item/objects", "{}", status: 422, contains: ["missing-key"]
            ).check(on: server)
            try TestServer.put(Self.schema, in: server.store)
            #expect(create(server) == 31)
            APIScenario("DELETE", "/v1/classes/Item/objects/31", status: 204).check(on: server)
        }
        do {
            let server = try TestServer(engine, schema: Self.schema)
            #expect(create(server) == 32)
            // Numbers count on while the class does not number its objects.
            try TestServer.put(plain, in: server.store)
            APIScenario("PUT", "/v1/classes/Item/objects/50", "{}", status: 201).check(on: server)
            APIScenario("DELETE", "/v1/classes/Item/objects/50", status: 204).check(on: server)
            try TestServer.put(Self.schema, in: server.store)
            #expect(create(server) == 51)
            #expect(try StoreCheck.run(server.store).findings == [])
        }
    }

    @Test("a store without numbered classes keeps the counters that it always had")
    func format() throws {
        let server = try TestServer(schema: Schemas.everything)
        server.send("PUT", "/v1/classes/Thing/objects/7", "{}")
        let read = try server.store.read()
        defer { read.close() }
        let rowClass = try #require(read.rows.rowClass(named: "Thing"))
        #expect(try read.classState(rowClass).greatestNumber == nil)
    }

    @Test("the schema tells the default")
    func schemas() throws {
        let server = try TestServer(schema: Schema(classes: []))
        APIScenario(
            "PUT", "/v1/schema/classes/Item",
            #"{"primaryKey":"id","properties":{"id":{"type":"int16","default":"$next"}}}"#,
            status: 201, contains: [#""id":{"type":"int16","default":"$next"}"#]
        ).check(on: server)
        APIScenario(
            "PUT", "/v1/schema/classes/Other",
            #"{"primaryKey":"id","properties":{"id":"int","n":{"type":"int","default":"$next"}}}"#,
            status: 422, contains: ["\"pointer\":\"/properties/n\"", "primary key"]
        ).check(on: server)
        APIScenario(
            "PUT", "/v1/schema/classes/Other",
            #"{"primaryKey":"id","properties":{"id":{"type":"string","default":"$next"}}}"#,
            status: 422, contains: ["\"pointer\":\"/properties/id/default\""]
        ).check(on: server)
    }
}
