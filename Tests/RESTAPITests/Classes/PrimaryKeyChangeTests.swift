import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("primary keys never change, however long they are")
struct PrimaryKeyChangeTests {
    private static let patch = [("Content-Type", "application/json-patch+json")]

    /// A class with a key of each type: its name, a key, and another one, as JSON.
    private static let keys: [(name: String, key: String, other: String)] = [
        ("int", "5", "6"), ("int8", "-128", "127"), ("string", "\"a\"", "\"b\""),
        (
            "uuid", "\"0f8fad5b-d9cb-469f-a165-70867728950e\"",
            "\"123e4567-e89b-12d3-a456-426614174000\""
        ),
        ("objectId", "\"507f1f77bcf86cd799439011\"", "\"65a0b1c2d3e4f50617280001\""),
        ("string?", "null", "\"\""), ("int?", "null", "0"),
    ]

    @Test("no JSON patch changes a primary key, of whichever type; one that keeps it is taken")
    func patches() throws {
        let server = try TestServer(schema: Schema())
        for (index, (type, key, other)) in Self.keys.enumerated() {
            APIScenario(
                "PUT", "/v1/schema/classes/K\(index)",
                "{\"primaryKey\":\"key\",\"properties\":{\"key\":\"\(type)\",\"spare\":\"\(type)\"}}",
                status: 201
            ).check(on: server)
            let path = target("/v1/classes/K\(index)/object", [("key", key)])
            APIScenario("PUT", path, "{\"spare\":\(other)}", status: 201).check(on: server)
            let before = server.send("GET", path)
            for operations in [
                "{\"op\":\"replace\",\"path\":\"/key\",\"value\":\(other)}",
                "{\"op\":\"add\",\"path\":\"/key\",\"value\":\(other)}",
                "{\"op\":\"copy\",\"from\":\"/spare\",\"path\":\"/key\"}",
                "{\"op\":\"replace\",\"path\":\"\",\"value\":{\"key\":\(other)}}",
            ] {
                APIScenario(
                    "PATCH", path, "[\(operations)]", headers: Self.patch, status: 422,
                    contains: ["key-mismatch", "\"pointer\":\"/0"]
                ).check(on: server)
            }
            #expect(server.send("GET", path).headers["etag"] == before.headers["etag"])
            APIScenario(
                "PATCH", path,
                "[{\"op\":\"test\",\"path\":\"/key\",\"value\":\(key)},{\"op\":\"replace\",\"path\":\"/key\",\"value\":\(key)}]",
                headers: Self.patch, status: 200, contains: ["{\"key\":\(key),"]
            ).check(on: server)
        }
        #expect(try StoreCheck.run(server.store).findings == [])
    }

    @Test(
        "string keys of any length are told apart to their last byte",
        arguments: EngineCase.all)
    func longKeys(engine: EngineCase) throws {
        let server = try TestServer(engine, schema: Schemas.everything)
        let people = "/v1/classes/Person/objects"
        // Around what a key of an engine holds, and what is cut there.
        for length in [399, 400, 401, 510, 511, 512, 4096] {
            let key = String(repeating: "k", count: length - 1)
            for end in ["x", "y"] {
                APIScenario(
                    "POST", people, "{\"name\":\"\(key)\(end)\"}", status: 201,
                    fields: ["location": "\(people)/\(key)\(end)"]
                ).check(on: server)
            }
            APIScenario("POST", people, "{\"name\":\"\(key)x\"}", status: 409).check(on: server)
            APIScenario("GET", people + "/" + key + "x", status: 200, contains: ["\(key)x\""])
                .check(on: server)
            APIScenario("GET", people + "/" + key + "z", status: 404).check(on: server)
            APIScenario("PATCH", people + "/" + key + "x", "{\"best\":\"\(key)y\"}", status: 200)
                .check(on: server)
            APIScenario(
                "GET", target(people, [("filter", "best.name == $0"), ("text", key + "y")]),
                status: 200, contains: ["\(key)x\""]
            ).check(on: server)
        }
        #expect(try StoreCheck.run(server.store).findings == [])
    }

    @Test("a key that no target has room for is written, found and answered, without a Location")
    func longestKeys() throws {
        let server = try TestServer(schema: Schemas.everything)
        let people = "/v1/classes/Person/objects"
        let limit = ModelLimits.valueByteCountMax
        let lengths = [17_000, limit]
        for length in lengths {
            let body = "{\"name\":\"\(String(repeating: "k", count: length))\"}"
            for (status, headers) in [(201, [("Prefer", "return=minimal")]), (409, [])] {
                let reply = server.send("POST", people, body, headers: headers)
                #expect(reply.status == status, "\(length): \(reply.text.prefix(300))")
                #expect(reply.headers["location"] == nil)
            }
        }
        let tooLong = server.send(
            "POST", people, "{\"name\":\"\(String(repeating: "k", count: limit + 1))\"}")
        #expect(tooLong.status == 422 && tooLong.text.contains("too-long"))
        let page = server.send("GET", people + "?count=exact&limit=1&fields=age")
        #expect(page.json["count"]?.int == Int64(lengths.count))
        #expect(try StoreCheck.run(server.store).findings == [])
    }
}
