import HoldfastServiceSupport
import Synchronization
import Testing
import HoldfastTestSupport

/// Transactions are serializable: what happens is what would have happened one after the other.
@Suite("isolation")
struct IsolationTests {
    let server: TestServer
    private static let things = "/v1/classes/Thing/objects"
    private var things: String { Self.things }

    init() throws { server = try TestServer(schema: Schemas.everything) }

    private func etag(_ path: String) -> String {
        (server.send("GET", path).headers["etag"] ?? "").filter { $0 != "\"" }
    }

    private static func count(_ id: Int, _ client: HTTPClient) -> (value: Int, etag: String) {
        let reply = client.send("GET", things + "/\(id)")
        let text = reply.text
        guard let start = text.firstRange(of: "\"count\":")?.upperBound else { return (-1, "") }
        let digits = text[start...].prefix { $0.isNumber }
        return (Int(digits) ?? -1, reply.headers["etag"] ?? "")
    }

    @Test("no update is lost when each is made for the version that it was read from")
    func lostUpdate() throws {
        server.send("PUT", things + "/1", #"{"count":0}"#)
        let port = server.server.addresses.first?.port ?? 0
        try runThreads(4) { _ in
            let client = HTTPClient(port: port)
            defer { client.disconnect() }
            for _ in 0..<25 {
                while true {
                    let (value, etag) = Self.count(1, client)
                    let reply = client.send(
                        "PATCH", Self.things + "/1",
                        headers: [("If-Match", etag), ("Content-Type", "application/json")],
                        body: Array("{\"count\":\(value + 1)}".utf8))
                    if reply.status == 200 { break }
                    guard reply.status == 412 else { return }
                }
            }
        }
        #expect(Self.count(1, server.client).value == 100)
    }

    @Test("of two transactions that each read what the other writes, one fails")
    func writeSkew() {
        // Two doctors are on call, and each may leave as long as the other stays.
        server.send("PUT", things + "/1", #"{"flag":true}"#)
        server.send("PUT", things + "/2", #"{"flag":true}"#)
        let seen = (etag(things + "/1"), etag(things + "/2"))
        func leave(_ id: Int, _ own: String, _ other: String) -> String {
            // An empty change with a precondition says: if this has stayed as I have read it.
            """
            {"operations":[
             {"op":"patch","class":"Thing","id":\(3 - id),"ifMatch":"\(other)","value":{}},
             {"op":"patch","class":"Thing","id":\(id),"ifMatch":"\(own)","value":{"flag":false}}]}
            """
        }
        APIScenario("POST", "/v1/transactions", leave(1, seen.0, seen.1), status: 200)
            .check(on: server)
        APIScenario(
            "POST", "/v1/transactions", leave(2, seen.1, seen.0), status: 412,
            contains: ["precondition-failed", "\"pointer\":\"/operations/0\""]
        ).check(on: server)
        APIScenario(
            "GET", things + "?filter=flag%20%3D%3D%20true&count=exact", status: 200,
            contains: ["\"count\":1"]
        ).check(on: server)
        // The test of the other did not change it.
        #expect(etag(things + "/2") == seen.1)
    }

    @Test(
        "what was not there when a query was read keeps a transaction for that version from happening"
    )
    func phantom() {
        server.send("PUT", things + "/1", #"{"name":"room"}"#)
        let read = server.send("GET", things + "?filter=name%20%3D%3D%20%22room%22")
        let version = read.headers["holdfast-version"] ?? ""
        let book =
            "{\"ifVersion\":\"\(version)\",\"operations\":[{\"op\":\"create\",\"class\":\"Thing\",\"value\":{\"id\":%,\"name\":\"room\"}}]}"
        func booking(_ id: Int) -> String {
            book.split(separator: "%").joined(separator: "\(id)")
        }
        APIScenario("POST", "/v1/transactions", booking(2), status: 200).check(on: server)
        APIScenario(
            "POST", "/v1/transactions", booking(3), status: 412,
            contains: ["store-changed", "\"pointer\":\"/ifVersion\""]
        ).check(on: server)
        APIScenario("GET", things + "/3", status: 404).check(on: server)
    }

    @Test("a change by filter sees what was written before it, and all of it")
    func phantomsOfBulkChanges() throws {
        // Writers add objects in pairs while another thread deletes all that match: no reader and no
        // deletion sees half a pair.
        let port = server.server.addresses.first?.port ?? 0
        let filter = things + "?filter=name%20%3D%3D%20%22pair%22"
        let odd = Mutex(0)
        let removed = Mutex(0)
        let runningCount = Mutex(2)
        try runThreads(3) { thread in
            let client = HTTPClient(port: port)
            defer { client.disconnect() }
            if thread < 2 {
                defer { runningCount.withLock { $0 -= 1 } }
                for index in 0..<50 {
                    let id = thread * 1000 + index * 2
                    let body =
                        "{\"operations\":[{\"op\":\"create\",\"class\":\"Thing\",\"value\":{\"id\":\(id),\"name\":\"pair\"}},"
                        + "{\"op\":\"create\",\"class\":\"Thing\",\"value\":{\"id\":\(id + 1),\"name\":\"pair\"}}]}"
                    _ = client.send(
                        "POST", "/v1/transactions",
                        headers: [("Content-Type", "application/json")], body: Array(body.utf8))
                }
                return
            }
            while runningCount.withLock({ $0 > 0 }) {
                let text = client.send("DELETE", filter).text
                let affected = Int(text.dropFirst("{\"affected\":".count).prefix { $0.isNumber })
                if (affected ?? 1) % 2 != 0 { odd.withLock { $0 += 1 } }
                removed.withLock { $0 += affected ?? 0 }
                let page = client.send("GET", filter + "&limit=1000").text
                if page.components(of: "\"id\":") % 2 != 0 { odd.withLock { $0 += 1 } }
            }
        }
        let left = server.send("GET", filter + "&limit=1000").text.components(of: "\"id\":")
        #expect(odd.withLock { $0 } == 0)
        #expect(removed.withLock { $0 } + left == 200)
    }
}
