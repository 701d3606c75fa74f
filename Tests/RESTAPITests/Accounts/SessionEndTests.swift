import HoldfastHTTPServer
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// What a session has begun when it ends, by whatever way.
@Suite("The end of a session")
struct SessionEndTests {
    /// A way in which sessions end.
    enum Way: String, CaseIterable {
        case signingOut, signingOutEverywhere, anotherPassword, resetCode, deletedAccount
    }

    /// Ends a session of an account.
    private static func end(
        _ session: String, _ id: String, _ way: Way, _ world: AccountServer
    ) throws {
        let reply: HTTPClient.Reply
        switch way {
        case .signingOut: reply = world.send("DELETE", "/v1/sessions/current", as: session)
        case .signingOutEverywhere: reply = world.send("DELETE", "/v1/sessions", as: session)
        case .anotherPassword:
            let other = try world.signIn("ann")
            reply = world.send(
                "PUT", "/v1/me/password",
                #"{"password":"\#(AccountServer.password)","newPassword":"another one"}"#, as: other
            )
        case .resetCode:
            let made = world.send("POST", "/v1/accounts/\(id)/reset-code", as: world.admin)
            let code = try #require(QueryJSON(made.text)?["code"]?.string)
            reply = world.send(
                "POST", "/v1/password-resets", #"{"code":"\#(code)","newPassword":"another one"}"#)
        case .deletedAccount: reply = world.send("DELETE", "/v1/accounts/\(id)", as: world.admin)
        }
        #expect(reply.status == 204, "\(reply.text)")
    }

    @Test("ends its streams, answers what waits and cuts exports", arguments: Way.allCases)
    func ends(way: Way) throws {
        let world = try AccountServer()
        let id = try world.makeAccount("ann")
        let rules = #"{"roles":{"all":{"classes":{"*":{"read":true}}}}}"#
        #expect(world.send("PUT", "/v1/access", rules, as: world.admin).status == 200)
        world.server.fillLoose()
        let session = try world.signIn("ann")
        let header = ("Authorization", "Bearer \(session)")
        let target = "/v1/classes/Node/changes"
        let stream = ChangesClient(port: world.server.port, target, headers: [header])
        #expect(stream.nextEvent().name == "hello")
        let poll = HTTPClient(port: world.server.port)
        poll.beginPoll(target, headers: [header])
        world.server.awaitWaiting(2)
        try RulesEndTests.expectCut(world.server, header) {
            do { try Self.end(session, id, way, world) } catch { Issue.record(error) }
            #expect(stream.events(to: "error").last?.json["code"]?.string == "access-ended")
            let reply = poll.finish()
            #expect(reply.status == 401 && reply.text.contains("access-ended"), "\(reply.text)")
        }
        #expect(world.status(session) == 401)
    }
}
