import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI
@testable import HoldfastStreams

/// What users share whose rules and values are equal.
@Suite("Users of equal rules")
struct SharedRuleTests {
    @Test(
        "share what finds their streams, and each piece of JSON, and others have their own",
        arguments: [#"team == $user.team"#, #"team == $user.team OR ANY members == $user.team"#])
    func streams(rule: String) throws {
        let server = try RuledServer(classes: [])
        let schema =
            #"{"classes":[{"name":"Task","primaryKey":"id","properties":{"id":"int","team":"string","members":"string[]","n":"int"}}]}"#
        #expect(server.send("PUT", "/v1/schema", schema).status == 200)
        for (id, team) in [(1, "a"), (2, "b")] {
            server.send("PUT", "/v1/classes/Task/objects/\(id)", #"{"team":"\#(team)"}"#)
        }
        let document = "{\"roles\":{\"m\":{\"classes\":{\"Task\":{\"read\":\"\(rule)\"}}}}}"
        #expect(server.send("PUT", "/v1/access", document).status == 200)
        let clients = (0..<12).map { index in
            let user = server.user(
                "u\(index)", claims: index < 8 ? #"{"team":"a"}"# : #"{"team":"b"}"#)
            return server.follow("/v1/classes/Task/changes", as: user)
        }
        for client in clients { #expect(client.next()?.name == "hello") }
        let hub = try #require(server.streams)
        let followers = try #require(hub.liveFollowers(count: clients.count))
        // One for each team finds the changes, and is told of them.
        #expect(Set(followers.compactMap { $0.channel.map { ObjectIdentifier($0) } }).count == 2)
        let before = hub.encodingCount
        let written = server.send("PATCH", "/v1/classes/Task/objects/1", #"{"n":1}"#)
        #expect(written.status == 200, "\(written.text)")
        for client in clients.prefix(8) {
            #expect(client.events(to: "change").last?.data.contains(#""id":1"#) == true)
        }
        #expect(hub.encodingCount == before + 1)
    }
}
