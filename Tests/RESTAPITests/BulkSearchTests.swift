import Glibc
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

/// What happens between the search of a change by filter, which a worker does in the last commit, and the
/// writer's turn.
@Suite("the search of a change by filter")
struct BulkSearchTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var filter: String
        /// Bodies of transactions that are committed after the search and before the change.
        var transactions: [String]
        /// Who is changed in the end.
        var expected: [String]
    }

    private static func operation(_ op: String, _ id: String, _ value: String? = nil) -> String {
        let value = value.map { ",\"value\":\($0)" } ?? ""
        return #"{"operations":[{"op":"\#(op)","class":"Person","id":"\#(id)"\#(value)}]}"#
    }

    private static let cases = [
        Case(
            testDescription: "nothing", filter: "age > 10", transactions: [],
            expected: ["b", "c"]),
        Case(
            testDescription: "an object begins to match", filter: "age > 10",
            transactions: [operation("merge", "a", #"{"age":11}"#)], expected: ["a", "b", "c"]),
        Case(
            testDescription: "an object no longer matches", filter: "age > 10",
            transactions: [operation("merge", "b", #"{"age":1}"#)], expected: ["c"]),
        Case(
            testDescription: "an object no longer matches, and does again", filter: "age > 10",
            transactions: [
                operation("merge", "b", #"{"age":1}"#), operation("merge", "b", #"{"age":12}"#),
            ], expected: ["b", "c"]),
        Case(
            testDescription: "one is created and one deleted", filter: "age > 10",
            transactions: [
                operation("put", "d", #"{"age":40}"#), operation("delete", "c"),
            ], expected: ["b", "d"]),
        Case(
            testDescription: "what a link leads to changes", filter: "best.age == 30",
            transactions: [operation("merge", "c", #"{"age":5}"#)], expected: []),
        Case(
            testDescription: "what a link leads to begins to match", filter: "best.best.age > 29",
            transactions: [operation("merge", "a", #"{"best":"b"}"#)], expected: ["a"]),
        Case(
            testDescription: "a link is cut by a deletion", filter: "best == null",
            transactions: [operation("delete", "c")], expected: ["a", "b"]),
        Case(
            testDescription: "an inverse link appears", filter: "friendOf.@count > 0",
            transactions: [operation("merge", "a", #"{"friends":["c"]}"#)], expected: ["c"]),
        Case(
            testDescription: "all objects are meant", filter: "TRUEPREDICATE",
            transactions: [operation("put", "d", "{}")], expected: ["a", "b", "c", "d"]),
        Case(
            testDescription: "the first of an order is another one",
            filter: "TRUEPREDICATE SORT(age DESC) LIMIT(1)",
            transactions: [operation("put", "d", #"{"age":99}"#)], expected: ["d"]),
        Case(
            testDescription: "one that is no match comes beside an order",
            filter: "age > 10 SORT(age DESC) LIMIT(1)",
            transactions: [operation("put", "d", #"{"age":9}"#)], expected: ["c"]),
        Case(
            testDescription: "the first of an order changes in what does not order",
            filter: "age > 10 SORT(age DESC) LIMIT(1)",
            transactions: [operation("merge", "c", #"{"friends":["a"]}"#)], expected: ["c"]),
        Case(
            testDescription: "the first of an order becomes the last",
            filter: "age > 5 SORT(age DESC) LIMIT(1)",
            transactions: [operation("merge", "c", #"{"age":6}"#)], expected: ["b"]),
        Case(
            testDescription: "the first of an order goes",
            filter: "TRUEPREDICATE SORT(age DESC) LIMIT(2)",
            transactions: [operation("delete", "c")], expected: ["a", "b"]),
        Case(
            testDescription: "what the objects are sorted by behind a link changes",
            filter: "best != null SORT(best.age DESC) LIMIT(1)",
            transactions: [
                operation("merge", "a", #"{"best":"a"}"#),
                operation("merge", "a", #"{"age":31}"#),
            ], expected: ["a"]),
        Case(
            testDescription: "one that matches comes behind the last of an order",
            filter: "age > 10 SORT(age DESC) LIMIT(1)",
            transactions: [operation("put", "d", #"{"age":29}"#)], expected: ["c"]),
        Case(
            testDescription: "one comes that equals the last of an order",
            filter: "age > 10 SORT(age ASC) LIMIT(1)",
            transactions: [operation("put", "d", #"{"age":20}"#)], expected: ["b"]),
        Case(
            testDescription: "one comes that equals the last of an order that falls",
            filter: "age > 10 SORT(age DESC) LIMIT(1)",
            transactions: [operation("put", "d", #"{"age":30}"#)], expected: ["c"]),
        Case(
            testDescription: "an older one comes to equal the last of an order that falls",
            filter: "age > 10 SORT(age DESC) LIMIT(1)",
            transactions: [operation("merge", "a", #"{"age":30}"#)], expected: ["a"]),
        Case(
            testDescription: "the first in the order of keys stay so",
            filter: "TRUEPREDICATE LIMIT(2)",
            transactions: [operation("put", "d", "{}"), operation("merge", "c", #"{"age":1}"#)],
            expected: ["a", "b"]),
        Case(
            testDescription: "one of a new value comes behind the last of a full choice",
            filter: "TRUEPREDICATE SORT(age ASC) DISTINCT(age) LIMIT(2)",
            transactions: [operation("put", "d", #"{"age":25}"#)], expected: ["a", "b"]),
        Case(
            testDescription: "one of a new value comes where the choice was not full",
            filter: "TRUEPREDICATE SORT(age ASC) DISTINCT(age) LIMIT(4)",
            transactions: [operation("put", "d", #"{"age":40}"#)],
            expected: ["a", "b", "c", "d"]),
        Case(
            testDescription: "a limit is not reached, and then is",
            filter: "age > 10 LIMIT(3)",
            transactions: [
                operation("put", "d", #"{"age":40}"#), operation("put", "e", #"{"age":50}"#),
            ], expected: ["b", "c", "d"]),
        Case(
            testDescription: "a limit is not reached, and still is not",
            filter: "age > 10 LIMIT(3)",
            transactions: [operation("put", "d", #"{"age":40}"#)], expected: ["b", "c", "d"]),
        Case(
            testDescription: "the first of equals is another one",
            filter: "age > 5 DISTINCT(age)",
            transactions: [operation("merge", "a", #"{"age":20}"#)], expected: ["a", "c"]),
        Case(
            testDescription: "the first of equals no longer matches",
            filter: "name != 'b' SORT(name DESC) DISTINCT(role)",
            transactions: [operation("delete", "c")], expected: ["a"]),
        Case(
            testDescription: "an order in steps lets another one in",
            filter: "TRUEPREDICATE SORT(age DESC) LIMIT(2) DISTINCT(role)",
            transactions: [operation("merge", "c", #"{"age":1}"#)], expected: ["b"]),
        Case(
            testDescription: "an order alone leaves nothing out",
            filter: "age > 10 SORT(age DESC)",
            transactions: [operation("merge", "a", #"{"age":15}"#)], expected: ["a", "b", "c"]),
    ]

    /// Sends transactions of the administrator and then a change by filter, whose search is made before any of them is committed. Returns the
    /// status of each reply.
    ///
    /// - `user`, `admin`: The headers that say who asks.
    private func change(
        _ filter: String, _ body: String, on store: Store, port: UInt16,
        by user: [(String, String)] = [], of admin: [(String, String)] = [],
        after transactions: [String]
    ) throws -> [Int] {
        let gate = WriterGate()
        store.submit(gate)
        gate.waitUntilReached()
        func send(
            _ method: String, _ target: String, _ body: String, _ bearer: [(String, String)]
        ) throws -> StartedThread<Int> {
            let json = [("Content-Type", "application/json")] + bearer
            let waitingCount = store.waitingWriteCount
            let thread = try StartedThread {
                let client = HTTPClient(port: port)
                defer { client.disconnect() }
                return client.send(method, target, headers: json, body: Array(body.utf8)).status
            }
            // The next one is sent when this one stands in the queue.
            for _ in 0..<30_000 {
                if store.waitingWriteCount > waitingCount { return thread }
                usleep(1000)
            }
            Issue.record("\(method) \(target) did not get into the queue")
            return thread
        }
        var threads: [StartedThread<Int>] = []
        for body in transactions {
            threads.append(try send("POST", "/v1/transactions", body, admin))
        }
        threads.append(try send("PATCH", Self.target(filter), body, user))
        gate.open()
        return threads.map { $0.result() }
    }

    private static func target(_ filter: String) -> String {
        let text = filter.replacing(" ", with: "%20").replacing(">", with: "%3E")
        return "/v1/classes/Person/objects?filter=\(text)"
    }

    private static let people =
        #"[{"name":"a","age":10},{"name":"b","age":20,"best":"c"},{"name":"c","age":30}]"#

    @Test("changes what matches when its turn comes, not what it found", arguments: cases)
    func late(_ example: Case) throws {
        let server = try TestServer(schema: Schemas.everything)
        server.send("POST", "/v1/classes/Person/objects", Self.people)
        let statuses = try change(
            example.filter, #"{"role":"hit"}"#, on: server.store,
            port: server.server.addresses.first?.port ?? 0,
            after: example.transactions)
        #expect(statuses.allSatisfy { $0 == 200 })
        let hits = server.send("GET", Self.target("role == 'hit'") + "&sort=name&fields=name").text
        let names = example.expected.map { "{\"name\":\"\($0)\"}" }.joined(separator: ",")
        #expect(hits == "{\"objects\":[\(names)]}")
    }

    @Test("a change that links carry to very many objects has the search made again")
    func reachedByMany() throws {
        let server = try TestServer(schema: Schemas.everything)
        server.send("POST", "/v1/classes/Person/objects", Self.people)
        let many = (0..<10_100).map { #"{"name":"p\#($0)","age":\#($0),"best":"c"}"# }
        let created = server.send(
            "POST", "/v1/classes/Person/objects", "[\(many.joined(separator: ","))]",
            headers: [("Prefer", "return=minimal")])
        #expect(created.status == 201)
        for (age, filter, expected) in [
            (9, "best.age == 30 SORT(age DESC) LIMIT(1)", 0),
            (31, "best.age > 30 SORT(age DESC) LIMIT(1)", 1), (8, "best.age > 30", 0),
        ] {
            let statuses = try change(
                filter, #"{"role":"r\#(age)"}"#, on: server.store,
                port: server.server.addresses.first?.port ?? 0,
                after: [Self.operation("merge", "c", #"{"age":\#(age)}"#)])
            #expect(statuses == [200, 200])
            let hits = server.send("GET", Self.target("role == 'r\(age)'") + "&fields=name").json
            #expect(hits["objects"]?.elements.count == expected, "\(filter)")
        }
    }

    /// What a user may read and change depends on others.
    private static let document = """
        {"roles":{"m":{"classes":{"Person":{"read":"age > 11 OR best.age > 12 OR ANY friends.age > 12","update":true,
          "properties":{"best":"read"}}}},
          "n":{"classes":{"Person":{"read":"role == 'r1'","update":true,"properties":{"age":"none"}}}}}}
        """

    @Test(
        "changes the same objects as one that nobody was faster than, whatever was changed before",
        arguments: [false, true])
    func random(byUser: Bool) throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("bulk search, \(byUser)"))
        let late = try RuledServer(classes: Schemas.everything.classes)
        let plain = try RuledServer(classes: Schemas.everything.classes)
        for server in [late, plain] {
            server.send("POST", "/v1/classes/Person/objects", Self.people)
            let put = server.send("PUT", "/v1/access", Self.document)
            #expect(put.status == 200, "\(put.text)")
        }
        let asker = byUser ? plain.user("ann") : .admin
        let user = late.headers(byUser ? late.user("ann") : .admin)
        let conditions = [
            "TRUEPREDICATE", "age > 12", "best.age > 12", "role != null", "friendOf.@count == 0",
            "@links.@count > 0", "ANY friends.age > 12",
        ]
        let suffixes = [
            "", "SORT(friendOf.@count DESC) LIMIT(1)", "SORT(friends.@max.age ASC) LIMIT(2)",
            "SORT(@links.@count DESC) LIMIT(2)", "SORT(age DESC) LIMIT(2)", "LIMIT(3)",
            "DISTINCT(age)",
            "SORT(name DESC) DISTINCT(age)",
            "SORT(best.age ASC) LIMIT(1)", "SORT(age ASC) LIMIT(3) DISTINCT(role)", "SORT(age ASC)",
        ]
        for round in 0..<SeededGenerator.scaled(150) {
            let filter = "\(pick(conditions)) \(pick(suffixes))"
            let transactions = (0..<Int.random(in: 1...2, using: &random)).map { _ in
                let name = pick(["a", "b", "c", "d", "e"])
                switch Int.random(in: 0..<5, using: &random) {
                case 0: return Self.operation("delete", name)
                case 1: return Self.operation("put", name, #"{"age":\#(age())}"#)
                case 2: return Self.operation("put", name, #"{"age":\#(age()),"best":"c"}"#)
                case 3:
                    return Self.operation("put", name, #"{"age":\#(age()),"friends":["a","b"]}"#)
                default: return Self.operation("put", name, #"{"role":"r"}"#)
                }
            }
            let body = #"{"role":"r\#(round % 3)"}"#
            let statuses = try change(
                filter, body, on: late.store, port: late.port, by: user, of: late.headers(.admin),
                after: transactions)
            let plainly =
                transactions.map { plain.send("POST", "/v1/transactions", $0).status }
                + [plain.send("PATCH", Self.target(filter), body, as: asker).status]
            #expect(statuses == plainly && statuses.last == 200, "\(statuses) \(plainly)")
            let all = "/v1/classes/Person/objects?sort=name&fields=name,age,role,best"
            #expect(
                late.send("GET", all).text == plain.send("GET", all).text,
                "\(filter) after \(transactions)")
        }

        func pick(_ texts: [String]) -> String {
            texts[Int.random(in: 0..<texts.count, using: &random)]
        }
        func age() -> Int { Int.random(in: 10...14, using: &random) }
    }
}
