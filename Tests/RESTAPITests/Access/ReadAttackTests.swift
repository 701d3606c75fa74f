import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// What somebody tries who wants to know of objects, values and names that rules hide, and what they are told.
@Suite("Attempts to read what rules hide")
struct ReadAttackTests {
    private static func escaped(_ text: String) -> String { RuleRequest.escaped(text) }

    @Test(
        "a filter, an order or a figure says of hidden objects what it says of none",
        arguments: [
            // Through links, forwards and backwards, with each quantifier.
            ("filter=next.title == 'treasure'", [Int64]()), ("filter=next != null", []),
            ("filter=next == null", [2, 1]), ("filter=next.id == 3", []), ("filter=next == 3", []),
            ("filter=ANY others.title == 'treasure'", []), ("filter=others.@count == 2", []),
            ("filter=ALL others.title == 'milk' AND others.@count == 1", [1]),
            ("filter=NONE others.title == 'treasure'", [2, 1]),
            ("filter=SUBQUERY(others, $o, $o.title == 'treasure').@count > 0", []),
            ("filter=others[FIRST].title == 'milk'", [1]),
            ("filter=before.@count > 0", []), ("filter=@links.Task.next.@count > 0", []),
            ("filter=@links.@count > 1", []), ("filter=free.title == 'treasure'", []),
            ("filter=free == null", [2, 1]), ("filter=free.@type == 'link'", []),
            ("filter=others.@max.rank == 2 AND others.@min.rank == 2", [1]),
            // By words, regions, keys and ranges of an index.
            ("filter=title TEXT 'treasure'", []), ("filter=title == 'treasure'", []),
            ("filter=rank == 0", []), ("filter=rank < 1", []), ("filter=rank >= 0", [2, 1]),
            ("filter=place geoWithin geoCircle([2, 48], 100km)", []), ("filter=id == 3", []),
            ("filter=list.title == 'treasure'", []), ("filter=list == 2", []),
            // Orders, also by what is behind a hidden object.
            ("sort=next.rank,-id", [2, 1]), ("sort=rank&limit=1", [1]),
            ("distinct=title", [2, 1]), ("filter=TRUEPREDICATE SORT(rank ASC) LIMIT(1)", [1]),
        ])
    func probes(query: String, expected: [Int64]) throws {
        let world = try TaskWorld()
        let parts = query.split(separator: "&").map { part in
            let name = part.prefix { $0 != "=" }
            return "\(name)=\(Self.escaped(String(part.dropFirst(name.count + 1))))"
        }
        let target = "/v1/classes/Task/objects?" + parts.joined(separator: "&")
        #expect(world.keys(target) == expected, "\(world.get(target).text)")
        let page = QueryJSON(world.get(target + "&count=exact").text)
        if !query.contains("limit") {
            #expect(page?["count"]?.int == Int64(expected.count))
        }
    }

    @Test("who has an id, or a claim, that only looks like another's sees nothing of theirs")
    func lookAlikes() throws {
        // One letter, and an e with an accent behind it: equal texts to Unicode, and to Swift.
        let (one, two) = ("ren\u{E9}", "rene\u{301}")
        let server = try RuledServer(classes: [])
        server.send(
            "PUT", "/v1/schema/classes/Note",
            #"{"primaryKey":"id","properties":{"id":"int","owner":"string"}}"#)
        for (id, owner) in [(1, one), (2, two)] {
            server.send("PUT", "/v1/classes/Note/objects/\(id)", "{\"owner\":\(quoted(owner))}")
        }
        func asker(_ id: String, _ name: String) -> RuledServer.Key {
            server.user(id, claims: "{\"owns\":\(quoted(id))}", name: name)
        }
        let askers = [asker(one, "one"), asker(two, "two")]
        for rule in ["owner == $user.id", "owner == $user.owns"] {
            server.send(
                "PUT", "/v1/access",
                "{\"roles\":{\"own\":{\"classes\":{\"Note\":{\"read\":\"\(rule)\"}}}}}")
            for (index, asker) in askers.enumerated() {
                let reply = server.get("/v1/classes/Note/objects?fields=id", as: asker)
                #expect(reply.text == "{\"objects\":[{\"id\":\(index + 1)}]}", "\(rule)")
            }
        }
        // Letting one in lets the other not.
        for (id, isBlocked) in [(one, true), (two, true), (two, false), (one, true)] {
            let target = "/v1/access/users/" + Self.escaped(id)
            server.send("PUT", target, "{\"blocked\":\(isBlocked)}")
        }
        #expect(server.get("/v1/me", as: askers[0]).status == 401)
        #expect(server.get("/v1/me", as: askers[1]).status == 200)
        let shown = server.send("GET", "/v1/access/users/" + Self.escaped(two))
        #expect(shown.text.contains("\"blocked\":false"), "\(shown.text)")
        for (id, isBlocked) in [(one, true), (two, false)] {
            let told = server.send("POST", "/v1/access/explain", "{\"user\":\(quoted(id))}")
            #expect(told.text.contains("\"access\"") == isBlocked, "\(told.text)")
        }
    }

    @Test("who has a key in another form than the service writes has no object, and equals none")
    func keyForms() throws {
        let server = try RuledServer(classes: [])
        server.send(
            "PUT", "/v1/schema",
            #"{"classes":[{"name":"User","primaryKey":"id","properties":{"id":"uuid","role":"string"}},"#
                + #"{"name":"Note","primaryKey":"id","properties":{"id":"objectId","user":"User","by":"uuid?"}}]}"#
        )
        let (id, note) = ("0f8fad5b-d9cb-469f-a165-70867728950e", "507f1f77bcf86cd799439abc")
        server.send("PUT", "/v1/classes/User/objects/\(id)", #"{"role":"x"}"#)
        let made = server.send(
            "PUT", "/v1/classes/Note/objects/\(note)", #"{"user":"\#(id)","by":"\#(id)"}"#)
        #expect(made.status == 201, "\(made.text)")
        for (rule, own) in [
            ("user == $user.id", id), ("by == $user.id", id), ("id == $user.id", note),
            ("$user.object.role == 'x'", id),
        ] {
            let part =
                rule.hasPrefix("$")
                ? #""when":"\#(rule)","classes":{"Note":{"read":true}}"#
                : #""classes":{"Note":{"read":"\#(rule)"}}"#
            let put = server.send(
                "PUT", "/v1/access", #"{"users":"User","roles":{"own":{\#(part)}}}"#)
            #expect(put.status == 200, "\(put.text)")
            for user in [own, own.uppercased()] {
                let asker = server.user(user, name: "one")
                let reply = server.get("/v1/classes/Note/objects?fields=id", as: asker)
                #expect(reply.text.contains(note) == (user == own), "\(rule): \(reply.text)")
                server.send("DELETE", "/v1/tokens/one")
            }
        }
    }

    @Test("figures, groups, sections, forms and exports are of what is seen")
    func forms() throws {
        let world = try TaskWorld()
        for target in [
            "objects/1?expand=next,others", "objects/1?fields=next.title,others.title,free,before",
            "objects", "objects?expand=next", "objects?fields=*,next.title,before.title",
            "aggregate?op=count,min(rank),max(rank)", "aggregate?by=title&op=count",
            "aggregate?by=next.title&op=count", "sections?by=title&objects=5", "export",
            "objects/1/properties/next", "objects/1/properties/others",
            "objects/1/properties/others/elements/0", "objects/2/properties/before",
            "objects/1/properties/free", "objects/1/properties/others?filter=rank==0",
        ] {
            let reply = world.get("/v1/classes/Task/" + target)
            #expect(reply.status == 200, "\(target): \(reply.text)")
            for word in ["treasure", "gold", "secret", ":3", ",3", "[3"] {
                #expect(!reply.text.contains(word), "\(target): \(reply.text)")
            }
        }
        let figures = QueryJSON(world.get("/v1/classes/Task/aggregate?op=count,min(rank)").text)
        #expect(figures?["count"]?.int == 2, "\(String(describing: figures))")
        let table = world.get("/v1/classes/Task/export", [("Accept", "text/csv")])
        #expect(table.status == 422 || !table.text.contains("treasure"), "\(table.text)")
        let csv = world.get(
            "/v1/classes/Task/objects?fields=id,title,next", [("Accept", "text/csv")])
        #expect(csv.status == 200 && !csv.text.contains("3") && !csv.text.contains("treasure"))
        #expect(csv.text.split(separator: "\r\n").count == 3, "\(csv.text)")
        let shown = world.get("/v1/projections/Short/objects/1")
        #expect(
            shown.status == 200 && shown.text.contains("bread")
                && !shown.text.contains("treasure"), "\(shown.text)")
        let classes = world.get("/v1/classes").text
        #expect(
            classes.contains(#"{"name":"Task","kind":"object","count":2}"#), "\(classes)")
    }

    @Test("an object that is hidden is answered as one that is not there")
    func absent() throws {
        let world = try TaskWorld()
        for (hidden, absent) in [
            ("Task/objects/3", "Task/objects/9"), ("Task/object?key=3", "Task/object?key=9"),
            ("Task/objects/3/properties/title", "Task/objects/9/properties/title"),
            (
                "Task/objects/3/properties/others/elements/0",
                "Task/objects/9/properties/others/elements/0"
            ),
        ] {
            let (own, other) = (
                world.get("/v1/classes/\(hidden)"), world.get("/v1/classes/\(absent)")
            )
            #expect(own.status == 404 && other.status == 404)
            #expect(own.text == other.text.replacing("9", with: "3"), "\(own.text)")
            #expect(own.headers["etag"] == nil)
        }
        let match = world.get("/v1/classes/Task/objects/3", [("If-Match", "*")])
        #expect(match.status == 404, "\(match.text)")
    }

    @Test("the object in the reply of a condition that does not hold is shown as to its reader")
    func condition() throws {
        let world = try TaskWorld()
        let reply = world.get("/v1/classes/Task/objects/1", [("If-Match", "\"00000000-1\"")])
        #expect(reply.status == 412 && reply.text.contains("bread"), "\(reply.text)")
        let current = QueryJSON(reply.text)?["current"]?["object"]
        #expect(current?["next"] == .null && current?["secret"] == nil, "\(reply.text)")
        #expect(!reply.text.contains("treasure"))
        let whole = world.server.get(
            "/v1/classes/Task/objects/1", as: .admin, [("If-Match", "\"00000000-1\"")])
        #expect(QueryJSON(whole.text)?["current"]?["object"]?["next"]?.int == 3)
    }

    @Test("what may be read nowhere has no name, and no hint names it")
    func names() throws {
        let world = try TaskWorld()
        let filter = Self.escaped("@links.Record.task.code == 'x'")
        for (target, status, code) in [
            ("/v1/classes/Record/objects", 404, "unknown-class"),
            ("/v1/classes/Record/objects/1", 404, "unknown-class"),
            ("/v1/classes/Records/objects", 404, "unknown-class"),
            ("/v1/schema/classes/Record", 404, "unknown-class"),
            ("/v1/projections/Whole", 404, "unknown-projection"),
            ("/v1/projections/Codes/objects", 404, "unknown-projection"),
            ("/v1/projections/Whol/objects", 404, "unknown-projection"),
            ("/v1/classes/Task/objects/1/properties/secret", 404, "unknown-property"),
            ("/v1/classes/Task/objects/1/properties/records", 404, "unknown-property"),
            ("/v1/classes/Task/objects?fields=secret", 400, "unknown-property"),
            ("/v1/classes/Task/objects?expand=records", 400, "unknown-property"),
            ("/v1/classes/Task/objects?sort=secret", 400, "unknown-property"),
            ("/v1/classes/Task/objects?filter=secre==%27x%27", 400, "unknown-property"),
            ("/v1/classes/Task/objects?filter=record.@count==0", 400, "unknown-property"),
            ("/v1/classes/Task/objects?filter=\(filter)", 400, "unknown-class"),
            ("/v1/classes/Task/aggregate?op=max(secret)", 400, "unknown-property"),
            ("/v1/classes/Task/sections?by=secret", 400, "unknown-property"),
            ("/v1/classes/Task/objects?secret=x", 400, "unknown-parameter"),
        ] {
            let reply = world.get(target)
            #expect(reply.status == status, "\(target): \(reply.text)")
            #expect(reply.text.contains(code), "\(target): \(reply.text)")
            for entry in QueryJSON(reply.text)?["errors"]?.elements ?? [] {
                let hint = entry["hint"]?.string ?? ""
                #expect(
                    !["Record", "records", "secret", "Whole", "Codes"].contains(hint), "\(target)")
            }
            #expect(!reply.text.contains("is a property, not a parameter"))
        }
        for target in ["/v1/schema", "/v1/classes", "/v1/projections", "/v1/openapi.json"] {
            let reply = world.get(target)
            #expect(reply.status == 200, "\(target): \(reply.text)")
            for word in ["Record", "records", "secret", "Whole", "Codes"] {
                #expect(!reply.text.contains("\"\(word)\""), "\(target): \(word)")
            }
            #expect(reply.text.contains("Task") || target == "/v1/projections")
            let whole = world.server.get(target, as: .admin)
            #expect(whole.headers["etag"] != reply.headers["etag"] || target == "/v1/classes")
        }
        let editor = world.server.user("eve", claims: #"{"groups":["editor"]}"#)
        #expect(world.server.get("/v1/classes/Record/objects/1", as: editor).status == 200)
        #expect(world.server.get("/v1/schema", as: editor).text.contains("records"))
    }

    @Test("what users know changes with the document, and so do the tags of what is said of it")
    func tags() throws {
        let world = try TaskWorld()
        for target in [
            "/v1/schema", "/v1/schema/classes/Task", "/v1/projections", "/v1/openapi.json",
        ] {
            let reply = world.get(target)
            let tag = try #require(reply.headers["etag"])
            #expect(world.get(target, [("If-None-Match", tag)]).status == 304, "\(target)")
        }
        let targets = ["/v1/schema", "/v1/projections", "/v1/openapi.json"]
        let tags = targets.map { world.get($0).headers["etag"] ?? "" }
        let open = #"{"roles":{"all":{"classes":{"*":{"read":true}}}}}"#
        #expect(world.server.send("PUT", "/v1/access", open).status == 200)
        for (target, tag) in zip(targets, tags) {
            let reply = world.get(target, [("If-None-Match", tag)])
            #expect(reply.status == 200, "\(target)")
        }
        #expect(world.get("/v1/classes/Record/objects/1").status == 200)
    }

    @Test("the plan of a query, which counts hidden objects, is not told")
    func plan() throws {
        let world = try TaskWorld()
        for target in ["objects?", "aggregate?op=count&", "sections?by=title&"] {
            let reply = world.get("/v1/classes/Task/\(target)explain=true")
            #expect(reply.status == 403 && reply.text.contains("not-allowed"), "\(reply.text)")
        }
        let posted = world.server.send(
            "POST", "/v1/classes/Task/query", #"{"explain":true}"#, as: world.ann)
        #expect(posted.status == 403)
    }

    @Test("no limit and no fault tells of objects that are hidden")
    func limits() throws {
        let world = try TaskWorld { $0.limits.queryMemoryByteCountMax = 1 << 20 }
        let text = String(repeating: "x", count: 3000)
        for number in 0..<500 {
            let reply = world.server.send(
                "PUT", "/v1/classes/Task/objects/\(100 + number)",
                #"{"list":2,"title":"\#(number) \#(text)"}"#)
            #expect(reply.status == 201)
        }
        let target = "/v1/classes/Task/objects?distinct=title"
        let whole = world.server.get(target + "&limit=1000", as: .admin)
        #expect(
            whole.status == 400 || whole.status == 422, "\(whole.status) \(whole.text.prefix(300))")
        #expect(world.keys(target) == [2, 1])
        let groups = "/v1/classes/Task/aggregate?by=title&op=count"
        #expect(QueryJSON(world.get(groups).text)?["groups"]?.elements.count == 2)
    }

    @Test("figures that fail on hidden objects alone do not fail")
    func faults() throws {
        let world = try TaskWorld()
        for key in [100, 101] {
            world.server.send(
                "PUT", "/v1/classes/Task/objects/\(key)", #"{"list":2,"rank":9223372036854775807}"#
            )
        }
        let target = "/v1/classes/Task/aggregate?op=sum(rank)"
        #expect(world.server.get(target, as: .admin).status == 422)
        #expect(QueryJSON(world.get(target).text)?["sum(rank)"]?.int == 3)
        let groups = "/v1/classes/Task/aggregate?by=done&op=sum(rank)"
        #expect(world.server.get(groups, as: .admin).status == 422)
        #expect(world.get(groups).status == 200)
        // What is calculated, in a filter, a followed one and a followed figure.
        let filter = Self.escaped("rank + 1 > 0")
        #expect(world.keys("/v1/classes/Task/objects?filter=\(filter)") == [2, 1])
        let page = world.get("/v1/classes/Task/changes?since=start&filter=\(filter)")
        let told = QueryJSON(page.text)?["objects"]?.elements.compactMap { $0["id"]?.int }
        #expect(told?.sorted() == [1, 2], "\(page.text)")
        let stream = world.server.follow(
            "/v1/classes/Task/aggregate/changes?op=sum(rank)", as: world.ann)
        let value = stream.events(to: "value").last
        #expect(value?.data.contains("\"sum(rank)\":3") == true, "\(value?.data ?? "")")
        world.server.send("PATCH", "/v1/classes/Task/objects/100", #"{"rank":9223372036854775806}"#)
        world.server.send("PATCH", "/v1/classes/Task/objects/1", #"{"rank":4}"#)
        let next = stream.events(to: "value").last
        #expect(next?.data.contains("\"sum(rank)\":6") == true, "\(next?.data ?? "")")
    }

    @Test("an object of which everything that is asked for is hidden is empty")
    func empty() throws {
        let world = try TaskWorld()
        let document =
            #"{"roles":{"some":{"classes":{"Task":{"read":"rank > 1"}}},"#
            + #""all":{"classes":{"Task":{"read":true,"properties":{"rank":"none"}}}}}}"#
        #expect(world.server.send("PUT", "/v1/access", document).status == 200)
        #expect(world.get("/v1/classes/Task/objects/1?fields=rank").text == "{}")
        let page = world.get("/v1/classes/Task/objects?fields=rank")
        #expect(page.text == #"{"objects":[{},{"rank":2},{}]}"#, "\(page.text)")
        #expect(world.get("/v1/classes/Task/objects/1/properties/rank").text == #"{"value":null}"#)
        let export = world.get("/v1/classes/Task/export?fields=rank")
        #expect(export.text == "{}\n{\"rank\":2}\n{}\n", "\(export.text)")
    }

    @Test("a class whose objects a user may create alone is known, and empty")
    func created() throws {
        let world = try TaskWorld()
        let document = #"{"roles":{"device":{"classes":{"Record":{"create":true}}}}}"#
        #expect(world.server.send("PUT", "/v1/access", document).status == 200)
        #expect(world.keys("/v1/classes/Record/objects") == [])
        #expect(world.get("/v1/classes/Record/objects/1").status == 404)
        let schema = world.get("/v1/schema").text
        #expect(schema.contains("Record") && schema.contains("code"))
        #expect(!schema.contains("Task") && !schema.contains("task"))
    }

    @Test("a token of a user for some of the classes opens no others")
    func classes() throws {
        let world = try TaskWorld()
        let limited = world.server.user("ann", classes: #"["Country"]"#, name: "limited")
        let reply = world.server.get("/v1/classes/Task/objects/1", as: limited)
        #expect(reply.status == 404 && reply.text.contains("unknown-class"), "\(reply.text)")
        #expect(world.server.get("/v1/classes/Country/objects", as: limited).status == 200)
    }
}
