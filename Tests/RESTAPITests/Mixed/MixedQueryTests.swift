import HoldfastObjectModel
import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

@Suite("queries on mixed values")
struct MixedQueryTests {
    let server: TestServer

    /// The values of the objects, in the order of their kinds and within them.
    private static let values = [
        "null", "false", "true", #"{"$double":"NaN"}"#, "-1.5", "0", #"{"$decimal":"0.10"}"#, "0.1",
        #"{"$float":0.5}"#, "1", "9007199254740992.0", "9007199254740993", #""""#, #""a""#,
        #""ab""#,
        #""b""#, #"{"$data":"YQ=="}"#, #"{"$data":"YWI="}"#, #"{"$date":"2026-01-01T00:00:00Z"}"#,
        #"{"$date":"2026-01-02T00:00:00Z"}"#, #"{"$objectId":"65a0b1c2d3e4f50617280001"}"#,
        #"{"$uuid":"123e4567-e89b-12d3-a456-426614174000"}"#, MixedServer.dog("rex"), "[1]", "{}",
    ]

    init() throws {
        server = try MixedServer.open()
        for (number, value) in Self.values.enumerated() {
            let key = number < 10 ? "0\(number)" : "\(number)"
            server.send(
                "PUT", "/v1/classes/Box/objects/\(key)",
                #"{"item":\#(value),"sorted":\#(value),"list":[\#(value),7],"count":\#(number % 3),"part":{"item":\#(value)}}"#
            )
        }
    }

    /// The positions of the values that a filter finds.
    private func find(_ filter: String, _ args: String = "[]", sort: String? = nil) -> [Int]? {
        let quoted = filter.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let order = sort.map { #","sort":["\#($0)"]"# } ?? ""
        let reply = server.send(
            "POST", "/v1/classes/Box/query",
            #"{"filter":"\#(quoted)","args":\#(args),"fields":["id"],"limit":100\#(order)}"#)
        guard reply.status == 200 else {
            Issue.record("\(filter): \(reply.text)")
            return nil
        }
        return reply.text.split(separator: #"{"id":""#).dropFirst().compactMap { Int($0.prefix(2)) }
    }

    private static func all(but others: [Int]) -> [Int] {
        values.indices.filter { !others.contains($0) }
    }

    static let filters: [(String, String, [Int])] = [
        ("# == 1", "[]", [9]), ("# == 1.0", "[]", [9]), ("# == $0", #"[{"$decimal":"1.00"}]"#, [9]),
        ("# == $0", #"[{"$float":0.5}]"#, [8]), ("# == 0.1", "[]", [7]),
        ("# == $0", #"[{"$decimal":"0.1"}]"#, [6]), ("# < 0.1", "[]", [3, 4, 5, 6]),
        ("# > 9007199254740992", "[]", [11]), ("# >= 9007199254740992", "[]", [10, 11]),
        ("# <= 0", "[]", [3, 4, 5]), ("# BETWEEN {0, 1}", "[]", [5, 6, 7, 8, 9]),
        ("1 > #", "[]", [3, 4, 5, 6, 7, 8]), ("# == true", "[]", [2]), ("# > false", "[]", [2]),
        ("# == 'a'", "[]", [13]), ("# > 'a'", "[]", [14, 15]), ("# < 'b'", "[]", [12, 13, 14]),
        ("# BEGINSWITH 'a'", "[]", [13, 14]), ("# ENDSWITH 'b'", "[]", [14, 15]),
        ("# CONTAINS[c] 'B'", "[]", [14, 15]), ("# LIKE '?b'", "[]", [14]),
        ("# ==[c] 'A'", "[]", [13]), ("# BEGINSWITH binary('a')", "[]", [16, 17]),
        ("# == binary('ab')", "[]", [17]), ("# == 2026-01-01@00:00:00", "[]", [18]),
        ("# > $0", #"[{"$date":"2026-01-01T00:00:00Z"}]"#, [19]),
        ("# == oid(65a0b1c2d3e4f50617280001)", "[]", [20]),
        ("# == uuid(123e4567-e89b-12d3-a456-426614174000)", "[]", [21]),
        ("# == obj('Dog', 'rex')", "[]", [22]), ("# == obj('Dog', 'none')", "[]", []),
        ("# == $0", "[\(MixedServer.dog("rex"))]", [22]),
        ("# == null", "[]", [0]), ("# <= null", "[]", [0]), ("# < null", "[]", []),
        ("# != 1", "[]", all(but: [9])), ("# != null", "[]", all(but: [0])),
        ("# != obj('Dog', 'rex')", "[]", all(but: [22])), ("NOT # == 'a'", "[]", all(but: [13])),
        (
            "# IN {1, 'a', null, true, $0}", #"[{"$uuid":"123e4567-e89b-12d3-a456-426614174000"}]"#,
            [0, 2, 9, 13, 21]
        ),
        (
            "# IN $0", #"[[0.5,{"$link":{"class":"Dog","id":"rex"}},{"$data":"YQ=="}]]"#,
            [8, 16, 22]
        ),
        ("# == 1 OR # == 'a' OR # == false", "[]", [1, 9, 13]), ("# == '1'", "[]", []),
    ]

    @Test("a value compares with what is of its kind", arguments: filters)
    func comparisons(filter: String, args: String, expected: [Int]) {
        for path in ["item", "sorted", "part.item"] {
            let text = filter.replacing("#", with: path)
            #expect(find(text, args) == expected, "\(text)")
        }
        guard filter.hasPrefix("# =="), !filter.contains(" OR ") else { return }
        let text = filter.replacing("#", with: "ANY list")
        #expect(find(text, args) == expected, "\(text)")
    }

    @Test("an index answers what it can, and nothing else")
    func plans() {
        for (filter, plan) in [
            ("sorted == 1", "index sorted, 1 value"),
            ("sorted IN {1, 'a'}", "index sorted, 2 values"),
            ("sorted BEGINSWITH 'a'", "index sorted"), ("sorted == null", "index sorted"),
            ("sorted > 1", "index sorted"), ("sorted == obj('Dog', 'rex')", "all objects"),
            ("item == 1", "all objects"),
        ] {
            let reply = server.send(
                "POST", "/v1/classes/Box/query", #"{"filter":"\#(filter)","explain":true}"#)
            #expect(reply.text.contains(plan), "\(filter): \(reply.text)")
        }
    }

    @Test("values sort by kind and within it, by an index and without one, page by page")
    func order() {
        let expected = Array(Self.values.indices)
        for path in ["item", "sorted", "part.item"] {
            #expect(find("TRUEPREDICATE", sort: path) == expected, "\(path)")
            #expect(find("TRUEPREDICATE", sort: "-" + path) == expected.reversed(), "\(path)")
            var (found, next) = ([Substring](), "")
            for _ in 0..<20 {
                let page = server.send(
                    "GET", "/v1/classes/Box/objects?sort=\(path)&fields=id&limit=3" + next)
                found += page.text.split(separator: #"{"id":""#).dropFirst().map { $0.prefix(2) }
                guard let cursor = page.text.split(separator: #""next":""#).dropFirst().first else {
                    break
                }
                next = "&cursor=" + cursor.prefix { $0 != "\"" }
            }
            #expect(found.compactMap { Int($0) } == expected, "\(path)")
        }
    }

    @Test("mixed compares with other properties, and elements of a collection by themselves")
    func paths() {
        #expect(find("item == sorted") == Self.values.indices.filter { $0 != 23 && $0 != 24 })
        #expect(find("item == id") == [])
        #expect(find("item == count")?.contains(9) == false)
        // Their counts are 0, 1, 2, 0, 1, 2 from the fourth on.
        #expect(find("item < count") == [3, 4, 5, 7, 8])
        server.send(
            "PUT", "/v1/classes/Box/objects/zz", #"{"list":[3,"x",null,1.5,{"$decimal":"2"},"a"]}"#)
        let path = "/v1/classes/Box/objects/zz/properties/list"
        for (query, texts) in [
            ("", #"{"elements":[3,"x",null,1.5,{"$decimal":"2"},"a"]}"#),
            ("?sort=self", #"{"elements":[null,1.5,{"$decimal":"2"},3,"a","x"]}"#),
            ("?sort=-self&limit=2", #"{"elements":["x","a"]"#),
            ("?filter=self%20%3E%201.5&sort=self", #"{"elements":[{"$decimal":"2"},3]}"#),
        ] {
            APIScenario("GET", path + query, status: 200, contains: [texts]).check(on: server)
        }
    }

    @Test(
        "what does not compare is refused with the reason",
        arguments: [
            ("item CONTAINS 5", "[]", "right side must be a string"),
            ("item == $0", #"[{"a":1}]"#, "map"),
            ("item == $0", "[[[1]]]", "list"), ("item == part", "[]", "Unsupported"),
            ("item.@min.x == 1", "[]", "is not a list"), ("item IN 1", "[]", "must contain a list"),
            ("ALL item == 1", "[]", "must contain a list"),
        ])
    func refusals(filter: String, args: String, text: String) {
        APIScenario(
            "POST", "/v1/classes/Box/query", #"{"filter":"\#(filter)","args":\#(args)}"#,
            status: 400, contains: [text]
        ).check(on: server)
    }
}
