import Glibc
import HoldfastHTTPServer
import HoldfastIdentity
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// What users and nobody have begun when other rules begin to hold.
@Suite("An access document that is set")
struct RulesEndTests {
    private static let signer = SampleSigner(curve: .p256)

    static func server() throws -> GuardedServer {
        let keys = SigningKeys(
            allowsSecrets: false,
            source: { () throws(SigningKeyFailure) in Array(signer.jwk(#""kid":"one""#).utf8) },
            report: { _ in })
        try keys.read()
        let tokens = WebTokens(keys: keys, issuer: "https://id.example", audience: "tasks")
        return try GuardedServer(withTokens: true, webTokens: tokens)
    }

    static func set(_ server: GuardedServer, _ document: String) {
        let reply = server.send(
            "PUT", "/v1/access",
            [server.authorization(.admin), ("Content-Type", "application/json")], body: document)
        #expect(reply.status == 200, "\(reply.text)")
    }

    /// The header of a token of ann's of the store, or of one of an issuer; nil for none.
    static func header(
        _ kind: String, _ server: GuardedServer
    ) throws -> (String, String)? {
        switch kind {
        case "store":
            let made = server.send(
                "POST", "/v1/tokens",
                [server.authorization(.admin), ("Content-Type", "application/json")],
                body: #"{"name":"ann","right":"write","user":"ann"}"#)
            let token = try #require(QueryJSON(made.text)?["token"]?.string)
            return ("Authorization", "Bearer \(token)")
        case "issuer":
            let claims =
                #"{"iss":"https://id.example","aud":"tasks","sub":"ann","exp":\#(Int64(time(nil)) + 300)}"#
            return ("Authorization", "Bearer \(signer.token("ES256", claims))")
        default: return nil
        }
    }

    @Test(
        "cuts their exports",
        arguments: ["store", "issuer", "nobody"])
    func export(kind: String) throws {
        let server = try Self.server()
        Self.set(server, #"{"roles":{"all":{"for":"anyone","classes":{"*":{"read":true}}}}}"#)
        server.fillLoose()
        let header = try Self.header(kind, server).map { "\($0): \($1)\r\n" } ?? ""
        let socket = LoopbackSocket.connect(port: server.port, receiveByteCountMax: 4096)
        defer { close(socket) }
        let text = Array(
            "GET /v1/classes/Loose/export HTTP/1.1\r\nHost: localhost\r\n\(header)\r\n".utf8)
        #expect(send(socket, text, text.count, Int32(MSG_NOSIGNAL)) == text.count)
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        let first = recv(socket, &piece, 12, Int32(MSG_WAITALL))
        #expect(first == 12 && String(decoding: piece[..<12], as: UTF8.self) == "HTTP/1.1 200")
        Self.set(server, #"{"roles":{}}"#)
        let metrics = server.running.server.metrics
        for _ in 0..<30_000 where metrics.inFlight.load(ordering: .relaxed) != 0 { usleep(1000) }
        #expect(metrics.inFlight.load(ordering: .relaxed) == 0)
        var byteCount = 0
        while true {
            let count = recv(socket, &piece, piece.count, 0)
            guard count > 0 else { break }
            byteCount += count
        }
        #expect(byteCount < 20_000_000)
    }
}
