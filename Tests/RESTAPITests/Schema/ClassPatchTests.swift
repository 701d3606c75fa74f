import HoldfastTestSupport
import Testing

@Suite("changes of a class by merge patch")
struct ClassPatchTests {
    private static let path = "/v1/schema/classes/Hotel"

    private static func server() throws -> TestServer {
        let server = try TestServer(schema: .init(classes: []))
        let schema =
            #"{"classes":[{"name":"Hotel","primaryKey":"id","unique":[["name","city"]],"properties":{"id":"int","name":"string","stars":{"type":"int","optional":true,"indexed":true},"city":"City?","notes":"string[]"}},{"name":"City","primaryKey":"id","properties":{"id":"int","hotels":{"type":"linkingObjects","class":"Hotel","property":"city"}}}]}"#
        #expect(server.send("PUT", "/v1/schema", schema).status == 200)
        #expect(
            server.send(
                "PUT", "/v1/classes/Hotel/objects/1", #"{"name":"Ritz","stars":5,"notes":["a"]}"#
            ).status == 201)
        return server
    }

    @Test(
        "what is left out stays, what is stated is changed, null takes away",
        arguments: [
            (
                #"{"properties":{"stars":{"indexed":null,"mapTo":"rating"},"seen":"date?"}}"#,
                #"{"name":"Hotel","kind":"object","primaryKey":"id","properties":{"id":{"type":"int"},"name":{"type":"string"},"stars":{"type":"int","optional":true,"mapTo":"rating"},"city":{"type":"object","class":"City","optional":true},"notes":{"type":"list","element":{"type":"string"}},"seen":{"type":"date","optional":true}},"unique":[["name","city"]]}"#
            ),
            (
                #"{"unique":null,"properties":{"stars":"string?"}}"#,
                #"{"name":"Hotel","kind":"object","primaryKey":"id","properties":{"id":{"type":"int"},"name":{"type":"string"},"stars":{"type":"string","optional":true},"city":{"type":"object","class":"City","optional":true},"notes":{"type":"list","element":{"type":"string"}}}}"#
            ),
            (
                #"{"renames":{"Hotel.name":"Hotel.title","Hotel.id":"Hotel.number"}}"#,
                #"{"name":"Hotel","kind":"object","primaryKey":"number","properties":{"number":{"type":"int"},"title":{"type":"string"},"stars":{"type":"int","optional":true,"indexed":true},"city":{"type":"object","class":"City","optional":true},"notes":{"type":"list","element":{"type":"string"}}},"unique":[["title","city"]]}"#
            ),
            (
                "{}",
                #"{"name":"Hotel","kind":"object","primaryKey":"id","properties":{"id":{"type":"int"},"name":{"type":"string"},"stars":{"type":"int","optional":true,"indexed":true},"city":{"type":"object","class":"City","optional":true},"notes":{"type":"list","element":{"type":"string"}}},"unique":[["name","city"]]}"#
            ),
        ])
    func merges(patch: String, expected: String) throws {
        for type in ["application/merge-patch+json", "application/json"] {
            let server = try Self.server()
            let reply = server.send("PATCH", Self.path, patch, headers: [("Content-Type", type)])
            #expect(reply.status == 200 && reply.text == expected, "\(reply.text)")
            #expect(server.send("GET", Self.path).text == expected)
            let object = server.send("GET", "/v1/classes/Hotel/objects/1").text
            #expect(object.contains("Ritz") && object.contains("5"), "\(object)")
        }
    }

    @Test("a class that gets another name keeps its objects, and other classes follow")
    func renamesClass() throws {
        let server = try Self.server()
        let patch =
            #"{"renames":{"Hotel":"Inn","Hotel.city":"Inn.town"},"properties":{"stars":null}}"#
        let preview = server.send("PATCH", Self.path + "?dryRun=true", patch)
        #expect(preview.status == 200, "\(preview.text)")
        for step in [
            #"{"op":"renameClass","class":"Inn","from":"Hotel","objects""#,
            #"{"op":"renameProperty","class":"Inn","property":"town","from":"city","objects""#,
        ] { #expect(preview.text.contains(step), "\(preview.text)") }
        APIScenario("PATCH", Self.path, patch, status: 409, contains: ["data-loss"]).check(
            on: server)
        let made = server.send("PATCH", Self.path + "?allowDataLoss=true", patch)
        #expect(made.status == 200 && made.text.hasPrefix(#"{"name":"Inn""#), "\(made.text)")
        #expect(server.send("GET", "/v1/classes/Inn/objects/1").status == 200)
        #expect(
            server.send("GET", "/v1/schema/classes/City").text
                .contains(#""class":"Inn","property":"town""#))
    }

    @Test(
        "a patch that does not fit is refused, and nothing is changed",
        arguments: [
            APIScenario("PATCH", "/v1/schema/classes/Hotl", "{}", status: 404, contains: ["Hotel"]),
            APIScenario("PATCH", path, "[]", status: 422, contains: ["wrong-type"]),
            APIScenario(
                "PATCH", path, #"{"properties":{"stars":{"type":"nit"}}}"#, status: 422,
                contains: [#""pointer":"/properties/stars"#]),
            APIScenario(
                "PATCH", path, #"{"propertys":{}}"#, status: 422,
                contains: [#""hint":"properties""#]),
            APIScenario("PATCH", path, #"{"primaryKey":"nmae"}"#, status: 422),
            APIScenario("PATCH", path, #"{"properties":null}"#, status: 422),
            APIScenario(
                "PATCH", path, #"{"renames":{"Hotel.nmae":"Hotel.title"}}"#, status: 422,
                contains: ["renames"]),
            APIScenario(
                "PATCH", path, "[]", headers: [("Content-Type", "application/json-patch+json")],
                status: 415, contains: ["merge patch"]),
            APIScenario(
                "PATCH", path, "{}", headers: [("If-Match", "\"00000000-1-schema\"")], status: 412),
        ])
    func refusals(scenario: APIScenario) throws {
        let server = try Self.server()
        let before = server.send("GET", "/v1/schema").text
        scenario.check(on: server)
        #expect(server.send("GET", "/v1/schema").text == before)
    }
}
