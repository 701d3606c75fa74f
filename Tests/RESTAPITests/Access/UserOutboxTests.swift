import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

@Suite("Asymmetric classes, for users")
struct UserOutboxTests {
    private static let document = """
        {"roles":{"device":{"classes":{
          "Reading":{"read":"device == $user.id OR $user.id == 'cem'","create":"device == $user.id",
            "delete":"device == $user.id","properties":{"checked":"read","note":"none"}}}}}}
        """

    private let server: RuledServer
    private let ann: RuledServer.Key

    init() throws {
        server = try RuledServer(classes: [])
        for (target, body) in [
            (
                "schema",
                """
                {"classes":[{"name":"Reading","kind":"asymmetric","properties":{"device":"string","celsius":"double",
                  "checked":"bool?","note":"string?"}},
                  {"name":"Other","kind":"asymmetric","properties":{"a":"int"}}]}
                """
            ), ("access", Self.document),
        ] {
            let put = server.send("PUT", "/v1/" + target, body)
            #expect(put.status == 200, "\(put.text)")
        }
        ann = server.user("ann")
    }

    private func outbox() -> [QueryJSON]? {
        QueryJSON(server.send("GET", "/v1/classes/Reading/outbox").text)?["objects"]?.elements
    }

    @Test("put in what their roles let them create, in every way")
    func create() throws {
        let target = "/v1/classes/Reading/objects"
        let rows: [(String, String, String, Int)] = [
            (target, #"{"device":"ann","celsius":20}"#, "", 201),
            (target, #"{"device":"bob","celsius":20}"#, "not-allowed", 403),
            (target, #"{"device":"ann","celsius":20,"checked":true}"#, "not-allowed", 403),
            (
                target, #"[{"device":"ann","celsius":21},{"device":"bob","celsius":22}]"#,
                "not-allowed", 403
            ),
            (
                "/v1/transactions",
                #"{"operations":[{"op":"create","class":"Reading","value":{"device":"ann","celsius":23}}]}"#,
                "", 200
            ),
            (
                "/v1/transactions",
                #"{"operations":[{"op":"create","class":"Reading","value":{"device":"bob","celsius":24}}]}"#,
                "not-allowed", 403
            ),
        ]
        for (target, body, text, status) in rows {
            let reply = server.send("POST", target, body, as: ann)
            #expect(
                reply.status == status && reply.text.contains(text), "\(body): \(reply.text)")
        }
        let imported = server.send(
            "POST", "/v1/classes/Reading/import",
            "{\"device\":\"ann\",\"celsius\":25}\n{\"device\":\"bob\",\"celsius\":26}", as: ann,
            type: "application/x-ndjson")
        #expect(imported.status == 200 && imported.text.contains("not-allowed"), "\(imported.text)")
        #expect(outbox()?.compactMap { $0["device"]?.string } == ["ann", "ann", "ann"])
    }

    private let target = "/v1/classes/Reading/outbox"

    /// Puts readings in as the administrator.
    private func put(_ devices: String...) {
        for device in devices {
            let put = server.send(
                "POST", "/v1/classes/Reading/objects",
                "{\"device\":\(quoted(device)),\"celsius\":20,\"note\":\"secret\"}")
            #expect(put.status == 201, "\(put.text)")
        }
    }

    /// The devices of a page, and the position behind it.
    private func page(_ query: String = "", as asker: RuledServer.Key) -> (
        devices: [String], through: String
    ) {
        let reply = server.get(target + query, as: asker)
        #expect(reply.status == 200 && !reply.text.contains("secret"), "\(reply.text)")
        let json = QueryJSON(reply.text)
        return (
            json?["objects"]?.elements.compactMap { $0["device"]?.string } ?? [],
            json?["through"]?.string ?? ""
        )
    }

    @Test("are given what they may read, page by page, and pass over the rest")
    func pages() throws {
        put("bob", "ann", "bob", "ann", "cem", "ann", "bob")
        let first = page("?limit=2", as: ann)
        #expect(first.devices == ["ann", "ann"])
        let second = page("?limit=2&since=\(first.through)", as: ann)
        #expect(second.devices == ["ann"])
        let third = page("?since=\(second.through)", as: ann)
        #expect(third.devices.isEmpty && third.through == second.through)
        put("bob")
        #expect(page("?since=\(second.through)", as: ann).devices.isEmpty)
        put("ann")
        #expect(page("?since=\(second.through)", as: ann).devices == ["ann"])
        // A position of somebody else's is worth nothing.
        let bob = server.user("bob")
        let foreign = server.get(target + "?since=\(first.through)", as: bob)
        #expect(foreign.status == 410 && foreign.text.contains("access-changed"), "\(foreign.text)")
        let hidden = server.get("/v1/classes/Other/outbox", as: ann)
        #expect(hidden.status == 404 && hidden.text.contains("unknown-class"), "\(hidden.text)")
    }

    /// Two lists, and what waits for their members.
    private static func lists(
        operationCountMax: Int? = nil, change: (inout RESTOptions) -> Void = { _ in }
    ) throws -> (RuledServer, RuledServer.Key) {
        var options = StoreOptions()
        if let operationCountMax { options.operationCountMax = operationCountMax }
        let server = try RuledServer(classes: [], options: options, change: change)
        for (method, target, body) in [
            (
                "PUT", "schema",
                #"""
                {"classes":[{"name":"List","primaryKey":"id","properties":{"id":"int","members":"string<>"}},
                  {"name":"Mail","kind":"asymmetric","primaryKey":"id","properties":{"id":"int","list":"List"}}]}
                """#
            ),
            (
                "POST", "classes/List/objects",
                #"[{"id":1,"members":["bob"]},{"id":2,"members":["ann"]}]"#
            ),
            ("POST", "classes/Mail/objects", #"[{"id":10,"list":1},{"id":11,"list":2}]"#),
            (
                "PUT", "access",
                #"{"roles":{"m":{"classes":{"Mail":{"read":"ANY list.members == $user.id","create":true,"delete":true},"List":{"read":true}}}}}"#
            ),
        ] {
            let reply = server.send(method, "/v1/" + target, body)
            #expect(reply.status < 300, "\(reply.text)")
        }
        return (server, server.user("ann"))
    }

    /// The position behind what waits for somebody in the lists.
    @Test(
        "a position stays through changes of the schema, but for one of a property that the rules read",
        arguments: [
            ("extra", #""extra":"string?","#, "", 200), ("text", #","text":"string?""#, "", 200),
            ("owner", #""owner":"string?""#, #""owner":"mixed""#, 410),
        ])
    func reshaped(_: String, part: String, other: String, status: Int) throws {
        let server = try RuledServer(classes: [])
        let schema = """
            {"classes":[{"name":"Box","primaryKey":"id","properties":{"id":"int","extra":"string?","owner":"string?"}},
              {"name":"Mail","kind":"asymmetric","properties":{"box":"Box?","n":"int","text":"string?"}}]}
            """
        func send(_ method: String, _ target: String, _ body: String) {
            let reply = server.send(method, "/v1/" + target, body)
            #expect(reply.status < 300, "\(reply.text)")
        }
        send("PUT", "schema", schema)
        send(
            "PUT", "access",
            #"{"roles":{"m":{"classes":{"Mail":{"read":"box.owner == $user.id"}}}}}"#)
        send("PUT", "classes/Box/objects/1", #"{"owner":"ann","extra":"e"}"#)
        send("POST", "classes/Mail/objects", #"{"box":{"id":1},"n":1,"text":"t"}"#)
        let ann = server.user("ann")
        let through = Self.through(server, ann)
        send("PUT", "schema?allowDataLoss=true", schema.replacing(part, with: other))
        send("POST", "classes/Mail/objects", #"{"box":{"id":1},"n":2}"#)
        let page = server.get("/v1/classes/Mail/outbox?since=" + through, as: ann)
        #expect(page.status == status, "\(page.text)")
        let objects = QueryJSON(page.text)?["objects"]?.elements.count
        #expect(status != 200 || objects == 1, "\(page.text)")
    }

    private static func through(_ server: RuledServer, _ asker: RuledServer.Key)
        -> String
    {
        QueryJSON(server.get("/v1/classes/Mail/outbox", as: asker).text)?["through"]?.string
            ?? ""
    }

    /// Gives a list another member beside Ann, again and again.
    private static func changeMembers(of list: Int, times count: Int, _ server: RuledServer) {
        for number in 0..<count {
            server.send(
                "PATCH", "/v1/classes/List/objects/\(list)",
                "{\"members\":[\"ann\",\"m\(number)\"]}")
        }
    }

    @Test(
        "what comes into sight behind a position by what a rule reads of others is delivered before it is taken away"
    )
    func joined() throws {
        let (server, ann) = try Self.lists { $0.heartbeatSeconds = 1 }
        let mails = "/v1/classes/Mail/outbox"
        func ids(_ text: String) -> [Int64] {
            QueryJSON(text)?["objects"]?.elements.compactMap { $0["id"]?.int } ?? []
        }
        let stream = server.follow(mails, as: ann)
        var events = stream.events(to: "batch")
        #expect(ids(events.last?.data ?? "") == [11])
        let page = server.get(mails, as: ann)
        #expect(ids(page.text) == [11])
        let through = QueryJSON(page.text)?["through"]?.string ?? ""
        // Something else is written meanwhile.
        server.send("PATCH", "/v1/classes/List/objects/2", #"{"members":["ann","cem"]}"#)
        #expect(server.get(mails + "?since=\(through)", as: ann).status == 200)
        server.send("PATCH", "/v1/classes/List/objects/1", #"{"members":["bob","ann"]}"#)
        let since = server.get(mails + "?since=\(through)", as: ann)
        #expect(since.status == 410 && since.text.contains("access-changed"), "\(since.text)")
        let gone = server.send("DELETE", mails + "?through=\(through)", as: ann)
        #expect(gone.status == 410 && gone.text.contains("access-changed"), "\(gone.text)")
        #expect(ids(server.send("GET", mails).text) == [10, 11])
        events = stream.events(to: "batch")
        #expect(events.first?.json["reason"]?.string == "access-changed", "\(events)")
        #expect(ids(events.last?.data ?? "") == [10, 11])
        // So is a client that comes back with the position of before.
        let again = server.follow(mails, as: ann, from: through).events(to: "batch")
        #expect(ids(again.last?.data ?? "") == [10, 11], "\(again)")
        let now = Self.through(server, ann)
        let taken = server.send("DELETE", mails + "?through=\(now)", as: ann)
        #expect(taken.text.contains(#""affected":2"#), "\(taken.text)")
    }

    @Test(
        "a poll that waits while something comes into sight behind its position is refused, and so is a forged position"
    )
    func joinedWhilePolling() throws {
        let (server, ann) = try Self.lists()
        let mails = "/v1/classes/Mail/outbox"
        let through = Self.through(server, ann)
        let poll = server.poll(mails + "?since=\(through)", as: ann)
        server.send("PATCH", "/v1/classes/List/objects/1", #"{"members":["bob","ann"]}"#)
        server.send("POST", "/v1/classes/Mail/objects", #"{"id":12,"list":2}"#)
        let reply = poll.finish()
        #expect(reply.status == 410 && reply.text.contains("access-changed"), "\(reply.text)")
        let now = Self.through(server, ann)
        let parts = now.split(separator: ".")
        let tag = now.split(separator: "_").last ?? ""
        for version in ["0", "1", "5", "99999"] where !parts[2].hasPrefix(version + "_") {
            let forged = "\(parts[0]).\(parts[1]).\(version)_\(tag)"
            #expect(server.get(mails + "?since=\(forged)", as: ann).status == 410)
        }
        #expect(server.get(mails + "?since=\(now)", as: ann).status == 200)
        // What a rule reads may change often.
        Self.changeMembers(of: 1, times: 100, server)
        let taken = server.send("DELETE", mails + "?through=\(now)", as: ann)
        #expect(taken.text.contains(#""affected":3"#), "\(taken.text)")
    }

    @Test(
        "a position behind which more has changed than is looked at is refused, and the next one holds"
    )
    func oldPosition() throws {
        let (server, ann) = try Self.lists()
        let mails = "/v1/classes/Mail/outbox"
        let old = Self.through(server, ann)
        Self.changeMembers(of: 2, times: 1_001, server)
        let gone = server.send("DELETE", mails + "?through=\(old)", as: ann)
        #expect(gone.status == 410 && gone.text.contains("access-changed"), "\(gone.text)")
        let taken = server.send("DELETE", mails + "?through=\(Self.through(server, ann))", as: ann)
        #expect(taken.text.contains(#""affected":1"#), "\(taken.text)")
    }

    @Test("more objects than a transaction may delete are acknowledged in several")
    func many() throws {
        let (server, ann) = try Self.lists(operationCountMax: 10)
        for start in [20, 30, 40] {
            let mails = (start..<(start + 9)).map { "{\"id\":\($0),\"list\":\(1 + $0 % 2)}" }
            let put = server.send(
                "POST", "/v1/classes/Mail/objects", "[\(mails.joined(separator: ","))]")
            #expect(put.status == 201, "\(put.text)")
        }
        server.send("PATCH", "/v1/classes/List/objects/1", #"{"members":["ann"]}"#)
        let target = "/v1/classes/Mail/outbox"
        let limited = server.send(
            "POST", "/v1/tokens", #"{"name":"mails","right":"write","classes":["Mail"]}"#)
        let token = try #require(QueryJSON(limited.text)?["token"]?.string)
        for asker in [ann, RuledServer.Key.token(token)] {
            let page = server.get(target, as: asker)
            let count = QueryJSON(page.text)?["objects"]?.elements.count ?? 0
            #expect(count > 10, "\(page.text)")
            let through = QueryJSON(page.text)?["through"]?.string ?? ""
            let taken = server.send("DELETE", target + "?through=\(through)", as: asker)
            #expect(taken.text.contains("\"affected\":\(count)"), "\(taken.text)")
            let mails = (50..<59).map { "{\"id\":\($0),\"list\":1}" }
            for ids in [mails, mails.map { $0.replacing("\"id\":5", with: "\"id\":6") }] {
                server.send(
                    "POST", "/v1/classes/Mail/objects", "[\(ids.joined(separator: ","))]")
            }
        }
    }

    @Test("acknowledge what they see and may delete, and nothing else")
    func acknowledge() throws {
        put("bob", "ann", "ann", "bob")
        let through = page(as: ann).through
        let reply = server.send("DELETE", target + "?through=\(through)", as: ann)
        #expect(reply.status == 200 && reply.text.contains(#""affected":2"#), "\(reply.text)")
        #expect(outbox()?.compactMap { $0["device"]?.string } == ["bob", "bob"])
        // Cem sees all and may delete his own.
        put("cem")
        let cem = server.user("cem")
        let all = page(as: cem)
        #expect(all.devices == ["bob", "bob", "cem"])
        let refused = server.send("DELETE", target + "?through=\(all.through)", as: cem)
        #expect(refused.status == 403 && refused.text.contains("not-allowed"), "\(refused.text)")
        #expect(outbox()?.count == 3)
    }

    @Test("are told of what they may read, and begin again when that changes")
    func streams() throws {
        put("bob", "ann")
        let made = server.send("POST", "/v1/tickets", "{\"url\":\(quoted(target))}", as: ann)
        let ticket = try #require(QueryJSON(made.text)?["ticket"]?.string)
        let ticketed = server.follow(target + "?ticket=\(ticket)", as: .nobody)
        #expect(ticketed.next()?.name == "hello")
        let stream = server.follow(target, as: ann)
        #expect(stream.next()?.name == "hello")
        let first = try #require(stream.next())
        #expect(first.data.contains("ann") && !first.data.contains("bob"), "\(first)")
        put("bob", "ann")
        let second = try #require(stream.next())
        #expect(
            second.name == "batch" && second.data.contains("ann") && !second.data.contains("bob"),
            "\(second)")
        #expect(!second.data.contains("secret"))
        let wait = server.get(target, as: ann, [("Prefer", "wait=1")])
        #expect(wait.status == 200 && !wait.text.contains("bob"), "\(wait.text)")
        // Under another document her position is worth nothing.
        let put = server.send(
            "PUT", "/v1/access",
            #"{"roles":{"all":{"classes":{"Reading":{"read":true}}}}}"#)
        #expect(put.status == 200)
        let again = server.follow(target, as: ann, from: second.id)
        #expect(again.next()?.name == "hello")
        let reset = try #require(again.next())
        #expect(reset.name == "reset" && reset.data.contains("access-changed"), "\(reset)")
        #expect(again.next()?.data.contains("bob") == true)
        let old = server.send(
            "DELETE", target + "?through=\(second.id ?? "")", as: ann)
        #expect(old.status == 410, "\(old.text)")
    }

    @Test("a stream of an outbox that takes more memory than a query may ends, and is not reset")
    func memory() throws {
        let server = try RuledServer(classes: []) { $0.limits.queryMemoryByteCountMax = 1000 }
        server.send(
            "PUT", "/v1/schema",
            #"{"classes":[{"name":"Reading","kind":"asymmetric","properties":{"device":"string","note":"string?"}}]}"#
        )
        server.send(
            "PUT", "/v1/access",
            #"{"roles":{"device":{"classes":{"Reading":{"read":"device == $user.id","delete":"device == $user.id","properties":{"note":"none"}}}}}}"#
        )
        let user = server.user("ann")
        let rows = (0..<50).map { _ in
            #"{"device":"ann","note":"\#(String(repeating: "x", count: 900))"}"#
        }
        let made = server.send(
            "POST", "/v1/classes/Reading/objects", "[\(rows.joined(separator: ","))]")
        #expect(made.status < 300, "\(made.text)")
        let told = server.follow("/v1/classes/Reading/outbox", as: user).events(
            to: "error")
        #expect(
            told.map(\.name) == ["hello", "error"], "\(told.map(\.name)) \(told.last?.data ?? "")")
    }
}
