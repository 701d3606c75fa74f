import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

/// Visits with dates, numbers and collections, for groups.
private enum Visits {
    static let schema = Schema(classes: [
        ObjectClass(
            name: "Visit", primaryKey: "id",
            properties: [
                Schemas.property("id", .int), Schemas.property("at", .date, optional: true),
                Schemas.property("count", .int, optional: true),
                Schemas.property("score", .double, optional: true),
                Schemas.property("price", .decimal128, optional: true),
                Schemas.property("any", .mixed), Schemas.list("tags", .string, optional: true),
                Schemas.list("marks", .int), Schemas.list("near", of: "Visit"),
                Schemas.link("next", "Visit"),
                Property(name: "costs", type: .map(.scalar(.int))),
                Property(
                    name: "before", type: .linkingObjects(className: "Visit", property: "next")),
            ])
    ])

    static let objects = [
        #"{"id":1,"at":"2020-12-31T23:30:00Z","count":-1,"score":0.5,"price":"-0.10","tags":["x","y","x"],"marks":[1,12],"near":[2,2],"costs":{"a":1,"b":2}}"#,
        #"{"id":2,"at":"2021-01-01T00:30:00Z","count":10,"score":"NaN","price":"1.20","tags":["y",null],"next":1}"#,
        #"{"id":3,"at":"2021-07-01T22:15:00Z","count":19,"score":-0.1,"price":"1.30","tags":[],"near":[1,2],"next":1,"costs":{"a":2}}"#,
        #"{"id":4,"count":-9223372036854775808,"marks":[12]}"#,
    ]

    static func server() throws -> TestServer {
        let server = try TestServer(schema: schema)
        let reply = server.send(
            "POST", "/v1/classes/Visit/objects", "[\(objects.joined(separator: ","))]")
        #expect(reply.status == 201, "\(reply.text)")
        return server
    }
}

@Suite("what groups have in common")
struct GroupKeyTests {
    private static let path = "/v1/classes/Visit/aggregate"

    /// The groups as `key:count`, of several keys with a slash between them.
    private static func groups(_ server: TestServer, _ parameters: [(String, String)]) -> String {
        let reply = server.send("GET", target(path, parameters))
        #expect(reply.status == 200, "\(parameters): \(reply.text)")
        let names = parameters.first { $0.0 == "by" }.map { SplitList($0.1).items } ?? []
        return (reply.json["groups"]?.elements ?? []).map { group in
            let keys = names.map { name in
                switch group["by"]?[name] {
                case .int(let value)?: "\(value)"
                case .double(let value)?: "\(value)"
                case .string(let text)?: text
                case .null?: "-"
                default: "?"
                }
            }
            return keys.joined(separator: "/") + ":\(group["count"]?.int ?? -1)"
        }.joined(separator: " ")
    }

    /// A list whose commas within parentheses divide nothing.
    private struct SplitList {
        var items: [String] = [""]

        init(_ list: String) {
            var depth = 0
            for character in list {
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                if character == ",", depth == 0 {
                    items.append("")
                } else {
                    items[items.count - 1].append(character)
                }
            }
        }
    }

    private static let dates: [(by: String, zone: String?, groups: String)] = [
        ("year(at)", nil, "-:1 2020:1 2021:2"), ("month(at)", nil, "-:1 1:1 7:1 12:1"),
        ("day(at)", nil, "-:1 1:2 31:1"), ("hour(at)", nil, "-:1 0:1 22:1 23:1"),
        ("year(at),month(at)", nil, "-/-:1 2020/12:1 2021/1:1 2021/7:1"),
        ("year(at)", "Z", "-:1 2020:1 2021:2"), ("year(at)", "UTC", "-:1 2020:1 2021:2"),
        ("year(at)", "+00:30", "-:1 2021:3"), ("hour(at)", "+05:30", "-:1 3:1 5:1 6:1"),
        ("year(at)", "-01:00", "-:1 2020:2 2021:1"),
        // In summer two hours ahead of UTC, in winter one.
        ("hour(at)", "Europe/Paris", "-:1 0:2 1:1"),
        ("day(at)", "Europe/Paris", "-:1 1:2 2:1"),
        ("hour(at)", "America/St_Johns", "-:1 19:1 20:1 21:1"),
        ("year(next.at)", nil, "-:2 2020:2"),
    ]

    @Test("parts of dates, in UTC or in a zone")
    func dates() throws {
        let server = try Visits.server()
        for (by, zone, groups) in Self.dates {
            let parameters = [("by", by)] + (zone.map { [("tz", $0)] } ?? [])
            #expect(Self.groups(server, parameters) == groups, "\(by) \(zone ?? "")")
        }
    }

    private static let buckets: [(by: String, groups: String)] = [
        ("bucket(count,10)", "\(Int64.min):1 -10:1 10:2"),
        ("bucket(count, 2.5)", "-9.223372036854776e+18:1 -2.5:1 10.0:1 17.5:1"),
        ("bucket(score,0.25)", "-:1 NaN:1 -0.25:1 0.5:1"),
        ("bucket(price,0.5)", "-:1 -0.5:1 1.0:2"), ("bucket(near.@count,2)", "0:2 2:2"),
        ("bucket(marks,10)", "0:1 10:2"),
    ]

    @Test("intervals of numbers, by their lower bounds")
    func buckets() throws {
        let server = try Visits.server()
        for (by, groups) in Self.buckets {
            #expect(Self.groups(server, [("by", by)]) == groups, "\(by)")
        }
    }

    private static let collections: [(by: String, groups: String)] = [
        // One object has it twice, and one has none.
        ("tags", "-:1 x:2 y:2"), ("marks", "1:1 12:2"), ("near", "1:1 2:3"),
        ("near.count", "-1:1 10:3"), ("near.tags", "-:3 x:2 y:4"), ("costs", "1:1 2:2"),
        ("costs.@keys", "a:2 b:1"), ("before.count", "10:1 19:1"),
        ("tags,count", "-/10:1 x/-1:2 y/-1:1 y/10:1"),
        ("count,tags", "-1/x:2 -1/y:1 10/-:1 10/y:1"),
        ("year(before.at)", "2021:2"),
    ]

    @Test("elements of a collection: each counts in its group")
    func collections() throws {
        let server = try Visits.server()
        for (by, groups) in Self.collections {
            #expect(Self.groups(server, [("by", by)]) == groups, "\(by)")
        }
        let reply = server.send(
            "GET",
            target(
                Self.path,
                [
                    ("by", "tags"), ("op", "sum(count),count"), ("order", "-sum(count)"),
                    ("limit", "2"),
                ]))
        #expect(
            reply.text.hasPrefix(
                #"{"groups":[{"by":{"tags":null},"sum(count)":10,"count":1},{"by":{"tags":"y"},"sum(count)":9,"count":2}]"#
            ),
            "\(reply.text)")
    }

    @Test("come in pages whatever they are")
    func pages() throws {
        let server = try Visits.server()
        for by in ["tags", "year(at)", "near.tags", "bucket(count,10)"] {
            let whole = Self.groups(server, [("by", by)])
            var found: [String] = []
            var cursor: String?
            repeat {
                let parameters =
                    [("by", by), ("limit", "1")] + (cursor.map { [("cursor", $0)] } ?? [])
                found.append(Self.groups(server, parameters))
                cursor = server.send("GET", target(Self.path, parameters)).next
            } while cursor != nil && found.count < 9
            #expect(found.joined(separator: " ") == whole)
        }
    }

    private static func fault(
        _ by: String, _ contains: [String], zone: String? = nil
    ) -> APIScenario {
        APIScenario(
            "GET", target(path, [("by", by)] + (zone.map { [("tz", $0)] } ?? [])), status: 400,
            contains: contains)
    }

    @Test(
        "faults are precise",
        arguments: [
            fault("yaer(at)", [#""hint":"year""#, #""column":1"#]),
            fault("year(count)", ["takes a date", "int", #""column":6"#]),
            fault("bucket(at,10)", ["takes a number", "timestamp"]),
            fault("bucket(any,10)", ["takes a number", "mixed"]),
            fault("bucket(count)", ["bucket(score,10)"]), fault("year(at,1)", ["year(born)"]),
            fault("bucket(count,0x10)", ["greater than 0"]),
            fault("bucket(count,0)", ["greater than 0", #""column":14"#]),
            fault("bucket(price,-1)", ["greater than 0"]), fault("year(att)", [#""hint":"at""#]),
            fault("tags,marks", ["one already", #""column":6"#]),
            fault("before", ["object"]), fault("year(at", ["year(born)"]),
            fault("year(at)", [#""parameter":"tz""#, "IANA"], zone: "Europe/Pariss"),
            fault("year(at)", ["IANA"], zone: "+2"), fault("year(at)", ["IANA"], zone: ""),
            fault("count", [#""parameter":"tz""#, "year(born)"], zone: "UTC"),
            APIScenario("GET", path + "?tz=UTC", status: 400, contains: ["'by'"]),
            APIScenario(
                "GET", path + "?by=year(at)&tz=Europe/Paris%00", status: 400, contains: ["'tz'"]),
        ])
    func faults(scenario: APIScenario) throws {
        scenario.check(on: try Visits.server())
    }

    @Test("are followed: a tag that comes, and a date that moves")
    func followed() throws {
        let server = ChangesServer(try Visits.server())
        let tags = server.events(Self.path + "/changes", [("by", "tags")])
        let years = server.events(Self.path + "/changes", [("by", "year(at)"), ("tz", "-01:00")])
        for stream in [tags, years] { _ = stream.events(to: "value") }
        server.send("PATCH", "/v1/classes/Visit/objects/3", #"{"tags":["z"]}"#)
        #expect(tags.nextEvent().json["groups"]?.elements.count == 4)
        server.send("PATCH", "/v1/classes/Visit/objects/1", #"{"at":"2021-01-01T02:00:00Z"}"#)
        let groups = years.nextEvent().json["groups"]?.elements ?? []
        #expect(groups.map { $0["count"]?.int } == [1, 1, 2])
    }
}
