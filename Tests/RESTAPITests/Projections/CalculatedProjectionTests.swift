import HoldfastTestSupport
import Testing

@Suite("Counts and aggregates in projections")
struct CalculatedProjectionTests {
    let server: ChangesServer

    init() throws {
        server = try Blog.server()
        APIScenario(
            "PUT", "/v1/projections/Card",
            #"{"class":"Post","properties":{"slug":"slug","commentCount":"comments.@count","#
                + #""latest":"comments.@max.date","score":"scores.@avg","likes":"comments.@sum.likes","#
                + #""siblings":"author.posts.@count","relatedCounts":"related.comments.@count"}}"#,
            status: 201, contains: [#""commentCount":"comments.@count""#]
        ).check(on: server.server)
    }

    @Test("are shown under their names, null behind a null, and of each object of a collection")
    func shown() {
        for (slug, expected) in [
            (
                "a",
                #"{"slug":"a","commentCount":3,"latest":"2026-03-01T00:00:00Z","score":2.25,"#
                    + #""likes":5,"siblings":2,"relatedCounts":[0,0]}"#
            ),
            (
                "c",
                #"{"slug":"c","commentCount":0,"latest":null,"score":null,"likes":0,"siblings":null,"#
                    + #""relatedCounts":[]}"#
            ),
        ] {
            APIScenario(
                "GET", "/v1/projections/Card/objects/\(slug)", status: 200, contains: [expected]
            ).check(on: server.server)
        }
        APIScenario(
            "GET",
            "/v1/projections/Card/objects?fields=slug,commentCount&sort=-comments.@count,slug",
            headers: [("Accept", "text/csv")], status: 200,
            contains: ["slug,commentCount\r\na,3\r\nb,0\r\nc,0\r\n"]
        ).check(on: server.server)
        APIScenario(
            "GET", "/v1/projections/Card/objects?filter=commentCount+%3E+0", status: 400,
            contains: [#""hint":"comments.@count""#]
        ).check(on: server.server)
    }

    @Test(
        "are read-only",
        arguments: [
            (#"{"slug":"a","commentCount":4}"#, "application/merge-patch+json", "/commentCount"),
            (
                #"[{"op":"replace","path":"/siblings","value":4}]"#, "application/json-patch+json",
                "/0/path"
            ),
        ])
    func readOnly(body: String, type: String, pointer: String) {
        APIScenario(
            "PATCH", "/v1/projections/Card/objects/a", body, headers: [("Content-Type", type)],
            status: 422,
            contains: [
                "projection-read-only", "is calculated from", "is read-only",
                #""pointer":"\#(pointer)""#,
            ]
        ).check(on: server.server)
    }

    @Test(
        "are checked against the schema",
        arguments: [
            ("comments.@cnt", ["There is no '@cnt'", #""hint":"@count""#]),
            ("comments.@count.id", ["'@count' is the last step of a path"]),
            ("comments.@max", ["'@max' takes a collection of values"]),
            ("comments.@max.lkes", ["no property 'lkes'", #""hint":"likes""#]),
            ("comments.@sum.date", ["of type 'date', which have no '@sum'"]),
            (
                "related.@max.comments",
                ["a single plain value, and 'comments' of class 'Post' is not one"]
            ),
            ("scores.@avg.x", ["'@avg' takes a collection of values"]),
            ("author.posts.comments.@count", ["an inverse link"]),
            ("comments.likes.@count", ["an inverse link"]),
        ])
    func refused(path: String, contains: [String]) {
        APIScenario(
            "PUT", "/v1/projections/Test", #"{"class":"Post","properties":{"a":"\#(path)"}}"#,
            status: 422, contains: contains + [#""pointer":"/properties/a""#]
        ).check(on: server.server)
    }

    @Test("have types in the store's document, which no patch states")
    func document() {
        let schemas = server.send("GET", "/v1/openapi.json").json["components"]?["schemas"]
        let shown = schemas?["Card"]?["properties"]
        #expect(shown?["commentCount"]?["type"] == .string("integer"))
        #expect(shown?["likes"]?["type"] == .array([.string("integer"), .string("null")]))
        for name in ["commentCount", "latest", "score", "likes", "siblings", "relatedCounts"] {
            #expect(shown?[name]?["readOnly"] == .bool(true), "\(name)")
        }
        #expect(schemas?["CardPatch"]?["properties"]?.names == ["slug"])
    }

    @Test("hold a change of the schema back that takes away what they are made of")
    func schemaChange() {
        APIScenario(
            "PUT", "/v1/schema/classes/Comment?dryRun=true",
            #"{"primaryKey":"id","properties":{"id":"int","date":"string","likes":"string?","post":"Post?"}}"#,
            status: 409,
            contains: [
                "Projection 'Card', property 'likes'",
                "of type 'string', which have no '@sum'",
                "Projection 'Card', property 'latest'",
            ]
        ).check(on: server.server)
    }

    @Test("a stream tells the cards whose values change, and no others")
    func live() throws {
        let stream = server.events("/v1/projections/Card/changes", [("since", "now")])
        #expect(stream.nextEvent().name == "hello")
        func change(_ method: String, _ target: String, _ body: String?) {
            let reply = server.send(method, "/v1/classes/" + target, body)
            #expect(reply.status < 300, "\(reply.text)")
        }
        func expect(_ changes: [String], _ texts: [String]) {
            let event = stream.nextEvent()
            #expect(event.changes.sorted() == changes, "\(event.data)")
            for text in texts { #expect(event.data.contains(text), "\(event.data)") }
        }
        // Neither the date of one that is not the latest nor a score of the same average is told.
        change("PATCH", "Comment/objects/1", #"{"date":"2026-01-02T00:00:00Z"}"#)
        change("PATCH", "Post/objects/a", #"{"scores":[2.25]}"#)
        change(
            "POST", "Comment/objects",
            #"{"id":4,"date":"2026-01-01T00:00:00Z","likes":2,"post":"b"}"#)
        expect(
            ["update a", "update b"],
            [
                #""changed":["relatedCounts"]"#, #""relatedCounts":[1,1]"#,
                #""changed":["commentCount","latest","likes"]"#, #""commentCount":1"#,
            ])
        change("DELETE", "Post/objects/b", nil)
        expect(
            ["delete b", "update a"],
            [#""changed":["siblings","relatedCounts"]"#, #""siblings":1,"relatedCounts":[]"#])
    }

    @Test("in a transaction the reply has what the transaction leaves")
    func transaction() {
        APIScenario(
            "POST", "/v1/transactions",
            #"{"operations":[{"op":"create","class":"Comment","value":{"id":5,"post":"c"}},"#
                + #"{"op":"patch","projection":"Card","id":"c","value":{"slug":"c"}}]}"#,
            status: 200, contains: [#""object":{"slug":"c","commentCount":1,"#]
        ).check(on: server.server)
    }
}
