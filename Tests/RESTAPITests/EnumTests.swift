import HoldfastObjectModel
import Testing
import HoldfastTestSupport

@Suite("persisted enums")
struct EnumTests {
    let server: TestServer

    private static let schema = Schema(classes: [
        ObjectClass(
            name: "Task", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(
                    name: "role", type: .single(.scalar(.string)), isIndexed: true,
                    cases: [.string("user"), .string("admin")]),
                Property(
                    name: "level", type: .single(.scalar(.int8)), isOptional: true,
                    cases: [.int(1), .int(2), .int(5)]),
                Property(
                    name: "rate", type: .single(.scalar(.decimal128)),
                    defaultValue: .constant(.decimal(Decimal128("0.5") ?? .nan)),
                    cases: ["1.10", "0.5"].compactMap { Decimal128($0) }.map { .decimal($0) }),
                Property(
                    name: "flags", type: .list(.scalar(.string)), isOptional: true,
                    cases: [.string("a"), .string("b")]),
                Property(
                    name: "days", type: .set(.scalar(.int)), cases: [.int(0), .int(6)]),
            ])
    ])

    init() throws { server = try TestServer(schema: Self.schema) }

    @Test("a value is one of the enum's, in every write, and the first is the default")
    func writes() {
        let target = "/v1/classes/Task/objects/1"
        let table: [APIScenario] = [
            APIScenario(
                "PUT", target, "{}", status: 201,
                contains: ["\"role\":\"user\"", "\"level\":null", "\"rate\":\"0.5\""]),
            APIScenario(
                "PUT", target,
                "{\"role\":\"admin\",\"level\":5,\"rate\":1.1,\"flags\":[\"b\",null,\"a\"],\"days\":[6,0]}",
                status: 200,
                contains: [
                    "\"role\":\"admin\"", "\"level\":5", "\"rate\":\"1.1\"",
                    "\"flags\":[\"b\",null,\"a\"]", "\"days\":[0,6]",
                ]),
            APIScenario(
                "PATCH", target, "{\"role\":\"root\"}", status: 422,
                contains: ["not-in-enum", "\"pointer\":\"/role\"", "\\\"user\\\", \\\"admin\\\""]),
            APIScenario(
                "PUT", target, "{\"level\":3}", status: 422, contains: ["\"pointer\":\"/level\""]),
            APIScenario("PATCH", target, "{\"rate\":\"0.50\"}", status: 200),
            APIScenario(
                "PATCH", target, "{\"rate\":\"0.51\"}", status: 422, contains: ["not-in-enum"]),
            APIScenario(
                "PATCH", target, "{\"flags\":[\"a\",\"c\"]}", status: 422,
                contains: ["\"pointer\":\"/flags/1\""]),
            APIScenario("PATCH", target, "{\"days\":[0,1]}", status: 422),
            APIScenario(
                "POST", "/v1/classes/Task/objects", "[{\"id\":2},{\"id\":3,\"role\":\"x\"}]",
                status: 422, contains: ["\"pointer\":\"/1/role\""]),
            APIScenario(
                "POST", "/v1/classes/Task/import",
                "{\"id\":4}\n{\"id\":5,\"role\":\"x\"}\n",
                headers: [("Content-Type", "application/x-ndjson")], status: 200,
                contains: ["not-in-enum"]),
            APIScenario("GET", "/v1/classes/Task/objects/4", status: 200),
            APIScenario("GET", "/v1/classes/Task/objects/5", status: 404),
            APIScenario(
                "GET", "/v1/classes/Task/objects?filter=role%20%3D%3D%20%27admin%27&fields=id",
                status: 200, contains: ["[{\"id\":1}]"]),
        ]
        for scenario in table { scenario.check(on: server) }
    }

    @Test(
        "an enum of any type takes its own values, single and in collections",
        arguments: [
            ("bool", "true", "false"), ("int", "5", "6"), ("int8", "5", "6"),
            ("float", "1.5", "2.5"),
            ("double", "1.5", "2.5"), ("decimal128", "\"1.10\"", "\"1.11\""),
            ("string", "\"x\"", "\"y\""), ("data", "\"Zm9v\"", "\"Zm9w\""),
            ("date", "\"2026-11-20T00:00:00Z\"", "\"2026-11-21T00:00:00Z\""),
            ("objectId", "\"507f1f77bcf86cd799439011\"", "\"507f1f77bcf86cd799439012\""),
            (
                "uuid", "\"123e4567-e89b-12d3-a456-426614174000\"",
                "\"123e4567-e89b-12d3-a456-426614174001\""
            ),
        ])
    func types(type: String, value: String, other: String) {
        let list = "{\"type\":\"list\",\"element\":{\"type\":\"\(type)\"},\"enum\":[\(value)]}"
        let map = list.replacing("list", with: "map")
        let single = "{\"type\":\"\(type)\",\"optional\":true,\"enum\":[\(value)]}"
        let target = "/v1/classes/E/objects/1"
        let table: [APIScenario] = [
            APIScenario(
                "PUT", "/v1/schema/classes/E",
                "{\"name\":\"E\",\"primaryKey\":\"id\",\"properties\":{\"id\":\"int\",\"p\":\(single),"
                    + "\"list\":\(list),\"map\":\(map)}}", status: 201),
            APIScenario(
                "PUT", target, "{\"p\":\(value),\"list\":[\(value)],\"map\":{\"k\":\(value)}}",
                status: 201,
                contains: ["\"p\":\(value),\"list\":[\(value)],\"map\":{\"k\":\(value)}"]),
            APIScenario(
                "PATCH", target, "{\"p\":\(other)}", status: 422, contains: ["not-in-enum", "/p"]),
            APIScenario(
                "PATCH", target, "{\"list\":[\(other)]}", status: 422,
                contains: ["not-in-enum", "/list/0"]),
            APIScenario(
                "PATCH", target, "{\"map\":{\"k\":\(other)}}", status: 422,
                contains: ["not-in-enum", "/map/k"]),
        ]
        for scenario in table { scenario.check(on: server) }
    }

    @Test(
        "an enum may gain values, and lose those that no object has; else the objects are counted")
    func changes() {
        func schema(_ property: String) -> String {
            "{\"name\":\"E\",\"primaryKey\":\"id\",\"properties\":{\"id\":\"int\",\"p\":\(property)}}"
        }
        let target = "/v1/schema/classes/E"
        let table: [APIScenario] = [
            APIScenario(
                "PUT", target, schema("{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}"), status: 201,
                contains: ["\"enum\":[\"a\",\"b\"]"]),
            APIScenario(
                "PUT", target, schema("{\"type\":\"string\",\"enum\":[\"c\",\"b\",\"a\"]}"),
                status: 200, contains: ["\"enum\":[\"c\",\"b\",\"a\"]"]),
            APIScenario(
                "POST", "/v1/classes/E/objects", "[{\"id\":1,\"p\":\"c\"},{\"id\":2,\"p\":\"a\"}]",
                status: 201),
            APIScenario(
                "PUT", target, schema("{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}"), status: 409,
                contains: ["data-loss", "1 "]),
            APIScenario("PUT", target, schema("\"string\""), status: 200, excludes: ["enum"]),
            APIScenario(
                "PUT", target, schema("{\"type\":\"string\",\"enum\":[\"a\"]}"), status: 409),
            APIScenario("DELETE", "/v1/classes/E/objects/1", status: 204),
            APIScenario(
                "PUT", target, schema("{\"type\":\"string\",\"enum\":[\"a\"]}"), status: 200,
                contains: ["\"enum\":[\"a\"]"]),
        ]
        for scenario in table { scenario.check(on: server) }
    }
}
