import HoldfastObjectModel
import Testing
import HoldfastTestSupport

@Suite("Requests about the schema")
struct SchemaRequestTests {
    private let dog = #"{"name":"Dog","primaryKey":"id","properties":{"id":"int","name":"string"}}"#

    @Test(
        "a schema is put, read by its tag, and changed by its revision", arguments: EngineCase.all)
    func life(engine: EngineCase) throws {
        let server = try TestServer(engine, schema: Schema())
        APIScenario(
            "GET", "/v1/schema", status: 200, contains: [#""revision":0,"classes":[]"#],
            fields: ["etag": "", "content-type": "application/json"]
        ).check(on: server)
        let put = APIScenario(
            "PUT", "/v1/schema", #"{"revision":0,"classes":[\#(dog)]}"#, status: 200,
            contains: [#""revision":1"#, #""id":{"type":"int"}"#],
            fields: ["etag": "", "holdfast-version": ""]
        ).check(on: server)
        let tag = try #require(put.headers["etag"])
        APIScenario("GET", "/v1/schema", headers: [("If-None-Match", tag)], status: 304).check(
            on: server)
        APIScenario(
            "PUT", "/v1/schema", #"{"revision":0,"classes":[\#(dog)]}"#, status: 409,
            contains: ["schema-revision"]
        ).check(on: server)
        APIScenario(
            "PUT", "/v1/schema", #"{"classes":[\#(dog)]}"#, headers: [("If-Match", "\"other\"")],
            status: 412, contains: ["precondition-failed"]
        ).check(on: server)
        // The reply put back changes nothing.
        APIScenario("PUT", "/v1/schema", put.text, status: 200, contains: [#""revision":1"#]).check(
            on: server)
        APIScenario(
            "PUT", "/v1/schema/classes/Cat", #"{"properties":{"friend":"Dog"}}"#,
            headers: [("If-Match", tag)], status: 201, contains: [#""name":"Cat""#]
        ).check(on: server)
        APIScenario(
            "PUT", "/v1/schema/classes/Cat", #"{"properties":{"friend":"Dog","age":"int?"}}"#,
            status: 200
        ).check(on: server)
        APIScenario("GET", "/v1/schema/classes/Cat", status: 200, contains: [#""age""#]).check(
            on: server)
        APIScenario("GET", "/v1/schema/classes/Cta", status: 404, contains: [#""hint":"Cat""#])
            .check(on: server)
        APIScenario(
            "DELETE", "/v1/schema/classes/Dog", status: 409,
            contains: ["class-in-use", "'Cat.friend' names the class 'Dog'"]
        ).check(on: server)
        APIScenario(
            "DELETE", "/v1/schema/classes/Cat", headers: [("If-Match", tag)], status: 412
        ).check(on: server)
        APIScenario(
            "DELETE", "/v1/schema/classes/Cat?dryRun=true", status: 200,
            contains: [
                #"{"changes":[{"op":"dropClass","class":"Cat","objects":0,"lossy":false}]}"#
            ]
        ).check(on: server)
        APIScenario(
            "DELETE", "/v1/schema/classes/Cat", status: 204,
            fields: ["etag": "", "holdfast-version": ""]
        ).check(on: server)
        APIScenario("GET", "/v1/schema/classes/Cat", status: 404).check(on: server)
        APIScenario("DELETE", "/v1/schema/classes/Cow", status: 404).check(on: server)
    }

    @Test("a dry run tells the steps and changes nothing")
    func dryRun() throws {
        let server = try TestServer(schema: Schema())
        APIScenario("PUT", "/v1/schema", #"{"classes":[\#(dog)]}"#, status: 200).check(on: server)
        APIScenario("POST", "/v1/classes/Dog/objects", #"{"id":1}"#, status: 201).check(on: server)
        let body = """
            {"classes":[{"name":"Dog","primaryKey":"id","properties":{"id":"int",\
            "name":{"type":"string","indexed":true,"default":"x"},"age":"int?"}},\
            {"name":"Cat","properties":{}}]}
            """
        APIScenario(
            "PUT", "/v1/schema?dryRun=true", body, status: 200,
            contains: [
                """
                {"changes":[{"op":"addIndex","class":"Dog","property":"name","objects":1,"lossy":false},\
                {"op":"changeDefault","class":"Dog","property":"name","objects":1,"lossy":false},\
                {"op":"addProperty","class":"Dog","property":"age","objects":1,"lossy":false},\
                {"op":"addClass","class":"Cat","objects":0,"lossy":false}]}
                """
            ]
        ).check(on: server)
        APIScenario("GET", "/v1/schema", status: 200, contains: [#""revision":1"#]).check(
            on: server)
        APIScenario(
            "PUT", "/v1/schema?dryRun=false", body, status: 200, contains: [#""revision":2"#]
        )
        .check(on: server)
    }

    @Test("a dry run is refused as the change would be, when its condition is not met")
    func dryRunOnCondition() throws {
        let server = try TestServer(schema: Schema())
        APIScenario("PUT", "/v1/schema", #"{"classes":[\#(dog)]}"#, status: 200).check(on: server)
        let tag = try #require(server.send("GET", "/v1/schema").headers["etag"])
        let path = "/v1/schema/classes/Dog"
        let body = #"{"primaryKey":"id","properties":{"id":"int","name":"string","age":"int?"}}"#
        for (method, target, body, condition, value) in [
            ("PUT", "/v1/schema", #"{"classes":[\#(dog)]}"#, "If-Match", "\"other\""),
            ("PUT", path, body, "If-Match", "\"other\""), ("PUT", path, body, "If-None-Match", "*"),
            ("PATCH", path, "{}", "If-Match", "\"other\""),
            ("DELETE", path, nil, "If-Match", "\"other\""),
        ] as [(String, String, String?, String, String)] {
            for parameter in ["?dryRun=true", ""] {
                APIScenario(
                    method, target + parameter, body, headers: [(condition, value)], status: 412,
                    contains: ["precondition-failed"]
                ).check(on: server)
            }
        }
        APIScenario(
            "PUT", path + "?dryRun=true", body, headers: [("If-Match", tag)], status: 200,
            contains: [#""op":"addProperty""#]
        ).check(on: server)
        APIScenario(
            "PUT", path + "?dryRun=true", body, headers: [("If-Match", "other")], status: 400
        ).check(on: server)
        APIScenario(
            "PUT", "/v1/schema?dryRun=true", #"{"revision":7,"classes":[\#(dog)]}"#, status: 409,
            contains: ["schema-revision"]
        ).check(on: server)
    }

    @Test("what can't be done is refused with its reasons")
    func refusals() throws {
        let server = try TestServer(schema: Schema())
        APIScenario("PUT", "/v1/schema", #"{"classes":[\#(dog)]}"#, status: 200).check(on: server)
        for body in [#"{"id":1,"name":"7"}"#, #"{"id":2,"name":"x"}"#] {
            APIScenario("POST", "/v1/classes/Dog/objects", body, status: 201).check(on: server)
        }
        for scenario in [
            APIScenario(
                "PUT", "/v1/schema", #"{"classes":[]}"#, status: 409,
                contains: ["data-loss", "Class 'Dog'", "loses its 2 objects", "allowDataLoss=true"]),
            APIScenario(
                "PUT", "/v1/schema",
                #"{"classes":[{"name":"Dog","primaryKey":"id","properties":{"id":"int","name":"int"}}]}"#,
                status: 409,
                contains: [
                    "data-loss", "/classes/0/properties/name",
                    "does not fit its new type in 1 object",
                ]),
            APIScenario(
                "PUT", "/v1/schema/classes/Dog",
                #"{"primaryKey":"id","properties":{"id":"int"}}"#, status: 409,
                contains: ["data-loss", #""pointer":"/properties/name""#, "2 objects"]),
            APIScenario(
                "PUT", "/v1/schema/classes/Dog?dryRun=true",
                #"{"primaryKey":"id","properties":{"id":"int"}}"#, status: 200,
                contains: [
                    #"{"op":"dropProperty","class":"Dog","property":"name","objects":2,"lossy":true}"#
                ]),
            APIScenario(
                "PUT", "/v1/schema/classes/Dog",
                #"{"kind":"embedded","properties":{"id":"int","name":"string"}}"#, status: 409,
                contains: ["unsupported-migration", #""pointer":"""#]),
            APIScenario(
                "PUT", "/v1/schema/classes/Dog?allowDataLoss=true",
                #"{"primaryKey":"nick","properties":{"nick":"string","name":"string"}}"#,
                status: 409, contains: ["duplicate-key", "1 object has", "such as ''"]),
            APIScenario(
                "PUT", "/v1/schema", #"{"renames":{"Dgo":"Dog"},"classes":[\#(dog)]}"#, status: 422,
                contains: ["invalid-rename", #""pointer":"/renames/Dgo""#]),
            APIScenario(
                "PUT", "/v1/schema", #"{"renames":[],"classes":[\#(dog)]}"#, status: 422,
                contains: [#""pointer":"/renames""#]),
            APIScenario(
                "PUT", "/v1/schema", #"{"renames":{"Dog":1},"classes":[\#(dog)]}"#, status: 422),
            APIScenario("PUT", "/v1/schema?dryRun=yes", #"{"classes":[]}"#, status: 400),
            APIScenario(
                "PUT", "/v1/schema?dryrun=true", #"{"classes":[]}"#, status: 400,
                contains: ["dryRun"]),
            APIScenario("PUT", "/v1/schema", "{", status: 400, contains: ["malformed-json"]),
            APIScenario("PUT", "/v1/schema", "", status: 400),
            APIScenario(
                "PUT", "/v1/schema", "{}", headers: [("Content-Type", "text/plain")], status: 415),
            APIScenario("PUT", "/v1/schema", #"{"classes":[],"classes":[]}"#, status: 400),
            APIScenario(
                "PUT", "/v1/schema/classes/Cat", #"{"name":"Cow","properties":{}}"#, status: 422,
                contains: ["/name"]),
            APIScenario("PUT", "/v1/schema/classes/9", #"{"properties":{}}"#, status: 422),
            APIScenario(
                "PUT", "/v1/schema/classes/Cat", #"{"properties":{"x":"Cow"}}"#, status: 422,
                contains: ["/properties/x"]),
            APIScenario("GET", "/v1/schema?x=1", status: 400),
            APIScenario("POST", "/v1/schema", "{}", status: 405, fields: ["allow": ""]),
        ] {
            scenario.check(on: server)
        }
        APIScenario("GET", "/v1/schema", status: 200, contains: [#""revision":1"#]).check(
            on: server)
    }

    @Test("every prefix of a schema is refused")
    func prefixes() throws {
        let server = try TestServer(schema: Schema())
        let whole = #"{"revision":0,"classes":[\#(dog)]}"#
        for count in 0..<whole.utf8.count {
            let reply = server.send("PUT", "/v1/schema", String(whole.prefix(count)))
            #expect(reply.status == 400, "\(count)")
        }
        APIScenario("GET", "/v1/schema", status: 200, contains: [#""revision":0"#]).check(
            on: server)
    }
}
