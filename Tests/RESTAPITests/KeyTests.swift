import HoldfastServiceSupport
import Testing
import HoldfastTestSupport

@Suite("keys in paths and parameters")
struct KeyTests {
    let server: TestServer

    init() throws { server = try TestServer(schema: Schemas.everything) }

    @Test(
        "a string key is told from its escaped form and found by it",
        arguments: [
            ("/objects/a%2Fb", "\"a/b\"", "/v1/classes/Loose/object?key=%22a%2Fb%22"),
            ("/objects/a+b", "\"a+b\"", "/v1/classes/Loose/objects/a%2Bb"),
            ("/objects/a%20b", "\"a b\"", "/v1/classes/Loose/objects/a%20b"),
            ("/objects/%C3%A9", "\"é\"", "/v1/classes/Loose/objects/%C3%A9"),
            ("/objects/a%3Fb%23c%25", "\"a?b#c%\"", "/v1/classes/Loose/objects/a%3Fb%23c%25"),
            ("/objects/%22", "\"\\\"\"", "/v1/classes/Loose/objects/%22"),
            ("/objects/...", "\"...\"", "/v1/classes/Loose/objects/..."),
            ("/object?key=%22%22", "\"\"", "/v1/classes/Loose/object?key=%22%22"),
            ("/object?key=%22.%22", "\".\"", "/v1/classes/Loose/object?key=%22.%22"),
            ("/object?key=%22..%22", "\"..\"", "/v1/classes/Loose/object?key=%22..%22"),
            ("/object?key=null", "null", "/v1/classes/Loose/object?key=null"),
            ("/object?key=%22plain%22", "\"plain\"", "/v1/classes/Loose/objects/plain"),
        ])
    func paths(target: String, key: String, location: String) {
        let path = "/v1/classes/Loose" + target
        APIScenario(
            "PUT", path, "{}", status: 201, contains: ["{\"key\":\(key),"],
            fields: ["location": location]
        ).check(on: server)
        APIScenario("GET", path, status: 200, contains: ["{\"key\":\(key),"]).check(on: server)
        APIScenario("GET", location, status: 200, contains: ["{\"key\":\(key),"]).check(on: server)
        APIScenario("HEAD", location, status: 200, fields: ["etag": ""]).check(on: server)
        APIScenario("PATCH", location, "{}", status: 200).check(on: server)
        APIScenario("PUT", location, "{\"key\":\(key)}", status: 200).check(on: server)
        APIScenario("DELETE", path, status: 204).check(on: server)
        APIScenario("GET", location, status: 404).check(on: server)
    }

    @Test("keys of every type name their objects")
    func types() {
        let uuid = "123e4567-e89b-12d3-a456-426614174000"
        let oid = "507f1f77bcf86cd799439011"
        APIScenario(
            "PUT", "/v1/classes/Ticket/objects/\(uuid.uppercased())", "{}", status: 201,
            fields: ["location": "/v1/classes/Ticket/objects/\(uuid)"]
        ).check(on: server)
        APIScenario("GET", "/v1/classes/Ticket/object?key=%22\(uuid)%22", status: 200).check(
            on: server)
        APIScenario(
            "PUT", "/v1/classes/Dog/objects/\(oid.uppercased())", "{\"_id\":\"\(oid)\"}",
            status: 201,
            fields: ["location": "/v1/classes/Dog/objects/\(oid)"]
        ).check(on: server)
        APIScenario(
            "PUT", "/v1/classes/Thing/objects/-9223372036854775808", "{}", status: 201,
            fields: ["location": "/v1/classes/Thing/objects/-9223372036854775808"]
        ).check(on: server)
        APIScenario("GET", "/v1/classes/Thing/object?key=-9223372036854775808", status: 200).check(
            on: server)
    }

    @Test(
        "a key that is not of its class's type is 400",
        arguments: [
            "/v1/classes/Thing/objects/x", "/v1/classes/Thing/objects/1.5",
            "/v1/classes/Thing/objects/9223372036854775808", "/v1/classes/Thing/objects/+1",
            "/v1/classes/Ticket/objects/7", "/v1/classes/Dog/objects/507f",
            "/v1/classes/Toy/objects/x", "/v1/classes/Toy/objects/-1",
            "/v1/classes/Toy/objects/99999999999999999999999",
            "/v1/classes/Thing/object?key=null", "/v1/classes/Thing/object?key=%22x%22",
            "/v1/classes/Person/object?key=7", "/v1/classes/Person/object?key=null",
            "/v1/classes/Person/object?key=%5B%5D", "/v1/classes/Ticket/object?key=%22%22",
        ])
    func wrongTypes(path: String) {
        for (method, body) in [("GET", nil), ("PUT", "{}"), ("PATCH", "{}"), ("DELETE", nil)]
            as [(String, String?)]
        {
            APIScenario(method, path, body, status: 400, contains: ["wrong-key-type"]).check(
                on: server)
        }
    }

    @Test(
        "other faults of keys and classes",
        arguments: [
            APIScenario(
                "GET", "/v1/classes/Thing/object", status: 400, contains: ["\"parameter\":\"key\""]),
            APIScenario(
                "GET", "/v1/classes/Thing/object?key=", status: 400,
                contains: ["\"parameter\":\"key\""]),
            APIScenario(
                "GET", "/v1/classes/Thing/object?key=%7B", status: 400,
                contains: ["\"parameter\":\"key\""]),
            APIScenario(
                "GET", "/v1/classes/Thing/object?key=1&key=2", status: 400,
                contains: ["more than once"]),
            APIScenario(
                "GET", "/v1/classes/Peson/objects/x", status: 404,
                contains: ["\"code\":\"unknown-class\"", "\"hint\":\"Person\""]),
            APIScenario(
                "PUT", "/v1/classes/Nowhere/objects/x", "{}", status: 404,
                contains: ["unknown-class"], excludes: ["hint"]),
            APIScenario(
                "POST", "/v1/classes/thing/objects", "{}", status: 404,
                contains: ["\"hint\":\"Thing\""]),
            APIScenario(
                "DELETE", "/v1/classes/Dgo/objects/x", status: 404, contains: ["\"hint\":\"Dog\""]),
            APIScenario(
                "GET", "/v1/classes/Address/objects/1", status: 405, contains: ["embedded-class"],
                fields: ["allow": "OPTIONS"]),
            APIScenario(
                "PUT", "/v1/classes/Address/objects/1", "{}", status: 405,
                fields: ["allow": "OPTIONS"]),
            APIScenario(
                "PATCH", "/v1/classes/Address/object?key=1", "{}", status: 405,
                fields: ["allow": "OPTIONS"]),
            APIScenario(
                "POST", "/v1/classes/Address/objects", "{}", status: 405,
                fields: ["allow": "OPTIONS"]),
            APIScenario(
                "DELETE", "/v1/classes/Address/objects/1", status: 405, fields: ["allow": "OPTIONS"]
            ),
            APIScenario(
                "GET", "/v1/classes/Thing/objects/7", status: 404, contains: ["object-not-found"]),
            APIScenario(
                "PATCH", "/v1/classes/Thing/objects/7", "{}", status: 404,
                contains: ["object-not-found"]),
            APIScenario(
                "DELETE", "/v1/classes/Thing/objects/7", status: 404, contains: ["object-not-found"]
            ),
            APIScenario(
                "GET", "/v1/classes/Toy/objects/7", status: 404, contains: ["object-not-found"]),
            APIScenario(
                "GET", "/v1/classes/Toy/objects/0", status: 404, contains: ["object-not-found"]),
            APIScenario(
                "PUT", "/v1/classes/Toy/objects/7", "{}", status: 404,
                contains: ["object-not-found"]),
            APIScenario(
                "PATCH", "/v1/classes/Toy/objects/7?upsert=true", "{}", status: 404,
                contains: ["object-not-found"]),
            APIScenario(
                "PUT", "/v1/classes/Thing/objects/7", "{\"id\":8}", status: 422,
                contains: ["\"code\":\"key-mismatch\"", "\"pointer\":\"/id\""]),
            APIScenario(
                "PUT", "/v1/classes/Thing/objects/7", "{\"$id\":8}", status: 422,
                contains: ["key-mismatch", "\"pointer\":\"/$id\""]),
            APIScenario(
                "PATCH", "/v1/classes/Thing/objects/7?upsert=true", "{\"id\":8}", status: 422,
                contains: ["key-mismatch"]),
            APIScenario(
                "POST", "/v1/classes/Thing/objects", "{\"id\":7,\"$id\":8}", status: 422,
                contains: ["key-mismatch"]),
            APIScenario(
                "POST", "/v1/classes/Thing/objects", "{\"$id\":\"x\"}", status: 422,
                contains: ["\"pointer\":\"/$id\""]),
            APIScenario(
                "PUT", "/v1/classes/Thing/objects/7", "{\"id\":7,\"$id\":\"7\"}", status: 201),
            APIScenario(
                "POST", "/v1/classes/Thing/objects", "{\"$id\":77}", status: 201,
                contains: ["\"id\":77"]),
        ])
    func faults(scenario: APIScenario) { scenario.check(on: server) }

    @Test("an object without primary key is named by its $id")
    func objectKeys() {
        let created = APIScenario(
            "POST", "/v1/classes/Toy/objects", "{\"label\":\"ball\"}", status: 201,
            contains: ["{\"$id\":1,\"label\":\"ball\",\"next\":null}"],
            fields: ["location": "/v1/classes/Toy/objects/1"]
        ).check(on: server)
        APIScenario("GET", "/v1/classes/Toy/objects/1", status: 200, contains: ["{\"$id\":1,"])
            .check(on: server)
        APIScenario("GET", "/v1/classes/Toy/object?key=1", status: 200).check(on: server)
        APIScenario("PUT", "/v1/classes/Toy/objects/1", created.text, status: 200).check(on: server)
        APIScenario(
            "PUT", "/v1/classes/Toy/objects/1", "{\"$id\":2,\"label\":\"x\"}", status: 422,
            contains: ["key-mismatch"]
        ).check(on: server)
        APIScenario(
            "PATCH", "/v1/classes/Toy/objects/1", "{\"label\":\"cube\"}", status: 200,
            contains: ["cube"]
        )
        .check(on: server)
        APIScenario(
            "POST", "/v1/classes/Toy/objects", "{\"$id\":1}", status: 422,
            contains: ["id-not-allowed", "\"pointer\":\"/$id\""]
        ).check(on: server)
        APIScenario(
            "POST", "/v1/classes/Toy/objects?mode=merge", "{\"$id\":1,\"next\":1}", status: 200,
            contains: ["{\"$id\":1,\"label\":\"cube\",\"next\":1}"]
        ).check(on: server)
        APIScenario("POST", "/v1/classes/Toy/objects?mode=merge", "{\"$id\":9}", status: 404).check(
            on: server)
        APIScenario("DELETE", "/v1/classes/Toy/objects/1", status: 204).check(on: server)
        APIScenario("GET", "/v1/classes/Toy/objects/1", status: 404).check(on: server)
    }
}
