import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("Writes over HTTP beside a turn that is lent")
struct InteractiveWriteAnswerTests {
    private static let things = "/v1/classes/Thing/objects"

    @Test("wait for it, and are answered 503 when it takes longer than they may wait")
    func waiting() throws {
        var options = StoreOptions()
        options.interactiveWaitMilliseconds = 20
        let server = try TestServer(
            try EngineCase.memory.open(), schema: Schemas.everything, storeOptions: options)
        let turn = try server.store.beginInteractiveWrite()
        for (method, target, body) in [
            ("POST", Self.things, #"{"id":1}"#), ("PUT", Self.things + "/2", #"{"id":2}"#),
            ("PUT", "/v1/schema", #"{"classes":[]}"#),
        ] {
            APIScenario(
                method, target, body, status: 503, contains: ["busy", "20 ms"],
                fields: ["retry-after": "1"]
            ).check(on: server)
        }
        APIScenario("GET", Self.things + "/1", status: 404).check(on: server)
        turn.cancel()
        APIScenario("POST", Self.things, #"{"id":1}"#, status: 201).check(on: server)
    }
}
