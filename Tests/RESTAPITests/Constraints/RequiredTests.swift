import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

@Suite("Required properties")
struct RequiredTests {
    private static let user =
        #"""
        {"name":"User","primaryKey":"id","properties":{
          "id":"int","email":{"type":"string","required":true},
          "nick":{"type":"string","optional":true,"required":true,"default":"x"},
          "tags":{"type":"list","element":{"type":"string"},"required":true},
          "boss":{"type":"object","class":"User","required":true},
          "home":"Address","places":"Address[]","homes":"Address{}"}}
        """#
    private static let address =
        #"{"name":"Address","kind":"embedded","properties":{"street":"string?","city":{"type":"string","required":true}}}"#
    private static let whole = #""email":"a@x","nick":null,"tags":[],"boss":null"#

    private let objects = "/v1/classes/User/objects"

    private func open(_ engine: EngineCase = .memory) throws -> TestServer {
        let server = try TestServer(engine, schema: Schema())
        APIScenario(
            "PUT", "/v1/schema", "{\"classes\":[\(Self.user),\(Self.address)]}", status: 200,
            contains: [#""required":true"#]
        ).check(on: server)
        return server
    }

    @Test("an object that leaves required properties out is not created, and each is named")
    func create() throws {
        let server = try open()
        for (method, path, body) in [
            ("POST", objects, #"{"id":1}"#), ("PUT", objects + "/1", "{}"),
            ("POST", objects + "?mode=merge", #"{"id":1}"#),
            ("POST", objects + "?mode=replace", #"{"id":1}"#),
            ("POST", objects + "?mode=ignore", #"{"id":1}"#),
            ("PATCH", objects + "/1?upsert=true", "{}"),
        ] {
            APIScenario(
                method, path, body, status: 422,
                contains: [
                    #""code":"missing-property""#, #""pointer":"/email""#, #""pointer":"/nick""#,
                    #""pointer":"/tags""#, #""pointer":"/boss""#,
                    "'email' of class 'User' is required",
                    "(3 more faults, see errors.)",
                ], excludes: [#""pointer":"/home""#, #""pointer":"/id""#]
            ).check(on: server)
        }
        APIScenario("GET", objects, status: 200, contains: [#"{"objects":[]"#]).check(on: server)
        APIScenario("POST", objects, "{\"id\":1,\(Self.whole)}", status: 201).check(on: server)
    }

    @Test("null and what is empty are stated; a change need not state what it keeps")
    func change() throws {
        let server = try open()
        APIScenario("PUT", objects + "/1", "{\(Self.whole)}", status: 201).check(on: server)
        for (method, path, body, status) in [
            ("PATCH", "/1", #"{"nick":"n"}"#, 200),
            ("PATCH", "/1?upsert=true", #"{"email":"b"}"#, 200),
            ("PUT", "/1", #"{"email":"c"}"#, 422), ("PUT", "/1", "{\(Self.whole)}", 200),
            ("PATCH", "/1", #"{"email":null}"#, 422), ("PATCH", "/1", #"{"nick":null}"#, 200),
        ] {
            APIScenario(method, objects + path, body, status: status).check(on: server)
        }
        APIScenario(
            "POST", objects + "?mode=merge", #"{"id":1,"email":"d"}"#, status: 200
        ).check(on: server)
        APIScenario(
            "POST", objects + "?mode=replace", #"{"id":1,"email":"d"}"#, status: 422,
            contains: [#""pointer":"/nick""#]
        ).check(on: server)
        for operations in [
            #"{"op":"remove","path":"/tags"}"#, #"{"op":"move","path":"/nick","from":"/email"}"#,
            // A required property is there after every operation.
            #"{"op":"remove","path":"/tags"},{"op":"add","path":"/tags","value":[]}"#,
        ] {
            let patched = server.send(
                "PATCH", objects + "/1", "[\(operations)]",
                headers: [("Content-Type", "application/json-patch+json")])
            #expect(patched.status == 422, "\(patched.text)")
            #expect(patched.text.contains("missing-property"), "\(patched.text)")
        }
        for (operations, status) in [
            (#"{"op":"add","path":"/places","value":[{"city":""}]}"#, 200),
            // What a test leaves out has its default.
            (#"{"op":"test","path":"/places/0","value":{}}"#, 200),
            (#"{"op":"test","path":"/places/0","value":{"city":"x"}}"#, 409),
        ] {
            let patched = server.send(
                "PATCH", objects + "/1", "[\(operations)]",
                headers: [("Content-Type", "application/json-patch+json")])
            #expect(patched.status == status, "\(patched.text)")
        }
    }

    @Test("embedded and nested objects state what their classes require, each at its place")
    func nested() throws {
        let server = try open()
        for (body, pointers) in [
            (#""home":{"street":"s"}"#, ["/home/city"]),
            (#""places":[{"city":"a"},{},{"city":"b"},{}]"#, ["/places/1/city", "/places/3/city"]),
            (#""homes":{"a/b":{}}"#, ["/homes/a~1b/city"]),
            (#""boss":{"id":2,"home":{}}"#, ["/boss/email", "/boss/home/city"]),
        ] {
            let rest =
                body.contains("boss")
                ? Self.whole.replacing(#","boss":null"#, with: "") : Self.whole
            APIScenario(
                "POST", objects, "{\"id\":1,\(rest),\(body)}", status: 422,
                contains: pointers.map { "\"pointer\":\"\($0)\"" }
            ).check(on: server)
        }
        APIScenario(
            "POST", objects, "[{\"id\":1,\(Self.whole)},{\"id\":2}]", status: 422,
            contains: [#""pointer":"/1/email""#]
        ).check(on: server)
        APIScenario(
            "POST", "/v1/transactions",
            "{\"operations\":[{\"op\":\"create\",\"class\":\"User\",\"value\":{\"id\":1}}]}",
            status: 422, contains: [#""pointer":"/operations/0/value/email""#]
        ).check(on: server)
        APIScenario(
            "PUT", objects + "/1", "{\(Self.whole),\"home\":{\"city\":\"Rome\"}}", status: 201
        ).check(on: server)
        // A merge keeps the city that is there; a new element has none.
        APIScenario("PATCH", objects + "/1", #"{"home":{"street":"s"}}"#, status: 200).check(
            on: server)
        APIScenario(
            "POST", objects + "/1/properties/places/elements", #"{"street":"s"}"#, status: 422,
            contains: [#""pointer":"/city""#]
        ).check(on: server)
        APIScenario(
            "POST", objects + "/1/properties/places/elements", #"{"city":"c"}"#, status: 201
        ).check(on: server)
    }

    @Test("a line of an import that lacks one is reported, and links forward may be required")
    func transfer() throws {
        let server = try open()
        let lines = """
            {"id":1,"email":"a","nick":null,"tags":[],"boss":2}
            {"id":3}
            {"id":2,"email":"b","nick":null,"tags":["t"],"boss":1}
            """
        let imported = server.send(
            "POST", "/v1/classes/User/import", lines,
            headers: [("Content-Type", "application/x-ndjson")])
        #expect(imported.json["imported"]?.int == 2, "\(imported.text)")
        #expect(imported.text.contains(#""line":2"#) && imported.text.contains("missing-property"))
        let exported = server.send("GET", "/v1/export")
        let other = try TestServer(.memory, schema: Schema())
        let copied = other.send(
            "POST", "/v1/import", exported.text,
            headers: [("Content-Type", "application/x-ndjson")])
        #expect(copied.json["imported"]?.int == 2, "\(copied.text)")
        #expect(other.send("GET", "/v1/export").text.contains(#""required":true"#))
        APIScenario("POST", objects, #"{"id":9}"#, status: 422).check(on: other)
    }

    @Test(
        "requiring a property is instant, leaves objects as they are and is told",
        arguments: EngineCase.all)
    func migrate(engine: EngineCase) throws {
        let server = try TestServer(engine, schema: Schema())
        let path = "/v1/schema/classes/Item"
        func schema(_ flag: String) -> String {
            #"{"primaryKey":"id","properties":{"id":"int","name":{"type":"string"\#(flag)}}}"#
        }
        APIScenario("PUT", path, schema(""), status: 201).check(on: server)
        APIScenario("POST", "/v1/classes/Item/objects", #"{"id":1}"#, status: 201).check(on: server)
        APIScenario(
            "PUT", path + "?dryRun=true", schema(#","required":true"#), status: 200,
            contains: [#""op":"addRequired","class":"Item","property":"name""#, #""lossy":false"#]
        ).check(on: server)
        APIScenario(
            "PUT", path, schema(#","required":true"#), status: 200, contains: [#""required":true"#]
        ).check(on: server)
        APIScenario("GET", path, status: 200, contains: [#""required":true"#]).check(on: server)
        APIScenario(
            "GET", "/v1/classes/Item/objects/1", status: 200, contains: [#""name":"""#]
        ).check(on: server)
        APIScenario("PATCH", "/v1/classes/Item/objects/1", "{}", status: 200).check(on: server)
        APIScenario("POST", "/v1/classes/Item/objects", #"{"id":2}"#, status: 422).check(on: server)
        let document = server.send("GET", "/v1/openapi.json").text
        #expect(document.contains(#""required":["name"]"#))
        APIScenario("PUT", path, schema(""), status: 200, excludes: ["required"]).check(on: server)
        APIScenario("POST", "/v1/classes/Item/objects", #"{"id":2}"#, status: 201).check(on: server)
    }

    @Test("an inverse link is never required")
    func inverse() throws {
        let server = try open()
        APIScenario(
            "PUT", "/v1/schema/classes/Team",
            #"{"properties":{"next":"Team","before":{"type":"linkingObjects","class":"Team","property":"next","required":true}}}"#,
            status: 422, contains: ["never required"]
        ).check(on: server)
    }
}
