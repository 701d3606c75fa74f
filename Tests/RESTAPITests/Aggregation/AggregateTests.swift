import HoldfastObjectModel
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

/// Cities and what is known of them, for aggregates.
enum Towns {
    static let schema = Schema(classes: [
        ObjectClass(
            name: "Town", primaryKey: "id",
            properties: [
                Schemas.property("id", .int), Schemas.property("name", .string, optional: true),
                Schemas.property("age", .int, optional: true, indexed: true),
                Schemas.property("plain", .int, optional: true),
                Schemas.property("ratio", .double, optional: true, indexed: true),
                Schemas.property("small", .float, optional: true),
                Schemas.property("price", .decimal128, optional: true),
                Schemas.property("at", .date, optional: true),
                Schemas.property("any", .mixed),
                Schemas.link("next", "Town"), Schemas.list("near", of: "Town"),
            ]),
        ObjectClass(name: "Empty", properties: [Schemas.property("a", .int)]),
    ])

    static let objects = [
        #"{"id":1,"name":"A","age":5,"plain":5,"ratio":0.5,"small":1.5,"price":"0.10","at":"2026-01-01T00:00:00Z","any":3}"#,
        #"{"id":2,"name":"B","age":null,"plain":null,"ratio":"NaN","small":"NaN","price":"NaN","any":"text","next":1,"near":[1]}"#,
        #"{"id":3,"name":"A","age":-7,"plain":-7,"ratio":2,"small":2,"price":"0.20","at":"2025-01-01T00:00:00Z","any":2.5,"next":1,"near":[1,2]}"#,
        #"{"id":4,"name":null,"age":10,"plain":10,"ratio":null,"small":null,"price":null,"any":null,"next":3}"#,
    ]

    static func server(_ options: RESTOptions = RESTOptions()) throws -> TestServer {
        let server = try TestServer(schema: schema, options: options)
        let reply = server.send(
            "POST", "/v1/classes/Town/objects", "[" + objects.joined(separator: ",") + "]")
        #expect(reply.status == 201, "\(reply.text)")
        return server
    }
}

@Suite("aggregates over HTTP")
struct AggregateTests {
    private static let path = "/v1/classes/Town/aggregate"

    /// The same with all numbers of one kind.
    private static func plain(_ json: QueryJSON) -> QueryJSON {
        switch json {
        case .int(let value): .double(Double(value))
        case .array(let list): .array(list.map(plain))
        case .object(let members): .object(members.mapValues(plain))
        default: json
        }
    }

    @Test("results are exact: nulls and NaN are skipped, sums of nothing are 0")
    func values() throws {
        let server = try Towns.server()
        let cases: [([(String, String)], String)] = [
            ([], #"{"count":4}"#),
            (
                [("op", "count,min(age),max(age),sum(age)")],
                #"{"count":4,"min(age)":-7,"max(age)":10,"sum(age)":8}"#
            ),
            (
                [("op", "max(plain),count,avg(plain)"), ("filter", "id != 4")],
                #"{"max(plain)":5,"count":3,"avg(plain)":-1}"#
            ),
            (
                [("op", "min(ratio),max(ratio),sum(ratio),avg(ratio)")],
                #"{"min(ratio)":0.5,"max(ratio)":2,"sum(ratio)":2.5,"avg(ratio)":1.25}"#
            ),
            ([("op", "min(small),sum(small)")], #"{"min(small)":1.5,"sum(small)":3.5}"#),
            (
                [("op", "sum(price),avg(price),max(price)")],
                #"{"sum(price)":"0.30","avg(price)":"0.15","max(price)":"0.20"}"#
            ),
            ([("op", "min(at)")], #"{"min(at)":"2025-01-01T00:00:00Z"}"#),
            (
                [("op", "min(next.age),max(near.@count)")],
                #"{"min(next.age)":-7,"max(near.@count)":2}"#
            ),
            ([("op", "sum(near.@sum.age)")], #"{"sum(near.@sum.age)":10}"#),
            (
                [
                    ("op", "count,min(age),sum(age),avg(age),sum(price),avg(price)"),
                    ("filter", "id > 9"),
                ],
                #"{"count":0,"min(age)":null,"sum(age)":0,"avg(age)":null,"sum(price)":"0","avg(price)":null}"#
            ),
            (
                [("op", "count,sum(age)"), ("filter", "TRUEPREDICATE SORT(id DESC) LIMIT(2)")],
                #"{"count":2,"sum(age)":3}"#
            ),
            ([("op", "count"), ("filter", "TRUEPREDICATE DISTINCT(name)")], #"{"count":3}"#),
            ([("op", "count"), ("filter", "age > $0"), ("arg", "0")], #"{"count":2}"#),
        ]
        for (parameters, expected) in cases {
            let reply = server.send("GET", target(Self.path, parameters))
            #expect(reply.status == 200, "\(parameters) \(reply.text)")
            #expect(
                Self.plain(reply.json) == QueryJSON(expected).map(Self.plain),
                "\(parameters): \(reply.text)")
        }
        let any = server.send("GET", target(Self.path, [("op", "min(any),max(any),sum(any)")])).json
        #expect(any["max(any)"] == .string("text"))
        #expect(any["min(any)"] == .double(2.5))
        #expect(any["sum(any)"]?.string?.hasPrefix("5.5") ?? false)
        let empty = server.send("GET", "/v1/classes/Empty/aggregate?op=count,max(a),sum(a)").json
        #expect(empty == QueryJSON(#"{"count":0,"max(a)":null,"sum(a)":0}"#))
    }

    @Test("groups are in the order of their values, null first, and come in pages")
    func groups() throws {
        let server = try Towns.server()
        let cases: [([(String, String)], String)] = [
            (
                [("by", "name")],
                #"{"groups":[{"by":{"name":null},"count":1},{"by":{"name":"A"},"count":2},{"by":{"name":"B"},"count":1}]}"#
            ),
            (
                [("by", "name"), ("op", "sum(age),avg(age)"), ("filter", "name != null")],
                #"{"groups":[{"by":{"name":"A"},"sum(age)":-2,"avg(age)":-1},{"by":{"name":"B"},"sum(age)":0,"avg(age)":null}]}"#
            ),
            (
                [("by", "next")],
                #"{"groups":[{"by":{"next":null},"count":1},{"by":{"next":1},"count":2},{"by":{"next":3},"count":1}]}"#
            ),
            (
                [("by", "next.name,name"), ("filter", "next.name == 'A' AND name != null")],
                #"{"groups":[{"by":{"next.name":"A","name":"A"},"count":1},{"by":{"next.name":"A","name":"B"},"count":1}]}"#
            ),
            ([("by", "name"), ("filter", "id > 9")], #"{"groups":[]}"#),
        ]
        for (parameters, expected) in cases {
            let reply = server.send("GET", target(Self.path, parameters))
            #expect(
                Self.plain(reply.json) == QueryJSON(expected).map(Self.plain),
                "\(parameters): \(reply.text)")
        }
        var names: [QueryJSON] = []
        var page = server.send("GET", Self.path + "?by=name&limit=1")
        while true {
            names += page.json["groups"]?.elements.compactMap { $0["by"]?["name"] } ?? []
            guard let next = page.next else { break }
            #expect(page.headers["link"]?.contains(next) ?? false)
            page = server.send(
                "GET", target(Self.path, [("by", "name"), ("limit", "1"), ("cursor", next)]))
            #expect(page.status == 200, "\(page.text)")
        }
        #expect(names == [.null, .string("A"), .string("B")])
    }

    @Test(
        "faults are precise",
        arguments: [
            APIScenario(
                "GET", path + "?op=mni(age)", status: 400,
                contains: [#""parameter":"op""#, #""hint":"min""#]),
            APIScenario(
                "GET", path + "?op=count,sum(agee)", status: 400,
                contains: [#""column":11"#, #""hint":"age""#]),
            APIScenario(
                "GET", path + "?op=sum(at)", status: 400,
                contains: ["numbers and mixed values", "timestamp"]),
            APIScenario("GET", path + "?op=min(name)", status: 400, contains: ["string"]),
            APIScenario("GET", path + "?op=min(near.age)", status: 400, contains: ["one value"]),
            APIScenario("GET", path + "?op=min", status: 400, contains: ["parentheses"]),
            APIScenario("GET", path + "?op=count,count", status: 400, contains: ["twice"]),
            APIScenario("GET", path + "?op=", status: 400, contains: ["expected"]),
            APIScenario("GET", path + "?by=name,name", status: 400, contains: ["twice"]),
            APIScenario(
                "GET", path + "?by=nmae", status: 400,
                contains: [#""parameter":"by""#, #""hint":"name""#]),
            APIScenario("GET", path + "?limit=5", status: 400, contains: ["'by'"]),
            APIScenario(
                "GET", path + "?by=name&limit=1001", status: 400, contains: ["limit-out-of-range"]),
            APIScenario(
                "GET", path + "?by=name&cursor=x", status: 400, contains: ["invalid-cursor"]),
            APIScenario("GET", path + "?sort=name", status: 400, contains: ["unknown-parameter"]),
            APIScenario(
                "GET", path + "?filter=agee%3E1", status: 400, contains: [#""hint":"age""#]),
            APIScenario("GET", path + "?arg=1", status: 400, contains: ["no filter"]),
            APIScenario("GET", "/v1/classes/Towm/aggregate", status: 404, contains: ["Town"]),
            APIScenario("POST", path, "{}", status: 405),
        ])
    func faults(scenario: APIScenario) throws {
        scenario.check(on: try Towns.server())
    }

    @Test("a sum beyond 64 bits is refused, and one that comes back is not")
    func overflow() throws {
        let server = try Towns.server()
        let path = "/v1/classes/Town/objects/"
        server.send("PUT", path + "8", #"{"plain":9223372036854775807}"#)
        server.send("PUT", path + "9", #"{"plain":1}"#)
        APIScenario(
            "GET", Self.path + "?op=sum(plain)", status: 422, contains: ["sum-out-of-range"]
        ).check(on: server)
        server.send("PUT", path + "9", #"{"plain":-9}"#)
        #expect(
            server.send("GET", Self.path + "?op=sum(plain)").text.contains("9223372036854775806"))
    }

    @Test("a count of everything and extremes of an indexed property read no rows but theirs")
    func indexes() throws {
        let server = try Towns.server()
        let others = (100..<400).map { "{\"id\":\($0),\"age\":\($0 % 7),\"ratio\":1}" }
        #expect(
            server.send("POST", "/v1/classes/Town/objects", "[\(others.joined(separator: ","))]")
                .status == 201)
        let reply = server.send(
            "GET", Self.path + "?op=count,min(age),max(age),max(ratio)&explain=true"
        ).json
        #expect(reply["count"]?.int == 304)
        #expect((reply["min(age)"]?.int, reply["max(age)"]?.int) == (-7, 10))
        // The rows of the three extremes, and where the number of objects is kept.
        #expect(reply["explain"]?["rowsRead"]?.int ?? 99 <= 4, "\(reply)")
        #expect(reply["explain"]?["indexes"]?.elements.contains(.string("age")) ?? false)
    }

    @Test("memory is bounded: by the groups of a page, however many there are")
    func memory() throws {
        var options = RESTOptions()
        options.limits.queryMemoryByteCountMax = 64 << 10
        let server = try Towns.server(options)
        let others = (100..<2100).map { "{\"id\":\($0),\"plain\":\($0)}" }
        #expect(
            server.send("POST", "/v1/classes/Town/objects", "[\(others.joined(separator: ","))]")
                .status == 201)
        let page = server.send("GET", Self.path + "?by=id&op=count,max(plain)&limit=20")
        #expect(page.status == 200, "\(page.text)")
        #expect(page.json["groups"]?.elements.count == 20)
        #expect(page.next != nil)
        APIScenario(
            "GET", Self.path + "?by=id&op=count,max(plain)&limit=1000", status: 422,
            contains: ["query-memory-exceeded"]
        ).check(on: server)
    }

    @Test(
        "a list is sorted by counts and aggregates, page by page",
        arguments: [
            "-near.@count", "near.@sum.age", "near.@max.ratio,-near.@count", "-next.near.@count",
        ])
    func sortedByAggregates(sort: String) throws {
        let server = try Towns.server()
        let path = "/v1/classes/Town/objects"
        let whole = server.send("GET", target(path, [("sort", sort)]))
        #expect(whole.status == 200, "\(whole.text)")
        #expect(Set(whole.ids) == [1, 2, 3, 4])
        var ids: [Int64] = []
        var cursor: String?
        repeat {
            let page = server.send(
                "GET",
                target(
                    path,
                    [("sort", sort), ("limit", "1")] + (cursor.map { [("cursor", $0)] } ?? [])))
            ids += page.ids
            cursor = page.next
        } while cursor != nil && ids.count < 9
        #expect(ids == whole.ids)
        if sort == "-near.@count" { #expect(ids.prefix(2) == [3, 2]) }
    }
}
