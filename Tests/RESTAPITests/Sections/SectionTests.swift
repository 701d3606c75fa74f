import HoldfastObjectModel
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

/// People of some places, for sections.
private enum People {
    static let schema = Schema(classes: [
        ObjectClass(
            name: "Person", primaryKey: "id",
            properties: [
                Schemas.property("id", .int), Schemas.property("name", .string, optional: true),
                Schemas.property("known", .string, optional: true, indexed: true),
                Schemas.property("age", .int, optional: true),
                Schemas.property("wide", .int, indexed: true, default: .constant(.int(0))),
                Schemas.property("ratio", .double, optional: true, indexed: true),
                Schemas.property("any", .mixed), Schemas.property("at", .date, optional: true),
                Schemas.link("home", "Town"), Schemas.list("friends", of: "Person"),
                Property(name: "marks", type: .map(.scalar(.int))),
            ]),
        ObjectClass(name: "Town", properties: [Schemas.property("name", .string)]),
        ObjectClass(name: "Inner", kind: .embedded, properties: [Schemas.property("a", .int)]),
        ObjectClass(
            name: "Sent", kind: .asymmetric, primaryKey: "id",
            properties: [Schemas.property("id", .int)]),
    ])

    static let objects = [
        #"{"id":1,"name":"Lea","known":"Lea","age":3,"ratio":1.5,"any":1,"home":1,"marks":{"a":2}}"#,
        #"{"id":2,"name":"Ada","known":"Ada","age":9,"ratio":"NaN","any":"x","home":2,"wide":9007199254740993}"#,
        #"{"id":3,"name":"Éva","known":"Éva","age":3,"ratio":-0.0,"any":1.0,"home":1}"#,
        #"{"id":4,"name":null,"known":null,"age":null,"ratio":null,"any":null}"#,
        #"{"id":5,"name":"Liz","known":"Liz","age":9,"ratio":0,"any":"x","home":1}"#,
        #"{"id":6,"name":"","known":"","age":1,"ratio":1.5,"any":[1],"home":2}"#,
        #"{"id":7,"name":"L","known":"L","age":1,"any":{"a":1},"home":null,"friends":[1,2]}"#,
    ]

    static func server(_ options: RESTOptions = RESTOptions()) throws -> TestServer {
        let server = try TestServer(schema: schema, options: options)
        add([#"{"name":"Oslo"}"#, #"{"name":"Bern"}"#], "Town", to: server)
        add(objects, "Person", to: server)
        return server
    }

    /// Imports objects, which has no limit of time.
    static func add(_ objects: [String], _ className: String, to server: TestServer) {
        let reply = server.send(
            "POST", "/v1/classes/\(className)/import", objects.joined(separator: "\n"),
            headers: [("Content-Type", "application/x-ndjson")])
        #expect(reply.text.contains(#""imported":\#(objects.count)"#), "\(reply.text)")
    }
}

@Suite("sections over HTTP")
struct SectionTests {
    private static let path = "/v1/classes/Person/sections"

    /// A reply's sections as `key: ids`, the key as JSON writes it.
    private static func told(_ reply: HTTPClient.Reply) -> [String] {
        reply.text.split(separator: "{\"key\":").dropFirst().map { section in
            let key = section.prefix(
                upTo: section.firstRange(of: ",\"count\":")?.lowerBound ?? section.endIndex)
            let ids = section.split(separator: "{\"id\":").dropFirst().map {
                $0.prefix { $0.isNumber }
            }
            return "\(key): \(ids.joined(separator: " "))"
        }
    }

    @Test(
        "sections stand where their first objects do, null first, each with its objects in order",
        arguments: [
            ([("by", "age")], ["null: 4", "1: 6 7", "3: 1 3", "9: 2 5"]),
            ([("by", "age"), ("sort", "-age")], ["9: 2 5", "3: 1 3", "1: 6 7", "null: 4"]),
            ([("by", "age"), ("sort", "age,-name")], ["null: 4", "1: 7 6", "3: 3 1", "9: 5 2"]),
            ([("by", "age"), ("sort", "name")], ["null: 4", "1: 6 7", "9: 2 5", "3: 1 3"]),
            (
                [("by", "age"), ("sort", "-id"), ("objects", "1")],
                ["1: 7", "9: 5", "null: 4", "3: 3"]
            ),
            (
                [("by", "age"), ("filter", "TRUEPREDICATE SORT(id DESC)")],
                ["1: 7 6", "9: 5 2", "null: 4", "3: 3 1"]
            ),
            ([("by", "age"), ("filter", "id < $0"), ("arg", "3")], ["3: 1", "9: 2"]),
            ([("by", "age"), ("filter", "id > 9")], []),
            (
                [("by", "age"), ("filter", "TRUEPREDICATE SORT(id ASC) LIMIT(3)")],
                ["3: 1 3", "9: 2"]
            ),
            ([("by", "age"), ("filter", "TRUEPREDICATE LIMIT(3)")], ["3: 1 3", "9: 2"]),
            (
                [("by", "age"), ("filter", "TRUEPREDICATE LIMIT(2)"), ("sort", "-id")],
                ["1: 7 6"]
            ),
            (
                [("by", "prefix(name,1)"), ("filter", "TRUEPREDICATE DISTINCT(age)")],
                ["null: 4", "\"\": 6", "\"A\": 2", "\"L\": 1"]
            ),
            (
                [("by", "prefix(name,1)")],
                ["null: 4", "\"\": 6", "\"A\": 2", "\"L\": 7 1 5", "\"É\": 3"]
            ),
            (
                [("by", "prefix(known,1)")],
                ["null: 4", "\"\": 6", "\"A\": 2", "\"L\": 7 1 5", "\"É\": 3"]
            ),
            (
                [("by", "prefix(known, 2)"), ("sort", "-known")],
                [
                    "\"Év\": 3", "\"Li\": 5", "\"Le\": 1", "\"L\": 7", "\"Ad\": 2", "\"\": 6",
                    "null: 4",
                ]
            ),
            (
                [("by", "prefix(known,1)"), ("sort", "-id")],
                ["\"L\": 7 5 1", "\"\": 6", "null: 4", "\"É\": 3", "\"A\": 2"]
            ),
            ([("by", "home.name")], ["null: 4 7", "\"Bern\": 2 6", "\"Oslo\": 1 3 5"]),
            ([("by", "prefix(home.name,2)")], ["null: 4 7", "\"Be\": 2 6", "\"Os\": 1 3 5"]),
            ([("by", "ratio")], ["null: 4 7", "\"NaN\": 2", "-0.0: 3 5", "1.5: 1 6"]),
            ([("by", "friends.@count")], ["0: 1 2 3 4 5 6", "2: 7"]),
            ([("by", "marks.a")], ["null: 2 3 4 5 6 7", "2: 1"]),
            ([("by", "wide"), ("objects", "0")], ["0: ", "9007199254740993: "]),
            ([("by", "any"), ("filter", "id < 6")], ["null: 4", "1: 1 3", "\"x\": 2 5"]),
        ] as [([(String, String)], [String])])
    func order(parameters: [(String, String)], expected: [String]) throws {
        let server = try People.server()
        let all = parameters + [("fields", "id")]
        let reply = server.send("GET", target(Self.path, all))
        #expect(reply.status == 200, "\(reply.text)")
        #expect(Self.told(reply) == expected, "\(reply.text)")
        // The same page by page.
        var paged: [String] = []
        var cursor: String?
        repeat {
            let page = server.send(
                "GET",
                target(Self.path, all + [("limit", "1")] + (cursor.map { [("cursor", $0)] } ?? [])))
            #expect(page.status == 200, "\(page.text)")
            paged += Self.told(page)
            cursor = page.next
            #expect((page.headers["link"] != nil) == (cursor != nil))
            if let cursor { #expect(page.headers["link"]?.contains(cursor) ?? false) }
        } while cursor != nil && paged.count <= expected.count
        #expect(paged == expected)
    }

    @Test("a reply has counts, objects as a list shows them, and how it was made")
    func members() throws {
        let server = try People.server()
        let reply = server.send(
            "GET",
            target(
                Self.path,
                [
                    ("by", "age"), ("limit", "2"), ("objects", "1"), ("count", "exact"),
                    ("fields", "id,home.name"), ("filter", "age != null"),
                ]))
        #expect(
            reply.text.hasPrefix(
                #"{"sections":[{"key":1,"count":2,"objects":[{"id":6,"home":{"name":"Bern"}}]},{"key":3,"count":2,"objects":[{"id":1,"home":{"name":"Oslo"}}]}],"next":""#
            ), "\(reply.text)")
        #expect(reply.json["count"]?.int == 3)
        #expect(reply.headers["holdfast-version"] != nil)
        let quoted = server.send(
            "GET", Self.path + "?by=wide&objects=0", headers: [("Prefer", "int64=string")])
        #expect(quoted.text.contains(#"{"key":"9007199254740993","count":1,"objects":[]}"#))
        let head = server.send("HEAD", Self.path + "?by=wide&objects=0")
        #expect(head.status == 200 && head.text.isEmpty)
        let many = server.send(
            "POST", "/v1/classes/Town/objects",
            "[" + (0..<12).map { "{\"name\":\"T\($0)\"}" }.joined(separator: ",") + "]")
        #expect(many.status == 201)
        let towns = server.send("GET", "/v1/classes/Town/sections?by=prefix(name,1)")
        #expect(towns.text.contains(#""key":"T","count":12,"objects":[{"$id":3,"#))
        let shown = towns.json["sections"]?.elements.last?["objects"]?.elements.count
        #expect(shown == 10)
    }

    @Test("an index counts sections from its entries alone, without a sort")
    func plans() throws {
        let server = try People.server()
        func explain(_ parameters: [(String, String)]) -> QueryJSON? {
            server.send("GET", target(Self.path, parameters + [("explain", "true")]))
                .json["explain"]
        }
        let counted = explain([("by", "wide"), ("objects", "0")])
        #expect(counted?["plan"]?.string == "index wide, 1 range")
        #expect(counted?["entriesRead"]?.int == 7)
        // One row of each section, for its key.
        #expect(counted?["rowsRead"]?.int == 2)
        let within = explain([("by", "wide"), ("filter", "wide > 5")])
        #expect(within?["plan"]?.string == "index wide, 1 range")
        #expect(within?["entriesRead"]?.int == 1)
        let letters = explain([("by", "prefix(known,1)"), ("sort", "-known"), ("objects", "0")])
        #expect(letters?["plan"]?.string == "index known, 1 range, descending")
        #expect(letters?["rowsRead"]?.int == 5)
        #expect(explain([("by", "age")])?["plan"]?.string == "scan of all objects")
        #expect(
            explain([("by", "id"), ("objects", "0")])?["plan"]?.string == "primary key id, 1 range")
    }

    @Test(
        "faults are precise",
        arguments: [
            APIScenario(
                "GET", path, status: 400, contains: [#""parameter":"by""#, "prefix(name,1)"]),
            APIScenario(
                "GET", path + "?by=nmae", status: 400,
                contains: [#""parameter":"by""#, #""hint":"name""#]),
            APIScenario("GET", path + "?by=home", status: 400, contains: ["one of its properties"]),
            APIScenario("GET", path + "?by=friends.name", status: 400, contains: ["one value"]),
            APIScenario(
                "GET", path + "?by=name,age", status: 400, contains: ["one path", #""column":6"#]),
            APIScenario("GET", path + "?by=", status: 400, contains: ["expected"]),
            APIScenario("GET", path + "?by=any.@type", status: 400, contains: ["@type"]),
            APIScenario(
                "GET", path + "?by=perfix(name,1)", status: 400, contains: [#""hint":"prefix""#]),
            APIScenario("GET", path + "?by=prefix(name)", status: 400, contains: ["a number"]),
            APIScenario("GET", path + "?by=prefix(name,1", status: 400, contains: ["parentheses"]),
            APIScenario("GET", path + "?by=prefix(", status: 400, contains: ["parentheses"]),
            APIScenario(
                "GET", path + "?by=prefix(name,0)", status: 400, contains: ["from 1 to 64"]),
            APIScenario(
                "GET", path + "?by=prefix(name,65)", status: 400, contains: ["from 1 to 64"]),
            APIScenario(
                "GET", path + "?by=prefix(name,x)", status: 400, contains: ["from 1 to 64"]),
            APIScenario(
                "GET", path + "?by=prefix(age,1)", status: 400,
                contains: ["'int'", #""column":8"#]),
            APIScenario(
                "GET", path + "?by=age&limit=1001", status: 400, contains: ["limit-out-of-range"]),
            APIScenario(
                "GET", path + "?by=age&objects=1001", status: 400,
                contains: ["limit-out-of-range", #""parameter":"objects""#]),
            APIScenario(
                "GET", path + "?by=age&objects=-1", status: 400,
                contains: [#""parameter":"objects""#]),
            APIScenario(
                "GET", path + "?by=age&sort=nmae", status: 400,
                contains: [#""parameter":"sort""#, #""hint":"name""#]),
            APIScenario(
                "GET", path + "?by=age&sort=id&filter=TRUEPREDICATE%20SORT(id%20ASC)", status: 400,
                contains: ["SORT or DISTINCT of its own"]),
            APIScenario(
                "GET", path + "?by=age&cursor=x", status: 400, contains: ["invalid-cursor"]),
            APIScenario(
                "GET", path + "?by=age&distinct=name", status: 400, contains: ["unknown-parameter"]),
            APIScenario(
                "GET", path + "?by=age&fields=nmae", status: 400, contains: [#""hint":"name""#]),
            APIScenario("GET", path + "?by=age&arg=1", status: 400, contains: ["no filter"]),
            APIScenario(
                "GET", path + "?by=age&minVersion=00000000-1", status: 409,
                contains: ["other-epoch"]),
            APIScenario(
                "GET", path + "?by=age", headers: [("Accept", "text/html")], status: 406,
                contains: ["application/json"]),
            APIScenario(
                "GET", "/v1/classes/Persn/sections?by=a", status: 404, contains: ["Person"]),
            APIScenario("GET", "/v1/classes/Inner/sections?by=a", status: 405),
            APIScenario("GET", "/v1/classes/Sent/sections?by=id", status: 405),
            APIScenario("POST", path, "{}", status: 405),
        ])
    func faults(scenario: APIScenario) throws {
        scenario.check(on: try People.server())
    }

    @Test("a cursor belongs to its sections, however many objects of each are shown")
    func cursors() throws {
        let server = try People.server()
        let next = try #require(server.send("GET", Self.path + "?by=age&limit=1").next)
        for (more, status) in [
            ("by=age&limit=2&objects=0", 200), ("by=age&fields=id", 200), ("by=name", 400),
            ("by=age&sort=-age", 400), ("by=age&filter=TRUEPREDICATE", 400),
        ] {
            let reply = server.send("GET", Self.path + "?\(more)&cursor=\(next)")
            #expect(reply.status == status, "\(more): \(reply.text)")
        }
        let list = server.send("GET", "/v1/classes/Person/objects?sort=age&cursor=\(next)")
        #expect(list.status == 400)
    }

    @Test(
        "a cursor that nobody made does no harm",
        arguments: [
            "by=known", "by=prefix(known,1)", "by=prefix(known,1)&sort=-known", "by=age",
            "by=age&sort=-age", "by=age&sort=-id", "by=id", "by=known&sort=-known,id",
            "by=age&filter=TRUEPREDICATE%20LIMIT(5)",
        ])
    func forgedCursors(parameters: String) throws {
        let server = try People.server()
        let path = Self.path + "?\(parameters)&objects=1"
        let next = try #require(server.send("GET", path + "&limit=1").next)
        let long = [UInt8](repeating: 0x78, count: 430)
        for number in [0, 1, 4, 1 << 62 - 1] as [UInt64] {
            for bytes in [
                [], [0], [1], [2], [0xFF], [0xFE], [1, 0], [1, 0, 0], [1, 0, 1], [1, 0xFF, 0xFF],
                [1, 0xC3, 0, 0], [1, 0x4C, 0, 0xFF, 0, 0], [1] + long + [0, 1] + long.prefix(16),
            ] as [[UInt8]] {
                let forged = try #require(
                    CursorForgery.change(next, returned: number, key: number, sortBytes: bytes))
                let reply = server.send("GET", path + "&limit=2&cursor=\(forged)")
                // A long text that no object has may be one that an object had.
                if bytes.count > long.count, reply.status == 410 {
                    #expect(reply.text.contains("cursor-expired"))
                    continue
                }
                #expect(reply.status == 200, "\(number) \(bytes): \(reply.text)")
                #expect(QueryJSON(reply.text)?["sections"] != nil)
            }
        }
    }

    @Test("neither time nor memory goes beyond the limits")
    func limits() throws {
        var options = RESTOptions()
        options.limits.queryTimeSecondsMax = 0
        let slow = try People.server(options)
        options = RESTOptions()
        options.limits.queryMemoryByteCountMax = 100_000
        let small = try People.server(options)
        for server in [slow, small] {
            let people = (100..<2100).map {
                "{\"id\":\($0),\"age\":\($0),\"wide\":\($0),\"name\":\"\($0)\"}"
            }
            People.add(people, "Person", to: server)
        }
        for by in ["age", "wide", "prefix(name,4)"] {
            for sort in ["", "&sort=-id", "&sort=\(by.hasPrefix("p") ? "name" : by),id"] {
                let note = "by=\(by)\(sort)"
                let late = slow.send("GET", Self.path + "?\(note)&limit=1000")
                #expect(late.status == 503, "\(note): \(late.text)")
                #expect(late.text.contains("query-too-slow") && late.headers["retry-after"] != nil)
                let full = small.send("GET", Self.path + "?\(note)&limit=1000")
                #expect(full.status == 422, "\(note): \(full.text)")
                #expect(full.text.contains("query-memory-exceeded"))
            }
            // Where keys have the order, only a page's sections are kept.
            let page = small.send("GET", Self.path + "?by=\(by)&limit=10")
            #expect(page.status == 200, "\(page.text)")
        }
        for target in [
            "op=max(age)", "by=age", "op=sum(age)&filter=name%20!=%20'x'", "op=avg(ratio)",
        ] {
            let reply = slow.send("GET", "/v1/classes/Person/aggregate?\(target)")
            #expect(reply.status == 503, "\(target): \(reply.text)")
            #expect(reply.text.contains("query-too-slow"))
        }
    }
}
