import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// What somebody tries who wants to know by writes what rules hide, or to change it, and what they are told.
@Suite("Attempts to write what rules hide, and to learn of it by writes")
struct WriteAttackTests {
    private static let tasks = "/v1/classes/Task/objects"

    private static func world() throws -> TaskWorld {
        let world = try TaskWorld()
        let put = world.server.send("PUT", "/v1/access", UserWriteOperationTests.document)
        #expect(put.status == 200, "\(put.text)")
        return world
    }

    /// Bob's task, which ann does not see, as it is stored.
    private static func hidden(_ world: TaskWorld) -> HTTPClient.Reply {
        world.server.send("GET", tasks + "/3")
    }

    @Test("a condition on an object that is hidden tells what it tells of one that is not there")
    func conditions() throws {
        let world = try Self.world()
        let before = Self.hidden(world)
        let tag = try #require(before.headers["etag"])
        for condition in [("If-Match", tag), ("If-Match", "*"), ("If-None-Match", "*")] {
            for (method, body) in [
                ("PATCH", #"{"title":"x"}"#), ("DELETE", nil), ("PUT", #"{"list":1}"#),
            ] where method != "PUT" || condition.0 == "If-Match" {
                let (own, other) = (
                    world.server.send(
                        method, Self.tasks + "/3", body, as: world.ann, headers: [condition]),
                    world.server.send(
                        method, Self.tasks + "/99", body, as: world.ann, headers: [condition])
                )
                #expect(own.status == other.status && own.status >= 400, "\(method) \(condition)")
                #expect(own.text == other.text.replacing("99", with: "3"), "\(method) \(condition)")
                #expect(own.headers.keys.sorted() == other.headers.keys.sorted())
            }
        }
        // That a key is taken can't be hidden.
        let taken = world.server.send(
            "PUT", Self.tasks + "/3", #"{"list":1}"#, as: world.ann,
            headers: [("If-None-Match", "*")])
        #expect(taken.status == 409 && taken.text.contains("duplicate-key"), "\(taken.text)")
        #expect(taken.text.contains("state another key"), "\(taken.text)")
        #expect(!taken.text.contains("current") && taken.headers["etag"] == nil)
        #expect(Self.hidden(world).text == before.text)
    }

    @Test(
        "a key that is taken by a hidden object is told in every mode alike",
        arguments: ["create", "ignore", "merge", "replace"])
    func modes(mode: String) throws {
        let world = try Self.world()
        let before = Self.hidden(world)
        for body in [
            #"{"id":3,"list":1,"title":"x"}"#, #"[{"id":8,"list":1},{"id":3,"list":1}]"#,
            #"{"id":8,"list":1,"next":{"id":3,"list":1}}"#,
            #"{"id":8,"list":1,"others":[{"id":3,"title":"treasure"}]}"#,
        ] {
            let reply = world.server.send(
                "POST", Self.tasks + "?mode=\(mode)", body, as: world.ann)
            #expect(reply.status == 409 && reply.text.contains("duplicate-key"), "\(reply.text)")
            // What replaces an object that is seen is no way out here.
            #expect(!reply.text.contains("mode=") && !reply.text.contains("PUT"), "\(reply.text)")
            #expect(!reply.text.contains("current") && !reply.text.contains("gold"))
        }
        #expect(Self.hidden(world).text == before.text)
        #expect(world.server.send("GET", Self.tasks + "/8").status == 404)
    }

    /// Profiles whose e-mail and room are hidden but on one's own, and holders of pets, whose links are hidden.
    private static func constraints() throws -> (
        server: RuledServer, ann: RuledServer.Key
    ) {
        let server = try RuledServer(classes: [])
        let schema = server.send(
            "PUT", "/v1/schema",
            """
            {"classes":[
              {"name":"Profile","primaryKey":"id","unique":[["name","room"]],"properties":{"id":"string","name":"string",
                "email":{"type":"string?","unique":true},"phone":{"type":"string?","unique":true},"room":"string?"}},
              {"name":"Pet","primaryKey":"id","properties":{"id":"int"}},
              {"name":"Vet","primaryKey":"id","properties":{"id":"int","open":"bool","sees":{"type":"Pet?","onDelete":"deny"},
                "pet":{"type":"Pet?","onDelete":"deny"},"box":"Box?"}},
              {"name":"Box","kind":"embedded","properties":{"inside":{"type":"Pet?","onDelete":"deny"}}}]}
            """)
        #expect(schema.status == 200, "\(schema.text)")
        for (target, body) in [
            (
                "Profile",
                #"[{"id":"bob","name":"Bob","email":"b@x","phone":"1","room":"7"},{"id":"ann","name":"Ann","room":"7"}]"#
            ),
            ("Pet", "[" + (1...6).map { "{\"id\":\($0)}" }.joined(separator: ",") + "]"),
            (
                "Vet",
                #"[{"id":1,"open":true,"pet":1},{"id":2,"open":true,"box":{"inside":2}},{"id":3,"pet":3},{"id":4,"sees":3},"#
                    + #"{"id":5,"open":true,"sees":4},{"id":6,"open":true,"sees":5},{"id":7,"pet":5}]"#
            ),
        ] {
            let made = server.send("POST", "/v1/classes/\(target)/objects", body)
            #expect(made.status == 201, "\(made.text)")
        }
        let put = server.send(
            "PUT", "/v1/access",
            #"{"roles":{"all":{"classes":{"Profile":{"read":true,"properties":{"email":"none","phone":"none","room":"none"}},"#
                + #""Pet":{"read":true,"delete":true},"#
                + #""Vet":{"read":"open == true","properties":{"pet":"none","box":"none"}}}},"#
                + #""own":{"classes":{"Profile":{"read":"id == $user.id","update":"id == $user.id","#
                + #""properties":{"room":"none"}}}}}}"#)
        #expect(put.status == 200, "\(put.text)")
        return (server, server.user("ann"))
    }

    @Test(
        "a value that is not unique is told without the object where it is hidden, and without names that are"
    )
    func unique() throws {
        let (server, ann) = try Self.constraints()
        let target = "/v1/classes/Profile/objects/ann"
        func fault(_ body: String) -> (text: String, count: Int) {
            let reply = server.send("PATCH", target, body, as: ann)
            #expect(reply.status == 409 && reply.text.contains("not-unique"), "\(reply.text)")
            return (reply.text, QueryJSON(reply.text)?["errors"]?.elements.count ?? 0)
        }
        let email = fault(#"{"email":"b@x"}"#)
        #expect(!email.text.contains("bob") && email.text.contains("'email'"), "\(email.text)")
        let group = fault(#"{"name":"Bob"}"#)
        for word in ["bob", "room", "'name'"] {
            #expect(!group.text.contains(word), "\(group.text)")
        }
        let all = fault(#"{"name":"Bob","email":"b@x","phone":"1"}"#)
        #expect(!all.text.contains("bob") && !all.text.contains("room") && all.count == 3)
        // What is seen of both is named.
        server.send("PATCH", "/v1/classes/Profile/objects/bob", #"{"room":null}"#)
        server.send(
            "PUT", "/v1/access",
            #"{"roles":{"all":{"classes":{"Profile":{"read":true,"update":"id == $user.id"}}}}}"#)
        #expect(fault(#"{"email":"b@x"}"#).text.contains("bob"))
    }

    @Test(
        "a deletion is denied without the names and the number of holders, links and classes that are hidden"
    )
    func denied() throws {
        let (server, ann) = try Self.constraints()
        for pet in 1...5 {
            let reply = server.send("DELETE", "/v1/classes/Pet/objects/\(pet)", as: ann)
            #expect(reply.status == 409 && reply.text.contains("denied-delete"), "\(reply.text)")
            let isNamed = pet > 3
            #expect(reply.text.contains("Vet \(pet + 1) links to it by 'Vet.sees'") == isNamed)
            for word in ["Box", "box", "inside", "'Vet.pet'", "Vet 7"] + (isNamed ? [] : ["Vet"]) {
                #expect(!reply.text.contains(word), "\(reply.text)")
            }
            #expect(QueryJSON(reply.text)?["errors"]?.elements.count == 1, "\(reply.text)")
        }
        #expect(server.send("DELETE", "/v1/classes/Pet/objects/6", as: ann).status == 204)
    }

    @Test("a test in a JSON patch says nothing of a hidden value, also of one that can't be null")
    func patchTests() throws {
        let server = try RuledServer(classes: [])
        let answers = [(0, "x", "[]"), (5, "y", #"["x"]"#)].map { number, text, list in
            server.send(
                "PUT", "/v1/schema/classes/Plan",
                #"{"primaryKey":"id","properties":{"id":"int","number":"int","text":"string?","list":"string[]"}}"#
            )
            server.send(
                "PUT", "/v1/classes/Plan/objects/1",
                "{\"number\":\(number),\"text\":\"\(text)\",\"list\":\(list)}")
            // Known by its name, and hidden on the object.
            server.send(
                "PUT", "/v1/access",
                #"{"roles":{"all":{"classes":{"Plan":{"read":true,"update":true,"#
                    + #""properties":{"number":"none","text":"none","list":"none"}}}},"#
                    + #""own":{"classes":{"Plan":{"read":"id == 2"}}}}}"#)
            let ann = server.user("ann", name: "ann\(number)")
            return ["number", "text", "list"].flatMap { property in
                ["null", "0", "5", #""x""#, "[]", #"["x"]"#].map { value in
                    let reply = server.send(
                        "PATCH", "/v1/classes/Plan/objects/1",
                        "[{\"op\":\"test\",\"path\":\"/\(property)\",\"value\":\(value)}]", as: ann,
                        headers: [("Content-Type", "application/json-patch+json")])
                    return "\(property) \(value) \(reply.status)"
                }
            }
        }
        #expect(answers[0] == answers[1])
        #expect(answers[0].filter { $0.hasSuffix("200") } == ["text null 200", "list [] 200"])
    }

    @Test("a change by a filter counts, and bounds, what its user sees")
    func bulk() throws {
        let world = try Self.world()
        let target = Self.tasks + "?filter=" + RuleRequest.escaped("rank >= 0")
        func change(_ count: Int) -> HTTPClient.Reply {
            world.server.send(
                "PATCH", target, #"{"title":"x"}"#, as: world.ann,
                headers: [("Prefer", "max-affected=\(count)")])
        }
        let refused = change(1)
        #expect(refused.status >= 400 && refused.text.contains("2 objects"), "\(refused.text)")
        let made = change(2)
        #expect(QueryJSON(made.text)?["affected"]?.int == 2, "\(made.text)")
        #expect(Self.hidden(world).text.contains("treasure"))
    }

    @Test("a class that is not known is unknown to changes, also one that is embedded")
    func names() throws {
        let world = try Self.world()
        let document = #"{"roles":{"all":{"classes":{"Country":{"read":true,"create":true}}}}}"#
        #expect(world.server.send("PUT", "/v1/access", document).status == 200)
        for name in ["Place", "Task", "Record"] {
            for (method, target, body) in [
                ("PATCH", "objects?all=true", "{}"), ("DELETE", "objects?all=true", nil),
                ("POST", "objects", "{}"), ("PUT", "objects/1", "{}"),
                ("PATCH", "objects/1", "{}"), ("DELETE", "objects/1", nil),
            ] {
                func reply(_ name: String) -> HTTPClient.Reply {
                    world.server.send(
                        method, "/v1/classes/\(name)/\(target)", body, as: world.ann)
                }
                let (own, other) = (reply(name), reply("Nothing"))
                #expect(
                    own.status == 404 && own.text == other.text.replacing("Nothing", with: name),
                    "\(method) \(name)/\(target): \(own.text)")
            }
        }
    }

    @Test("an idempotency key is its user's, and a repeat shows nothing that may be hidden by then")
    func idempotency() throws {
        let world = try Self.world()
        let key = [("Idempotency-Key", "k")]
        let body = #"{"id":20,"list":1,"title":"salt"}"#
        let first = world.server.send("POST", Self.tasks, body, as: world.ann, headers: key)
        #expect(first.status == 201 && first.text.contains("salt"), "\(first.text)")
        // Bob's request is his own, and nobody's is none.
        let foreign = world.server.send("POST", Self.tasks, body, as: world.bob, headers: key)
        #expect(foreign.status == 409 || foreign.status == 422, "\(foreign.text)")
        #expect(foreign.headers["idempotency-replayed"] == nil && !foreign.text.contains("salt"))
        let nobodys = world.server.send("POST", Self.tasks, body, as: .nobody, headers: key)
        #expect(nobodys.status >= 400 && nobodys.headers["idempotency-replayed"] == nil)
        // Another token of the same user is no other user.
        let again = world.server.user("ann", name: "again")
        world.server.send("PATCH", "/v1/classes/List/objects/1", #"{"owner":"bob"}"#)
        for asker in [world.ann, again] {
            let repeated = world.server.send("POST", Self.tasks, body, as: asker, headers: key)
            #expect(repeated.status == 201 && repeated.text.isEmpty, "\(repeated.text)")
            #expect(repeated.headers["idempotency-replayed"] == "true")
            #expect(repeated.headers["etag"] == nil)
        }
        #expect(world.get(Self.tasks + "/20").status == 404)
    }

    @Test("a repeat shows nothing that was recorded for who could read everything then")
    func recordedBefore() throws {
        let server = try RuledServer(classes: [])
        server.send(
            "PUT", "/v1/schema",
            #"{"classes":[{"name":"Doc","primaryKey":"id","properties":{"id":"int","text":"string"}}]}"#
        )
        let ann = server.user("ann")
        let steps = [
            ("POST", "classes/Doc/objects", #"{"id":1,"text":"secret"}"#),
            ("PATCH", "classes/Doc/objects/1", #"{"text":"secret 2"}"#),
            ("POST", "classes/Doc/objects", #"[{"id":2,"text":"secret"}]"#),
            (
                "POST", "transactions",
                #"{"operations":[{"op":"patch","class":"Doc","id":1,"value":{"text":"secret 3"}}]}"#
            ),
        ]
        func send(_ number: Int) -> HTTPClient.Reply {
            server.send(
                steps[number].0, "/v1/" + steps[number].1, steps[number].2, as: ann,
                headers: [("Idempotency-Key", "k\(number)"), ("Prefer", "return=representation")])
        }
        for number in steps.indices {
            #expect(send(number).text.contains("secret"))
            #expect(send(number).text.contains("secret"))
        }
        let put = server.send(
            "PUT", "/v1/access", #"{"roles":{"m":{"classes":{"Doc":{"read":"text == $user.id"}}}}}"#
        )
        #expect(put.status == 200)
        for number in steps.indices {
            let reply = send(number)
            #expect(reply.status < 300 && reply.text.isEmpty, "\(reply.text)")
            #expect(reply.headers["etag"] == nil && reply.headers["idempotency-replayed"] == "true")
        }
    }

    @Test("what was written and can't be read is answered without a body, alone and in arrays")
    func blind() throws {
        let world = try Self.world()
        for body in [
            #"{"id":"de","name":"Germany"}"#,
            #"[{"id":"it","name":"Italy"},{"id":"es","name":"Spain"}]"#,
        ] {
            let reply = world.server.send(
                "POST", "/v1/classes/Country/objects", body, as: world.ann)
            #expect(reply.status == 201 && reply.text.isEmpty, "\(reply.text)")
            #expect(reply.headers["etag"] == nil)
        }
        let empty = world.server.send("POST", "/v1/classes/Country/objects", "[]", as: world.ann)
        #expect(empty.text.contains(#""objects":[]"#), "\(empty.text)")
        let seen = world.server.send(
            "POST", Self.tasks, #"[{"id":21,"list":1,"title":"salt"}]"#, as: world.ann)
        #expect(seen.status == 201 && seen.text.contains("salt"), "\(seen.text)")
    }
}
