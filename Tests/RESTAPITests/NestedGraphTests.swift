import HoldfastRESTAPI
import HoldfastServiceSupport
import Testing
import HoldfastTestSupport

@Suite("objects in the place of links")
struct NestedGraphTests {
    let server: TestServer
    let toys = "/v1/classes/Toy/objects"
    let people = "/v1/classes/Person/objects"

    init() throws { server = try TestServer(schema: Schemas.everything) }

    /// A chain of toys, each the next of the one before: as many JSON levels as toys.
    private func chain(_ count: Int, innermost: String = "{\"label\":\"last\"}") -> String {
        String(repeating: "{\"label\":\"x\",\"next\":", count: count - 1) + innermost
            + String(repeating: "}", count: count - 1)
    }

    @Test("graphs nest as deep as JSON may, and not deeper")
    func depth() {
        APIScenario(
            "POST", toys, chain(129), status: 400, contains: ["too-deep"]
        ).check(on: server)
        APIScenario("GET", toys, status: 200, contains: ["{\"objects\":[]}"]).check(on: server)
        APIScenario("POST", toys, chain(128), status: 201).check(on: server)
        APIScenario("GET", toys + "?count=exact", status: 200, contains: ["\"count\":128"])
            .check(on: server)
        APIScenario(
            "GET", toys + "?filter=label%20%3D%3D%20%22last%22", status: 200,
            contains: [#""label":"last","next":null"#]
        ).check(on: server)
    }

    @Test("graphs nest as deep as an option allows, far beyond the default")
    func deepOption() throws {
        var options = RESTOptions()
        options.limits.jsonDepthMax = 1024
        let server = try TestServer(schema: Schemas.everything, options: options)
        APIScenario("POST", toys, chain(1024), status: 201).check(on: server)
        APIScenario(
            "POST", "/v1/transactions",
            "{\"operations\":[{\"op\":\"create\",\"class\":\"Toy\",\"value\":\(chain(1021))}]}",
            status: 200
        ).check(on: server)
        APIScenario("GET", toys + "?count=exact&limit=1", status: 200, contains: ["\"count\":2045"])
            .check(on: server)
    }

    @Test("a fault deep inside has its place, in every kind of write")
    func pointers() {
        let bad = chain(4, innermost: "{\"lable\":\"y\"}")
        let place = "/next/next/next/lable"
        let rows: [(String, String, String, String)] = [
            ("POST", toys, bad, place), ("POST", toys, "[{},\(bad)]", "/1" + place),
            ("POST", "/v1/classes/Dog/objects", "{\"toy\":\(bad)}", "/toy" + place),
            ("PUT", people + "/a", "{\"dogs\":[{},{\"toy\":\(bad)}]}", "/dogs/1/toy" + place),
            (
                "PATCH", people + "/a?upsert=true",
                "{\"friends\":[{\"name\":\"b\",\"dogs\":[{\"toy\":\(bad)}]}]}",
                "/friends/0/dogs/0/toy" + place
            ),
            (
                "PATCH", people + "?all=true",
                "{\"home\":{\"city\":\"x\",\"landlord\":{\"name\":\"c\",\"dogs\":[{\"toy\":\(bad)}]}}}",
                "/home/landlord/dogs/0/toy" + place
            ),
            (
                "POST", "/v1/transactions",
                "{\"operations\":[{\"op\":\"put\",\"class\":\"Dog\",\"value\":{\"toy\":\(bad)}}]}",
                "/operations/0/value/toy" + place
            ),
        ]
        for (method, target, body, pointer) in rows {
            APIScenario(
                method, target, body, status: 422,
                contains: ["unknown-property", "\"pointer\":\"\(pointer)\"", "\"hint\":\"label\""]
            ).check(on: server)
        }
        for name in ["Toy", "Dog", "Person"] {
            APIScenario(
                "GET", "/v1/classes/\(name)/objects", status: 200, contains: ["{\"objects\":[]}"]
            ).check(on: server)
        }
    }

    @Test("a link that dangles deep inside has its place, and the graph goes with it")
    func danglingInside() {
        APIScenario(
            "PUT", people + "/a",
            #"{"best":{"name":"b","friends":[{"name":"c"},{"name":"d","home":{"city":"x","landlord":"nobody"}}]}}"#,
            status: 422,
            contains: ["dangling-link", "\"pointer\":\"/best/friends/1/home/landlord\""]
        ).check(on: server)
        APIScenario("GET", people, status: 200, contains: ["{\"objects\":[]}"]).check(on: server)
    }

    @Test("one that is there is merged, one that is not is created, and a graph may lead back")
    func upserts() {
        server.send("PUT", people + "/b", #"{"age":40,"role":"chief"}"#)
        APIScenario(
            "PUT", people + "/a",
            #"{"best":{"name":"b","age":41,"best":{"name":"a","age":7}},"friends":[{"name":"c","role":"x"},{"name":"b"}]}"#,
            status: 201, contains: [#""best":"b""#]
        ).check(on: server)
        APIScenario(
            "GET", people + "/b", status: 200,
            contains: [#""age":41"#, #""role":"chief""#, #""best":"a""#]
        ).check(on: server)
        APIScenario("GET", people + "/c", status: 200, contains: [#""role":"x""#])
            .check(on: server)
    }

    @Test("a change by filter makes a nested object with a key once, and one without for each")
    func bulk() {
        for name in ["a", "b", "c"] { server.send("PUT", people + "/" + name, "{}") }
        APIScenario(
            "PATCH", people + "?all=true", #"{"best":{"name":"z"},"dogs":[{"name":"Rex"}]}"#,
            status: 200, contains: ["{\"affected\":3,"]
        ).check(on: server)
        APIScenario("GET", people + "?count=exact", status: 200, contains: ["\"count\":4"])
            .check(on: server)
        // The key was generated when the body was read, so that all three have the one dog.
        APIScenario(
            "GET", "/v1/classes/Dog/objects?count=exact&fields=owners", status: 200,
            contains: ["\"count\":1", #""owners":["a","b","c"]"#]
        ).check(on: server)
    }
}
