import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("a client that does what the table says holds the query's result")
struct ExactStreamTests {
    private static let tasks = "/v1/classes/Task"

    /// A server with three open tasks.
    private static func server() throws -> ChangesServer {
        let server = try Tasks.server()
        for id in 1...3 { server.task(id, "{}") }
        return server
    }

    @Test(
        "an object that a later page of a snapshot shows, and that leaves behind the last page, is told",
        arguments: TableClient.Mode.allCases, Departure.all)
    func leavesAfterPagedSnapshot(mode: TableClient.Mode, departure: Departure) throws {
        let server = try Self.server()
        departure.prepare(server)
        let client = TableClient(server, Self.tasks, [("filter", departure.filter)])
        _ = client.page(limit: 2)
        departure.enter(server)
        _ = client.page(limit: 2)
        #expect(client.replica.objects["\(QueryJSON.int(4))"] != nil)
        departure.leave(server)
        client.catchUp(mode)
        client.expectResult()
    }

    @Test(
        "a page of a snapshot that is asked for again leaves nothing behind",
        arguments: TableClient.Mode.allCases, Departure.all)
    func repeatedSnapshotPage(mode: TableClient.Mode, departure: Departure) throws {
        let server = try Self.server()
        departure.prepare(server)
        let client = TableClient(server, Self.tasks, [("filter", departure.filter)])
        _ = client.page(limit: 2)
        departure.enter(server)
        _ = client.page(limit: 2, isLost: true)
        departure.leave(server)
        _ = client.page(limit: 2)
        client.catchUp(mode)
        client.expectResult()
    }

    @Test(
        "a catch-up that is cut, and one whose page is asked for again, leave nothing behind",
        arguments: TableClient.Mode.allCases, Departure.all)
    func repeatedCatchUp(mode: TableClient.Mode, departure: Departure) throws {
        let server = try Self.server()
        departure.prepare(server)
        let begin = server.send("GET", Self.tasks + "/changes").json["cursor"]?.string ?? ""
        let client = TableClient(
            server, Self.tasks, [("filter", departure.filter)], since: begin)
        departure.enter(server)
        client.catchUpInVain(mode)
        #expect(client.replica.objects["\(QueryJSON.int(4))"] != nil)
        departure.leave(server)
        client.catchUp(mode)
        #expect(client.replica.objects["\(QueryJSON.int(4))"] == nil)
        // The first three were there at the cursor and have not changed.
        #expect(client.replica.objects.keys.allSatisfy { $0 == "\(QueryJSON.int(9))" })
    }

    @Test(
        "a catch-up from the id of `hello` that is cut leaves nothing behind",
        arguments: Departure.all)
    func repeatedCatchUpFromHello(departure: Departure) throws {
        let server = try Self.server()
        departure.prepare(server)
        let now = server.events(Self.tasks + "/changes", [("filter", departure.filter)])
        let hello = now.nextEvent()
        let client = TableClient(
            server, Self.tasks, [("filter", departure.filter)], since: hello.id ?? "")
        departure.enter(server)
        client.connect(isCut: true)
        #expect(client.replica.objects["\(QueryJSON.int(4))"] != nil)
        departure.leave(server)
        client.connect()
        #expect(client.replica.objects["\(QueryJSON.int(4))"] == nil)
    }

    @Test(
        "a first snapshot that is cut, and comes again for the same URL, leaves nothing behind",
        arguments: Departure.all)
    func repeatedSnapshot(departure: Departure) throws {
        let server = try Self.server()
        departure.prepare(server)
        let client = TableClient(server, Self.tasks, [("filter", departure.filter)])
        departure.enter(server)
        client.connect(isCut: true)
        #expect(client.replica.objects["\(QueryJSON.int(4))"] != nil)
        departure.leave(server)
        client.connect()
        client.expectResult()
        // And when nothing is left to be told.
        let other = TableClient(server, Self.tasks, [("filter", "id == 1 AND done == false")])
        other.connect(isCut: true)
        server.task(1, #"{"done":true}"#)
        other.connect()
        other.expectResult()
        server.task(1, "{}")
        #expect(other.next().changes == ["enter 1"])
        other.expectResult()
    }

    @Test("a stream that comes back after one that was away for longer is told all that it missed")
    func sharedResume() throws {
        let server = try Self.server()
        server.task(9, #"{"parts":[3]}"#)
        let begin = "\(server.store.version)"
        server.task(3, #"{"title":"new"}"#)
        let filter = ("filter", "partOf.@count > 0")
        let later = TableClient(server, Self.tasks, [filter])
        later.connect()
        for round in 0..<100 { server.task(1, #"{"title":"\#(round)"}"#) }
        server.task(9, "{}")
        // What the first one reads of the change log is of use to the second.
        let earlier = TableClient(server, Self.tasks, [filter], since: begin)
        earlier.connect()
        earlier.expectResult()
        later.connect()
        later.expectResult()
    }

    @Test("a live stream remembers nothing of earlier states behind a link")
    func statesBehindLink() throws {
        let server = try Tasks.server()
        server.person("ann", "{}")
        server.task(2, #"{"owner":"ann"}"#)
        let client = TableClient(
            server, Self.tasks, [("filter", "ANY owner.tasks.rank > 15")])
        client.connect()
        for round in 1...6 {
            server.task(1, #"{"owner":"ann","rank":\#(round % 2 * 20)}"#)
            client.next()
            client.expectResult("round \(round)")
        }
    }

    @Test("streams that missed the same changes are each told what became of their own results")
    func resumeByConditions() throws {
        let server = try Tasks.server()
        var random = SeededGenerator(seed: SeededGenerator.testSeed("resumes by conditions"))
        func change() {
            let id = Int.random(in: 1...160, using: &random)
            let path = Self.tasks + "/objects/\(id)"
            switch Int.random(in: 0..<8, using: &random) {
            case 0: server.send("DELETE", path)
            case 1: server.send("PATCH", path, #"{"title":"same \#(id)"}"#)
            default:
                let rank = Int.random(in: -2...4, using: &random)
                let title = ["a", "ab", "abcdefghij", "abcdefghik"].randomElement(using: &random)
                server.task(
                    id,
                    #"{"rank":\#(rank),"title":"\#(title ?? "")","#
                        + #""place":\#(rank < 0 ? "null" : #"{"city":"\#(rank)"}"#)}"#)
            }
        }
        for _ in 0..<200 { change() }
        let filters = [
            "rank == 2", "place.city == null", "rank > 1", "rank BETWEEN {1, 2}", "rank IN {0, 3}",
            "rank == 1 OR title == 'a'", "rank == 9", "title == 'abcdefghik'",
            "title BEGINSWITH 'ab' AND rank < 2", "title CONTAINS[c] 'CDE'", "place.city == '3'",
            "rank != 2", "id == 7", "rank == 2 AND owner.age == null",
        ]
        let clients = filters.flatMap { filter in
            (0..<2).map { _ in TableClient(server, Self.tasks, [("filter", filter)]) }
        }
        for (number, client) in clients.enumerated() where number % 2 == 0 { client.connect() }
        for _ in 0..<15 { change() }
        for (number, client) in clients.enumerated() where number % 2 == 1 { client.connect() }
        for _ in 0..<300 { change() }
        for (number, client) in clients.enumerated() {
            // What is read for the first is of use to the others, also when the store goes on.
            if number % 3 == 0 { change() }
            client.connect()
            client.expectResult(filters[number / 2])
        }
    }

    @Test("pages of a projection skip nothing when what was told before is told no more")
    func projectedPages() throws {
        let server = try ExactProjections.server()
        for id in 1...2 {
            server.send("POST", "/v1/classes/Place/objects", #"{"_id":\#(id),"city":"a"}"#)
            server.send(
                "POST", "/v1/classes/Person/objects", #"{"_id":\#(id),"firstName":"b"}"#)
        }
        server.send("PATCH", "/v1/classes/Person/objects/1", #"{"home":1}"#)
        let client = TableClient(server, "/v1/projections/Card")
        client.catchUp(.pages)
        let reply = server.send(
            "POST", "/v1/transactions",
            #"{"operations":[{"op":"patch","class":"Place","id":1,"value":{"city":"new"}},"#
                + #"{"op":"patch","class":"Person","id":1,"value":{"note":"new"}},"#
                + #"{"op":"patch","class":"Person","id":2,"value":{"firstName":"new"}}]}"#)
        #expect(reply.status == 200, "\(reply.text)")
        _ = client.page(limit: 1)
        server.send("PATCH", "/v1/classes/Person/objects/1", #"{"home":2}"#)
        client.catchUp(.pages, limit: 1)
        client.expectResult()
        #expect(client.goneCount == 0)
    }

    @Test(
        "a projection of the second of two inverse properties over one origin is told of changes",
        arguments: TableClient.Mode.allCases)
    func projectedSecondInverse(mode: TableClient.Mode) throws {
        let server = try ExactProjections.server()
        server.send(
            "POST", "/v1/classes/Person/objects",
            #"[{"_id":1,"firstName":"a","friends":[2]},{"_id":2,"firstName":"b"}]"#)
        let stream = server.events("/v1/projections/Fan2/changes")
        #expect(stream.nextEvent().name == "hello")
        let client = TableClient(server, "/v1/projections/Fan2")
        client.catchUp(.pages)
        server.send("PATCH", "/v1/classes/Person/objects/1", #"{"friends":[]}"#)
        #expect(stream.nextEvent().changes == ["update 2"])
        client.catchUp(mode)
        client.expectResult("a fan no more")
        server.send("PATCH", "/v1/classes/Person/objects/1", #"{"friends":[1,2]}"#)
        #expect(stream.nextEvent().changes.sorted() == ["update 1", "update 2"])
        client.catchUp(mode)
        client.expectResult("a fan again")
    }

    @Test(
        "`changed` names the inverse property that `fields` shows, not another over the same origin"
    )
    func changedSecondInverse() throws {
        let server = try ExactProjections.server()
        server.send(
            "POST", "/v1/classes/Person/objects",
            #"[{"_id":1,"firstName":"a","friends":[2]},{"_id":2,"firstName":"b"}]"#)
        let begin = "\(server.store.version)"
        let parameters = [("fields", "_id,fanOf2")]
        let path = "/v1/classes/Person/changes"
        let stream = server.events(path, parameters)
        #expect(stream.nextEvent().name == "hello")
        func changed(_ entries: [QueryJSON]) -> QueryJSON? {
            entries.first { $0["id"]?.int == 2 }?["changed"]
        }
        server.send("PATCH", "/v1/classes/Person/objects/1", #"{"friends":[]}"#)
        let expected = QueryJSON.array([.string("fanOf2")])
        #expect(changed(stream.nextEvent().json["changes"]?.elements ?? []) == expected)
        let page = server.send("GET", target(path, parameters + [("since", begin)]))
        #expect(changed(page.json["changes"]?.elements ?? []) == expected, "\(page.text)")
    }
}
