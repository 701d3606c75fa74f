import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("keys of maps in the paths of lists, sections and aggregates")
struct QuotedKeyTests {
    /// Objects of which the first has the larger value under every key.
    private static func server(_ keys: [String]) throws -> TestServer {
        let server = try TestServer(schema: .init(classes: []))
        let schema = server.send(
            "PUT", "/v1/schema",
            #"""
            {"classes":[{"name":"Item","primaryKey":"id","properties":{
              "id":"int","name":"string","marks":"int{}","words":"string{}"}}]}
            """#)
        #expect(schema.status == 200, "\(schema.text)")
        func object(_ id: Int, _ mark: Int, _ word: String) -> String {
            let marks = keys.map { "\"\($0)\":\(mark)" }.joined(separator: ",")
            let words = keys.map { "\"\($0)\":\"\(word)\"" }.joined(separator: ",")
            return "{\"id\":\(id),\"name\":\"n\",\"marks\":{\(marks)},\"words\":{\(words)}}"
        }
        let objects = [object(1, 9, "bx"), object(2, 5, "ay"), object(3, 5, "az")]
        let reply = server.send(
            "POST", "/v1/classes/Item/objects", "[\(objects.joined(separator: ","))]")
        #expect(reply.status == 201, "\(reply.text)")
        return server
    }

    /// A key as JSON has it, and as it stands in a path.
    private static let keys = [
        ("a,b", "'a,b'"), ("a(b", "'a(b'"), ("a)b", "\"a)b\""),
        ("a]b", "'a]b'"), ("a[b", "'a[b'"), ("a'b", #"'a\'b'"#), ("a'b", "\"a'b\""),
        (#"a\"b"#, #""a\"b""#), (#"a\\"#, #"'a\\'"#), ("é", #"'\u00e9'"#),
        ("prefix(a,1)", "'prefix(a,1)'"), ("-a", "'-a'"), ("a b", "'a b'"),
    ]

    @Test("a key in quotes may hold what else ends a path", arguments: keys)
    func quoted(key: String, path: String) throws {
        let server = try Self.server([key])
        let (marks, words) = ("marks[\(path)]", "words[\(path)]")
        func get(_ name: String, _ parameters: [(String, String)]) -> HTTPClient.Reply {
            let reply = server.send("GET", target("/v1/classes/Item/" + name, parameters))
            #expect(reply.status == 200, "\(parameters): \(reply.text)")
            return reply
        }
        #expect(get("objects", [("sort", marks + ",-id")]).ids == [3, 2, 1])
        #expect(get("objects", [("sort", "-" + marks + ", id")]).ids == [1, 2, 3])
        #expect(get("objects", [("sort", "name," + words)]).ids == [2, 3, 1])
        #expect(get("objects", [("distinct", marks + ",name"), ("sort", "id")]).ids == [1, 2])
        let sections = get("sections", [("by", marks), ("fields", "id")]).text
        #expect(sections.hasPrefix(#"{"sections":[{"key":5,"count":2,"#), "\(sections)")
        let beginnings = get("sections", [("by", "prefix(\(words), 1)")]).text
        #expect(beginnings.hasPrefix(#"{"sections":[{"key":"a","count":2,"#), "\(beginnings)")
        let groups = get(
            "aggregate", [("by", "name, " + marks), ("op", "count,sum(\(marks))")])
        let rows = groups.json["groups"]?.elements ?? []
        #expect(rows.count == 2, "\(groups.text)")
        #expect(rows.first?["sum(\(marks))"]?.int == 10, "\(groups.text)")
    }

    @Test(
        "what is wrong in a path is told with its column",
        arguments: [
            ("objects?sort=marks['a", ["column\":6"]),
            ("objects?sort=id,marks['a',b]", ["column\":9"]),
            ("objects?sort=marks['\\q']", ["unknown escape", "\"column\":8"]),
            ("sections?by=marks['a','b']", ["\"column\":11"]),
            ("sections?by=id,name", ["a second one begins here", "\"column\":4"]),
            ("sections?by=perfix(name,1)", ["\"hint\":\"prefix\""]),
            ("sections?by=-name", ["sort=-name"]), ("sections?by=prefix(-name,1)", ["sort=-name"]),
            ("sections?by=-prefix(name,1)", ["\"hint\":\"prefix\""]),
            ("objects?distinct=-name", ["'distinct' takes no minus"]),
            ("aggregate?by=-name", ["'by' takes no minus"]),
            ("sections?by=name&limit=x", ["'limit' is a number, such as limit=20"]),
        ])
    func faults(path: String, contains: [String]) throws {
        let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
        let parameters = parts[1].split(separator: "&").map { part in
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            return (pair[0], pair[1])
        }
        APIScenario(
            "GET", target("/v1/classes/Item/" + parts[0], parameters), status: 400,
            contains: contains
        ).check(on: try Self.server(["a"]))
    }
}
