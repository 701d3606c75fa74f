import Glibc
import ObjectModel
import ObjectStore
import ObjectSupport
import RESTAPI
import TestSupport
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
    ]

    @Test("changes what matches when its turn comes, not what it found", arguments: cases)
    func late(_ example: Case) throws {
        let server = try TestServer(schema: Schemas.everything)
        server.send(
            "POST", "/v1/classes/Person/objects",
            #"[{"name":"a","age":10},{"name":"b","age":20,"best":"c"},{"name":"c","age":30}]"#)
        let gate = WriterGate()
        server.store.submit(gate)
        gate.waitUntilReached()
        let port = try #require(server.server.addresses.first?.port)
        let json = [("Content-Type", "application/json")]
        func send(_ method: String, _ target: String, _ body: String) throws -> StartedThread<Int> {
            let thread = try StartedThread {
                let client = HTTPClient(port: port)
                defer { client.disconnect() }
                return client.send(method, target, headers: json, body: Array(body.utf8)).status
            }
            // Long enough to stand in the queue; one that came late would be in another order than meant.
            usleep(100_000)
            return thread
        }
        var threads: [StartedThread<Int>] = []
        for body in example.transactions {
            threads.append(try send("POST", "/v1/transactions", body))
        }
        let filter = example.filter.replacing(" ", with: "%20").replacing(">", with: "%3E")
        threads.append(
            try send("PATCH", "/v1/classes/Person/objects?filter=\(filter)", #"{"role":"hit"}"#))
        gate.open()
        for thread in threads { #expect(thread.result() == 200) }
        let hits = server.send(
            "GET", "/v1/classes/Person/objects?filter=role==%22hit%22&sort=name&fields=name"
        ).text
        let names = example.expected.map { "{\"name\":\"\($0)\"}" }.joined(separator: ",")
        #expect(hits == "{\"objects\":[\(names)]}")
    }
}
