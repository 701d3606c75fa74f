import HoldfastHTTPServer
import HoldfastObjectModel
import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

@Suite("event streams")
struct ChangesTests {
    private static let path = "/v1/classes/Task/changes"

    @Test("a stream from now on: hello, and each change byte by byte")
    func format() throws {
        let server = try Tasks.server()
        let begin = server.task(1, #"{"title":"a"}"#)
        let stream = server.events(
            Self.path, [("filter", "done == false"), ("fields", "id,title")])
        #expect(stream.status == 200)
        #expect(stream.headers["content-type"]?.hasPrefix("text/event-stream") == true)
        #expect(
            stream.headers["cache-control"] == "no-store"
                && stream.headers["vary"]?.contains("Accept") == true)
        #expect(
            stream.next()
                == .init(name: "hello", id: begin, data: #"{"cursor":"\#(begin)","heartbeat":15}"#))
        let entered = server.task(7, #"{"title":"b"}"#)
        #expect(
            stream.next()
                == .init(
                    name: "change", id: entered,
                    data:
                        #"{"version":"\#(entered)","changes":[{"op":"enter","id":7,"etag":"\#(entered)","object":{"id":7,"title":"b"}}]}"#
                ))
        let updated = server.task(7, #"{"title":"c"}"#)
        #expect(
            stream.next()
                == .init(
                    name: "change", id: updated,
                    data:
                        #"{"version":"\#(updated)","changes":[{"op":"update","id":7,"etag":"\#(updated)","changed":["title"],"object":{"id":7,"title":"c"}}]}"#
                ))
        let left = server.task(7, #"{"title":"c","done":true}"#)
        #expect(
            stream.next()
                == .init(
                    name: "change", id: left,
                    data: #"{"version":"\#(left)","changes":[{"op":"leave","id":7}]}"#))
        // What does not match before or after is no event, nor is what changes nothing.
        server.task(7, #"{"title":"d","done":true}"#)
        server.task(1, #"{"title":"a"}"#)
        _ = server.delete("/v1/classes/Task/objects/7")
        server.send("POST", "/v1/classes/Note/objects", #"{"text":"x"}"#)
        let deleted = server.delete("/v1/classes/Task/objects/1")
        #expect(
            stream.next()
                == .init(
                    name: "change", id: deleted,
                    data: #"{"version":"\#(deleted)","changes":[{"op":"delete","id":1}]}"#))
    }

    @Test("a stream from the start: snapshot, then up to date with the first id")
    func start() throws {
        let server = try Tasks.server()
        let first = server.task(1, #"{"title":"a"}"#)
        let second = server.task(2, #"{"title":"b"}"#)
        server.task(3, #"{"done":true}"#)
        let stream = server.events(
            Self.path, [("since", "start"), ("filter", "done == false"), ("fields", "title")])
        let events = stream.events(to: "upToDate")
        #expect(events.map(\.name) == ["hello", "reset", "snapshot", "upToDate"])
        #expect(events[0].id == nil && events[0].json["heartbeat"]?.int == 15)
        #expect(
            events[1] == .init(name: "reset", id: "start", data: #"{"reason":"start"}"#))
        #expect(
            events[2]
                == .init(
                    name: "snapshot",
                    data:
                        #"{"objects":[{"id":1,"etag":"\#(first)","object":{"title":"a"}},{"id":2,"etag":"\#(second)","object":{"title":"b"}}]}"#
                ))
        let version = "\(server.store.version)"
        #expect(
            events[3] == .init(name: "upToDate", id: version, data: #"{"cursor":"\#(version)"}"#))
        server.task(3, #"{"done":false}"#)
        #expect(stream.nextEvent().changes == ["enter 3"])
        // What hello says is never behind what a client has.
        let resumed = server.events(Self.path, [("since", events[0].json["cursor"]?.string ?? "")])
        var replica = ChangesReplica()
        for event in resumed.events(to: "upToDate") { replica.apply(event) }
        #expect(replica.objects.count == 3)
        // Nothing there: no snapshot event.
        let empty = server.events(Self.path, [("since", "start"), ("filter", "rank == 99")])
        #expect(empty.events(to: "upToDate").map(\.name) == ["hello", "reset", "upToDate"])
    }

    @Test("a snapshot of many objects comes in pieces, with what changes meanwhile")
    func longSnapshot() throws {
        let server = try Tasks.server()
        let tasks = (1...950).map {
            #"{"id":\#($0),"title":"\#(String(repeating: "t", count: 300))"}"#
        }.joined(separator: ",")
        #expect(
            server.send(
                "POST", "/v1/classes/Task/objects", "[\(tasks)]",
                headers: [("Prefer", "return=minimal")]
            ).status == 201)
        for path in [Self.path, "/v1/changes"] {
            let stream = server.events(path, [("since", "start")])
            var replica = ChangesReplica()
            server.task(5, #"{"title":"changed"}"#)
            let events = stream.events(to: "upToDate")
            for event in events { replica.apply(event) }
            #expect(events.filter { $0.name == "snapshot" }.count > 2)
            #expect(events.dropLast().allSatisfy { $0.id == ($0.name == "reset" ? "start" : nil) })
            #expect(replica.objects.count == 950)
            if events.last?.id != "\(server.store.version)" { replica.apply(stream.nextEvent()) }
            #expect(replica.objects.values.contains { $0["title"] == .string("changed") })
        }
    }

    @Test("a stream resumes exactly from a cursor, folded, and Last-Event-ID beats since")
    func resume() throws {
        let server = try Tasks.server()
        server.task(1, "{}")
        let cursor = server.task(2, "{}")
        server.task(1, #"{"title":"x"}"#)
        server.task(1, #"{"title":"y","rank":3}"#)
        server.task(3, "{}")
        server.task(4, "{}")
        _ = server.delete("/v1/classes/Task/objects/4")
        let end = server.delete("/v1/classes/Task/objects/2")
        let path = Self.path
        for (parameters, headers) in [
            ([("since", cursor)], []), ([], [("Last-Event-ID", cursor)]),
            ([("since", "start")], [("Last-Event-ID", cursor)]),
            ([("since", "now")], [("Last-Event-ID", cursor)]),
        ] as [([(String, String)], [(String, String)])] {
            let stream = server.events(path, parameters, headers: headers)
            let events = stream.events(to: "upToDate")
            #expect(events.map(\.name) == ["hello", "change", "upToDate"])
            #expect(events[0].id == nil && events[0].json["cursor"]?.string == cursor)
            #expect(events[1].id == nil && events[1].json["version"]?.string == end)
            #expect(events[1].changes == ["update 1", "enter 3", "delete 4", "delete 2"])
            let update = try #require(events[1].json["changes"]?.elements.first)
            #expect(update["changed"] == .array([.string("title"), .string("rank")]))
            #expect(update["object"]?["title"] == .string("y"))
            #expect(events[2].id == end)
        }
        let live = server.events(path, [("since", "start")], headers: [("Last-Event-ID", end)])
        #expect(live.events(to: "upToDate").map(\.name) == ["hello", "upToDate"])
        server.task(1, "{}")
        #expect(live.nextEvent().changes == ["update 1"])
    }

    @Test("cursors that are damaged, of the future, or of another epoch")
    func cursors() throws {
        let server = try Tasks.server()
        let version = server.task(1, "{}")
        let epoch = version.split(separator: "-")[0]
        let accept = ("Accept", "text/event-stream")
        for headers in [[], [accept]] {
            for text in [
                "", "x", "1", "\(epoch)", "\(epoch)-", "\(epoch)-x", "\(version).",
                "\(version).1.2", "\(version)~", "\(version)~1", "\(version)~-1.1",
                "\(version)~0.99999999999999999999", "\(version).1.-1.1", "NOW",
            ] {
                APIScenario(
                    "GET", target(Self.path, [("since", text)]), headers: headers, status: 400,
                    contains: [#""parameter":"since""#]
                ).check(on: server.server)
            }
        }
        APIScenario(
            "GET", Self.path, headers: [accept, ("Last-Event-ID", "x")], status: 400,
            contains: [#""parameter":"Last-Event-ID""#]
        ).check(on: server.server)
        for text in [
            "\(version)0", "\(epoch)-18446744073709551615", "\(epoch)-18446744073709551615.1.1.1",
        ] {
            for headers in [[], [("Prefer", "wait=5")]] {
                APIScenario(
                    "GET", target(Self.path, [("since", text)]), headers: headers, status: 410,
                    contains: [#""code":"restored""#, "since=start"]
                ).check(on: server.server)
            }
            let events = server.events(Self.path, headers: [("Last-Event-ID", text)])
                .events(to: "upToDate")
            #expect(
                events.dropFirst().first
                    == .init(name: "reset", id: "start", data: #"{"reason":"restored"}"#))
        }
        // Numbers that no server made do no harm.
        for text in [
            "\(version)~0.18446744073709551615", "\(version)~99999.1",
            "\(version).18446744073709551615.9223372036854775807.18446744073709551615",
            "\(epoch)-0.0.0.0", "\(epoch)-1.0.5.5",
        ] {
            let reply = server.send("GET", target(Self.path, [("since", text)]))
            #expect([200, 400, 410].contains(reply.status), "\(text): \(reply.text)")
            let stream = server.events(Self.path, [("since", text)])
            #expect(stream.events(to: "upToDate").last?.name == "upToDate")
        }
        let other = try Tasks.server()
        other.task(5, "{}")
        for text in [version, "\(version)~0.1", "\(version).1.0.0", "\(version)0"] {
            for headers in [[], [("Prefer", "wait=5")]] {
                APIScenario(
                    "GET", target(Self.path, [("since", text)]), headers: headers, status: 410,
                    contains: [#""code":"restored""#, "since=start"]
                ).check(on: other.server)
            }
        }
        let restored = other.events(Self.path, [("since", version)]).events(to: "upToDate")
        #expect(restored.map(\.name) == ["hello", "reset", "snapshot", "upToDate"])
        #expect(restored[1].data == #"{"reason":"restored"}"# && restored[1].id == "start")
    }

    @Test("what a stream does not take is refused before it begins")
    func refusals() throws {
        let server = try Tasks.server()
        let scenarios = [
            APIScenario(
                "GET", target(Self.path, [("filter", "done == false SORT(id ASC)")]), status: 400,
                contains: ["SORT", #""parameter":"filter""#]),
            APIScenario(
                "GET", target(Self.path, [("filter", "done == false LIMIT(1)")]), status: 400,
                contains: ["LIMIT"]),
            APIScenario(
                "GET", target(Self.path, [("filter", "done == false DISTINCT(id)")]), status: 400,
                contains: ["DISTINCT"]),
            APIScenario(
                "GET", target(Self.path, [("filter", "dne == false")]), status: 400,
                contains: [#""hint":"done""#, #""column":1"#]),
            APIScenario(
                "GET", target(Self.path, [("arg", "1")]), status: 400, contains: ["no filter"]),
            APIScenario(
                "GET", target(Self.path, [("fields", "titel")]), status: 400,
                contains: [#""hint":"title""#]),
            APIScenario(
                "GET", target(Self.path, [("expand", "titel")]), status: 400,
                contains: [#""parameter":"expand""#]),
            APIScenario(
                "GET", target(Self.path, [("distinct", "id")]), status: 400,
                contains: ["unknown-parameter"]),
            APIScenario(
                "GET", target(Self.path, [("sinc", "now")]), status: 400,
                contains: [#""hint":"since""#]),
            APIScenario(
                "GET", "/v1/changes?filter=x", status: 400, contains: ["unknown-parameter"]),
            APIScenario(
                "GET", "/v1/classes/Task/objects/1/changes?filter=x", status: 400,
                contains: ["unknown-parameter"]),
            APIScenario(
                "GET", "/v1/classes/Task/objects/x/changes", status: 400,
                contains: ["wrong-key-type"]),
            APIScenario(
                "GET", "/v1/classes/Tsk/changes", status: 404, contains: [#""hint":"Task""#]),
            APIScenario("GET", "/v1/classes/Place/changes", status: 405),
            APIScenario("POST", Self.path, "{}", status: 405),
        ]
        for var scenario in scenarios {
            scenario.check(on: server.server)
            scenario.headers = [("Accept", "text/event-stream")]
            scenario.check(on: server.server)
        }
        APIScenario(
            "GET", Self.path, headers: [("Accept", "text/html")], status: 406,
            contains: ["text/event-stream"]
        ).check(on: server.server)
        APIScenario("GET", Self.path, headers: [("Accept", "text/event-stream;q=0")], status: 406)
            .check(on: server.server)
        APIScenario("GET", Self.path + "?limit=0", status: 400).check(on: server.server)
        APIScenario("GET", Self.path + "?limit=1001", status: 400, contains: ["from 1 to 1000"])
            .check(on: server.server)
    }

    @Test("one object's stream: it may come, go, and come again")
    func object() throws {
        let server = try Tasks.server()
        let path = "/v1/classes/Task/objects/9/changes"
        let stream = server.events(path, [("since", "start")])
        let first = stream.events(to: "upToDate")
        #expect(first.map(\.name) == ["hello", "reset", "upToDate"])
        server.task(8, "{}")
        server.task(9, "{}")
        #expect(stream.nextEvent().changes == ["enter 9"])
        server.task(9, #"{"title":"x"}"#)
        #expect(stream.nextEvent().changes == ["update 9"])
        _ = server.delete("/v1/classes/Task/objects/8")
        _ = server.delete("/v1/classes/Task/objects/9")
        #expect(stream.nextEvent().changes == ["delete 9"])
        server.task(9, #"{"title":"y"}"#)
        let again = stream.nextEvent()
        #expect(
            again.changes == ["enter 9"]
                && again.json["changes"]?.elements.first?["object"]?["title"] == .string("y"))
        // All of it in one catch-up: gone, and there again.
        let folded = server.events(path, [("since", first[2].id ?? "")]).events(to: "upToDate")
        #expect(folded.flatMap(\.changes) == ["delete 9", "enter 9"])
        let snapshot = server.events(path, [("since", "start")]).events(to: "upToDate")
        #expect(snapshot[2].json["objects"]?.elements.count == 1)
        // Of a class without a primary key.
        let note = server.send("POST", "/v1/classes/Note/objects", #"{"text":"x"}"#)
        let location = try #require(note.headers["location"])
        let id = try #require(location.split(separator: "/").last.flatMap { Int64($0) })
        let notes = server.events("/v1/classes/Note/objects/\(id)/changes", [("since", "start")])
        #expect(notes.events(to: "upToDate")[2].json["objects"]?.elements.first?["id"] == .int(id))
        server.send("POST", "/v1/classes/Note/objects", #"{"text":"other"}"#)
        _ = server.delete("/v1/classes/Note/objects/\(id)")
        #expect(notes.nextEvent().changes == ["delete \(id)"])
        // With expand, what it links to counts.
        server.person("ann", #"{"age":1}"#)
        server.task(9, #"{"owner":"ann"}"#)
        let expanded = server.events(path, [("expand", "owner")])
        #expect(expanded.nextEvent().name == "hello")
        server.person("ann", #"{"age":2}"#)
        #expect(expanded.nextEvent().changes == ["update 9"])
    }

    @Test("the whole store's stream tells the class of each object")
    func store() throws {
        let server = try Tasks.server()
        server.task(1, "{}")
        let stream = server.events("/v1/changes", [("since", "start")])
        let begin = stream.events(to: "upToDate")
        #expect(begin[2].json["objects"]?.elements.first?["class"] == .string("Task"))
        server.person("ann", "{}")
        let event = stream.nextEvent()
        #expect(
            event.changes == ["enter ann"]
                && event.json["changes"]?.elements.first?["class"] == .string("Person"))
        _ = server.delete("/v1/classes/Task/objects/1")
        let deletion = stream.nextEvent()
        #expect(deletion.data.hasSuffix(#""changes":[{"op":"delete","class":"Task","id":1}]}"#))
        let pages = server.send("GET", target("/v1/changes", [("since", begin.last?.id ?? "")]))
        let classes = pages.json["changes"]?.elements.map { $0["class"] }
        #expect(classes == [.string("Person"), .string("Task")])
        let start = server.send("GET", "/v1/changes?since=start")
        #expect(start.json["objects"]?.elements.first?["class"] == .string("Person"))
    }

    @Test("equal queries share bytes, a heartbeat moves the id, and a stop ends the streams")
    func sharedChannel() throws {
        var options = RESTOptions()
        options.heartbeatSeconds = 1
        let server = try Tasks.server(options)
        server.task(0, "{}")
        let streams = (0..<20).map { _ in server.events(Self.path, [("filter", "done == false")]) }
        for stream in streams { #expect(stream.nextEvent().data.hasSuffix(#""heartbeat":1}"#)) }
        // A change that does not concern them: they hear of it by the heartbeat.
        let version = server.task(100, #"{"done":true}"#)
        for stream in streams {
            var beat = try #require(stream.next())
            // Those of before, of which there are more the longer the streams took to open.
            while beat.isHeartbeat, beat.id != version { beat = try #require(stream.next()) }
            #expect(beat.isHeartbeat && beat.id == version)
        }
        var ids: [String?] = []
        for id in 1...5 { ids.append(server.task(id, #"{"title":"\#(id)"}"#)) }
        let expected = (1...5).map { _ in streams[0].nextEvent() }
        #expect(expected.map(\.id) == ids)
        for stream in streams.dropFirst() {
            #expect((1...5).map { _ in stream.nextEvent() } == expected)
        }
        server.service.endWaiting()
        for stream in streams {
            while stream.next() != nil {}
            #expect(stream.isEnded)
        }
    }
}
