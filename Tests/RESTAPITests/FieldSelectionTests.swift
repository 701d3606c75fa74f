import HoldfastServiceSupport
import Testing
import HoldfastTestSupport

@Suite("fields and expand")
struct FieldSelectionTests {
    let server: TestServer
    let path = "/v1/classes/Person/objects/Ann"

    init() throws {
        server = try TestServer(schema: Schemas.everything)
        server.send(
            "POST", "/v1/classes/Person/objects",
            #"[{"name":"Ann","age":1,"best":"Bob","friends":["Bob"],"home":{"city":"Bath","landlord":"Bob"},"#
                + #""dogs":[{"_id":"507f1f77bcf86cd799439011","name":"Rex"}]},{"name":"Bob","best":"Ann","friends":["Bob"]}]"#
        )
    }

    @Test(
        "what is asked for is answered",
        arguments: [
            ("fields=age,name", #"{"age":1,"name":"Ann"}"#),
            ("fields=age,age", #"{"age":1}"#),
            ("fields=$id", #"{"$id":"Ann"}"#),
            ("fields=friendOf", #"{"friendOf":[]}"#),
            ("fields=home.city", #"{"home":{"city":"Bath"}}"#),
            ("fields=home.landlord,home.city", #"{"home":{"landlord":"Bob","city":"Bath"}}"#),
            ("fields=best.name,best.best", #"{"best":{"name":"Bob","best":"Ann"}}"#),
            ("fields=best.best.best.name", #"{"best":{"best":{"best":{"name":"Bob"}}}}"#),
            ("fields=dogs.name,dogs.owners", #"{"dogs":[{"name":"Rex","owners":["Ann"]}]}"#),
            (
                "fields=name&expand=dogs",
                #"{"name":"Ann","dogs":[{"_id":"507f1f77bcf86cd799439011","name":"Rex","toy":null}]}"#
            ),
            (
                "fields=dogs.name&expand=dogs.owners",
                #"{"dogs":[{"name":"Rex","owners":[{"name":"Ann","#
            ),
            ("fields=best.name&expand=best", #"{"best":{"name":"Bob"}}"#),
            (
                "fields=name&expand=home.landlord",
                #""home":{"street":null,"city":"Bath","landlord":{"name":"Bob","#
            ),
            ("fields=name,places", #"{"name":"Ann","places":[]}"#),
        ])
    func selections(query: String, expected: String) {
        APIScenario("GET", path + "?" + query, status: 200, contains: [expected]).check(on: server)
    }

    @Test("* stands for what a plain reply has")
    func everything() {
        let plain = server.send("GET", path)
        #expect(server.send("GET", path + "?fields=*").text == plain.text)
        let more = server.send("GET", path + "?fields=*,$id,$version,friendOf")
        #expect(more.text.hasPrefix(#"{"$id":"Ann","name":"Ann""#))
        #expect(more.text.hasSuffix(#","$version":\#(plain.headers["etag"] ?? ""),"friendOf":[]}"#))
        #expect(more.headers["etag"] == plain.headers["etag"])
        APIScenario(
            "GET", "/v1/classes/Person/objects/Bob?fields=friendOf", status: 200,
            contains: [#"{"friendOf":["Ann","Bob"]}"#]
        )
        .check(on: server)
        APIScenario(
            "GET", "/v1/classes/Person/objects/Bob?fields=friendOf.name&expand=friendOf",
            status: 200,
            contains: [#"{"friendOf":[{"name":"Ann"},{"name":"Bob"}]}"#]
        ).check(on: server)
    }

    @Test("a reply with other objects is never 304")
    func noNotModified() {
        let etag = server.send("GET", path).headers["etag"] ?? ""
        let have = [("If-None-Match", etag)]
        for query in ["", "?fields=name", "?fields=*,$version", "?fields=best,dogs"] {
            APIScenario("GET", path + query, headers: have, status: 304).check(on: server)
        }
        for query in [
            "?expand=best", "?fields=friendOf", "?fields=best.name", "?fields=home.landlord.name",
        ] {
            APIScenario("GET", path + query, headers: have, status: 200, fields: ["etag": etag])
                .check(on: server)
        }
    }

    @Test(
        "what is not there is refused with a hint",
        arguments: [
            APIScenario(
                "GET", "/v1/classes/Person/objects/Ann?fields=nme", status: 400,
                contains: ["unknown-property", "\"hint\":\"name\"", "\"parameter\":\"fields\""]),
            APIScenario(
                "GET", "/v1/classes/Person/objects/Ann?fields=home.ctiy", status: 400,
                contains: ["'Address'", "\"hint\":\"city\""]),
            APIScenario(
                "GET", "/v1/classes/Person/objects/Ann?fields=name.x", status: 400,
                contains: ["a path can't continue"]),
            APIScenario("GET", "/v1/classes/Person/objects/Ann?fields=home.$id", status: 400),
            APIScenario("GET", "/v1/classes/Person/objects/Ann?fields=", status: 400),
            APIScenario("GET", "/v1/classes/Person/objects/Ann?fields=name,", status: 400),
            APIScenario("GET", "/v1/classes/Person/objects/Ann?fields=home..city", status: 400),
            APIScenario(
                "GET", "/v1/classes/Person/objects/Ann?expand=age", status: 400,
                contains: ["is not a link"]),
            APIScenario(
                "GET", "/v1/classes/Person/objects/Ann?expand=bst", status: 400,
                contains: ["\"hint\":\"best\"", "\"parameter\":\"expand\""]),
            APIScenario("GET", "/v1/classes/Person/objects/Ann?expand=*", status: 400),
            APIScenario(
                "GET", "/v1/classes/Person/objects/Ann?field=name", status: 400,
                contains: ["unknown-parameter", "\"hint\":\"fields\""]),
            APIScenario(
                "GET", "/v1/classes/Person/objects/Ann?fields=name&fields=age", status: 400,
                contains: ["more than once"]),
        ])
    func refused(scenario: APIScenario) { scenario.check(on: server) }

    @Test("a path has sixteen steps and not one more")
    func length() {
        let path16 = Array(repeating: "best", count: 16).joined(separator: ".")
        APIScenario("GET", path + "?expand=" + path16, status: 200).check(on: server)
        APIScenario("GET", path + "?expand=best." + path16, status: 400, contains: ["17 steps; 16"])
            .check(on: server)
    }
}
