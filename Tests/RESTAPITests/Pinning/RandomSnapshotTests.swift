import HoldfastObjectStore
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

@Suite("Pinned versions beside writes")
struct RandomSnapshotTests {
    private static let targets = [
        "/v1/classes/Node/objects?limit=1000", "/v1/classes/Loose/objects?limit=1000",
        "/v1/classes/Node/objects?sort=-label&limit=7", "/v1/classes/Node/objects/3?expand=next",
        "/v1/classes/Node/objects?filter=next.label%3E%22m%22&fields=id,label,before&limit=1000",
        "/v1/classes/Node/objects?filter=ANY+before.id%3E5&count=exact",
        "/v1/classes/Node/aggregate?op=count,max(label),sum(id)&filter=id%3E4",
        "/v1/classes/Node/sections?by=prefix(label,1)",
        "/v1/classes/Node/objects/3/properties/before",
    ]

    private static func server(_ engineCase: EngineCase) throws -> TestServer {
        var storeOptions = StoreOptions()
        // A scan of few objects has columns too.
        storeOptions.columns.objectCountMin = 1
        storeOptions.columns.useCountMin = 1
        return try TestServer(
            try engineCase.open(), schema: Importing.nodes, storeOptions: storeOptions)
    }

    private static func write(_ client: HTTPClient, _ random: inout SeededGenerator) {
        let id = Int.random(in: 1...30, using: &random)
        let label = "\"\(UInt64.random(in: 0 ... .max, using: &random))\""
        let next = Int.random(in: 1...30, using: &random)
        let json = [("Content-Type", "application/json")]
        let path = "/v1/classes/Node/objects/\(id)"
        let (method, target, body): (String, String, String?) =
            switch Int.random(in: 0..<8, using: &random) {
            case 0: ("DELETE", path, nil)
            case 1:
                (
                    "POST", "/v1/classes/Loose/objects",
                    "{\"label\":\(label),\"node\":{\"id\":\(id)}}"
                )
            case 2: ("PATCH", path, "{\"label\":\(label)}")
            default:
                ("PUT", path, "{\"label\":\(label),\"next\":{\"id\":\(next)},\"others\":[\(id)]}")
            }
        _ = client.send(
            method, target, headers: body == nil ? [] : json, body: body.map { Array($0.utf8) })
    }

    /// The replies to all targets, without the ids of snapshots.
    private static func replies(_ client: HTTPClient, under id: String?) -> [String] {
        targets.map { target in
            let suffix = id.map { "&snapshot=\($0)" } ?? ""
            let mark = target.contains("?") || suffix.isEmpty ? "" : "?"
            let reply = client.send("GET", target + mark + suffix)
            let text = id.map { reply.text.replacing("\($0).", with: "") } ?? reply.text
            return "\(reply.status) \(reply.headers["etag"] ?? "") \(text)"
        }
    }

    @Test(
        "whatever is written later, a read is what it was when the version was pinned",
        arguments: EngineCase.all)
    func later(engineCase: EngineCase) throws {
        let server = try Self.server(engineCase)
        var random = SeededGenerator(seed: SeededGenerator.testSeed("pinned versions"))
        var pinned: [(id: String, replies: [String])] = []
        for round in 0..<SeededGenerator.scaled(60) {
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                Self.write(server.client, &random)
            }
            if pinned.count < 8 {
                let replies = Self.replies(server.client, under: nil)
                let reply = server.send("GET", "/v1/classes/Node/objects?snapshot=new")
                pinned.append((try #require(reply.headers["holdfast-snapshot"]), replies))
            }
            let one = pinned[round % pinned.count]
            #expect(Self.replies(server.client, under: one.id) == one.replies, "round \(round)")
        }
    }

    @Test("many read one version at once, beside a writer", arguments: EngineCase.all)
    func together(engineCase: EngineCase) throws {
        let server = try Self.server(engineCase)
        let seed = SeededGenerator.testSeed("pinned versions")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 { Self.write(server.client, &random) }
        let expected = Self.replies(server.client, under: nil)
        let id = try #require(
            server.send("GET", "/v1/classes/Node/objects?snapshot=new").headers["holdfast-snapshot"]
        )
        let port = server.server.addresses.first?.port ?? 0
        try runThreads(5) { thread in
            let client = HTTPClient(port: port)
            defer { client.disconnect() }
            var random = SeededGenerator(seed: seed &+ UInt64(thread))
            for _ in 0..<15 {
                if thread == 0 {
                    for _ in 0..<20 { Self.write(client, &random) }
                } else {
                    #expect(Self.replies(client, under: id) == expected)
                }
            }
        }
    }
}
