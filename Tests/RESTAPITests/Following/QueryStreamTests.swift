import HoldfastObjectModel
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

/// Streams of several queries.
@Suite("a stream of several queries")
struct QueryStreamTests {
    private typealias Client = QueryStreamClient

    @Test("names the query of each entry, and tells what a step changes for all as one event")
    func steps() throws {
        let server = try Tasks.server()
        server.task(1, #"{"rank":9}"#)
        let client = Client(
            server,
            [
                "open": .tasks("done == false"), "high": .tasks("rank > 5"),
                "one": .init(#"{"class":"Task","id":1}"#, page: "/v1/classes/Task/objects/1"),
            ])
        client.open()
        client.follow(to: "\(server.store.version)")
        client.expectResults()
        #expect(Set(client.resets) == ["open: start", "high: start", "one: start"])
        // What each step means: the entries of its event, in any order.
        let steps: [(Int, String, Set<String>)] = [
            (1, #"{"rank":8}"#, ["open update", "high update", "one update"]),
            (1, #"{"rank":1}"#, ["open update", "high leave", "one update"]),
            (2, #"{"rank":7,"done":true}"#, ["high enter"]),
            (2, #"{"rank":7}"#, ["high update", "open enter"]),
        ]
        for (id, body, expected) in steps {
            let version = server.task(id, body)
            let event = client.next()
            #expect(event.name == "change" && event.id == version)
            #expect(event.json["version"]?.string == version)
            let told = (event.json["changes"]?.elements ?? []).map {
                "\($0["query"]?.string ?? "?") \($0["op"]?.string ?? "?")"
            }
            #expect(told.count == expected.count && Set(told) == expected)
            client.expectResults(body)
        }
        let deleted = server.delete("/v1/classes/Task/objects/1")
        #expect(client.next().id == deleted)
        client.expectResults("deleted")
    }

    @Test("shows objects by projections, with key paths and old values")
    func projections() throws {
        let server = ExactProjections.self
        let changes = try server.server()
        for (path, body) in [
            ("Place/objects/1", #"{"city":"Rome"}"#),
            ("Person/objects/1", #"{"firstName":"Ann","note":"a","home":1}"#),
        ] { #expect(changes.send("PUT", "/v1/classes/\(path)", body).status == 201) }
        let client = Client(
            changes,
            [
                "cards": .init(#"{"projection":"Card"}"#, page: "/v1/projections/Card/objects"),
                "notes": .init(
                    #"{"class":"Person","keyPaths":["note"],"old":true,"fields":["note"]}"#,
                    page: "/v1/classes/Person/objects", [("fields", "note")]),
                "card": .init(
                    #"{"projection":"Card","id":1}"#, page: "/v1/projections/Card/objects/1"),
            ])
        client.open()
        client.follow(to: "\(changes.store.version)")
        client.expectResults()
        _ = changes.send(
            "PATCH", "/v1/classes/Person/objects/1", #"{"note":"b","firstName":"Eve"}"#)
        let event = client.next()
        let entries = event.json["changes"]?.elements ?? []
        #expect(entries.count == 3)
        for entry in entries {
            let changed = entry["changed"]?.elements.compactMap { $0.string } ?? []
            let isNotes = entry["query"]?.string == "notes"
            #expect(changed == (isNotes ? ["note"] : ["first"]))
            #expect((entry["old"]?["note"]?.string == "a") == isNotes)
        }
        client.expectResults()
        _ = changes.send("PATCH", "/v1/classes/Place/objects/1", #"{"city":"Bari"}"#)
        #expect(client.next().changes.count == 2)
        client.expectResults()
    }

    @Test("adds, replaces and removes queries while it runs")
    func patching() throws {
        let server = try Tasks.server()
        for id in 0..<300 { server.task(id, #"{"rank":\#(id % 10)}"#) }
        let client = Client(server, ["open": .tasks("done == false")])
        client.open(since: "now")
        client.patch(["high": .tasks("rank > 5"), "low": .tasks("rank < 2")])
        // While they come, the others go on.
        server.task(1, #"{"rank":9}"#)
        client.follow(to: server.task(2, #"{"rank":9}"#))
        #expect(Set(client.resets) == ["high: start", "low: start"])
        client.patch(["low": nil, "high": .tasks("rank > 8"), "open": nil])
        client.follow(to: server.task(3, #"{"rank":9}"#))
        client.expectResults()
        client.patch(["high": nil])
        // Nothing is told, but the connection and the id go on.
        server.task(4, #"{"rank":9}"#)
        client.patch(["open": .tasks("done == false")])
        client.follow(to: server.task(5, #"{"rank":9}"#))
        client.expectResults()
    }

    @Test("tells a query from one that had its name, whose events are still on their way")
    func addedAgain() throws {
        let server = try Tasks.server()
        for id in 0..<20 { server.task(id, #"{"rank":\#(id % 10)}"#) }
        let client = Client(server, ["open": .tasks("done == false")])
        client.open()
        client.follow(to: "\(server.store.version)")
        client.patch(["one": .tasks("rank > 5")])
        // The service has sent them, and the client has not read them.
        var onTheWay: [ChangesClient.Event] = []
        while let event = client.live?.next() {
            onTheWay.append(event)
            if event.name == "upToDate" { break }
        }
        client.patch(["one": nil])
        client.patch(["one": .tasks("rank == 3")])
        for event in onTheWay { client.take(event) }
        #expect(client.replicas["one"]?.objects.isEmpty ?? true)
        client.follow(to: server.task(1, #"{"rank":3}"#))
        #expect(client.replicas["one"]?.objects.count == 3)
        client.expectResults()
    }

    @Test("is resumed by all queries together; one that was added meanwhile begins with a reset")
    func resuming() throws {
        let server = try Tasks.server()
        for id in 0..<20 { server.task(id, #"{"rank":\#(id % 10)}"#) }
        let client = Client(server, ["open": .tasks("done == false"), "high": .tasks("rank > 5")])
        client.open()
        client.follow(to: "\(server.store.version)")
        let resets = client.resets.count
        client.cut()
        server.task(1, #"{"rank":9,"done":true}"#)
        client.patch(["low": .tasks("rank < 3"), "high": nil])
        server.task(2, #"{"rank":1}"#)
        client.open()
        client.follow(to: "\(server.store.version)")
        #expect(client.resets.dropFirst(resets) == ["low: start"])
        client.expectResults()
        // A query that the client was not told of before it was cut begins again.
        client.cut()
        server.task(3, #"{"rank":9}"#)
        client.patch(["done": .tasks("done == true")])
        client.open()
        client.cut()
        client.open()
        client.follow(to: "\(server.store.version)")
        #expect(client.resets.contains("done: start"))
        client.expectResults()
        // An id that is behind all of them resets nobody.
        let version = server.task(4, #"{"rank":1}"#)
        client.follow(to: version)
        let before = client.resets.count
        client.cut()
        server.task(5, #"{"rank":1}"#)
        client.open()
        client.follow(to: "\(server.store.version)")
        #expect(client.resets.count == before)
        client.expectResults()
    }

    @Test(
        "is told whole to clients that do what the table says, cut anywhere, beside random writes",
        arguments: [1 << 20, 4096],
        [(0, 5, 100_000), (20, 5, 100_000), (0, 0, 100_000), (0, 5, 0), (0, 5, 300), (20, 5, 300)])
    func random(
        queueByteCountMax: Int,
        _ times: (interval: Int, filterMilliseconds: UInt64, stepMicroseconds: UInt64)
    ) throws {
        let interval = times.interval
        var random = SeededGenerator(
            seed: SeededGenerator.testSeed("streams of several queries"))
        var options = RESTOptions()
        options.limits.feedFilterMilliseconds = times.filterMilliseconds
        options.limits.feedStepMicroseconds = times.stepMicroseconds
        options.heartbeatSeconds = 1
        // With the small one they fall behind again and again.
        options.limits.streamQueueByteCountMax = queueByteCountMax
        let server = try Tasks.server(options)
        for name in ["ann", "bob"] { server.person(name, #"{"age":50}"#) }
        let all: [(String, Client.Query)] = [
            ("open", .tasks("done == false")), ("high", .tasks("rank > 5")),
            ("theirs", .tasks("owner.age > 40")), ("parts", .tasks("parts.@count > 0")),
            ("people", .init(#"{"class":"Person"}"#, page: "/v1/classes/Person/objects")),
            ("one", .init(#"{"class":"Task","id":3}"#, page: "/v1/classes/Task/objects/3")),
            ("top", .list("-rank,id", limit: 4)), ("titles", .list("title,-id", limit: 100)),
        ]
        let clients = (0..<3).map { _ in
            Client(
                server, Dictionary(all.prefix(3) + all.suffix(1)) { $1 }, interval: interval)
        }
        for client in clients { client.open() }
        func write() {
            let id = Int.random(in: 0..<12, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: _ = server.send("DELETE", "/v1/classes/Task/objects/\(id)")
            case 1: server.person("ann", #"{"age":\#(Int.random(in: 30..<60, using: &random))}"#)
            case 2:
                let part = Int.random(in: 0..<12, using: &random)
                _ = server.send(
                    "PATCH", "/v1/classes/Task/objects/\(id)", #"{"parts":[\#(part)]}"#)
            default:
                let rank = Int.random(in: 0..<10, using: &random)
                server.task(
                    id, #"{"rank":\#(rank),"done":\#(rank % 2 == 0),"owner":"ann"}"#)
            }
        }
        for _ in 0..<SeededGenerator.scaled(25) {
            for client in clients {
                for _ in 0..<Int.random(in: 0..<4, using: &random) { write() }
                switch Int.random(in: 0..<6, using: &random) {
                case 0: client.cut()
                case 1:
                    let (name, query) = all[Int.random(in: 0..<all.count, using: &random)]
                    client.patch([name: client.queries[name] == nil ? query : nil])
                case 2 where client.live != nil:
                    // Where nothing concerns it, a heartbeat has the id.
                    client.follow(to: "\(server.store.version)")
                    client.expectResults()
                default: break
                }
                if client.live == nil { client.open() }
            }
        }
        for client in clients {
            client.follow(to: server.task(1, #"{"rank":9,"title":"last"}"#))
            client.expectResults()
        }
    }

    @Test("tells a large step in parts, the last of which has the id, and a slow client all of it")
    func large() throws {
        let server = try Tasks.server()
        let client = Client(server, ["all": .tasks("rank >= 0"), "high": .tasks("rank > 5")])
        client.open()
        client.follow(to: "\(server.store.version)")
        let title = String(repeating: "t", count: 2000)
        func write(_ rank: Int, count: Int) -> String {
            let operations = (0..<count).map {
                #"{"op":"put","class":"Task","id":\#($0),"value":{"rank":\#(rank),"title":"\#(title)"}}"#
            }
            let reply = server.send(
                "POST", "/v1/transactions",
                #"{"operations":[\#(operations.joined(separator: ","))]}"#)
            #expect(reply.status == 200, "\(reply.text.prefix(200))")
            return reply.headers["holdfast-version"] ?? ""
        }
        var events: [ChangesClient.Event] = []
        // More than a part, and less than the queue has room for.
        let first = write(6, count: 200)
        while events.last?.id == nil, !(client.live?.isEnded ?? true) {
            events.append(client.next())
        }
        #expect(events.count > 2)
        #expect(events.allSatisfy { $0.json["version"]?.string == first })
        #expect(events.dropLast().allSatisfy { $0.id == nil && $0.json["last"] == nil })
        #expect(events.last?.id == first && events.last?.json["last"]?.bool == true)
        client.expectResults()
        // More than the queue has room for, unread.
        for rank in [7, 8, 4, 9] { _ = write(rank, count: 400) }
        client.follow(to: server.task(1, #"{"rank":9}"#))
        client.expectResults()
    }

    @Test(
        "refuses a body with faults, and says where they are",
        arguments: [
            ("[]", 400, "invalid-body"), (#"{"queries":[]}"#, 400, "invalid-body"),
            (#"{"queries":{},"since":"now"}"#, 400, "invalid-body"),
            (#"{"queries":{"a":{"class":"Task"},"a":{"class":"Task"}}}"#, 400, "duplicate-name"),
            (#"{"queries":{"":{"class":"Task"}}}"#, 400, "invalid-body"),
            (#"{"queries":{"a":null}}"#, 400, #""pointer":"/queries/a""#),
            (#"{"queries":{"a/b":{}}}"#, 400, #""pointer":"/queries/a~1b/class""#),
            (#"{"queries":{"a":{"class":"Task","projection":"P"}}}"#, 400, "invalid-body"),
            (#"{"queries":{"a":{"class":"Tusk"}}}"#, 404, #""hint":"Task""#),
            (#"{"queries":{"a":{"class":"Place"}}}"#, 422, "embedded-class"),
            (#"{"queries":{"a":{"projection":"P"}}}"#, 404, "unknown-projection"),
            (
                #"{"queries":{"a":{"class":"Task","filter":"rnk > 5"}}}"#, 400,
                #"/queries/a/filter""#
            ),
            (
                #"{"queries":{"a":{"class":"Task","filter":"rank > 5 LIMIT(5)"}}}"#, 400,
                "invalid-query"
            ),
            (#"{"queries":{"a":{"class":"Task","filter":"rank > $0"}}}"#, 400, "/queries/a/args/0"),
            (#"{"queries":{"a":{"class":"Task","args":[1]}}}"#, 400, "/queries/a/args"),
            (#"{"queries":{"a":{"class":"Task","fields":"nam"}}}"#, 400, "/queries/a/fields"),
            (#"{"queries":{"a":{"class":"Task","keyPaths":"nam"}}}"#, 400, "/queries/a/keyPaths"),
            (#"{"queries":{"a":{"class":"Task","keyPaths":5}}}"#, 400, "/queries/a/keyPaths"),
            (#"{"queries":{"a":{"class":"Task","old":5}}}"#, 400, "/queries/a/old"),
            (#"{"queries":{"a":{"class":"Task","id":"x"}}}"#, 400, "/queries/a/id"),
            (
                #"{"queries":{"a":{"class":"Task","id":1,"filter":"rank > 5"}}}"#, 400,
                "/queries/a/filter"
            ),
            (
                #"{"queries":{"a":{"class":"Task","id":1,"sort":"rank"}}}"#, 400,
                "/queries/a/sort"
            ),
            (#"{"queries":{"a":{"class":"Task","sort":"rnk"}}}"#, 400, "/queries/a/sort"),
            (#"{"queries":{"a":{"class":"Task","limit":5}}}"#, 400, "/queries/a/limit"),
            (
                #"{"queries":{"a":{"class":"Task","sort":"rank","limit":0}}}"#, 400,
                "/queries/a/limit"
            ),
            (
                #"{"queries":{"a":{"class":"Task","sort":"rank","old":true}}}"#, 400,
                "/queries/a/old"
            ),
            (#"{"queries":{"a":{"class":"Task","feilds":"x"}}}"#, 400, #""hint":"fields""#),
            (#"{"queries":{"a":{"class":"X"},"b":{"class":"Y"}}}"#, 404, "/queries/b"),
        ])
    func faults(body: String, status: Int, text: String) throws {
        let server = try Tasks.server()
        APIScenario("POST", "/v1/streams", body, status: status, contains: [text]).check(
            on: server.server)
        let client = Client(server, ["open": .tasks("done == false")])
        if body != #"{"queries":{"a":null}}"# {
            APIScenario(
                "PATCH", "/v1/streams/\(client.id)", body, status: status, contains: [text]
            ).check(on: server.server)
        }
        // A patch with a fault changes nothing.
        client.patch([:])
    }

    @Test("has one follower, and ends when nobody follows it for too long, or when it is deleted")
    func lifetime() throws {
        let server = try Tasks.server()
        let client = Client(server, ["open": .tasks("done == false")])
        client.open()
        APIScenario(
            "GET", "/v1/streams/\(client.id)", headers: [("Accept", "text/event-stream")],
            status: 409, contains: ["stream-in-use", "POST /v1/streams"]
        ).check(on: server.server)
        APIScenario(
            "GET", "/v1/streams/\(client.id)", headers: [("Accept", "application/json")],
            status: 406
        ).check(on: server.server)
        APIScenario("DELETE", "/v1/streams/\(client.id)", status: 204).check(on: server.server)
        while client.live?.next() != nil {}
        #expect(client.live?.isEnded ?? false)
        for (method, body) in [("GET", nil), ("DELETE", nil), ("PATCH", #"{"queries":{}}"#)] {
            APIScenario(
                method, "/v1/streams/\(client.id)", body,
                headers: [("Accept", "application/json, text/event-stream")], status: 404,
                contains: ["stream-not-found", "since"]
            ).check(on: server.server)
        }
        var options = RESTOptions()
        options.limits.streamReturnSeconds = 0
        let impatient = try Tasks.server(options)
        let forgotten = Client(impatient, ["open": .tasks("done == false")])
        APIScenario(
            "GET", "/v1/streams/\(forgotten.id)", headers: [("Accept", "text/event-stream")],
            status: 404, contains: ["stream-not-found"]
        ).check(on: impatient.server)
    }

    @Test("belongs to its token: others do not find it, also by tickets")
    func ownership() throws {
        let server = try AccessEndTests.server()
        let target = AccessEndTests.made("/v1/streams/{id}", on: server)
        let ticket = try TicketTests.ticket(server, for: target, .write)
        for (method, address, headers) in [
            ("GET", target, [server.authorization(.write)]),
            ("GET", target + "?ticket=\(ticket)", []),
            ("DELETE", target, [server.authorization(.admin)]),
        ] {
            let reply = server.send(method, address, headers + [("Accept", "text/event-stream")])
            #expect(reply.status == 404 && reply.text.contains("stream-not-found"))
        }
        let own = ChangesClient(
            port: server.port, target, headers: [server.authorization(.read)])
        #expect(own.nextEvent().name == "hello")
    }

    @Test("is made again with the last id where it was lost, as after a restart")
    func again() throws {
        let server = try Tasks.server()
        server.task(1, "{}")
        let queries: [String: Client.Query] = [
            "open": .tasks("done == false"), "high": .tasks("rank > 5"),
        ]
        let first = Client(server, queries)
        first.open()
        first.follow(to: "\(server.store.version)")
        let id = first.lastID ?? ""
        first.cut()
        server.task(2, #"{"rank":9}"#)
        let second = Client(server, queries)
        second.open(since: id)
        let events = second.follow(to: "\(server.store.version)")
        #expect(second.resets == [])
        #expect(
            Set(events.flatMap(\.changes)) == ["enter 2"]
                && events.flatMap(\.changes).count == 2)
        #expect(events.dropLast().allSatisfy { $0.id == nil })
    }

    @Test("goes on through changes of the schema, also without a query that is not valid any more")
    func schema() throws {
        let server = try Tasks.server()
        server.task(1, #"{"rank":9}"#)
        let client = Client(
            server, ["open": .tasks("done == false"), "high": .tasks("rank > 5")])
        client.endable = ["high"]
        client.open()
        client.follow(to: "\(server.store.version)")
        var schema = Tasks.schema
        for index in schema.classes.indices where schema.classes[index].name == "Task" {
            schema.classes[index].properties.append(Schemas.property("more", .int))
        }
        try TestServer.put(schema, in: server.store)
        client.follow(to: server.task(2, #"{"rank":9}"#))
        client.expectResults()
        #expect(client.resets.suffix(2).allSatisfy { $0.hasSuffix("schema-changed") })
        APIScenario(
            "PUT", "/v1/schema/classes/Task?allowDataLoss=true",
            #"{"name":"Task","primaryKey":"id","properties":{"id":"int","title":"string","done":"bool","#
                + #""parts":"Task[]","owner":"Person?","next":"Task?","place":"Place?","#
                + #""partOf":{"type":"linkingObjects","class":"Task","property":"parts"}}}"#,
            status: 200
        ).check(on: server.server)
        client.follow("high", hasEnded: true)
        client.follow(to: "\(server.store.version)")
        client.cut()
        client.open()
        client.follow("high", hasEnded: true)
        client.patch(["high": nil])
        client.follow(to: "\(server.store.version)")
        client.expectResults()
    }
}
