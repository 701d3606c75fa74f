import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

/// What is shown through a projection before a transaction is judged: a user's forbidden acts, which the end refuses, show no more of it.
@Suite("Refused writes through projections show nothing that a user can't read")
struct ProjectedOracleTests {
    private let server: RuledServer
    private let ann: RuledServer.Asker

    private static let schema = """
        {"classes":[
          {"name":"Doc","primaryKey":"id","properties":{"id":"string","owner":"string?","secret":"string?","nums":"int[]",
            "members":{"type":"linkingObjects","class":"Member","property":"doc"}}},
          {"name":"Member","primaryKey":"id","properties":{"id":"string","user":"string?","doc":"Doc?"}}]}
        """
    private static let access = """
        {"roles":{
          "reader":{"classes":{"Doc":{"read":"owner == 'bob'","properties":{"secret":"none","nums":"none"}},"Member":{"read":true}}},
          "owner":{"classes":{"Doc":{"read":"owner == $user.id OR ANY members.user == $user.id"}}}}}
        """

    init() throws {
        server = try RuledServer(classes: [])
        ann = server.user("ann")
        for (method, path, body) in [
            ("PUT", "schema", Self.schema),
            (
                "PUT", "projections/DocCard",
                #"{"class":"Doc","properties":{"id":"id","owner":"owner","secret":"secret","count":"nums.@count"}}"#
            ),
            (
                "PUT", "projections/MemberCard",
                #"{"class":"Member","properties":{"id":"id","user":"user","doc":"doc","docSecret":"doc.secret","count":"doc.nums.@count"}}"#
            ),
            (
                "POST", "classes/Doc/objects",
                #"{"id":"d","owner":"bob","secret":"treasure","nums":[1,2,3]}"#
            ),
            ("PUT", "access", Self.access),
        ] {
            let reply = server.send(method, "/v1/" + path, body)
            #expect(reply.status < 300, "\(path): \(reply.text)")
        }
    }

    private func send(_ path: String, _ body: String, _ method: String = "POST") -> HTTPClient.Reply
    {
        let reply = server.send(method, "/v1/" + path, body, as: ann)
        #expect(!reply.text.contains("treasure"), "\(path) \(body): \(reply.text)")
        return reply
    }

    @Test("a 412 shows the object as it was seen before the transaction")
    func preconditions() {
        let own = #"{"op":"patch","class":"Doc","id":"d","value":{"owner":"ann"}}"#
        for operation in [
            #"{"op":"patch","projection":"DocCard","id":"d","ifMatch":"00000000-1","value":{}}"#,
            #"{"op":"put","projection":"DocCard","id":"d","value":{"$version":"00000000-1"}}"#,
            #"{"op":"delete","projection":"DocCard","id":"d","ifMatch":"00000000-1"}"#,
        ] {
            let reply = send("transactions", "{\"operations\":[\(own),\(operation)]}")
            #expect(reply.status == 412, "\(operation): \(reply.text)")
            #expect(reply.text.contains(#""owner":"bob""#), "\(reply.text)")
        }
        let array = send(
            "projections/DocCard/objects?mode=merge",
            #"[{"id":"d","owner":"ann"},{"id":"d","$version":"00000000-1"}]"#)
        #expect(array.status == 412, "\(array.text)")
    }

    @Test(
        "a value that is compared is the one that was seen before, so that guesses get equal answers"
    )
    func guesses() {
        func answers(_ right: String, _ wrong: String, _ body: (String) -> HTTPClient.Reply) {
            let (a, b) = (body(right), body(wrong))
            let isSame = a.status == b.status && a.json["code"] == b.json["code"]
            #expect(isSame, "\(a.text) \(b.text)")
        }
        let member = #""id":"m","user":"ann","doc":"d""#
        answers("3", "4") { guess in
            send("projections/MemberCard/objects", "{\(member),\"count\":\(guess)}")
        }
        answers("3", "4") { guess in
            send("projections/MemberCard/objects/m", "{\(member),\"count\":\(guess)}", "PUT")
        }
        answers(#""treasure""#, #""x""#) { guess in
            server.send(
                "POST", "/v1/projections/MemberCard/objects",
                "{\(member),\"docSecret\":\(guess)}", as: ann)
        }
        answers("3", "4") { guess in
            send(
                "transactions",
                #"{"operations":[{"op":"patch","class":"Doc","id":"d","value":{"owner":"ann"}},"#
                    + #"{"op":"put","projection":"DocCard","id":"d","value":{"owner":"ann","count":\#(guess)}}]}"#
            )
        }
        answers("3", "4") { guess in
            send(
                "transactions",
                #"{"operations":[{"op":"create","projection":"MemberCard","value":{\#(member),"count":\#(guess)}}]}"#
            )
        }
    }
}
