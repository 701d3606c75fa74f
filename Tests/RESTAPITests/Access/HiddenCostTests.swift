import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// The limits of queries on what is hidden: they tell nothing of it, and hold for what rules read.
@Suite("Limits of users' queries")
struct HiddenCostTests {
    private static func server(
        _ classes: String, _ roles: String, objects: [(name: String, rows: [String])],
        memoryByteCountMax: Int
    ) throws -> (RuledServer, RuledServer.Key) {
        var options = StoreOptions()
        options.columns.useCountMin = 1
        options.columns.objectCountMin = 0
        options.columns.sharedMicrosecondsMin = 0
        let server = try RuledServer(classes: [], options: options) {
            $0.limits.queryMemoryByteCountMax = memoryByteCountMax
        }
        #expect(server.send("PUT", "/v1/schema", "{\"classes\":[\(classes)]}").status == 200)
        for (name, rows) in objects {
            let made = server.send(
                "POST", "/v1/classes/\(name)/import", rows.joined(separator: "\n"),
                type: "application/x-ndjson")
            #expect(made.status == 200, "\(made.text)")
        }
        let put = server.send("PUT", "/v1/access", "{\"roles\":\(roles)}")
        #expect(put.status == 200, "\(put.text)")
        return (server, server.user("ann"))
    }

    private static let text = String(repeating: "x", count: 4_000)

    @Test("how many objects are looked at that do not match, or are hidden, decides on no reply")
    func candidates() throws {
        let rows = (0..<1_000).map {
            "{\"id\":\($0),\"salary\":\($0 % 7),\"x\":\($0),\"owner\":\"bob\",\"cv\":\"\(Self.text)\"}"
        }
        let (server, ann) = try Self.server(
            #"{"name":"P","primaryKey":"id","properties":{"id":"int","salary":{"type":"int","optional":true,"indexed":true},"x":{"type":"int","indexed":true},"owner":"string","cv":"string"}}"#,
            #"{"a":{"classes":{"P":{"read":true,"properties":{"salary":"none"}}}},"b":{"classes":{"P":{"read":"owner == $user.id"}}}}"#,
            objects: [("P", rows)], memoryByteCountMax: 1 << 20)
        for filter in [
            "salary == 3 OR x < 1", "salary == 3 AND x < 900", "x < 900 AND owner == 'ann'",
        ] {
            for end in ["", "&sort=owner", "&sort=x", "&count=exact"] {
                let reply = server.get(
                    "/v1/classes/P/objects?fields=id&limit=1&filter="
                        + RuleRequest.escaped(filter) + end, as: ann)
                #expect(reply.status == 200, "\(filter) \(end): \(reply.text)")
            }
        }
    }

    @Test(
        "what a user's own objects take as copies decides on no count, figure or order by an index")
    func ownObjects() throws {
        let rows = (0..<800).map {
            "{\"id\":\($0),\"n\":\($0),\"owner\":\"ann\",\"cv\":\"\(Self.text)\",\"salary\":1}"
        }
        let (server, ann) = try Self.server(
            #"{"name":"P","primaryKey":"id","properties":{"id":"int","n":"int","salary":"int?","owner":{"type":"string","indexed":true},"cv":"string"}}"#,
            #"{"b":{"classes":{"P":{"read":"owner == $user.id","properties":{"salary":"none"}}}}}"#,
            objects: [("P", rows)], memoryByteCountMax: 1 << 20)
        for target in [
            "aggregate?op=count", "aggregate?op=count,sum(n)",
            "objects?sort=n&limit=2&fields=id",
            "objects?sort=-n&limit=2&fields=id&count=exact", "objects?fields=id&limit=700",
            "objects?fields=id&filter=TRUEPREDICATE%20SORT(n%20DESC)%20LIMIT(600)%20SORT(n%20ASC)",
            "sections?by=n&limit=3", "aggregate?op=count&by=n&limit=3",
        ] {
            let reply = server.get("/v1/classes/P/" + target, as: ann)
            #expect(reply.status == 200, "\(target): \(reply.text.prefix(200))")
        }
    }

    @Test("so many keys of hidden objects that they take too much memory have another plan go on")
    func hiddenKeys() throws {
        let rows = (0..<3_000).map { "{\"id\":\($0),\"kind\":\($0 % 3),\"owner\":\"bob\"}" }
        let (server, ann) = try Self.server(
            #"{"name":"P","primaryKey":"id","properties":{"id":"int","kind":{"type":"int","indexed":true},"owner":"string"}}"#,
            #"{"b":{"classes":{"P":{"read":"owner == $user.id"}}}}"#,
            objects: [("P", rows)], memoryByteCountMax: 8 << 10)
        for filter in [
            "kind == 1 OR kind == 2 OR id < 500", "kind < 2", "kind IN {0, 1} AND id > 4",
        ] {
            let reply = server.get(
                "/v1/classes/P/objects?filter=" + RuleRequest.escaped(filter), as: ann)
            #expect(reply.status == 200, "\(filter): \(reply.text)")
        }
    }

    @Test("what stands behind links takes the memory of one object, by columns too")
    func behindLinks() throws {
        let articles = (0..<500).map {
            "{\"id\":\($0),\"title\":\"t\($0 % 9)\",\"year\":\($0 % 50),\"body\":\"\(Self.text)\",\"notes\":\"n\",\"journal\":1}"
        }
        let comments = (0..<1_000).map { "{\"id\":\($0),\"article\":\($0 % 500)}" }
        let (server, ann) = try Self.server(
            #"""
            {"name":"Article","primaryKey":"id","properties":{"id":"int","title":"string","year":"int","body":"string","notes":"string?","journal":"Journal"}},
            {"name":"Journal","primaryKey":"id","properties":{"id":"int","articles":{"type":"linkingObjects","class":"Article","property":"journal"}}},
            {"name":"Comment","primaryKey":"id","properties":{"id":"int","article":"Article"}}
            """#,
            #"{"m":{"classes":{"Article":{"read":true,"properties":{"notes":"none"}},"Comment":{"read":true},"Journal":{"read":true}}},"own":{"classes":{"Article":{"read":"id == 5"}}}}"#,
            objects: [
                ("Journal", [#"{"id":1}"#, #"{"id":2}"#]), ("Article", articles),
                ("Comment", comments),
            ], memoryByteCountMax: 1 << 20)
        for target in [
            "aggregate?op=count&by=article.title&limit=2", "aggregate?op=count,sum(article.year)",
            "objects?sort=article.year&limit=2", "sections?by=article.title&limit=2",
        ] {
            for number in 0..<4 {
                let reply = server.get("/v1/classes/Comment/" + target, as: ann)
                #expect(reply.status == 200, "\(target), \(number): \(reply.text)")
            }
        }
        for filter in [
            "articles.@avg.year > 3", "articles.@max.year == 49", "ANY articles.year == 7",
            "SUBQUERY(articles, $a, $a.year == 3).@count > 5", "ALL articles.year < 50",
        ] {
            let target = "/v1/classes/Journal/objects?filter=" + RuleRequest.escaped(filter)
            let (own, other) = (server.get(target, as: ann), server.get(target, as: .admin))
            #expect(own.status == 200 && own.text.contains("\"id\":1"), "\(filter): \(own.text)")
            #expect(own.text == other.text || other.status != 200)
        }
        for target in [
            "objects?sort=articles.@max.year", "objects?fields=id,articles.@max.year",
            "objects/1?fields=articles.@min.year",
        ] {
            let reply = server.get("/v1/classes/Journal/" + target, as: ann)
            #expect(reply.status == 200, "\(target): \(reply.text)")
        }
    }

    @Test("the size of what is hidden decides on no reply to several writes")
    func repliesToWrites() throws {
        func rows(_ cv: String) -> [String] {
            (0..<400).map { "{\"id\":\($0),\"n\":0,\"owner\":\"ann\",\"cv\":\"\(cv)\"}" }
        }
        for cv in ["x", Self.text] {
            let (server, ann) = try Self.server(
                #"{"name":"P","primaryKey":"id","properties":{"id":"int","n":"int","owner":"string?","cv":"string?"}}"#,
                #"{"a":{"classes":{"P":{"read":"owner == $user.id","create":true,"update":true,"properties":{"cv":"none"}}}}}"#,
                objects: [("P", rows(cv))], memoryByteCountMax: 1 << 20)
            let bodies = (0..<300).map { "{\"id\":\($0),\"n\":1}" }.joined(separator: ",")
            let items = server.send(
                "POST", "/v1/classes/P/objects?mode=merge", "[\(bodies)]", as: ann)
            #expect(
                items.text.contains(#"{"id":299,"n":1,"owner":"ann"}"#),
                "\(items.status) \(items.text.prefix(300))")
            let operations = (0..<300).map {
                "{\"op\":\"patch\",\"class\":\"P\",\"id\":\($0),\"value\":{\"n\":2}}"
            }
            let transaction = server.send(
                "POST", "/v1/transactions",
                "{\"operations\":[\(operations.joined(separator: ","))]}", as: ann)
            #expect(
                transaction.text.contains(#""object":{"id":299,"n":2,"owner":"ann"}"#),
                "\(transaction.status) \(transaction.text.prefix(300))")
        }
    }
}
