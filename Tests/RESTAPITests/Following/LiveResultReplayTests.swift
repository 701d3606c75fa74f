import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("live results under load")
struct LiveResultReplayTests {
    /// What is followed, and the query that says what it is.
    private struct Query: Sendable {
        var follows: String
        var reads: String
        var parameters: [(String, String)]
        var hasSections = false
    }

    private static func list(
        _ container: String, _ parameters: [(String, String)]
    ) -> Query {
        Query(
            follows: "/v1/\(container)/changes", reads: "/v1/\(container)/objects",
            parameters: parameters)
    }

    private static let queries = [
        list("classes/Task", [("sort", "-rank"), ("limit", "4"), ("fields", "*,$version")]),
        list(
            "classes/Task",
            [("sort", "title,-rank"), ("limit", "100"), ("filter", "done == false")]),
        list(
            "classes/Task",
            [("sort", "owner.age"), ("limit", "5"), ("expand", "owner"), ("filter", "rank > 2")]),
        list("projections/Card", [("sort", "-owner.age,rank"), ("limit", "3")]),
        Query(
            follows: "/v1/classes/Task/sections/changes", reads: "/v1/classes/Task/sections",
            parameters: [("by", "title"), ("sort", "title,-rank"), ("fields", "*,$version")],
            hasSections: true),
        Query(
            follows: "/v1/classes/Task/sections/changes", reads: "/v1/classes/Task/sections",
            parameters: [
                ("by", "owner.name"), ("sort", "-rank"), ("limit", "3"), ("objects", "2"),
            ],
            hasSections: true),
        Query(
            follows: "/v1/classes/Task/aggregate/changes", reads: "/v1/classes/Task/aggregate",
            parameters: [("op", "count,sum(rank),max(owner.age)"), ("filter", "done == false")]),
        Query(
            follows: "/v1/classes/Task/aggregate/changes", reads: "/v1/classes/Task/aggregate",
            parameters: [("op", "count,min(rank)"), ("by", "owner.name"), ("limit", "1000")]),
    ]

    /// Reads a stream to a version and returns the result that its client has at each id.
    private static func follow(
        _ query: Query, _ stream: ChangesClient, to end: @Sendable () -> Int?
    ) -> [(version: Int, result: FollowedResult)] {
        var result = FollowedResult(hasSections: query.hasSections)
        var found: [(version: Int, result: FollowedResult)] = []
        while let event = stream.next() {
            result.apply(event)
            guard result.isWhole, let id = event.id,
                let version = id.split(separator: "-").last.flatMap({ Int($0) })
            else { continue }
            found.append((version, result))
            if let end = end(), version >= end { break }
        }
        return found
    }

    @Test(
        "what a client has at each id is what the query gives at that version", arguments: [0, 20])
    func replay(interval: Int) throws {
        let seed = SeededGenerator.testSeed("live results")
        var options = RESTOptions()
        options.heartbeatSeconds = 1
        let server = try Tasks.server(options)
        APIScenario(
            "PUT", "/v1/projections/Card",
            #"{"class":"Task","properties":{"label":"title","who":"owner.name"}}"#, status: 201
        ).check(on: server.server)
        let port = server.port
        let end = Box()
        let readers = try Self.queries.map { query in
            var parameters = query.parameters
            if query.reads.hasSuffix("aggregate") { parameters.removeAll { $0.0 == "limit" } }
            if interval > 0 { parameters.append(("interval", "\(interval)")) }
            let target = target(query.follows, parameters)
            return try StartedThread {
                Self.follow(query, ChangesClient(port: port, target)) {
                    end.value.flatMap { Int($0) }
                }
            }
        }
        // One writer, so that each version can be read.
        var generator = SeededGenerator(seed: seed)
        let client = HTTPClient(port: port)
        var replies: [Int: [QueryJSON]] = [:]
        func read() {
            let version = Int(server.store.version.number)
            if replies[version] != nil { return }
            replies[version] = Self.queries.map {
                client.send("GET", target($0.reads, $0.parameters)).json
            }
        }
        read()
        for _ in 0..<SeededGenerator.scaled(150) {
            Self.write(client, &generator)
            read()
        }
        end.value = "\(server.store.version.number)"
        for (position, reader) in readers.enumerated() {
            let query = Self.queries[position]
            let found = reader.result()
            #expect(found.last?.version ?? 0 >= Int(server.store.version.number))
            for (version, result) in found {
                guard let reply = replies[version]?[position] else { continue }
                let note = "seed \(seed), version \(version): \(query)"
                if query.follows.contains("aggregate") {
                    #expect(result.value == reply, "\(note)")
                } else if query.hasSections {
                    let expected = reply["sections"]?.elements ?? []
                    #expect(result.sections.map(\.key) == expected.map { $0["key"] }, "\(note)")
                    #expect(
                        result.sections.map(\.count) == expected.map { $0["count"]?.int },
                        "\(note)")
                    #expect(
                        result.sections.map { $0.entries.compactMap { $0["object"] } }
                            == expected.map { $0["objects"]?.elements ?? [] }, "\(note)")
                } else {
                    #expect(result.objects == reply["objects"]?.elements ?? [], "\(note)")
                }
            }
        }
    }

    /// One random transaction.
    private static func write(_ client: HTTPClient, _ generator: inout SeededGenerator) {
        func any(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
        func operation() -> String {
            let person = ["a", "b", "c", "d"][any(4)]
            switch any(8) {
            case 0: return #"{"op":"delete","class":"Task","id":\#(any(12))}"#
            case 1, 2:
                return
                    #"{"op":"put","class":"Person","id":"\#(person)","value":{"age":\#(any(6))}}"#
            case 3:
                return
                    #"{"op":"put","class":"Task","id":\#(any(12)),"value":{"title":"\#(["x", "y", "z"][any(3)])","rank":\#(any(9)),"owner":"\#(person)"}}"#
            case 4:
                return
                    #"{"op":"put","class":"Task","id":\#(any(12)),"value":{"title":"x","done":\#(any(2) == 0),"rank":\#(any(9))}}"#
            default:
                return
                    #"{"op":"put","class":"Task","id":\#(any(12)),"value":{"title":"\#(["x", "y"][any(2)])","rank":\#(any(9)),"owner":"\#(person)"}}"#
            }
        }
        let operations = (0...any(4)).map { _ in operation() }.joined(separator: ",")
        let reply = client.send(
            "POST", "/v1/transactions", headers: [("Content-Type", "application/json")],
            body: Array("{\"operations\":[\(operations)]}".utf8))
        #expect([200, 404, 422].contains(reply.status), "\(reply.text)")
    }
}
