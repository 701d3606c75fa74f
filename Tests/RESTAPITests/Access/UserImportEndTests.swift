import Glibc
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

@Suite("Imports of users whose access ends")
struct UserImportEndTests {
    /// How ann's access ends, by the kind of her token.
    enum Ending: CaseIterable {
        case document, documentForIssuer, revoked, blocked

        var kind: String { self == .document || self == .revoked ? "store" : "issuer" }
    }

    @Test(
        "end, whether their clients go on or say nothing", arguments: Ending.allCases,
        [1, 250, nil]
    )
    func end(ending: Ending, every milliseconds: Int32?) throws {
        let server = try RulesEndTests.server()
        RulesEndTests.set(
            server,
            #"{"roles":{"all":{"classes":{"Node":{"read":true,"create":true,"update":true}}}}}"#)
        let header = try #require(try RulesEndTests.header(ending.kind, server))
        let admin = [server.authorization(.admin), ("Content-Type", "application/json")]
        let lines = (1...1100).map { "{\"id\":\($0),\"label\":\"one\"}\n" }.joined()
        func count() throws -> Int64 {
            let target = "/v1/classes/Node/objects?limit=1&count=exact"
            let page = QueryJSON(server.send("GET", target, [server.authorization(.admin)]).text)
            return try #require(page?["count"]?.int)
        }
        let reply = try AccessEndTests.upload(
            server, "/v1/classes/Node/import?mode=merge", header, every: milliseconds, begun: lines
        ) {
            // One chunk is whole.
            for _ in 0..<3000 where try count() < 1024 { usleep(10_000) }
            switch ending {
            case .document, .documentForIssuer: RulesEndTests.set(server, #"{"roles":{}}"#)
            case .revoked:
                #expect(server.send("DELETE", "/v1/tokens/ann", admin).status == 204)
            case .blocked:
                let blocked = server.send(
                    "PUT", "/v1/access/users/ann", admin, body: #"{"blocked":true}"#)
                #expect(blocked.status == 200, "\(blocked.text)")
            }
        }
        #expect(
            reply.hasPrefix("HTTP/1.1 401 ") || reply.hasPrefix("HTTP/1.1 403 "), "\(reply)")
        #expect(reply.contains("access-ended"))
        // What was taken stays, and is told.
        #expect(reply.contains("The import ended after line "), "\(reply)")
        if milliseconds == nil {
            #expect(reply.contains(" \(try count()) imported, 0 faulty"), "\(reply)")
        }
        // Her place is free again where she is let in.
        if ending == .document || ending == .documentForIssuer {
            RulesEndTests.set(
                server, #"{"roles":{"all":{"classes":{"Node":{"read":true,"create":true}}}}}"#)
            let again = try #require(try awaitPlace(server, header))
            #expect(again.status == 200, "\(again.text)")
        }
    }

    /// Imports an object as soon as no other import of the user runs.
    private func awaitPlace(
        _ server: GuardedServer, _ header: (String, String)
    ) throws -> HTTPClient.Reply? {
        for _ in 0..<3000 {
            let reply = server.send(
                "POST", "/v1/classes/Node/import", [header], body: #"{"id":9000,"label":"again"}"#)
            if reply.status != 429 { return reply }
            #expect(reply.text.contains("too-many-imports"))
            usleep(10_000)
        }
        return nil
    }
}
