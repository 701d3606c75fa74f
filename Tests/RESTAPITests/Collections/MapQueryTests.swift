import HoldfastTestSupport
import Testing

@Suite("queries over maps")
struct MapQueryTests {
    let server: TestServer

    init() throws {
        server = try MapServer.open()
        for (id, body) in [
            (
                "a",
                #"{"marks":{"x":1,"y":5},"labels":{"de":"eins"},"dogs":{"best":"rex","old":"tom"},"rank":1}"#
            ),
            (
                "b",
                #"{"marks":{"x":null},"labels":{"de":"zwei","en":"two"},"dogs":{"best":"ada","none":null},"rank":2}"#
            ),
            ("c", #"{"rooms":{"r":{"size":4,"best":"rex","notes":{"n":"t"}},"s":null},"rank":3}"#),
            (
                "d",
                #"{"labels":{"rank":"x","a b":"blank","name":"n"},"dogs":{"name":"ada"},"rank":4}"#
            ),
        ] {
            let reply = server.send("PUT", "/v1/classes/Kennel/objects/\(id)", body)
            #expect(reply.status == 201, "\(reply.text)")
        }
    }

    private func query(_ filter: String, _ more: String = "") -> HTTPClient.Reply {
        let text = filter.utf8.map { byte in
            let digits = String(byte, radix: 16)
            return "%" + (digits.count < 2 ? "0" + digits : digits)
        }.joined()
        return server.send("GET", "/v1/classes/Kennel/objects?fields=id&filter=\(text)\(more)")
    }

    @Test(
        "values, keys, counts and single entries of maps are compared",
        arguments: [
            ("marks['x'] == 1", "a"), ("marks.y > 4", "a"), ("marks['x'] == null", "b c d"),
            ("marks['none'] == null", "a b c d"), ("marks['x'] != null", "a"),
            ("ANY marks > 4", "a"), ("ANY marks.@values == null", "b"), ("marks[*] > 4", "a"),
            ("ALL marks > 0", "a c d"), ("NONE marks > 0", "b c d"),
            ("ANY marks.@keys == 'y'", "a"), ("ALL labels.@keys == 'de'", "a c"),
            ("'en' IN labels.@keys", "b"), ("labels.@keys == {'de','en'}", "b"),
            ("labels == {'zwei','two'}", "b"), ("labels.@keys == {}", "c"),
            ("marks.@count == 2", "a"), ("labels.@count > 2", "d"), ("rooms.@count == 2", "c"),
            ("labels['a b'] == 'blank'", "d"), ("labels['de'] BEGINSWITH 'z'", "b"),
            ("labels.de CONTAINS 'i'", "a b"), ("ANY labels ==[c] 'EINS'", "a"),
            ("dogs['best'].age == 3", "a"), ("dogs.best.name == 'ada'", "b"),
            ("dogs['none'].name == null", "a b c d"), ("dogs['best'].@count == 1", "a b"),
            ("dogs['none'].@count == 1", ""), ("ANY dogs.age > 5", "a"),
            ("ALL dogs.age == null", "b c d"),
            ("ANY dogs.@values.name == 'tom'", "a"), ("dogs['best'] == obj('Dog','rex')", "a"),
            ("dogs['none'] == null", "a b c d"), ("dogs['best'] != null", "a b"),
            // A property of the target comes before a key.
            ("ANY dogs.name == 'ada'", "b d"), ("dogs['name'].name == 'ada'", "d"),
            ("labels.rank == 'x'", "d"),
            ("rooms['r'].size == 4", "c"), ("rooms.r.best.age == 3", "c"),
            ("rooms['s'] == null", "a b c d"),
            ("rooms['r'] != null", "c"), ("rooms['r'].notes['n'] == 't'", "c"),
            ("ANY rooms.notes.@keys == 'n'", "c"), ("ANY rooms.guests.age > 0", ""),
        ] as [(String, String)])
    func filters(filter: String, ids: String) {
        let reply = query(filter)
        #expect(reply.status == 200, "\(filter): \(reply.text)")
        let found = ["a", "b", "c", "d"].filter { reply.text.contains(#"{"id":"\#($0)"}"#) }
        #expect(found.joined(separator: " ") == ids, "\(filter): \(reply.text)")
    }

    @Test("keys come as arguments too, and a map's value sorts")
    func argumentsAndOrder() {
        let key = query("marks[$0] == 1", "&text=x")
        #expect(key.text.contains(#"[{"id":"a"}]"#), "\(key.text)")
        let sorted = query("labels.@count > 0 SORT(labels['de'] DESC)")
        #expect(
            sorted.text.contains(#"[{"id":"b"},{"id":"a"},{"id":"d"}]"#), "\(sorted.text)")
        let dogs = server.send(
            "GET", "/v1/classes/Dog/objects?fields=name&filter=ANY%20kennels.marks%5B'x'%5D%3D%3D1")
        #expect(dogs.text.contains(#"[{"name":"rex"},{"name":"tom"}]"#), "\(dogs.text)")
    }

    @Test(
        "what a map can't do is refused with the place",
        arguments: [
            ("marks[0] == 1", "not a list"), ("rank['x'] == 1", "Only a map property takes a key"),
            ("rank.@keys == 'x'", "Only a map property takes '@keys'"),
            ("marks['x']['y'] == 1", "Only a map property takes a key"),
            ("marks['x'].@keys == 1", "Only a map property takes '@keys'"),
            ("marks.@keys.x == 1", "nothing follows '@keys'"),
            ("marks.x.y == 1", "has no property 'y'"), ("dogs == null", "linklist"),
            ("labels.@sum > 1", "Cannot use aggregate '.@sum'"), ("marks['x'] == 'a'", "double"),
        ] as [(String, String)])
    func refusals(filter: String, text: String) {
        let reply = query(filter)
        #expect(reply.status == 400 && reply.text.contains(text), "\(filter): \(reply.text)")
        #expect(reply.text.contains("\"column\":"), "\(filter): \(reply.text)")
    }

    @Test("a stream over a map's entries tells who enters and leaves")
    func streams() throws {
        let path = "/v1/classes/Kennel/changes?filter=dogs%5B'best'%5D.age%3D%3D3&fields=dogs"
        let start = server.send("GET", path + "&since=now").text
        let cursor = try #require(
            start.split(separator: "\"cursor\":\"").last?.split(separator: "\"").first)
        server.send("PATCH", "/v1/classes/Kennel/objects/b", #"{"dogs":{"best":"rex"}}"#)
        server.send("PATCH", "/v1/classes/Dog/objects/rex", #"{"age":4}"#)
        server.send("PATCH", "/v1/classes/Dog/objects/tom", #"{"age":3}"#)
        server.send(
            "PUT", "/v1/classes/Kennel/objects/d/properties/dogs/elements/best", #""tom""#)
        let reply = server.send("GET", path + "&since=\(cursor)")
        #expect(reply.status == 200)
        // What entered and left in between need not be told. A page tells 'enter' of objects that are
        // new alone; an older one that entered is told as 'update'.
        for (op, id) in [("leave", "a"), ("update", "d")] {
            #expect(
                reply.text.contains(#"{"op":"\#(op)","id":"\#(id)""#), "\(op) \(id): \(reply.text)")
        }
        #expect(reply.text.contains(#""object":{"dogs":{"best":"tom","name":"ada"}}"#))
        server.send("DELETE", "/v1/classes/Dog/objects/tom")
        let after = server.send("GET", path + "&since=\(cursor)")
        #expect(!after.text.contains(#""op":"update","id":"d""#), "\(after.text)")
        #expect(after.text.contains(#""op":"leave","id":"d""#), "\(after.text)")
    }
}
