import HoldfastObjectModel
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("the next step that an answer names")
struct NextStepTests {
    private static func server() throws -> TestServer {
        let server = try TestServer(
            schema: Schema(classes: [
                ObjectClass(
                    name: "Task", primaryKey: "id",
                    properties: [
                        Schemas.property("id", .int), Schemas.property("name", .string),
                        Schemas.property("rank", .int), Schemas.link("next", "Task"),
                        Property(name: "place", type: .single(.object("Place")), isOptional: true),
                    ]),
                ObjectClass(
                    name: "Place", kind: .embedded, properties: [Schemas.property("city", .string)]),
            ]))
        for id in 1...3 { server.send("PUT", "/v1/classes/Task/objects/\(id)", "{}") }
        return server
    }

    @Test(
        "a path that is not there names the paths that may be meant",
        arguments: [
            ("/classes", "/v1/classes"), ("/v1/classes/", "/v1/classes"),
            ("/v1/classes/Task", "/v1/classes/Task/objects"),
            ("/classes/Task", "/v1/classes/Task/objects"),
            ("/v1/classes/Task/records", "/v1/classes/Task/objects"),
            ("/Task/objects", "/v1/classes/Task/objects"),
            ("/v1/Task/objects/1", "/v1/classes/Task/objects/1"),
            ("/v1/schemas", "/v1/schema"), ("/schema/", "/v1/schema"),
            ("/v1/transaction", "/v1/transactions"),
            ("/v1/classes/Task/objects/", "/v1/classes/Task/objects"),
            ("/v1/classes/Task/objects/1/", "/v1/classes/Task/objects/1"),
            ("/v2/classes/T%C3%A4sk/objects", "/v1/classes/T%C3%A4sk/objects"),
            ("/v1/class/Task/objects", "/v1/classes/Task/objects"),
            ("/v1/classes/Task/aggregates", "/v1/classes/Task/aggregate"),
            ("/healthz/live", "/health/live"), ("/metric", "/metrics"),
        ])
    func paths(path: String, meant: String) throws {
        APIScenario(
            "GET", path, status: 404,
            contains: [#""code":"not-found""#, "\"hint\":\"\(meant)\"", "did you mean"]
        ).check(on: try Self.server())
    }

    @Test(
        "a path that is like none of ours leads to the first",
        arguments: ["/foo/bar/baz/qux/quux", "/x", "/" + String(repeating: "a/", count: 40)])
    func strangePaths(path: String) throws {
        APIScenario("GET", path, status: 404, contains: ["GET /"], excludes: ["hint"])
            .check(on: try Self.server())
    }

    @Test("the classes are listed with their counts, those of a moment ago included")
    func classes() throws {
        let server = try Self.server()
        let first = server.send("GET", "/v1/classes")
        #expect(
            first.text
                == #"{"classes":[{"name":"Task","kind":"object","count":3},{"name":"Place","kind":"embedded"}]}"#
        )
        #expect(first.headers["holdfast-version"] == "\(server.store.version)")
        server.send("DELETE", "/v1/classes/Task/objects/2")
        #expect(server.send("GET", "/v1/classes").text.contains(#""count":2"#))
        #expect(server.send("HEAD", "/v1/classes").status == 200)
        APIScenario("GET", "/v1/classes?limit=1", status: 400, contains: ["unknown-parameter"])
            .check(on: server)
    }

    @Test(
        "parameters of others lead to ours",
        arguments: [
            ("objects?name=x", ["filter=name == $0&text=", #""hint":"filter""#]),
            ("objects?rank=1", ["filter=rank == $0&arg="]),
            ("aggregate?op=count&rank=1", ["filter=rank == $0"]),
            ("objects?nmae=x", ["unknown-parameter", "it has filter"]),
            ("changes?lastEventId=x", ["Last-Event-ID", #""hint":"since""#]),
        ])
    func parameters(target: String, texts: [String]) throws {
        APIScenario("GET", "/v1/classes/Task/" + target, status: 400, contains: texts)
            .check(on: try Self.server())
    }

    @Test(
        "blanks behind commas are as if they were not there",
        arguments: [
            "fields=id,%20name", "fields=id,+name", "expand=next,%20next.next",
            "fields=*,%20$version,%20next.rank",
        ])
    func blanks(query: String) throws {
        let server = try Self.server()
        let path = "/v1/classes/Task/objects?"
        let plain = query.filter { $0 != "+" }.split(separator: "%20").joined()
        #expect(server.send("GET", path + query).status == 200)
        #expect(server.send("GET", path + query).text == server.send("GET", path + plain).text)
    }
}
