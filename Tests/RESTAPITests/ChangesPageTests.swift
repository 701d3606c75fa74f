import Glibc
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("changes as JSON pages and long polls")
struct ChangesPageTests {
    private static let path = "/v1/classes/Task/changes"

    private func page(
        _ server: ChangesServer, _ parameters: [(String, String)], wait: Int? = nil,
        path: String = path
    ) -> HTTPClient.Reply {
        HTTPClient(port: server.port).send(
            "GET", target(path, parameters), headers: wait.map { [("Prefer", "wait=\($0)")] } ?? [])
    }

    /// A poll on a thread of its own, most likely waiting when this returns; `since` lets it find the same where
    /// it is late.
    private func poll(
        _ server: ChangesServer, _ parameters: [(String, String)], path: String = path
    ) throws -> StartedThread<HTTPClient.Reply> {
        let port = server.port
        let address = target(path, parameters)
        let thread = try StartedThread {
            HTTPClient(port: port).send("GET", address, headers: [("Prefer", "wait=30")])
        }
        usleep(500_000)
        return thread
    }

    private func changes(_ reply: HTTPClient.Reply) -> [String] {
        (reply.json["changes"]?.elements ?? []).map {
            "\($0["op"]?.string ?? "?") \($0["id"]?.int ?? -1)"
        }
    }

    @Test("a page doesn't let a new object leave that never was among the results")
    func newAndElsewhere() throws {
        let server = try Tasks.server()
        let begin = server.task(1, "{}")
        let new = server.task(2, #"{"done":true}"#)
        #expect(
            page(server, [("since", begin), ("filter", "done == false")]).text
                == #"{"changes":[],"cursor":"\#(new)","upToDate":true}"#)
        _ = server.task(1, #"{"done":true}"#)
        #expect(
            changes(page(server, [("since", begin), ("filter", "done == false")])) == ["leave 1"])
    }

    @Test("a page of changes: flat entries with their versions, a cursor, and whether it is all")
    func format() throws {
        let server = try Tasks.server()
        let begin = server.task(1, "{}")
        let now = page(server, [])
        #expect(now.text == #"{"changes":[],"cursor":"\#(begin)","upToDate":true}"#)
        #expect(
            now.headers["content-type"] == "application/json"
                && now.headers["vary"]?.contains("Accept") == true)
        let first = server.task(2, #"{"title":"x"}"#)
        let second = server.task(1, #"{"done":true}"#)
        let third = server.delete("/v1/classes/Task/objects/2")
        #expect(
            page(server, [("since", begin), ("fields", "id,title")]).text
                == #"{"changes":[{"op":"delete","id":2,"version":"\#(third)"},{"op":"update","id":1,"etag":"\#(second)","changed":["done"],"object":{"id":1,"title":""},"version":"\#(second)"}],"cursor":"\#(third)","upToDate":true}"#
        )
        #expect(changes(page(server, [("since", first)])) == ["update 1", "delete 2"])
        #expect(
            changes(page(server, [("since", begin), ("filter", "done == false")])) == [
                "delete 2", "leave 1",
            ])
        // One at a time.
        var cursor = begin
        var found: [String] = []
        for _ in 0..<3 {
            let reply = page(server, [("since", cursor), ("limit", "1")])
            found += changes(reply)
            cursor = reply.json["cursor"]?.string ?? ""
            #expect(reply.json["upToDate"]?.bool == (cursor == third))
        }
        // What is gone again when it is told is told by its deletion alone.
        #expect(found == ["update 1", "delete 2"])
        #expect(cursor == third)
    }

    @Test(
        "a transaction that is larger than a page, and what it reaches, is told over several",
        arguments: [1, 3, 7, 1000])
    func largeTransaction(limit: Int) throws {
        let server = try Tasks.server()
        server.person("bob", #"{"age":1}"#)
        let begin = server.person("ann", #"{"age":1,"boss":"bob"}"#)
        let tasks = (1...23).map { #"{"id":\#($0),"owner":"ann"}"# }.joined(separator: ",")
        #expect(server.send("POST", "/v1/classes/Task/objects", "[\(tasks)]").status == 201)
        server.person("bob", #"{"age":2}"#)
        server.task(30, #"{"owner":"ann"}"#)
        var cursor = begin
        var replica = ChangesReplica()
        var pages = 0
        var isUpToDate = false
        while !isUpToDate, pages < 200 {
            let reply = page(
                server,
                [
                    ("since", cursor), ("limit", "\(limit)"), ("expand", "owner.boss"),
                    ("filter", "owner.boss.age > 1"),
                ])
            #expect(reply.status == 200, "\(reply.text)")
            let entries = reply.json["changes"]?.elements ?? []
            #expect(entries.count <= limit)
            replica.apply(entries)
            cursor = reply.json["cursor"]?.string ?? ""
            isUpToDate = reply.json["upToDate"]?.bool ?? true
            pages += 1
            // While it is read, others are changed, deleted and created.
            if pages == 2 {
                server.task(5, #"{"owner":"ann","title":"late"}"#)
                _ = server.delete("/v1/classes/Task/objects/20")
                _ = server.delete("/v1/classes/Task/objects/2")
                server.task(31, #"{"owner":"ann"}"#)
            }
        }
        #expect(isUpToDate && cursor == "\(server.store.version)")
        let expected =
            server.send("GET", "/v1/classes/Task/objects?expand=owner.boss&limit=100").json[
                "objects"]?.elements ?? []
        #expect(replica.objects.count == expected.count)
        for object in expected {
            let id = object["id"]?.int ?? -1
            #expect(replica.objects["\(QueryJSON.int(id))"] == object, "object \(id)")
        }
        // A stream takes such a cursor too.
        let half =
            page(server, [("since", begin), ("limit", "1"), ("expand", "owner.boss")]).json[
                "cursor"]?.string ?? ""
        let stream = server.events(
            Self.path,
            [("since", half), ("filter", "owner.boss.age > 1"), ("expand", "owner.boss")])
        var resumed = ChangesReplica()
        for event in stream.events(to: "upToDate") { resumed.apply(event) }
        #expect(resumed.objects.count == expected.count)
    }

    @Test(
        "since=start pages what there is, and its last page has the cursor",
        arguments: [1, 4, 9, 10, 1000])
    func start(limit: Int) throws {
        let server = try Tasks.server()
        for id in 1...10 { server.task(id, #"{"rank":\#(id % 3)}"#) }
        for name in ["a", "b"] { server.person(name, "{}") }
        for (path, filter) in [
            (Self.path, "rank == 0"), (Self.path, "rank IN {0,1}"), (Self.path, nil),
            ("/v1/changes", nil),
        ] as [(String, String?)] {
            let begun = "\(server.store.version)"
            var parameters = [("limit", "\(limit)")]
            if let filter { parameters.append(("filter", filter)) }
            var replica = ChangesReplica()
            var since = "start"
            var cursor: String?
            var pages = 0
            while cursor == nil, pages < 100 {
                let reply = page(server, parameters + [("since", since)], path: path)
                #expect(reply.status == 200, "\(reply.text)")
                let objects = reply.json["objects"]?.elements ?? []
                #expect(objects.count <= limit)
                for entry in objects { replica.set(entry) }
                cursor = reply.json["cursor"]?.string
                #expect(
                    reply.json.names
                        == (cursor == nil ? ["next", "objects"] : ["cursor", "objects"]))
                since = reply.json["next"]?.string ?? ""
                pages += 1
                if pages == 1 {
                    server.task(3, #"{"rank":0,"title":"late"}"#)
                    server.task(6, #"{"rank":1}"#)
                    _ = server.delete("/v1/classes/Task/objects/9")
                }
            }
            #expect(cursor == begun)
            let rest = page(
                server, parameters.filter { $0.0 != "limit" } + [("since", cursor ?? "")],
                path: path)
            replica.apply(rest.json["changes"]?.elements ?? [])
            let query = server.send(
                "GET", target("/v1/classes/Task/objects", filter.map { [("filter", $0)] } ?? []))
            let people = path == "/v1/changes" ? 2 : 0
            #expect(replica.objects.count == query.ids.count + people, "\(path) \(filter ?? "")")
            server.task(3, "{}")
            server.task(6, "{}")
            server.task(9, "{}")
        }
    }

    @Test("a long poll is answered at once, by the first matching commit, or empty after its wait")
    func longPoll() throws {
        let server = try Tasks.server()
        let begin = server.task(1, "{}")
        let version = server.task(2, "{}")
        #expect(changes(page(server, [("since", begin)], wait: 30)) == ["enter 2"])

        // Nothing comes.
        let empty = page(server, [("since", version), ("filter", "rank > 5")], wait: 1)
        #expect(empty.text == #"{"changes":[],"cursor":"\#(version)","upToDate":true}"#)

        // Only the commit that matters wakes; the others move the cursor.
        let waiting = try poll(server, [("since", version), ("filter", "rank > 5")])
        let folded = try poll(server, [("since", version), ("filter", "owner.age > 5")])
        server.task(1, #"{"rank":1}"#)
        server.send("POST", "/v1/classes/Note/objects", #"{"text":"x"}"#)
        server.person("ann", #"{"age":1}"#)
        server.task(3, #"{"rank":5,"owner":"ann"}"#)
        let matching = server.task(4, #"{"rank":6}"#)
        let reply = waiting.result()
        #expect(changes(reply) == ["enter 4"], "\(reply.text)")
        #expect(reply.json["cursor"]?.string == matching && reply.json["upToDate"] == .bool(true))
        let last = server.person("ann", #"{"age":6}"#)
        let reached = folded.result()
        #expect(
            changes(reached).contains { $0.hasSuffix(" 3") }
                && reached.json["cursor"]?.string == last, "\(reached.text)")

        // Of one object and of the whole store.
        let object = try poll(
            server, [("since", last)], path: "/v1/classes/Task/objects/77/changes")
        let store = try poll(server, [("since", last)], path: "/v1/changes")
        server.task(76, "{}")
        #expect(changes(store.result()) == ["enter 76"])
        server.task(77, "{}")
        #expect(changes(object.result()) == ["enter 77"])
    }

    @Test("waiting polls are answered when the service stops")
    func stop() throws {
        let server = try Tasks.server()
        server.task(1, "{}")
        let waiting = try poll(server, [])
        server.service.endWaiting()
        #expect(waiting.result().status == 200)
    }
}
