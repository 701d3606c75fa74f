import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

/// Posts with comments, which are linked from the other side, and collections of every kind.
enum Blog {
    static let schema = Schema(classes: [
        ObjectClass(
            name: "Author", primaryKey: "name",
            properties: [
                Schemas.property("name", .string),
                Property(
                    name: "posts", type: .linkingObjects(className: "Post", property: "author")),
            ]),
        ObjectClass(
            name: "Post", primaryKey: "slug",
            properties: [
                Schemas.property("slug", .string), Schemas.link("author", "Author"),
                Schemas.list("scores", .double, optional: true), Schemas.set("marks", .int),
                Property(name: "prices", type: .map(.scalar(.decimal128))),
                Schemas.list("anything", .mixed), Schemas.list("related", of: "Post"),
                Schemas.list("parts", of: "Part"),
                Property(name: "best", type: .map(.object("Comment")), isOptional: true),
                Property(
                    name: "comments", type: .linkingObjects(className: "Comment", property: "post")),
            ]),
        ObjectClass(
            name: "Part", kind: .embedded,
            properties: [Schemas.property("words", .int), Schemas.list("notes", .string)]),
        ObjectClass(
            name: "Comment", primaryKey: "id",
            properties: [
                Schemas.property("id", .int), Schemas.property("date", .date),
                Schemas.property("likes", .int, optional: true), Schemas.link("post", "Post"),
            ]),
    ])

    /// A server with two posts of Ann: `a` has everything, `b` nothing.
    static func server() throws -> ChangesServer {
        let server = ChangesServer(try TestServer(schema: schema))
        let made = [
            server.send("POST", "/v1/classes/Author/objects", #"{"name":"Ann"}"#),
            server.send(
                "POST", "/v1/classes/Post/objects",
                #"[{"slug":"b","author":"Ann"},{"slug":"a","author":"Ann","scores":[1.5,null,"NaN",3],"#
                    + #""marks":[9223372036854775807,1],"prices":{"x":"0.1","y":"0.2"},"#
                    + #""anything":[1,"x",2.5],"related":["b","b"],"#
                    + #""parts":[{"words":3,"notes":["n","o"]},{"words":4}]},{"slug":"c"}]"#),
            server.send(
                "POST", "/v1/classes/Comment/objects",
                #"[{"id":1,"date":"2026-01-01T00:00:00Z","likes":4,"post":"a"},"#
                    + #"{"id":2,"date":"2026-03-01T00:00:00Z","post":"a"},"#
                    + #"{"id":3,"date":"2026-02-01T00:00:00Z","likes":1,"post":"a"}]"#),
            server.send("PATCH", "/v1/classes/Post/objects/a", #"{"best":{"x":1,"y":3}}"#),
        ]
        for reply in made { #expect(reply.status < 300, "\(reply.text)") }
        return server
    }
}

@Suite("Counts and aggregates beside objects")
struct CalculatedFieldTests {
    let server: ChangesServer

    init() throws { server = try Blog.server() }

    @Test(
        "stand beside the properties under the names that they are asked for by",
        arguments: [
            ("fields=slug,comments.@count", #"{"slug":"a","comments.@count":3}"#),
            ("fields=comments.@size,slug", #"{"comments.@size":3,"slug":"a"}"#),
            (
                "fields=comments.@max.date,comments.@min.date",
                #"{"comments.@max.date":"2026-03-01T00:00:00Z","comments.@min.date":"2026-01-01T00:00:00Z"}"#
            ),
            (
                "fields=comments.@sum.likes,comments.@avg.likes",
                #"{"comments.@sum.likes":5,"comments.@avg.likes":2.5}"#
            ),
            // Null and NaN are no values; a sum that no int holds is null, an average is not.
            (
                "fields=scores.@count,scores.@avg,scores.@max",
                #"{"scores.@count":4,"scores.@avg":2.25,"scores.@max":3.0}"#
            ),
            ("fields=marks.@sum,marks.@min", #"{"marks.@sum":null,"marks.@min":1}"#),
            ("fields=prices.@sum,prices.@count", #"{"prices.@sum":"0.3","prices.@count":2}"#),
            ("fields=anything.@sum,anything.@max", #"{"anything.@sum":"3.5","anything.@max":"x"}"#),
            ("fields=related.@count,related", #"{"related.@count":2,"related":["b","b"]}"#),
            (
                "fields=parts.@sum.words,best.@max.likes",
                #"{"parts.@sum.words":7,"best.@max.likes":4}"#
            ),
            ("fields=author.@count,slug.@count", #"{"author.@count":1,"slug.@count":1}"#),
            ("fields=comments.@count,comments.@count", #"{"comments.@count":3}"#),
            // In the objects that a path leads to, in each of them.
            (
                "fields=author.name,author.posts.@count",
                #"{"author":{"name":"Ann","posts.@count":2}}"#
            ),
            ("fields=parts.notes.@count", #"{"parts":[{"notes.@count":2},{"notes.@count":0}]}"#),
            (
                "fields=related.slug,related.comments.@count&expand=related.author",
                #"{"related":[{"slug":"b","comments.@count":0,"author":{"name":"Ann"}}"#
            ),
            ("fields=*,comments.@count", #","parts":[{"words":3,"notes":["n","o"]},"#),
            ("fields=*,comments.@count", #","comments.@count":3}"#),
        ])
    func members(query: String, expected: String) {
        APIScenario(
            "GET", "/v1/classes/Post/objects/a?" + query, status: 200, contains: [expected]
        ).check(on: server.server)
    }

    @Test("of nothing a count and a sum are 0, the others null")
    func nothing() {
        APIScenario(
            "GET",
            "/v1/classes/Post/objects/b?fields=comments.@count,comments.@sum.likes,comments.@avg.likes,"
                + "comments.@max.date,scores.@count,scores.@sum,scores.@min,prices.@sum,prices.@avg",
            status: 200,
            contains: [
                #"{"comments.@count":0,"comments.@sum.likes":0,"comments.@avg.likes":null,"#
                    + #""comments.@max.date":null,"scores.@count":0,"scores.@sum":0.0,"scores.@min":null,"#
                    + #""prices.@sum":"0","prices.@avg":null}"#
            ]
        ).check(on: server.server)
    }

    @Test(
        "are there wherever fields are taken",
        arguments: [
            APIScenario(
                "GET", "/objects?fields=slug,comments.@count&sort=-comments.@count,slug",
                status: 200,
                contains: [
                    #"[{"slug":"a","comments.@count":3},{"slug":"b","comments.@count":0},"#
                ]),
            APIScenario(
                "GET", "/objects?fields=slug&sort=-comments.@max.date,comments.@count,-slug",
                status: 200, contains: [#"[{"slug":"a"},{"slug":"c"},{"slug":"b"}]"#]),
            APIScenario(
                "POST", "/query",
                #"{"filter":"comments.@count > 0","fields":["slug","comments.@avg.likes"]}"#,
                status: 200, contains: [#"{"slug":"a","comments.@avg.likes":2.5}"#]),
            APIScenario(
                "GET", "/sections?by=author.name&objects=1&fields=comments.@count&sort=slug",
                status: 200, contains: [#""objects":[{"comments.@count":3}]"#]),
            APIScenario(
                "GET", "/export?fields=slug,scores.@count", status: 200,
                contains: [#"{"slug":"a","scores.@count":4}"#]),
            APIScenario(
                "GET", "/objects?fields=slug,comments.@count,author.posts.@count&sort=slug",
                headers: [("Accept", "text/csv")], status: 200,
                contains: ["slug,comments.@count,author.posts.@count\r\na,3,2\r\nb,0,2\r\nc,0,\r\n"]
            ),
            APIScenario(
                "GET", "/objects?fields=anything.@max", headers: [("Accept", "text/csv")],
                status: 406, contains: ["not-flat", "'anything.@max'"]),
            APIScenario(
                "GET", "/objects/a/properties/related?fields=slug,comments.@count", status: 200,
                contains: [#"[{"slug":"b","comments.@count":0},"#]),
            APIScenario(
                "GET", "/changes?since=start&fields=comments.@count", status: 200,
                contains: [#""object":{"comments.@count":3}"#]),
        ])
    func places(scenario: APIScenario) {
        var scenario = scenario
        scenario.target = "/v1/classes/Post" + scenario.target
        scenario.check(on: server.server)
    }

    @Test(
        "that do not go together are refused with a hint",
        arguments: [
            ("fields=comments.@cnt", [#""hint":"@count""#, "unknown-property", "'@cnt'"]),
            ("fields=coments.@count", [#""hint":"comments""#, "unknown-property"]),
            ("fields=comments.@max.lkes", [#""hint":"likes""#, "unknown-property"]),
            ("fields=comments.@max", ["as in dogs.@max.age", "invalid-parameter"]),
            ("fields=comments.@sum.date", ["takes numbers"]),
            ("fields=comments.@count.x", ["of type 'int' has no property 'x'"]),
            ("fields=scores.@sum.x", ["not a list"]),
            ("fields=related.@max.comments", ["collection aggregate not supported"]),
            ("fields=@count", ["unknown-property"]),
            ("fields=comments.@,slug", ["unknown-property"]),
            ("fields=comments.@links.Comment.post", ["unknown-property"]),
            ("fields=comments.@max.@count", ["unknown-property"]),
            ("fields=comments.@count.@count", ["not supported on property of type 'int'"]),
            ("fields=comments.@max.likes.id", ["has no property 'id'"]),
            ("fields=anything.@max.x", ["not a list"]),
            ("fields=marks.@sum.@count", ["not a list"]),
            ("expand=comments.@count", [#""parameter":"expand""#]),
        ])
    func refused(query: String, contains: [String]) {
        APIScenario(
            "GET", "/v1/classes/Post/objects/a?" + query, status: 400,
            contains: contains
        ).check(on: server.server)
    }

    @Test("of other objects are never 304, those of the object's own are")
    func notModified() {
        let path = "/v1/classes/Post/objects/a?fields="
        let etag = server.send("GET", path + "slug").headers["etag"] ?? ""
        for (fields, status) in [
            ("scores.@avg", 304), ("related.@count,parts.@sum.words", 304),
            ("comments.@count", 200), ("best.@max.likes", 200), ("author.posts.@count", 200),
        ] {
            APIScenario("GET", path + fields, headers: [("If-None-Match", etag)], status: status)
                .check(on: server.server)
        }
    }

    @Test("a stream tells an object whose count changes because others do, and counts exactly")
    func live() throws {
        let path = "/v1/classes/Post/changes"
        let fields = "slug,comments.@count,comments.@max.likes"
        let stream = server.events(path, [("fields", fields)])
        #expect(stream.nextEvent().name == "hello")
        let told = server.events(
            path, [("fields", fields), ("keyPaths", "comments.@max.likes"), ("old", "true")])
        #expect(told.nextEvent().name == "hello")
        let old = server.events(path, [("fields", fields), ("old", "true")])
        #expect(old.nextEvent().name == "hello")
        func change(_ method: String, _ target: String, _ body: String?) {
            let reply = server.send(method, "/v1/classes/Comment/" + target, body)
            #expect(reply.status < 300, "\(reply.text)")
        }
        func expect(_ changes: [String], _ objects: [String]) {
            let event = stream.nextEvent()
            #expect(event.changes.sorted() == changes, "\(event.data)")
            for object in objects { #expect(event.data.contains(object), "\(event.data)") }
            #expect(event.data.contains(#""changed":["comments"]"#))
        }
        change("POST", "objects", #"{"id":4,"date":"2026-01-01T00:00:00Z","post":"b"}"#)
        expect(["update b"], [#"{"slug":"b","comments.@count":1,"comments.@max.likes":null}"#])
        // What is not shown of a comment is not told.
        change("PATCH", "objects/4", #"{"date":"2026-02-01T00:00:00Z"}"#)
        change("PATCH", "objects/4", #"{"likes":7}"#)
        expect(["update b"], [#"{"slug":"b","comments.@count":1,"comments.@max.likes":7}"#])
        change("PATCH", "objects/4", #"{"post":"a"}"#)
        expect(
            ["update a", "update b"],
            [
                #"{"slug":"b","comments.@count":0,"comments.@max.likes":null}"#,
                #"{"slug":"a","comments.@count":4,"comments.@max.likes":7}"#,
            ])
        change("PATCH", "objects/1", #"{"likes":5}"#)
        expect(["update a"], [#""comments.@max.likes":7}"#])
        change("DELETE", "objects/4", nil)
        expect(["update a"], [#"{"slug":"a","comments.@count":3,"comments.@max.likes":5}"#])

        #expect(
            old.nextEvent().data.contains(
                #""changed":["comments"],"old":{"comments.@count":0,"comments.@max.likes":null}"#))

        // Where a path alone counts, its value is compared, and the old one told.
        for (changes, old) in [
            (["update b"], "null"), (["update a", "update b"], "7"), (["update a"], "7"),
        ] {
            let event = told.nextEvent()
            #expect(event.changes.sorted() == changes, "\(event.data)")
            #expect(event.data.contains(#""changed":["comments.@max.likes"]"#))
            #expect(event.data.contains(#""old":{"comments.@max.likes":\#(old)}"#), "\(event.data)")
        }
    }

    @Test("a filter's query is told as well when only what is shown beside changes")
    func filtered() throws {
        let stream = server.events(
            "/v1/classes/Author/changes",
            [("filter", "name == 'Ann'"), ("fields", "posts.comments.@count,posts.@count")])
        #expect(stream.nextEvent().name == "hello")
        _ = server.send(
            "POST", "/v1/classes/Comment/objects",
            #"{"id":9,"date":"2026-01-01T00:00:00Z","post":"b"}"#)
        let event = stream.nextEvent()
        #expect(event.changes == ["update Ann"])
        #expect(
            event.data.contains(
                #"{"posts":[{"comments.@count":1},{"comments.@count":3}],"posts.@count":2}"#),
            "\(event.data)")
    }
}
