import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

@Suite("a stream of several queries, in their forms")
struct QueryStreamFormTests {
    private typealias Client = QueryStreamClient

    @Test("has an interval, which is stated when it is made")
    func intervals() throws {
        let server = try Tasks.server()
        for text in ["9", "10001", "1.5", "null", #""100""#] {
            APIScenario(
                "POST", "/v1/streams", #"{"queries":{},"interval":\#(text)}"#, status: 400,
                contains: [#""pointer":"/interval""#, "10 to 10000"]
            ).check(on: server.server)
        }
        let client = Client(server, ["open": .tasks("done == false")], interval: 10)
        APIScenario(
            "PATCH", "/v1/streams/\(client.id)", #"{"queries":{},"interval":100}"#, status: 400,
            contains: ["invalid-body"]
        ).check(on: server.server)
        APIScenario(
            "PATCH", "/v1/streams/\(client.id)",
            #"{"queries":{"a":{"class":"Task","old":true}}}"#, status: 400,
            contains: ["/queries/a/old"]
        ).check(on: server.server)
        client.open()
        client.patch(["top": .list("-rank", limit: 3)])
        for rank in 1...20 { server.task(rank % 5, #"{"rank":\#(rank)}"#) }
        client.follow(to: server.task(9, #"{"rank":99}"#))
        client.expectResults()
    }

    @Test("follows live lists: what a step changes for all queries is one event")
    func lists() throws {
        let server = try Tasks.server()
        for id in 1...5 { server.task(id, #"{"rank":\#(id)}"#) }
        let client = Client(
            server,
            [
                "open": .tasks("done == false"), "top": .list("-rank", limit: 2),
                "low": .list("rank", limit: 3),
            ])
        client.open()
        client.follow(to: "\(server.store.version)")
        #expect(Set(client.resets) == ["open: start", "top: start", "low: start"])
        client.expectResults()
        // What each step means, and the indices.
        let steps: [(Int, String, Set<String>)] = [
            (5, #"{"rank":5,"title":"t"}"#, ["open update", "top update 0", "top [] [] [0]"]),
            (
                3, #"{"rank":9}"#,
                [
                    "open update", "top leave", "top enter 0", "top [1] [0] []", "low leave",
                    "low enter 2", "low [2] [2] []",
                ]
            ),
        ]
        for (id, body, expected) in steps {
            let version = server.task(id, body)
            let event = client.next()
            #expect(event.name == "change" && event.id == version)
            let told = (event.json["changes"]?.elements ?? []).map { entry in
                let name = entry["query"]?.string ?? "?"
                guard entry["op"]?.string == "indices" else {
                    let index = entry["index"]?.int.map { " \($0)" } ?? ""
                    return "\(name) \(entry["op"]?.string ?? "?")\(index)"
                }
                let indices = ["deletions", "insertions", "modifications"].map { part in
                    "\(entry[part]?.elements.compactMap { $0.int } ?? [-1])"
                }
                return "\(name) \(indices.joined(separator: " "))"
            }
            #expect(Set(told) == expected && told.count == expected.count, "\(told)")
            client.expectResults(body)
        }
        // The last id resumes all of them.
        let before = client.resets
        client.cut()
        client.open()
        for _ in client.queries { #expect(client.next().name == "upToDate") }
        #expect(client.resets == before)
        client.follow(to: server.task(8, #"{"rank":0}"#))
        client.expectResults()
    }

    @Test(
        "lets go of a query in an interval, beside a list that is newer than what waits for its end"
    )
    func leaving() throws {
        let server = try Tasks.server()
        let client = Client(
            server, ["ranked": .tasks("rank > 0"), "done": .tasks("done == true")],
            interval: 10_000)
        client.open()
        client.follow(to: "\(server.store.version)")
        // The first is told at once, the second when the interval ends.
        client.follow(to: server.task(1, #"{"rank":1}"#))
        server.task(2, #"{"done":true}"#)
        server.person("ann", #"{"age":1}"#)
        var people = Client.Query(
            #"{"class":"Person","sort":"age","limit":3}"#,
            page: "/v1/classes/Person/objects?sort=age&limit=3")
        people.isList = true
        client.patch(["people": people])
        while client.next().name != "upToDate" {}
        client.patch(["ranked": nil])
        client.cut()
        client.open()
        client.follow(to: "\(server.store.version)")
        client.expectResults()
    }

    @Test("tells lists of what a step reaches too many objects by")
    func wideSteps() throws {
        var options = RESTOptions()
        options.heartbeatSeconds = 1
        let server = try Tasks.server(options)
        server.person("ann", #"{"age":1}"#)
        let tasks = (0..<1_100).map { #"{"id":\#($0),"rank":\#($0),"owner":"ann"}"# }
        let reply = server.send(
            "POST", "/v1/classes/Task/objects", "[\(tasks.joined(separator: ","))]")
        #expect(reply.status == 201, "\(reply.text.prefix(200))")
        var top = Client.Query(
            #"{"class":"Task","sort":"-rank","limit":3,"expand":"owner"}"#,
            page: "/v1/classes/Task/objects?sort=-rank&limit=3&expand=owner")
        top.isList = true
        let people = Client.Query(#"{"class":"Person"}"#, page: "/v1/classes/Person/objects")
        let client = Client(server, ["people": people, "top": top])
        client.open()
        client.follow(to: "\(server.store.version)")
        for age in 2...4 {
            client.follow(to: server.person("ann", #"{"age":\#(age)}"#))
            client.expectResults("\(age)")
        }
        #expect(Set(client.resets) == ["people: start", "top: start"])
    }
}
