import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastTestSupport
import Testing

/// A type with a default: how it is declared, and how a new object has it.
struct DefaultCase: Sendable, CustomTestStringConvertible {
    /// The property in the long form.
    var property: String
    /// The text of its value in a new object; nil when it is another one each time.
    var value: String?
    /// The text of another value of the type.
    var other: String

    init(_ property: String, _ value: String?, other: String) {
        self.property = property
        self.value = value
        self.other = other
    }

    var testDescription: String { property }
}

@Suite("defaults over HTTP")
struct DefaultValueTests {
    private static let uuid = "\"0f8fad5b-d9cb-469f-a165-70867728950e\""
    private static let objectID = "\"507f1f77bcf86cd799439011\""
    private static let date = "\"2026-11-20T06:38:58.5Z\""

    private static func constant(_ type: String, _ value: String, other: String) -> DefaultCase {
        DefaultCase("{\"type\":\"\(type)\",\"default\":\(value)}", value, other: other)
    }

    private static func zero(_ type: String, _ value: String?, other: String) -> DefaultCase {
        DefaultCase("{\"type\":\"\(type)\"}", value, other: other)
    }

    static let cases: [DefaultCase] = [
        // Stated values, of required and of optional properties.
        constant("bool", "true", other: "false"), constant("bool?", "false", other: "true"),
        constant("int", "-9223372036854775808", other: "1"), constant("int?", "7", other: "null"),
        constant("int8", "-128", other: "1"), constant("int16", "32767", other: "1"),
        constant("int32", "-2147483648", other: "1"), constant("int64?", "5", other: "null"),
        constant("float", "1.5", other: "2.0"), constant("float?", "\"NaN\"", other: "null"),
        constant("double", "\"-Infinity\"", other: "0.5"),
        constant("double?", "0.1", other: "null"),
        constant("decimal128", "\"1.10\"", other: "\"2\""),
        constant("decimal128?", "\"-0.00\"", other: "null"),
        constant("string", "\"Öl\"", other: "\"\""), constant("string?", "\"\"", other: "null"),
        constant("data", "\"AQID\"", other: "\"\""), constant("data?", "\"\"", other: "null"),
        constant("date", date, other: "\"2027-01-01T00:00:00Z\""),
        constant("date?", date, other: "null"),
        constant("objectId", objectID, other: "\"65a0b1c2d3e4f50617280001\""),
        constant("objectId?", objectID, other: "null"),
        constant("uuid", uuid, other: "\"123e4567-e89b-12d3-a456-426614174000\""),
        constant("uuid?", uuid, other: "null"),
        constant("mixed", "\"x\"", other: "1"),
        constant("mixed", #"{"a":[1,{"$date":"2026-11-20T06:38:58Z"}]}"#, other: "null"),
        constant("string[]", "[]", other: "[\"a\"]"), constant("int<>", "[]", other: "[1]"),
        constant("int{}", "{}", other: "{\"a\":1}"), constant("Target", "null", other: "1"),
        constant("Part", "null", other: "{\"n\":2}"),
        DefaultCase(
            #"{"type":"string","enum":["a","b"],"default":"b"}"#, "\"b\"", other: "\"a\""),
        // Made for each object.
        DefaultCase(#"{"type":"date","default":"$now"}"#, nil, other: date),
        DefaultCase(#"{"type":"date?","default":"$now"}"#, nil, other: "null"),
        DefaultCase(#"{"type":"uuid","default":"$uuid"}"#, nil, other: uuid),
        DefaultCase(#"{"type":"uuid?","default":"$uuid"}"#, nil, other: "null"),
        DefaultCase(#"{"type":"objectId","default":"$objectId"}"#, nil, other: objectID),
        DefaultCase(#"{"type":"objectId?","default":"$objectId"}"#, nil, other: "null"),
        // Without a declaration.
        zero("bool", "false", other: "true"), zero("int", "0", other: "1"),
        zero("int8", "0", other: "1"), zero("int16", "0", other: "1"),
        zero("int32", "0", other: "1"), zero("int64", "0", other: "1"),
        zero("float", "0.0", other: "1.0"), zero("double", "0.0", other: "1.0"),
        zero("decimal128", "\"0\"", other: "\"1\""), zero("string", "\"\"", other: "\"a\""),
        zero("data", "\"\"", other: "\"AQID\""), zero("date", nil, other: date),
        zero("objectId", nil, other: objectID), zero("uuid", nil, other: uuid),
        zero("mixed", "null", other: "1"), zero("string?", "null", other: "\"a\""),
        zero("string[]", "[]", other: "[\"a\"]"), zero("int<>", "[]", other: "[1]"),
        zero("int{}", "{}", other: "{\"a\":1}"), zero("Target", "null", other: "1"),
        zero("Part", "null", other: "{\"n\":2}"),
        DefaultCase(#"{"type":"int","enum":[3,5]}"#, "3", other: "5"),
        DefaultCase(#"{"type":"int?","enum":[3,5]}"#, "null", other: "5"),
    ]

    @Test(
        "what is left out starts as declared, or as its type does; what is stated stays",
        arguments: cases)
    func values(scenario: DefaultCase) throws {
        let server = try TestServer(schema: Schema())
        APIScenario(
            "PUT", "/v1/schema",
            """
            {"classes":[
              {"name":"Item","primaryKey":"id","properties":{"id":"int","p":\(scenario.property)}},
              {"name":"Target","primaryKey":"id","properties":{"id":"int"}},
              {"name":"Part","kind":"embedded","properties":{"n":"int"}}]}
            """, status: 200
        ).check(on: server)
        server.send("PUT", "/v1/classes/Target/objects/1", "{}")
        let item = "/v1/classes/Item/objects"
        let left = scenario.value.map { ["\"p\":\($0)}"] } ?? []
        let other = ["\"p\":\(scenario.other)}"]
        let first = APIScenario("POST", item, "{\"id\":1}", status: 201, contains: left).check(
            on: server)
        APIScenario("PUT", item + "/2", "{}", status: 201, contains: left).check(on: server)
        APIScenario(
            "POST", item, "{\"id\":3,\"p\":\(scenario.other)}", status: 201, contains: other
        ).check(on: server)
        APIScenario(
            "POST", "/v1/transactions",
            #"{"operations":[{"op":"create","class":"Item","value":{"id":4}}]}"#, status: 200,
            contains: left
        ).check(on: server)
        let imported = server.send(
            "POST", "/v1/classes/Item/import", "{\"id\":5}",
            headers: [("Content-Type", "application/x-ndjson")])
        #expect(imported.json["imported"]?.int == 1, "\(imported.text)")
        APIScenario("GET", item + "/5", status: 200, contains: left).check(on: server)
        // A patch leaves what it does not state, a put gives the default again.
        APIScenario("PATCH", item + "/3", "{}", status: 200, contains: other).check(on: server)
        APIScenario("PUT", item + "/3", "{}", status: 200, contains: left, excludes: other).check(
            on: server)
        if scenario.value == nil {
            #expect(!first.text.contains("\"p\":null"), "\(first.text)")
            let second = server.send("GET", item + "/2")
            #expect(
                second.json["p"]?.string != first.json["p"]?.string,
                "two objects have the same generated value")
        }
        #expect(try StoreCheck.run(server.store).findings == [])
    }
}
