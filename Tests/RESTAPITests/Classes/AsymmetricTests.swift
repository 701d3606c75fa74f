import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastTestSupport
import Testing

@Suite("asymmetric classes")
struct AsymmetricTests {
    let server: TestServer

    init() throws { server = try Outboxes.server() }

    private static let readings = "/v1/classes/Reading"

    @Test("objects are created alone, in arrays, by imports and by transactions")
    func creation() throws {
        APIScenario(
            "POST", Self.readings + "/objects",
            #"{"_id":1,"celsius":20.5,"place":{"city":"Oslo"},"sensor":{"name":"s1"}}"#,
            status: 201,
            contains: [#"{"_id":1,"celsius":20.5,"place":{"city":"Oslo""#, #""sensor":"s1""#],
            fields: ["holdfast-version": ""]
        ).check(on: server)
        APIScenario(
            "POST", Self.readings + "/objects", #"[{"_id":2,"sensor":"s1"},{"_id":3}]"#,
            status: 201, contains: [#"{"objects":[{"_id":2"#]
        ).check(on: server)
        let imported = server.send(
            "POST", Self.readings + "/import", "{\"_id\":4}\n{\"_id\":5,\"seen\":[\"s1\"]}\n",
            headers: [("Content-Type", "application/x-ndjson")])
        #expect(imported.status == 200 && imported.json["imported"]?.int == 2, "\(imported.text)")
        APIScenario(
            "POST", "/v1/transactions",
            #"{"operations":[{"op":"create","class":"Reading","value":{"_id":6,"sensor":{"$ref":"s"}}},"#
                + #"{"op":"create","class":"Sensor","ref":"s","value":{"name":"s2"}},"#
                + #"{"op":"create","class":"Visit","value":{"page":"/"}}]}"#,
            status: 200,
            contains: [
                #""class":"Reading","id":6,"object":"#, #"{"class":"Visit","id":1,"object":"#,
            ]
        ).check(on: server)
        // What nobody can read has no tag, without its object neither.
        APIScenario(
            "POST", "/v1/transactions",
            #"{"operations":[{"op":"create","class":"Tick","value":{}}]}"#,
            headers: [("Prefer", "return=minimal")], status: 200,
            contains: [#"{"class":"Tick","id":1}"#]
        ).check(on: server)
        #expect(server.outbox().keys == [1, 2, 3, 4, 5, 6])
        APIScenario(
            "GET", "/v1/classes/Visit/outbox", status: 200,
            contains: [#"{"objects":[{"$id":1,"page":"/"}],"through":""#]
        ).check(on: server)
        #expect(try StoreCheck.run(server.store).findings == [])
    }

    @Test("the reply to a creation names no place to read at and no version to compare")
    func headers() {
        let reply = server.send("POST", Self.readings + "/objects", "{\"_id\":1}")
        #expect(reply.status == 201)
        #expect(reply.headers["location"] == nil && reply.headers["etag"] == nil)
        #expect(
            server.send(
                "POST", Self.readings + "/objects", "{\"_id\":2}",
                headers: [("Prefer", "return=minimal")]
            ).headers["location"] == nil)
    }

    @Test(
        "everything but creating and consuming is 405 and says what there is",
        arguments: [
            ("GET", "/objects", nil, "POST, OPTIONS"),
            ("HEAD", "/objects", nil, "POST, OPTIONS"),
            ("PATCH", "/objects?all=true", "{}", "POST, OPTIONS"),
            ("DELETE", "/objects?all=true", nil, "POST, OPTIONS"),
            ("POST", "/query", "{}", "OPTIONS"),
            ("GET", "/objects/1", nil, "OPTIONS"), ("HEAD", "/objects/1", nil, "OPTIONS"),
            ("PUT", "/objects/1", "{}", "OPTIONS"), ("PATCH", "/objects/1", "{}", "OPTIONS"),
            ("DELETE", "/objects/1", nil, "OPTIONS"),
            ("GET", "/object?key=1", nil, "OPTIONS"), ("PUT", "/object?key=1", "{}", "OPTIONS"),
            ("PATCH", "/object?key=1", "{}", "OPTIONS"),
            ("DELETE", "/object?key=1", nil, "OPTIONS"),
            ("GET", "/objects/1/properties/celsius", nil, "OPTIONS"),
            ("GET", "/export", nil, "OPTIONS"), ("GET", "/changes", nil, "OPTIONS"),
            ("GET", "/objects/1/changes", nil, "OPTIONS"),
        ] as [(String, String, String?, String)])
    func refusals(method: String, path: String, body: String?, allow: String) {
        server.submitWrite(1...1)
        APIScenario(
            method, Self.readings + path, body, status: 405,
            contains: method == "HEAD" ? [] : ["asymmetric-class", "outbox"],
            fields: ["allow": allow]
        ).check(on: server)
    }

    @Test(
        "an operation of a transaction other than create is 405, and nothing is done",
        arguments: ["put", "merge", "patch", "delete"])
    func transactions(operation: String) {
        let value = operation == "delete" ? "" : ",\"value\":{}"
        APIScenario(
            "POST", "/v1/transactions",
            "{\"operations\":[{\"op\":\"create\",\"class\":\"Visit\",\"value\":{}},"
                + "{\"op\":\"\(operation)\",\"class\":\"Reading\",\"id\":1\(value)}]}", status: 405,
            contains: ["asymmetric-class", "\"pointer\":\"/operations/1/op\""],
            fields: ["allow": "POST, OPTIONS"]
        ).check(on: server)
        APIScenario(
            "GET", "/v1/classes/Visit/outbox", status: 200, contains: ["{\"objects\":[],"]
        ).check(on: server)
    }

    @Test(
        "what only makes sense for objects that can be read is refused",
        arguments: [
            APIScenario(
                "POST", readings + "/objects?mode=merge", "{\"_id\":1}", status: 400,
                contains: ["\"parameter\":\"mode\""]),
            APIScenario(
                "POST", readings + "/objects?mode=replace", "{\"_id\":1}", status: 400),
            APIScenario("POST", readings + "/objects?mode=ignore", "{\"_id\":1}", status: 400),
            APIScenario("POST", readings + "/objects?mode=create", "{\"_id\":1}", status: 201),
            APIScenario(
                "POST", readings + "/import?mode=merge", "{\"_id\":1}",
                headers: [("Content-Type", "application/x-ndjson")], status: 400,
                contains: ["\"parameter\":\"mode\""]),
            APIScenario(
                "POST", readings + "/objects", "{\"_id\":1}", headers: [("If-None-Match", "*")],
                status: 400, contains: ["invalid-header"]),
            APIScenario(
                "POST", readings + "/objects", "{\"_id\":1}", headers: [("If-Match", "*")],
                status: 400, contains: ["invalid-header"]),
            APIScenario(
                "POST", readings + "/objects", "{\"_id\":1,\"$version\":\"00000001-1\"}",
                status: 422, contains: ["version-not-allowed", "\"pointer\":\"/$version\""]),
            APIScenario(
                "POST", readings + "/objects", "{}", status: 422, contains: ["missing-key"]),
            APIScenario(
                "POST", "/v1/transactions",
                "{\"operations\":[{\"op\":\"create\",\"class\":\"Visit\",\"ref\":\"v\",\"value\":{}}]}",
                status: 422, contains: ["invalid-ref", "/operations/0/ref"]),
            APIScenario(
                "POST", "/v1/transactions",
                "{\"operations\":[{\"op\":\"create\",\"class\":\"Visit\",\"ifMatch\":\"*\",\"value\":{}}]}",
                status: 422, contains: ["precondition-not-allowed", "/operations/0/ifMatch"]),
            APIScenario(
                "GET", "/v1/classes/Sensor/objects?filter=@links.Reading.sensor.@count%20%3E%200",
                status: 400, contains: ["asymmetric"]),
            APIScenario(
                "GET", "/v1/classes/Sensor/outbox", status: 405,
                contains: ["not-asymmetric"], fields: ["allow": "OPTIONS"]),
            APIScenario("GET", "/v1/classes/Place/outbox", status: 405),
            APIScenario(
                "DELETE", "/v1/classes/Sensor/outbox?through=1.00000001-1", status: 405),
            APIScenario(
                "GET", "/v1/classes/Readng/outbox", status: 404,
                contains: ["\"hint\":\"Reading\""]),
            APIScenario(
                "POST", "/v1/classes/Reading/outbox", "{}", status: 405,
                fields: ["allow": "GET, DELETE, OPTIONS"]),
        ])
    func faults(scenario: APIScenario) { scenario.check(on: server) }

    @Test("primary keys are unique until they are acknowledged, then free again")
    func keys() {
        server.submitWrite(1...2)
        APIScenario(
            "POST", Self.readings + "/objects", "{\"_id\":1}", status: 409,
            contains: ["duplicate-key", "outbox"], excludes: ["celsius"]
        ).check(on: server)
        APIScenario(
            "POST", Self.readings + "/objects", "[{\"_id\":9},{\"_id\":2}]", status: 409,
            contains: ["\"pointer\":\"/1\""]
        ).check(on: server)
        #expect(server.acknowledge(server.outbox("?limit=1").through) == 1)
        APIScenario("POST", Self.readings + "/objects", "{\"_id\":2}", status: 409).check(
            on: server)
        APIScenario("POST", Self.readings + "/objects", "{\"_id\":1}", status: 201).check(
            on: server)
        #expect(server.outbox().keys == [2, 1])
    }

    @Test("no query, count or deletion of another class shows what links from an asymmetric one")
    func links() throws {
        server.send("PUT", "/v1/classes/Sensor/objects/a", "{}")
        server.send("PUT", "/v1/classes/Sensor/objects/b", "{\"next\":\"a\"}")
        server.send(
            "POST", Self.readings + "/objects",
            "{\"_id\":1,\"sensor\":\"a\",\"seen\":[\"a\",\"b\",\"a\"],\"place\":{\"near\":\"a\"}}")
        APIScenario(
            "GET", target("/v1/classes/Sensor/objects", [("filter", "@links.@count == 1")]),
            status: 200, contains: ["\"name\":\"a\""], excludes: ["\"name\":\"b\""]
        ).check(on: server)
        APIScenario(
            "GET", target("/v1/classes/Sensor/objects", [("filter", "@links.@count == 0")]),
            status: 200, contains: ["\"name\":\"b\""], excludes: ["\"name\":\"a\""]
        ).check(on: server)
        APIScenario("DELETE", "/v1/classes/Sensor/objects/a", status: 204).check(on: server)
        APIScenario(
            "GET", Self.readings + "/outbox", status: 200,
            contains: ["\"sensor\":null", "\"seen\":[\"b\"]", "\"near\":null"]
        ).check(on: server)
        #expect(try StoreCheck.run(server.store).findings == [])
    }

    @Test("the metrics count what waits in an outbox, and no other figure shows it")
    func metrics() {
        server.submitWrite(1...7)
        APIScenario(
            "GET", "/metrics", status: 200,
            contains: [
                "holdfast_outbox_objects{class=\"Reading\"} 7",
                "holdfast_outbox_objects{class=\"Visit\"} 0",
            ],
            excludes: ["holdfast_objects{class=\"Reading\"}"]
        ).check(on: server)
    }

    @Test(
        "a schema in which an asymmetric class could be read is refused",
        arguments: [
            (
                #"{"name":"X","properties":{"r":"Reading"}}"#,
                "can link to it"
            ),
            (#"{"name":"X","properties":{"r":"Reading[]"}}"#, "can link to it"),
            (
                #"{"name":"X","kind":"embedded","properties":{"r":"Reading"}}"#, "can link to it"
            ),
            (
                #"{"name":"X","kind":"asymmetric","properties":{"r":"Reading"}}"#,
                "can link to it"
            ),
            (
                #"{"name":"Sensor","primaryKey":"name","properties":{"name":"string","limit":"int","next":"Sensor","#
                    + #""before":{"type":"linkingObjects","class":"Sensor","property":"next"},"#
                    + #""r":{"type":"linkingObjects","class":"Reading","property":"sensor"}}}"#,
                "asymmetric class"
            ),
            (
                #"{"name":"X","kind":"asymmetric","properties":{"a":{"type":"int","indexed":true}}}"#,
                "never queried"
            ),
            (
                #"{"name":"X","kind":"asymmetric","properties":{"a":{"type":"linkingObjects","class":"Sensor","property":"next"}}}"#,
                "does not link"
            ),
        ])
    func schemas(objectClass: String, detail: String) {
        let name = objectClass.contains("\"Sensor\",\"primaryKey\"") ? "Sensor" : "X"
        APIScenario(
            "PUT", "/v1/schema/classes/\(name)", objectClass, status: 422, contains: [detail]
        ).check(on: server)
    }

    @Test("the schema tells the kind")
    func kind() {
        APIScenario(
            "GET", "/v1/schema/classes/Visit", status: 200,
            contains: [
                #"{"name":"Visit","kind":"asymmetric","properties":{"page":{"type":"string"}}}"#
            ]
        ).check(on: server)
        APIScenario(
            "PUT", "/v1/schema/classes/More",
            #"{"kind":"asymmetric","primaryKey":"id","properties":{"id":"uuid","at":"Place"}}"#,
            status: 201, contains: [#""kind":"asymmetric""#]
        ).check(on: server)
        APIScenario("POST", "/v1/classes/More/objects", "{}", status: 201).check(on: server)
    }
}
