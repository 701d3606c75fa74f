import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing
import HoldfastThreads

@Suite("streams across migrations and restores")
struct ChangesMigrationTests {
    private static let tasks = "/v1/classes/Task/changes"

    private static func schema(rank: String, extra: String = "") -> String {
        """
        {"classes":[{"name":"Task","primaryKey":"id","properties":{"id":"int","rank":\(rank)\(extra),
        "owner":"Person"}},{"name":"Person","primaryKey":"name","properties":{"name":"string"}}]}
        """
    }

    /// A store in which every change of the schema goes on in slices of a few objects.
    private static func server() throws -> ChangesServer {
        var options = StoreOptions()
        options.migrationObjectCountMax = 0
        options.migrationSliceCount = 5
        let server = ChangesServer(
            try TestServer(
                EngineCase.memory.open(), schema: Schema(classes: []), storeOptions: options))
        server.send("PUT", "/v1/schema", schema(rank: "\"int\"", extra: ",\"gone\":\"string\""))
        let all = (0..<50).map { "{\"id\":\($0),\"rank\":\($0 % 5)}" }.joined(separator: ",")
        #expect(server.send("POST", "/v1/classes/Task/objects", "[\(all)]").status == 201)
        server.send(
            "PUT", "/v1/projections/Card",
            #"{"class":"Task","properties":{"number":"id","level":"rank"}}"#)
        return server
    }

    @Test("a migration resets what stays valid, and ends the rest by an error that says why")
    func migration() throws {
        let server = try Self.server()
        let old = server.store.version.description
        let valid = [
            server.events(Self.tasks), server.events(Self.tasks, [("filter", "id < 10")]),
            server.events("/v1/changes"), server.events("/v1/projections/Card/changes"),
            server.events("/v1/classes/Task/objects/7/changes"),
        ]
        let counts = [50, 10, 50, 50, 1]
        let invalid: [(ChangesClient, String)] = [
            (server.events(Self.tasks, [("filter", "rank == 3")]), "invalid-query"),
            (server.events(Self.tasks, [("filter", "gone == ''")]), "invalid-query"),
            (server.events(Self.tasks, [("fields", "id,gone")]), "unknown-property"),
        ]
        for stream in valid + invalid.map(\.0) { #expect(stream.nextEvent().name == "hello") }
        let reply = server.server.send(
            "PUT", "/v1/schema?allowDataLoss=true", Self.schema(rank: "\"string\""))
        #expect(reply.status == 200, "\(reply.text)")
        for (stream, count) in zip(valid, counts) {
            let events = stream.events(to: "upToDate")
            #expect(events.first?.name == "reset")
            #expect(events.first?.data == #"{"reason":"schema-changed"}"#)
            let objects = events.filter { $0.name == "snapshot" }.flatMap {
                $0.json["objects"]?.elements ?? []
            }
            #expect(objects.count == count)
            let values = objects.compactMap { $0["object"]?["rank"] ?? $0["object"]?["level"] }
            #expect(values.count == count && values.allSatisfy { $0.string != nil })
        }
        for (stream, code) in invalid {
            let event = stream.nextEvent()
            #expect(event.name == "error" && event.json["code"]?.string == code, "\(event)")
            #expect(stream.next() == nil, "the stream has ended")
        }
        // What goes on from before it: the valid begin anew, the others are refused as they would be now.
        let resumed = server.events(Self.tasks, [("since", old)]).events(to: "upToDate")
        #expect(resumed[1].data == #"{"reason":"schema-changed"}"#)
        APIScenario(
            "GET", target(Self.tasks, [("filter", "rank == 3"), ("since", old)]),
            headers: [("Accept", "text/event-stream")], status: 400, contains: ["invalid-query"]
        ).check(on: server.server)
        server.send("PATCH", "/v1/classes/Task/objects/7", #"{"rank":"x"}"#)
        for stream in valid { #expect(stream.nextEvent().name == "change") }
    }

    @Test("a class or projection that goes ends its streams; one that is renamed as well")
    func dropped() throws {
        let server = try Self.server()
        let card = server.events("/v1/projections/Card/changes")
        let person = server.events("/v1/classes/Person/changes")
        let tasks = server.events(Self.tasks)
        let store = server.events("/v1/changes")
        for stream in [card, person, tasks, store] { #expect(stream.nextEvent().name == "hello") }
        #expect(server.server.send("DELETE", "/v1/projections/Card").status == 204)
        let end = card.nextEvent()
        #expect(end.name == "error" && end.json["code"]?.string == "unknown-projection", "\(end)")
        #expect(card.next() == nil)
        // The others go on as if nothing had been.
        let reply = server.server.send(
            "PUT", "/v1/schema?allowDataLoss=true",
            #"{"classes":[{"name":"Job","primaryKey":"id","properties":{"id":"int","rank":"int"}}],"renames":{"Task":"Job"}}"#
        )
        #expect(reply.status == 200, "\(reply.text)")
        for stream in [person, tasks] {
            let end = stream.nextEvent()
            #expect(end.name == "error" && end.json["code"]?.string == "unknown-class", "\(end)")
            #expect(stream.next() == nil)
        }
        let events = store.events(to: "upToDate")
        #expect(events.first?.data == #"{"reason":"schema-changed"}"#)
        #expect(events[1].json["objects"]?.elements.first?["class"]?.string == "Job")
    }

    @Test("a replica that follows writes beside migrations ends with what the store has")
    func beside() throws {
        let server = try Self.server()
        let stream = server.events(Self.tasks, [("since", "start")])
        let port = server.port
        let writer = try StartedThread {
            let client = HTTPClient(port: port)
            defer { client.disconnect() }
            var last = ""
            for round in 0..<150 {
                let reply = client.send(
                    round % 10 == 9 ? "DELETE" : "PUT", "/v1/classes/Task/objects/\(round % 70)",
                    headers: [("Content-Type", "application/json")],
                    body: round % 10 == 9 ? nil : Array("{}".utf8))
                last = reply.headers["holdfast-version"] ?? last
            }
            return last
        }
        for type in ["\"string\"", "\"int\"", "\"mixed\"", "\"string\""] {
            let reply = server.server.send(
                "PUT", "/v1/schema?allowDataLoss=true", Self.schema(rank: type))
            #expect(reply.status == 200, "\(reply.text)")
        }
        _ = writer.result()
        server.server.send("PUT", "/v1/classes/Task/objects/1000", "{}")
        let last = ChangesReplica.key(try #require(QueryJSON(#"{"id":1000}"#)))
        var replica = ChangesReplica()
        while replica.objects[last] == nil, let event = stream.next() { replica.apply(event) }
        let page = server.server.send("GET", "/v1/classes/Task/objects?limit=1000")
        let objects = page.json["objects"]?.elements ?? []
        #expect(replica.objects.count == objects.count && !objects.isEmpty)
        for object in objects { #expect(replica.objects[ChangesReplica.key(object)] == object) }
    }

    @Test("a restored store begins each stream anew, and takes neither cursors nor tags of before")
    func restored() throws {
        let directory = TemporaryDirectory()
        var options = RESTOptions()
        options.limits.backupDirectory = directory.path + "/backups"
        let server = ChangesServer(
            try TestServer(EngineCase.lmdb.open(), schema: Tasks.schema, options: options))
        server.task(1, #"{"title":"kept"}"#)
        let made = server.server.send("POST", "/v1/backups")
        let backup = server.server.send("GET", made.headers["location"] ?? "").body
        // What comes after the backup is what the restored store knows nothing of.
        let tag = server.task(1, #"{"title":"later"}"#)
        let cursor = server.task(2, "{}")

        let engine = try EngineCase.lmdb.open(valueByteCountMax: 64 << 20)
        var offset = 0
        let reader = try BackupReader { buffer in
            let count = min(buffer.count, backup.count - offset)
            buffer.copyBytes(from: backup[offset..<(offset + count)])
            offset += count
            return count
        }
        try reader.restore(into: engine)
        let other = ChangesServer(try TestServer(engine, schema: Tasks.schema))
        for (path, count) in [
            (Self.tasks, 1), ("/v1/changes", 1), ("/v1/classes/Task/objects/1/changes", 1),
            ("/v1/classes/Task/objects/2/changes", 0),
        ] {
            let stream = other.events(path, headers: [("Last-Event-ID", cursor)])
            let events = stream.events(to: "upToDate")
            #expect(events[0].name == "hello")
            #expect(events[1] == .init(name: "reset", id: "start", data: #"{"reason":"restored"}"#))
            let objects = events.filter { $0.name == "snapshot" }.flatMap {
                $0.json["objects"]?.elements ?? []
            }
            #expect(objects.count == count)
            #expect(objects.allSatisfy { $0["object"]?["title"]?.string == "kept" })
            #expect(events.last?.id?.hasPrefix(other.store.version.description.prefix(8)) ?? false)
        }
        let task = "/v1/classes/Task/objects/1"
        let table = [
            APIScenario(
                "GET", target(Self.tasks, [("since", cursor)]), status: 410,
                contains: [#""code":"restored""#]),
            APIScenario("GET", "\(task)?minVersion=\(cursor)", status: 409),
            APIScenario("GET", task, headers: [("If-None-Match", "\"\(tag)\"")], status: 200),
            APIScenario(
                "PATCH", task, #"{"title":"x"}"#, headers: [("If-Match", "\"\(tag)\"")],
                status: 412, contains: ["kept"]),
        ]
        for scenario in table { scenario.check(on: other.server) }
    }
}
