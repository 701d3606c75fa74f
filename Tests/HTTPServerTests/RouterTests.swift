import Testing

@testable import HoldfastHTTPServer

@Suite struct RouterTests {
    private static func named(_ name: String, _ method: Method, _ pattern: String) -> Route {
        Route(method, pattern, name) { request in
            .respond(Response(200, .text, name + request.segments.map { " " + $0.string }.joined()))
        }
    }

    private static let routes = [
        named("list", .get, "/v1/classes/{class}/objects"),
        named("create", .post, "/v1/classes/{class}/objects"),
        named("get", .get, "/v1/classes/{class}/objects/{id}"),
        named("put", .put, "/v1/classes/{class}/objects/{id}"),
        named("changes", .get, "/v1/classes/{class}/changes"),
        named("special", .get, "/v1/classes/Special/objects"),
        named("root", .get, "/v1"),
        named("elements", .get, "/v1/e/{name}/elements/{path*}"),
    ]

    @Test(
        "a path finds its route",
        arguments: [
            ("GET", "/v1", 200, "root"), ("GET", "/v1/", 404, ""),
            ("GET", "/v1/classes/A/objects", 200, "list"),
            ("GET", "/v1/classes/Special/objects", 200, "special"),
            // The literal leads nowhere here, so the parameter takes it.
            ("GET", "/v1/classes/Special/changes", 200, "changes"),
            ("GET", "/v1/classes/%41/objects/1%2F2", 200, "get v1 classes A objects 1/2"),
            ("GET", "/v1/cl%61sses/A/objects", 200, "list"),
            ("GET", "/v1/classes//objects", 404, ""), ("GET", "/v1/classes/A/objects/", 404, ""),
            ("GET", "/", 404, ""), ("GET", "/v1/classes/A/objects/1/2", 404, ""),
            ("GET", "/v1/e/n/elements/a/b/c", 200, "elements"),
            ("GET", "/v1/e/n/elements", 404, ""),
            ("DELETE", "/v1/classes/A/objects/1", 405, ""), ("BREW", "/v1", 405, ""),
        ])
    func matching(method: String, target: String, status: Int, text: String) throws {
        try withServer(RouterTests.routes) { _, port in
            let reply = try RawClient(port: port).get(target, method: method)
            #expect(reply.status == status)
            if status == 200 { #expect(reply.text.hasPrefix(text)) }
        }
    }

    @Test("405 and OPTIONS name the methods of the path")
    func allow() throws {
        try withServer(RouterTests.routes) { _, port in
            let client = try RawClient(port: port)
            let refused = try client.get("/v1/classes/A/objects/1", method: "DELETE")
            #expect(refused.header("Allow") == "GET, HEAD, PUT, OPTIONS")
            #expect(refused.text.contains("method-not-allowed"))
            let options = try client.get("/v1/classes/A/objects", method: "OPTIONS")
            #expect(options.status == 204)
            #expect(options.header("Allow") == "GET, HEAD, POST, OPTIONS")
        }
    }

    @Test("the rest of a path is given in segments")
    func rest() throws {
        let route = Route(.get, "/r/{a}/{rest*}", "r") { request in
            .respond(
                Response(200, .text, request.rest.map(\.string).joined(separator: ",")))
        }
        try withServer([route]) { _, port in
            let reply = try RawClient(port: port).get("/r/x/1/2%2F3/4")
            #expect(reply.text == "1,2/3,4")
        }
    }

    @Test("tables that contradict themselves are refused")
    func badTables() {
        let get = RouterTests.named("a", .get, "/a/{x}")
        #expect(throws: Router.TableError.duplicate("GET /a/{y}")) {
            try Router([get, RouterTests.named("b", .get, "/a/{y}")])
        }
        #expect(throws: Router.TableError.notAPath("a")) {
            try Router([RouterTests.named("a", .get, "a")])
        }
        #expect(throws: Router.TableError.restNotLast("/{a*}/b")) {
            try Router([RouterTests.named("a", .get, "/{a*}/b")])
        }
    }

    @Test("HEAD answers as GET does, without the body")
    func head() throws {
        let routes = [
            Route(.get, "/yes", "yes") { _ in .respond(Response(200, .text, "12345")) },
            Route(.get, "/no", "no", answersHead: false) { _ in .respond(Response(200, .text, "1"))
            },
        ]
        try withServer(routes) { _, port in
            let client = try RawClient(port: port)
            let reply = try client.get("/yes", method: "HEAD")
            #expect(reply.status == 200)
            #expect(reply.header("Content-Length") == "5")
            #expect(try client.get("/no", method: "HEAD").status == 405)
            #expect(try client.get("/yes").text == "12345")
        }
    }
}
