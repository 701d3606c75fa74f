import HoldfastServiceSupport
import Testing
import HoldfastTestSupport

@Suite("merge patch")
struct MergePatchTests {
    let server: TestServer
    let path = "/v1/classes/Person/objects/Ann"

    init() throws { server = try TestServer(schema: Schemas.everything) }

    @Test("a patch changes what it states, member by member in embedded objects")
    func merges() {
        server.send(
            "PUT", path,
            #"{"age":41,"home":{"street":"High St","city":"Bath","inner":{"city":"X","street":"Y"}},"places":[{"city":"P"},{"city":"Q","street":"R"}]}"#
        )
        let table: [(String, [String])] = [
            (#"{"age":42}"#, [#""age":42"#, #""city":"Bath""#]),
            (#"{"age":null}"#, [#""age":null"#]),
            (#"{"home":{"street":null}}"#, [#""home":{"street":null,"city":"Bath""#]),
            (#"{"home":{"inner":{"city":"Z"}}}"#, [#""inner":{"street":"Y","city":"Z""#]),
            (#"{"home":{"inner":null}}"#, [#""city":"Bath","landlord":null,"inner":null"#]),
            (
                #"{"places":[{"street":"S"}]}"#,
                [#""places":[{"street":"S","city":"","landlord":null,"inner":null}]"#]
            ),
            (#"{"home":null}"#, [#""home":null"#]),
            (#"{"home":{"street":"only"}}"#, [#""home":{"street":"only","city":"""#]),
            (#"{}"#, [#""role":"user""#]),
        ]
        for (body, texts) in table {
            for type in ["application/merge-patch+json", "application/json; charset=UTF-8"] {
                APIScenario(
                    "PATCH", path, body, headers: [("Content-Type", type)], status: 200,
                    contains: texts
                )
                .check(on: server)
            }
        }
    }

    @Test("null clears what is optional and is refused elsewhere")
    func nulls() {
        server.send("PUT", path, #"{"home":{"city":"Bath"},"best":null}"#)
        for (body, pointer) in [
            (#"{"role":null}"#, "/role"), (#"{"name":null}"#, "/name"),
            (#"{"dogs":null}"#, "/dogs"),
            (#"{"home":{"city":null}}"#, "/home/city"),
        ] {
            APIScenario(
                "PATCH", path, body, status: 422,
                contains: ["\"code\":\"null-not-allowed\"", "\"pointer\":\"\(pointer)\""]
            ).check(on: server)
        }
    }

    @Test("upsert=true creates what is not there, with the defaults")
    func upsert() {
        APIScenario("PATCH", path, #"{"age":1}"#, status: 404).check(on: server)
        APIScenario("PATCH", path + "?upsert=false", #"{"age":1}"#, status: 404).check(on: server)
        APIScenario(
            "PATCH", path + "?upsert=true", #"{"age":1}"#, status: 201,
            contains: [#"{"name":"Ann","age":1,"role":"user","home":null"#],
            fields: ["location": path]
        ).check(on: server)
        APIScenario(
            "PATCH", path + "?upsert=true", #"{"role":"x"}"#, status: 200,
            contains: [#""age":1,"role":"x""#]
        )
        .check(on: server)
        APIScenario("PATCH", path + "?upsert=yes", "{}", status: 400, contains: ["'upsert'"]).check(
            on: server)
    }
}
