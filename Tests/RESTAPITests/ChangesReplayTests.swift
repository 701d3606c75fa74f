import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

@Suite("streams under load")
struct ChangesReplayTests {
    /// A query and the parameters of its streams and lists.
    private struct Query: Sendable {
        var path: String
        var parameters: [(String, String)]
    }

    private static let queries = [
        Query(path: "/v1/classes/Task", parameters: [("fields", "*,$version")]),
        Query(
            path: "/v1/classes/Task",
            parameters: [("fields", "*,$version"), ("filter", "rank > 4 AND done == false")]),
        Query(path: "/v1/classes/Task", parameters: [("filter", "owner.age > 5")]),
        Query(
            path: "/v1/classes/Task",
            parameters: [
                ("filter", "owner.boss.age > 5 OR next.rank == 3"), ("fields", "*,owner.age"),
            ]),
        Query(path: "/v1/classes/Task", parameters: [("filter", "ANY parts.rank > 7")]),
        Query(
            path: "/v1/classes/Task",
            parameters: [("filter", "ANY partOf.owner.age > 4"), ("expand", "owner.boss")]),
        Query(
            path: "/v1/classes/Person",
            parameters: [("filter", "ANY tasks.rank > 6"), ("fields", "*,tasks")]),
        Query(
            path: "/v1/classes/Person",
            parameters: [("filter", "tasks.@count == 2"), ("expand", "tasks")]),
        Query(
            path: "/v1/classes/Person",
            parameters: [("filter", "@links.Task.place.host.@count > 0 OR age == 3")]),
        Query(
            path: "/v1/classes/Task",
            parameters: [("filter", "place.host.age > 5"), ("expand", "place.host")]),
    ].filter { query in !query.parameters.contains { $0.1.contains("@links.Task.place") } }

    /// Reads a stream up to a version and returns what its client then knows, having checked that live
    /// events were exact.
    private static func follow(_ stream: ChangesClient, to version: @Sendable () -> String?)
        -> ChangesReplica
    {
        var replica = ChangesReplica()
        while let event = stream.next() {
            if event.name == "change", event.id != nil {
                for change in event.json["changes"]?.elements ?? [] {
                    let isKnown = replica.objects[ChangesReplica.key(change)] != nil
                    let isEnter = change["op"]?.string == "enter"
                    #expect(isEnter != isKnown, "\(event.changes) is not exact")
                    replica.apply([change])
                }
            } else {
                replica.apply(event)
            }
            if let version = version(), let id = event.id, number(id) >= number(version) { break }
        }
        return replica
    }

    private static func number(_ version: String) -> Int {
        version.split(separator: "-").last.flatMap { Int($0) } ?? -1
    }

    @Test(
        "the replay of every stream equals its query's result, also in intervals, and where workers test the filters or steps have no time",
        arguments: EngineCase.all,
        [
            (0, 5, 100_000), (30, 5, 100_000), (0, 0, 100_000), (30, 0, 100_000), (0, 5, 0),
            (0, 5, 300), (30, 5, 300),
        ])
    func replay(
        engine: EngineCase,
        _ times: (interval: Int, filterMilliseconds: UInt64, stepMicroseconds: UInt64)
    ) throws {
        let interval = times.interval
        let seed = SeededGenerator.testSeed("replay")
        var options = RESTOptions()
        options.limits.feedFilterMilliseconds = times.filterMilliseconds
        options.limits.feedStepMicroseconds = times.stepMicroseconds
        options.heartbeatSeconds = 1
        let server = try Tasks.server(options, engine: engine)
        for name in ["a", "b", "c", "d"] { server.person(name, "{}") }
        for id in 0..<10 { server.task(id, "{}") }
        let port = server.port
        let end = Box()
        var readers: [(Query, StartedThread<ChangesReplica>)] = []
        for query in Self.queries {
            for since in ["start", "resumed"] {
                let parameters =
                    query.parameters + (interval > 0 ? [("interval", "\(interval)")] : [])
                readers.append(
                    (
                        query,
                        try StartedThread {
                            var stream = ChangesClient(
                                port: port,
                                target(query.path + "/changes", parameters + [("since", "start")]))
                            guard since == "resumed" else {
                                return Self.follow(stream) { end.value }
                            }
                            // Some events, then again from the last id, on another connection.
                            var replica = ChangesReplica()
                            var last: String?
                            var resumes = 0
                            while end.value == nil || last == nil || resumes == 0 {
                                for _ in 0..<15 {
                                    guard let event = stream.next() else { break }
                                    replica.apply(event)
                                    last = event.id ?? last
                                    if end.value != nil, last != nil { break }
                                }
                                stream = ChangesClient(
                                    port: port, target(query.path + "/changes", parameters),
                                    headers: last.map { [("Last-Event-ID", $0)] } ?? [])
                                resumes += 1
                            }
                            while let event = stream.next() {
                                replica.apply(event)
                                if let version = end.value, let id = event.id,
                                    Self.number(id) >= Self.number(version)
                                {
                                    break
                                }
                            }
                            return replica
                        }
                    ))
            }
        }
        let writers = try (0..<3).map { writer in
            try StartedThread {
                var generator = SeededGenerator(seed: seed &+ UInt64(writer))
                let client = HTTPClient(port: port)
                for _ in 0..<SeededGenerator.scaled(150) { Self.write(client, &generator) }
            }
        }
        for writer in writers { writer.result() }
        end.value = "\(server.store.version)"
        for (query, reader) in readers {
            let replica = reader.result()
            let reply = server.send(
                "GET", target(query.path + "/objects", query.parameters + [("limit", "1000")]))
            let expected = reply.json["objects"]?.elements ?? []
            let note = "seed \(seed): \(query.path) \(query.parameters)"
            #expect(replica.objects.count == expected.count, "\(note)")
            let key = query.path.hasSuffix("Task") ? "id" : "name"
            for object in expected {
                let id = object[key].map { "\($0)" } ?? "?"
                #expect(replica.objects[id] == object, "\(note): \(id)")
                if let version = object["$version"]?.string {
                    #expect(replica.etags[id] == version, "\(note)")
                }
            }
        }
    }

    /// One random write.
    private static func write(_ client: HTTPClient, _ generator: inout SeededGenerator) {
        let names = ["a", "b", "c", "d", "e"]
        func any(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
        func person() -> String { names[any(5)] }
        let body: String
        let path: String
        var method = "PATCH"
        switch any(10) {
        case 0:
            method = "DELETE"
            path = any(3) == 0 ? "Person/objects/\(person())" : "Task/objects/\(any(12))"
            body = ""
        case 1, 2:
            method = "PUT"
            path = "Person/objects/\(person())"
            body =
                any(2) == 0
                ? "{\"age\":\(any(10))}"
                : "{\"age\":\(any(10)),\"boss\":{\"name\":\"\(person())\"}}"
        case 3: (path, body) = ("Person/objects/\(person())", "{\"age\":\(any(10))}")
        case 4:
            method = "POST"
            path = "Task/objects?mode=merge"
            body =
                "[{\"id\":\(any(12)),\"rank\":\(any(10))},{\"id\":\(any(12) + 12),\"next\":{\"id\":\(any(12))}},{\"id\":\(any(12)),\"parts\":[{\"id\":\(any(12))}]}]"
        case 5:
            (path, body) = (
                "Task/objects/\(any(12))",
                "{\"place\":{\"city\":\"x\",\"host\":{\"name\":\"\(person())\"}}}"
            )
        case 6:
            (path, body) = (
                "Task/objects/\(any(12))", any(2) == 0 ? "{\"owner\":null}" : "{\"place\":null}"
            )
        case 7:
            (path, body) = (
                "Task/objects/\(any(12))", "{\"parts\":[{\"id\":\(any(12))},{\"id\":\(any(12))}]}"
            )
        default:
            method = "PUT"
            path = "Task/objects/\(any(12))"
            body =
                "{\"rank\":\(any(10)),\"done\":\(any(2) == 0),\"owner\":{\"name\":\"\(person())\"}}"
        }
        let reply = client.send(
            method, "/v1/classes/" + path,
            headers: body.isEmpty ? [] : [("Content-Type", "application/json")],
            body: body.isEmpty ? nil : Array(body.utf8))
        #expect(
            [200, 201, 204, 404].contains(reply.status), "\(method) \(path) \(body): \(reply.text)")
    }
}
