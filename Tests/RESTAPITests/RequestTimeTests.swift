import HoldfastObjectModel
import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

/// Filters with `now()`, over HTTP.
@Suite("the time of a request in filters")
struct RequestTimeTests {
    let server: TestServer

    init() throws {
        server = try TestServer(schema: .init(classes: []))
        let schema = server.send(
            "PUT", "/v1/schema/classes/Event",
            #"{"primaryKey":"id","properties":{"id":"int","at":{"type":"date","indexed":true},"kind":"string"}}"#
        )
        #expect(schema.status == 201, "\(schema.text)")
        let created = server.send(
            "POST", "/v1/classes/Event/objects",
            #"""
            [{"id":1,"at":"2020-01-01T00:00:00Z","kind":"a"},{"id":2,"at":"2021-01-01T00:00:00Z","kind":"b"},
             {"id":3,"at":"9000-01-01T00:00:00Z","kind":"c"}]
            """#)
        #expect(created.status == 201, "\(created.text)")
    }

    @Test("now() stands for the present, with durations before and after it")
    func filters() {
        for (filter, ids) in [
            ("at < now()", [1, 2]), ("at > now() + 52w", [3]), ("now()-1h > at", [1, 2]),
            ("at BETWEEN {2020-06-01T00:00:00Z, now() - 1d}", [2]),
        ] as [(String, [Int64])] {
            let reply = server.send("POST", "/v1/classes/Event/query", "{\"filter\":\"\(filter)\"}")
            #expect(reply.status == 200, "\(filter): \(reply.text)")
            #expect(
                reply.json["objects"]?.elements.compactMap { $0["id"]?.int } == ids, "\(filter)")
        }
    }

    @Test(
        "the pages of a list, of groups and of sections keep the time of the first",
        arguments: [
            ("objects?filter=at%20%3C%20now()&limit=1", "objects"),
            ("objects?filter=at%20%3C%20now()&sort=-kind&limit=1", "objects"),
            ("aggregate?filter=at%20%3C%20now()&by=kind&limit=1", "groups"),
            ("sections?filter=at%20%3C%20now()&by=kind&limit=1", "sections"),
        ])
    func pages(path: String, name: String) {
        var page = server.send("GET", "/v1/classes/Event/\(path)")
        // This came after the first page was asked for, and before the others are.
        let late = server.send(
            "POST", "/v1/classes/Event/objects",
            #"{"id":4,"at":"\#(Timestamp.now())","kind":"bb"}"#)
        #expect(late.status == 201, "\(late.text)")
        var count = page.json[name]?.elements.count ?? 0
        while let next = page.json["next"]?.string, count < 9 {
            page = server.send("GET", "/v1/classes/Event/\(path)&cursor=\(next)")
            #expect(page.status == 200, "\(page.text)")
            count += page.json[name]?.elements.count ?? 0
        }
        #expect(count == 2)
        let all = server.send("GET", "/v1/classes/Event/aggregate?filter=at%20%3C%20now()")
        #expect(all.json["count"]?.int == 3)
    }

    @Test("a cursor with a time belongs to a query with now()")
    func otherQuery() throws {
        let page = server.send(
            "GET", "/v1/classes/Event/objects?filter=at%20%3C%20now()&limit=1")
        let next = try #require(page.json["next"]?.string)
        for filter in ["at%20%3C%20now()%20-%201s", "at%20%3C%209000-01-01T00:00:00Z"] {
            APIScenario(
                "GET", "/v1/classes/Event/objects?filter=\(filter)&limit=1&cursor=\(next)",
                status: 400, contains: ["belongs to another query"]
            ).check(on: server)
        }
    }

    @Test("a bulk change takes now(), a change stream refuses it")
    func otherUses() {
        APIScenario(
            "DELETE", "/v1/classes/Event/objects?filter=at%20%3C%20now()%20-%201d", status: 200,
            contains: [#""affected":2"#]
        ).check(on: server)
        for accept in ["application/json", "text/event-stream"] {
            let reply = server.send(
                "GET", "/v1/classes/Event/changes?since=start&filter=at%20%3E%20now()",
                headers: [("Accept", accept)])
            #expect(reply.status == 400)
            #expect(reply.text.contains("'now()' is the time of a request"), "\(reply.text)")
        }
    }

    @Test("hints tell what was meant")
    func hints() {
        for (query, hint) in [
            ("filter=kind%20==%20swift", "'swift'"), ("filter=kind%20IN%20%5B'a'%5D", "{'a'}"),
            ("filter=kind%20IS%20NULL", "== null"), ("sort=kind%20desc", "-kind"),
        ] {
            APIScenario(
                "GET", "/v1/classes/Event/objects?\(query)", status: 400,
                contains: ["\"hint\":\"\(hint)\""]
            ).check(on: server)
        }
    }
}
