import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("Change streams of projections")
struct ProjectedChangesTests {
    private static let path = "/v1/projections/PersonCard/changes"

    private func server() throws -> ChangesServer {
        let server = try Projections.server()
        Projections.people(server)
        return ChangesServer(server)
    }

    private func patch(_ server: ChangesServer, _ id: Int, _ body: String) {
        let reply = server.send("PATCH", "/v1/classes/Person/objects/\(id)", body)
        #expect(reply.status == 200, "\(reply.text)")
    }

    /// The names that the first change of an event says have changed.
    private func changed(_ event: ChangesClient.Event) -> [String] {
        event.json["changes"]?.elements.first?["changed"]?.elements.compactMap(\.string) ?? []
    }

    @Test("a stream tells what is projected in projected names, and is silent about the rest")
    func live() throws {
        let server = try server()
        let stream = server.events(Self.path, [("filter", "age > 25")])
        #expect(stream.nextEvent().name == "hello")
        /// Makes a change of Ann that nobody hears of, then one that names what changes.
        func expect(_ body: String, of id: Int = 1, _ names: [String], _ silent: [(Int, String)]) {
            for (id, body) in silent { patch(server, id, body) }
            patch(server, id, body)
            let event = stream.nextEvent()
            #expect(event.changes == ["update 1"], "\(body) \(event.data)")
            #expect(changed(event) == names, "\(body)")
        }
        expect(#"{"firstName":"Anna"}"#, ["first"], [(1, #"{"lastName":"x","tags":["y"]}"#)])
        // Of an embedded object only what is projected counts.
        expect(#"{"home":{"city":"Bari"}}"#, ["homeCity"], [(1, #"{"home":{"street":"S"}}"#)])
        expect(
            #"{"places":[{"city":"Oslo","street":"x"},{"city":"Graz"}]}"#, ["placeCities"],
            [(1, #"{"places":[{"city":"Oslo","street":"x"},{"city":"Bern"}]}"#)])
        // Behind a link too, and each path by itself.
        expect(
            #"{"home":{"city":"Lviv"}}"#, of: 3, ["bossCity"],
            [(3, #"{"lastName":"x","home":{"country":"x"}}"#)])
        // What the filter alone reads is told when an object comes or goes, and not otherwise.
        patch(server, 1, #"{"age":40}"#)
        patch(server, 1, #"{"age":1}"#)
        #expect(stream.nextEvent().changes == ["leave 1"])
        patch(server, 1, #"{"lastName":"y"}"#)
        patch(server, 1, #"{"age":26}"#)
        let enter = stream.nextEvent()
        #expect(enter.changes == ["enter 1"])
        #expect(
            enter.json["changes"]?.elements.first?["object"]
                == QueryJSON(server.send("GET", "/v1/projections/PersonCard/objects/1").text))
    }

    @Test("projections whose names differ only in their bytes have entries of their own")
    func names() throws {
        let server = try server()
        let names = ["caf%C3%A9", "cafe%CC%81"]
        for (name, property) in zip(names, ["firstName", "lastName"]) {
            let put = server.send(
                "PUT", "/v1/projections/\(name)",
                #"{"class":"Person","properties":{"shown":"\#(property)"}}"#)
            #expect(put.status == 201, "\(put.text)")
        }
        let streams = names.map { name in
            let stream = server.events("/v1/projections/\(name)/changes")
            #expect(stream.nextEvent().name == "hello")
            return stream
        }
        patch(server, 1, #"{"firstName":"a","lastName":"b"}"#)
        let shown = streams.map {
            $0.nextEvent().json["changes"]?.elements.first?["object"]?["shown"]?.string
        }
        #expect(shown == ["a", "b"])
    }

    @Test("an object is told of once for each change, whatever leads to it")
    func reached() throws {
        let server = try server()
        let stream = server.events(Self.path, [("fields", "first")])
        #expect(stream.nextEvent().name == "hello")
        // Cy is a friend of Ann and the boss of Ann and Bob.
        patch(server, 3, #"{"firstName":"Cyd"}"#)
        let event = stream.nextEvent()
        #expect(event.changes.sorted() == ["update 1", "update 2", "update 3"])
        var names: [String: [String]] = [:]
        for change in event.json["changes"]?.elements ?? [] {
            names["\(change["id"]?.int ?? 0)"] = change["changed"]?.elements.compactMap(\.string)
        }
        #expect(names["1"] == ["friendNames", "bossName"])
        #expect(names["2"] == ["bossName"])
        #expect(names["3"] == ["first"])
        #expect(event.data.contains(#""object":{"first":"Cyd"}"#))
        #expect(event.data.contains(#""object":{"first":"Ann"}"#))
        // A link to an object with the same name changes nothing that is shown.
        let made = server.send(
            "POST", "/v1/classes/Person/objects",
            #"{"_id":4,"firstName":"Cyd","lastName":"D","home":{"city":"Kyiv"}}"#)
        #expect(made.status == 201)
        #expect(stream.nextEvent().changes == ["enter 4"])
        patch(server, 2, #"{"boss":4}"#)
        _ = server.delete("/v1/classes/Person/objects/3")
        let gone = stream.nextEvent()
        #expect(gone.changes.sorted() == ["delete 3", "update 1"])
        #expect(gone.data.contains(#""changed":["friendNames","bossName","bossCity"]"#))
    }

    @Test("projections in a projection, inverse links and maps of what is collected count as well")
    func nested() throws {
        let server = try server()
        let put = server.send(
            "PUT", "/v1/projections/Fans",
            #"{"class":"Person","properties":{"fans":"friendOf","cards":{"path":"friends","projection":"Pals"}}}"#
        )
        #expect(put.status == 201)
        let stream = server.events("/v1/projections/Fans/objects/3/changes")
        #expect(stream.nextEvent().name == "hello")
        let file = server.events("/v1/projections/PersonFile/objects/1/changes")
        #expect(file.nextEvent().name == "hello")
        patch(server, 2, #"{"friends":[1,3]}"#)
        #expect(changed(stream.nextEvent()) == ["fans"])
        // Bob is a friend of Ann, and Pals shows whom he knows.
        #expect(changed(file.nextEvent()) == ["friends"])
        patch(server, 2, #"{"friends":[1]}"#)
        #expect(changed(stream.nextEvent()) == ["fans"])
        #expect(changed(file.nextEvent()) == ["friends"])
        patch(server, 3, #"{"tags":["t"],"home":{"city":"Odesa"}}"#)
        let event = file.nextEvent()
        #expect(changed(event) == ["boss", "bossTags"])
        #expect(event.data.contains(#""bossTags":["t"]"#))
    }

    @Test("pages of changes leave out what concerns only properties that are not projected")
    func pages() throws {
        let server = try server()
        func cursor(_ reply: HTTPClient.Reply) -> String {
            QueryJSON(reply.text)?["cursor"]?.string ?? ""
        }
        let start = server.send("GET", Self.path + "?since=start&limit=2&fields=first")
        #expect(
            start.text.hasPrefix(#"{"objects":[{"id":1,"etag":""#)
                && start.text.contains(#""object":{"first":"Ann"}"#), "\(start.text)")
        let next = try #require(QueryJSON(start.text)?["next"]?.string)
        let last = server.send("GET", Self.path + "?since=\(next)")
        #expect(last.text.contains(#""object":{"id":3,"first":"Cy""#), "\(last.text)")
        let since = cursor(last)
        patch(server, 1, #"{"lastName":"x"}"#)
        patch(server, 2, #"{"age":1}"#)
        let silent = server.send("GET", Self.path + "?since=\(since)")
        #expect(silent.text.hasPrefix(#"{"changes":[],"#), "\(silent.text)")
        patch(server, 3, #"{"lastName":"x","firstName":"Cyd"}"#)
        let page = server.send("GET", Self.path + "?since=\(cursor(silent))&fields=bossName")
        #expect(
            page.text.hasPrefix(#"{"changes":[{"op":"update","id":3,"#), "\(page.text)")
        #expect(page.text.contains(#""changed":["first"],"object":{"bossName":null}"#))
        #expect(page.text.contains(#""id":2,"#) && page.text.contains(#""bossName":"Cyd""#))
        // With a filter, what it reads may have let an object in.
        patch(server, 2, #"{"age":50}"#)
        let entered = server.send(
            "GET", Self.path + "?since=\(cursor(page))&filter=age%20%3E%2040&fields=first")
        #expect(entered.text.contains(#""object":{"first":"Bob"}"#), "\(entered.text)")
    }

    @Test("a long poll waits for what is projected")
    func longPoll() throws {
        let server = try server()
        let cursor = "\(server.store.version)"
        let port = server.port
        let waiting = try StartedThread {
            HTTPClient(port: port).send(
                "GET", Self.path + "?since=\(cursor)&fields=homeCity",
                headers: [("Prefer", "wait=30")], body: nil)
        }
        patch(server, 1, #"{"lastName":"x"}"#)
        patch(server, 1, #"{"home":{"city":"Bari"}}"#)
        let reply = waiting.result()
        #expect(reply.status == 200)
        #expect(reply.text.contains(#""object":{"homeCity":"Bari"}"#), "\(reply.text)")
        #expect(reply.text.contains(#""changed":["homeCity"]"#), "\(reply.text)")
    }

    @Test("a stream begins anew when its projection changes, and ends with an error when it goes")
    func definitions() throws {
        let server = try server()
        let stream = server.events("/v1/projections/Pals/changes", [("fields", "*")])
        #expect(stream.nextEvent().name == "hello")
        let put = server.send(
            "PUT", "/v1/projections/Pals",
            #"{"class":"Person","properties":{"last":"lastName","first":"firstName"}}"#)
        #expect(put.status == 200)
        let reset = stream.nextEvent()
        #expect(reset.name == "reset" && reset.data.contains("schema-changed"))
        let snapshot = stream.events(to: "upToDate")
        #expect(snapshot.first?.data.contains(#""object":{"last":"Ash","first":"Ann"}"#) == true)
        let page = server.send("GET", "/v1/projections/Pals/changes?since=start&fields=pals")
        #expect(page.status == 400)
        let file = server.send(
            "PUT", "/v1/projections/PersonFile", #"{"class":"Person","properties":{"a":"age"}}"#)
        #expect(file.status == 200)
        #expect(server.send("DELETE", "/v1/projections/Pals").status == 204)
        let end = stream.nextEvent()
        #expect(end.name == "error" && end.data.contains("unknown-projection"), "\(end)")
        #expect(stream.next() == nil)
    }

    @Test(
        "what a stream of a projection can't be asked is refused",
        arguments: [
            ("/v1/projections/AddressLine/changes", 405, "embedded-class"),
            ("/v1/projections/PersonCrd/changes", 404, #""hint":"PersonCard""#),
            ("/v1/projections/PersonCard/changes?expand=boss", 400, "unknown-parameter"),
            ("/v1/projections/PersonCard/changes?fields=age", 400, "unknown-property"),
            (
                "/v1/projections/PersonCard/changes?filter=homeCity%20==%201", 400,
                "exists only in the projection"
            ),
            ("/v1/projections/PersonCard/objects/1/changes?filter=age%20==%201", 400, "unknown"),
            ("/v1/projections/PersonCard/objects/x/changes", 400, "wrong-key-type"),
        ])
    func refused(target: String, status: Int, text: String) throws {
        APIScenario("GET", target, status: status, contains: [text])
            .check(on: try Projections.server())
    }
}
