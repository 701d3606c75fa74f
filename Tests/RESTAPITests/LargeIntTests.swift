import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Test("ints beyond 2^53 are strings for those who prefer it")
func largeInts() throws {
    let server = try TestServer(schema: Schemas.everything)
    server.send(
        "PUT", "/v1/classes/Thing/objects/3",
        "{\"count\":9007199254740993,\"counts\":[9007199254740992,-9007199254740993]}")
    APIScenario(
        "GET", "/v1/classes/Thing/objects/3", headers: [("Prefer", "int64=string")],
        status: 200,
        contains: [
            "\"count\":\"9007199254740993\"", "[9007199254740992,\"-9007199254740993\"]",
        ],
        fields: ["preference-applied": "int64=string"]
    ).check(on: server)
    APIScenario(
        "GET", "/v1/classes/Thing/objects/3", status: 200,
        contains: ["\"count\":9007199254740993"]
    ).check(on: server)
}
