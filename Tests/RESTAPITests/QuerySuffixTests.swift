import HoldfastObjectModel
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("SORT, DISTINCT and LIMIT in any order")
struct QuerySuffixTests {
    private static let schema = Schema(classes: [
        ObjectClass(
            name: "Item", primaryKey: "id",
            properties: [
                Schemas.property("id", .int), Schemas.property("n", .int, optional: true),
                Schemas.property("s", .string), Schemas.list("ints", .int),
                Property(name: "marks", type: .map(.scalar(.int))), Schemas.link("best", "Item"),
                Schemas.list("all", of: "Item"), Schemas.list("values", .mixed),
            ])
    ])

    private let server: TestServer

    init() throws {
        server = try TestServer(schema: Self.schema)
        let items = [
            #"{"id":1,"n":3,"s":"b","ints":[1,2],"marks":{"a":1}}"#,
            #"{"id":2,"n":1,"s":"a","ints":[9],"best":1}"#,
            #"{"id":3,"n":3,"s":"a","ints":[],"marks":{"a":5,"b":1},"best":2}"#,
            #"{"id":4,"n":null,"s":"c","ints":[4,4,4]}"#,
            #"{"id":5,"n":2,"s":"b","ints":[-1],"marks":{"a":3},"best":2}"#,
        ]
        let reply = server.send(
            "POST", "/v1/classes/Item/objects", "[" + items.joined(separator: ",") + "]")
        #expect(reply.status == 201, "\(reply.text)")
    }

    private func ids(_ text: Substring) -> [Int] {
        text.split(separator: "{\"id\":").dropFirst().compactMap {
            Int($0.prefix { $0.isNumber })
        }
    }

    private func page(_ filter: String, _ more: String = "") -> HTTPClient.Reply {
        server.send(
            "POST", "/v1/classes/Item/query",
            "{\"filter\":\"TRUEPREDICATE \(filter)\",\"fields\":\"id\"\(more)}")
    }

    private static let table: [(String, [Int])] = [
        ("SORT(n ASC) LIMIT(2)", [4, 2]), ("LIMIT(2) SORT(n ASC)", [2, 1]),
        ("LIMIT(4) LIMIT(2)", [1, 2]), ("LIMIT(2) LIMIT(4)", [1, 2]), ("LIMIT(0) SORT(n ASC)", []),
        ("SORT(n DESC, id ASC) LIMIT(3) SORT(id DESC) LIMIT(2)", [5, 3]),
        ("SORT(id DESC) DISTINCT(s)", [5, 4, 3]), ("DISTINCT(s) SORT(id DESC)", [4, 2, 1]),
        ("SORT(s ASC) SORT(n DESC)", [3, 1, 5, 2, 4]), ("DISTINCT(n) DISTINCT(s)", [1, 2, 4]),
        ("LIMIT(3) DISTINCT(s) LIMIT(2)", [1, 2]),
        ("SORT(id DESC) LIMIT(4) DISTINCT(s) SORT(n ASC)", [4, 5, 3]),
        ("DISTINCT(best)", [2, 3]), ("DISTINCT(best.n) SORT(id DESC)", [3, 2]),
        ("SORT(marks['a'] DESC) LIMIT(2)", [3, 5]),
        ("SORT(ints.@count DESC, id ASC) LIMIT(2)", [4, 1]),
        ("SORT(ints.@sum DESC) LIMIT(3)", [4, 2, 1]), ("DISTINCT(ints.@count)", [1, 2, 3, 4]),
    ]

    @Test("they apply from left to right, whole and page by page")
    func order() {
        for (filter, expected) in Self.table {
            let whole = page(filter, ",\"count\":\"exact\"")
            #expect(ids(whole.text[...]) == expected, "\(filter): \(whole.text)")
            #expect(whole.text.contains("\"count\":\(expected.count)"), "\(filter): \(whole.text)")
            var (found, cursor) = ([Int](), "")
            for _ in 0...expected.count {
                let part = page(filter, ",\"limit\":1" + cursor)
                if part.text.contains("has pages only when") { found = expected }
                found += ids(part.text[...])
                guard let next = part.text.split(separator: "\"next\":\"").dropFirst().first else {
                    break
                }
                cursor = ",\"cursor\":\"\(next.prefix { $0 != "\"" })\""
            }
            if !filter.contains("DISTINCT") || filter.contains("LIMIT") || filter.contains(") SORT")
            {
                #expect(found == expected, "\(filter)")
            }
        }
        let explained = page("LIMIT(2) SORT(n ASC)", ",\"explain\":true")
        #expect(explained.text.contains("\"plan\":\"scan of all objects"), "\(explained.text)")
    }

    @Test("changes by filter take exactly what is found")
    func bulk() {
        APIScenario(
            "PATCH",
            "/v1/classes/Item/objects?filter=TRUEPREDICATE%20SORT(n%20DESC,id%20ASC)%20LIMIT(3)%20SORT(id%20DESC)%20LIMIT(1)",
            #"{"n":100}"#, status: 200, contains: [#""affected":1"#]
        ).check(on: server)
        #expect(ids(page("LIMIT(5) SORT(n DESC) LIMIT(1)").text[...]) == [5])
        APIScenario(
            "DELETE", "/v1/classes/Item/objects?filter=TRUEPREDICATE%20LIMIT(3)%20DISTINCT(s)",
            status: 200, contains: [#""affected":2"#]
        ).check(on: server)
        #expect(ids(page("").text[...]) == [3, 4, 5])
        APIScenario(
            "PATCH",
            Self.objects(
                "SUBQUERY(@links.Item.best, $i, $i.n + 1 > 1).@count == 0 AND ints.@sum < 0"),
            #"{"s":"changed"}"#, status: 200, contains: [#""affected":1"#]
        ).check(on: server)
        APIScenario(
            "DELETE", Self.objects("marks.@max >= 5 OR values.@type == 'int' OR s == 'changed'"),
            status: 200, contains: [#""affected":2"#]
        ).check(on: server)
        #expect(ids(page("").text[...]) == [4])
    }

    @Test("they apply to the elements of a property too")
    func collections() {
        APIScenario(
            "PATCH", "/v1/classes/Item/objects/1",
            #"{"ints":[3,1,3,2,1],"all":[5,2,3,2],"values":[1,{"a":2},"x",{"a":3},null]}"#,
            status: 200
        ).check(on: server)
        for (path, filter, text) in [
            ("ints", "TRUEPREDICATE DISTINCT(self)", #"{"elements":[3,1,2]}"#),
            ("ints", "self > 1 SORT(self ASC) LIMIT(2)", #"{"elements":[2,3]}"#),
            (
                "ints", "TRUEPREDICATE LIMIT(3) SORT(self ASC) DISTINCT(self)",
                #"{"elements":[1,3]}"#
            ),
            ("ints", "self + 1 IN {2, 3}", #"{"elements":[1,2,1]}"#),
            ("all", "TRUEPREDICATE DISTINCT(id) SORT(id ASC) LIMIT(2)", #"{"id":2"#),
            ("all", "SUBQUERY(@links.Item.best, $i, $i.id > 2).@count == 2", #"{"id":2"#),
            ("values", "self.a > 2", #"{"elements":[{"a":3}]}"#),
            ("values", "self.@type IN {'string', 'null'}", #"{"elements":["x",null]}"#),
        ] {
            let target = Self.target(path, [("filter", filter)])
            APIScenario("GET", target, status: 200, contains: [text]).check(on: server)
        }
        let first = server.send(
            "GET",
            Self.target("ints", [("filter", "TRUEPREDICATE DISTINCT(self)"), ("limit", "2")]))
        let cursor = first.text.split(separator: "\"next\":\"").last?.prefix { $0 != "\"" } ?? ""
        #expect(first.text.hasPrefix(#"{"elements":[3,1],"next""#), "\(first.text)")
        APIScenario(
            "GET",
            Self.target(
                "ints",
                [
                    ("filter", "TRUEPREDICATE DISTINCT(self)"), ("limit", "2"),
                    ("cursor", String(cursor)),
                ]), status: 200, contains: [#"{"elements":[2]}"#]
        ).check(on: server)
    }

    private static func objects(_ filter: String) -> String {
        RESTAPITests.target("/v1/classes/Item/objects", [("filter", filter)])
    }

    private static func target(_ path: String, _ parameters: [(String, String)]) -> String {
        RESTAPITests.target("/v1/classes/Item/objects/1/properties/\(path)", parameters)
    }

    @Test("their own limits hold")
    func limits() {
        let keys = (0..<17).map { _ in "n ASC" }.joined(separator: ",")
        let reply = page("LIMIT(1) SORT(\(keys))")
        #expect(reply.status == 400 && reply.text.contains("at most 16"), "\(reply.text)")
        #expect(page("SORT(n ASC) LIMIT(1) SORT(id ASC)", ",\"sort\":\"id\"").status == 400)
    }
}
