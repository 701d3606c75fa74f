import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

/// What is shown through a projection before a transaction is judged: a user's forbidden acts, which the end refuses, show no more of it.
@Suite("Refused writes through projections show nothing that a user can't read")
struct ProjectedOracleTests {
    private let server: RuledServer
    private let ann: RuledServer.Key

    private static let schema = """
        {"classes":[
          {"name":"Doc","primaryKey":"id","properties":{"id":"string","owner":"string?","secret":"string?","nums":"int[]","link":"Doc?",
            "members":{"type":"linkingObjects","class":"Member","property":"doc"}}},
          {"name":"Member","primaryKey":"id","properties":{"id":"string","user":"string?","doc":"Doc?"}}]}
        """
    private static let access = """
        {"roles":{
          "reader":{"classes":{"Doc":{"read":"owner == 'bob'","properties":{"secret":"none","nums":"none","link":"none"}},"Member":{"read":true}}},
          "owner":{"classes":{"Doc":{"read":"owner == $user.id OR ANY members.user == $user.id"}}}}}
        """

    init() throws {
        server = try Self.server(secret: "treasure", count: 3)
        ann = server.user("ann")
    }

    /// A server with a document whose owner alone reads its secret and its numbers, and a document that is hidden from others.
    private static func server(secret: String, count: Int) throws -> RuledServer {
        let server = try RuledServer(classes: [])
        let hidden = "\"secret\":\"\(secret)\",\"nums\":\(Array(0..<count))"
        for (method, path, body) in [
            ("PUT", "schema", schema),
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
                "[{\"id\":\"e\",\"owner\":\"bob\"},{\"id\":\"d\",\"owner\":\"bob\",\"link\":\(count > 1 ? "\"e\"" : "null"),\(hidden)},"
                    + "{\"id\":\"h\",\"owner\":\"cem\",\(hidden)}]"
            ),
            ("POST", "classes/Member/objects", #"{"id":"m","doc":"d"}"#),
            ("PUT", "access", access),
        ] {
            let reply = server.send(method, "/v1/" + path, body)
            #expect(reply.status < 300, "\(path): \(reply.text)")
        }
        return server
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
        let member = #""id":"n","user":"ann","doc":"d""#
        answers("3", "4") { guess in
            send("projections/MemberCard/objects", "{\(member),\"count\":\(guess)}")
        }
        answers("3", "4") { guess in
            send("projections/MemberCard/objects/n", "{\(member),\"count\":\(guess)}", "PUT")
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

    /// An operation that the user has no right to, with guesses of hidden values.
    private static func operation(_ random: inout SeededGenerator) -> String {
        func pick(_ texts: String...) -> String { texts.randomElement(using: &random) ?? "" }
        let id = pick("d", "d", "e", "h", "none")
        let owner = pick(#""ann""#, #""bob""#, "null")
        let guess = pick(#""treasure""#, #""gold""#, "null")
        let count = pick("0", "1", "3", "null")
        let match = pick(#","ifMatch":"00000000-1""#, "")
        let member =
            "\"user\":\(owner),\"doc\":\"\(id)\",\"count\":\(count)"
            + pick("", ",\"docSecret\":\(guess)")
        let document = "\"owner\":\(owner),\"count\":\(count)" + pick("", ",\"secret\":\(guess)")
        let card = "\"projection\":\"DocCard\",\"id\":\"\(id)\"\(match)"
        return pick(
            "{\"op\":\"patch\",\"class\":\"Doc\",\"id\":\"\(id)\"\(match),\"value\":{\"owner\":\(owner)}}",
            "{\"op\":\"delete\",\"class\":\"Doc\",\"id\":\"\(id)\"\(match)}",
            "{\"op\":\"patch\",\(card),\"value\":{\"owner\":\(owner)}}",
            "{\"op\":\"patch\",\(card),\"value\":[{\"op\":\"test\",\"path\":\"/secret\",\"value\":\(guess)}]}",
            "{\"op\":\"put\",\(card),\"value\":{\(document)}}", "{\"op\":\"delete\",\(card)}",
            "{\"op\":\"create\",\"class\":\"Member\",\"value\":{\"id\":\"n\",\"user\":\"ann\",\"doc\":\"\(id)\"}}",
            "{\"op\":\"\(pick("create", "put", "merge"))\",\"projection\":\"MemberCard\",\"value\":{\"id\":\"\(pick("m", "n"))\",\(member)}}",
            #"{"op":"patch","class":"Member","id":"m","value":{"doc":"none"}}"#)
    }

    @Test("whatever is refused, stores that differ in hidden values give equal answers")
    func twins() throws {
        let seed = SeededGenerator.testSeed("refused writes through projections")
        var random = SeededGenerator(seed: seed)
        let twins = try [("treasure", 3), ("gold", 1)].map { secret, count in
            let server = try Self.server(secret: secret, count: count)
            return (server: server, ann: server.user("ann"))
        }
        var statuses: [Int: Int] = [:]
        for _ in 0..<SeededGenerator.scaled(1_000) {
            let operations = (0..<Int.random(in: 2...4, using: &random)).map { _ in
                Self.operation(&random)
            }
            let body = "{\"operations\":[\(operations.joined(separator: ","))]}"
            let answers = twins.map { twin in
                let reply = twin.server.send("POST", "/v1/transactions", body, as: twin.ann)
                statuses[reply.status, default: 0] += 1
                let epoch = twin.server.store.version.description.prefix(8)
                return "\(reply.status) " + reply.text.replacing(epoch, with: "")
            }
            #expect(answers[0] == answers[1], "seed \(seed): \(body)")
            if answers[0] != answers[1] { return }
        }
        print("refused writes through projections: \(statuses)")
    }
}
