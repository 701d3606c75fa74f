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
        arguments: [
            "/foo/bar/baz/qux/quux", "/x", "/auth/v1/refresh", "/v1/auth/refresh", "/api/upload",
            "/" + String(repeating: "a/", count: 40),
        ])
    func strangePaths(path: String) throws {
        APIScenario("GET", path, status: 404, contains: ["GET /"], excludes: ["hint"])
            .check(on: try Self.server())
    }

    @Test(
        "a path of another product names the path to use instead",
        arguments: [
            ("GET", "/rest/v1/Task", "/v1/classes/Task/objects"),
            ("GET", "/parse/classes/Task", "/v1/classes/Task/objects"),
            ("GET", "/parse/classes/Task/a", "/v1/classes/Task/objects/a"),
            ("GET", "/api/collections/T%C3%A4sk/records", "/v1/classes/T%C3%A4sk/objects"),
            ("GET", "/v1/classes/Task/5", "/v1/classes/Task/objects/5"),
            ("GET", "/classes/Task/a-5", "/v1/classes/Task/objects/a-5"),
            ("POST", "/Task/_find", "/v1/classes/Task/query"),
            ("GET", "/Task/_changes", "/v1/classes/Task/changes"),
            ("GET", "/v1/classes/Task/subscribe", "/v1/classes/Task/changes"),
            ("GET", "/v1/classes/Task/schema", "/v1/schema/classes/Task"),
            ("DELETE", "/v1/classes/Task", "/v1/schema/classes/Task"),
            ("PUT", "/v1/classes/Task", "/v1/schema/classes/Task"),
            ("POST", "/v1/login", "/v1/sessions"), ("POST", "/auth/v1/token", "/v1/sessions"),
            ("POST", "/api/collections/users/auth-with-password", "/v1/sessions"),
            ("POST", "/auth/v1/signup", "/v1/accounts"), ("POST", "/v1/users", "/v1/accounts"),
            ("POST", "/v1/batch", "/v1/transactions"),
            ("GET", "/docs", "/docs/"), ("GET", "/Swagger.json", "/v1/openapi.json"),
            ("GET", "/v1/classes/Task/count", "/v1/classes/Task/aggregate?op=count"),
            (
                "GET", "/v1/classes/Task/objects/1/name",
                "/v1/classes/Task/objects/1/properties/name"
            ),
            ("GET", "/api/users/me", "/v1/me"), ("GET", "/healthz", "/health/ready"),
        ])
    func foreignPaths(method: String, path: String, meant: String) throws {
        APIScenario(
            method, path, status: 404,
            contains: [#""code":"not-found""#, "\"hint\":\"\(meant)\"", "did you mean \(meant)?"]
        ).check(on: try Self.server())
    }

    @Test(
        "a path that may name a class names the path of its objects, whether there is the class or not",
        arguments: [
            ("/Task", "/v1/classes/Task/objects."), ("/v1/Task", "/v1/classes/Task/objects."),
            ("/v1/Task/", "/v1/classes/Task/objects."),
            ("/v1/Hidden", "/v1/classes/Hidden/objects."),
            ("/v1/Task/5", "/v1/classes/Task/objects/5."),
            ("/Task.json", "/v1/classes/Task/objects."),
            ("/api/Task", "/v1/classes/Task/objects."),
            ("/v1/Area51", "/v1/classes/Area51/objects."),
            ("/Task/a5", "/v1/classes/Task/objects/a5."),
        ])
    func classPaths(path: String, meant: String) throws {
        APIScenario(
            "GET", path, status: 404, contains: ["is a class", "at \(meant)", "GET /"],
            excludes: ["hint"]
        ).check(on: try Self.server())
    }

    @Test(
        "a path that can't name a class leads to no objects",
        arguments: ["/a.b", "/.env", "/v1/a.5"])
    func noClassPaths(path: String) throws {
        APIScenario("GET", path, status: 404, excludes: ["/objects"]).check(on: try Self.server())
    }

    @Test("a path that has no such operation names the path to use instead")
    func otherMethods() throws {
        let server = try Self.server()
        APIScenario(
            "POST", "/v1/classes", #"{"name":"Slip"}"#, status: 405,
            contains: ["This path answers GET", "PUT /v1/schema/classes/{class} makes a class."],
            fields: ["allow": "GET, HEAD, OPTIONS"]
        ).check(on: server)
        APIScenario(
            "POST", "/v1/schema", "{}", status: 405,
            contains: ["PUT /v1/schema/classes/{class} makes a class."],
            excludes: ["hint"]
        ).check(on: server)
        APIScenario(
            "POST", "/v1/classes/Task/objects/1", "{}", status: 405,
            contains: ["PUT makes or replaces it, and PATCH changes it."]
        ).check(on: server)
        APIScenario("POST", "/v1/transactions/1", "{}", status: 404).check(on: server)
        APIScenario(
            "POST", "/graphql", "{}", status: 404, contains: ["POST /v1/classes/{class}/query"]
        )
        .check(on: server)
    }

    @Test(
        "an unknown class leads to the nearest, or to all of a few",
        arguments: [
            ("Tasks", #""hint":"Task""#, "The classes are"),
            ("Movie", "There is no class 'Movie'. The classes are Place, Task.", "hint"),
        ])
    func unknownClass(name: String, text: String, excluded: String) throws {
        APIScenario(
            "GET", "/v1/classes/\(name)/objects", status: 404, contains: ["unknown-class", text],
            excludes: [excluded]
        ).check(on: try Self.server())
    }

    @Test("more than twelve classes are not listed")
    func manyClasses() throws {
        for count in [12, 13] {
            let server = try TestServer(
                schema: Schema(
                    classes: (1...count).map {
                        ObjectClass(
                            name: "Class\($0)", primaryKey: "id",
                            properties: [Schemas.property("id", .int)])
                    }))
            let reply = server.send("GET", "/v1/classes/Movie/objects")
            #expect(reply.text.contains("The classes are") == (count == 12), "\(reply.text)")
        }
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
            ("objects?where=x", ["'filter' finds objects", #""hint":"filter""#]),
            ("objects?q=x", [#""hint":"filter""#]), ("objects?select=x", [#""hint":"fields""#]),
            ("objects?$orderby=x", [#""hint":"sort""#]),
            ("objects?sort_by=x", [#""hint":"sort""#]),
            ("aggregate?op=count&sort=count", [#""hint":"order""#]),
            ("aggregate?op=count&groupBy=name", [#""hint":"by""#]),
            ("objects?populate=next", [#""hint":"expand""#]),
            ("objects?page=2", ["'next' of the page before", #""hint":"cursor""#]),
            ("objects?page%5Bsize%5D=2", [#""hint":"limit""#]),
            ("objects?perPage=2", [#""hint":"limit""#]),
            ("objects?format=csv", ["Accept: text/csv"]),
            ("object?key=1&where=x", ["it has key"]),
            ("objects?sort=name:desc", [#""hint":"-name""#]),
            ("objects?sort=name:asc", [#""hint":"name""#]),
            ("objects?sort=%7B%22name%22:%20-1%7D", [#""hint":"-name""#]),
            ("objects?sort=%7B%22name%22:1,%22rank%22:-1%7D", [#""hint":"name""#]),
            ("objects?sort=name%20desc", [#""hint":"-name""#]),
            ("objects?fields=%5B%22name%22%5D", ["names with commas between them"]),
            ("objects?fields=%7B%22name%22:1%7D", ["names with commas between them"]),
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
