import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("media types of lists")
struct ListFormTests {
    private static let shops = "/v1/classes/Shop/objects"
    private static let flats = "/v1/classes/Flat/objects"

    @Test(
        "the type that a client wants most is answered",
        arguments: [
            (nil, "application/json"), ("", "application/json"), ("*/*", "application/json"),
            ("application/*", "application/json"), ("text/*", "text/csv"),
            ("application/geo+json", "application/geo+json"),
            ("APPLICATION/GEO+JSON", "application/geo+json"),
            ("application/geo+json;q=0.5, */*;q=0.1", "application/geo+json"),
            ("application/geo+json;q=0.5, application/json", "application/json"),
            ("application/geo+json, application/json;q=0.9", "application/geo+json"),
            ("application/geo+json, application/json", "application/geo+json"),
            ("application/json, application/geo+json", "application/json"),
            ("*/*, text/csv", "text/csv"), ("text/csv; header=present", "text/csv"),
            ("text/csv;q=0.001, application/json;q=0", "text/csv"),
            ("application/json;q=0, */*", "application/geo+json"),
            ("text/csv;q=1.000,application/*;q=0.999", "text/csv"),
            (
                "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
                "application/json"
            ),
            ("text/html", nil), ("application/json;q=0", nil), ("text/csv;q=0.0", nil),
            ("text/csv;q=x", nil), (",;,", nil), ("*/*;q=0", nil),
        ] as [(String?, String?)])
    func negotiation(accept: String?, expected: String?) throws {
        let server = try ListForms.server()
        let reply = server.send(
            "GET", Self.shops + "?fields=name", headers: accept.map { [("Accept", $0)] } ?? [])
        guard let expected else {
            #expect(reply.status == 406, "\(reply.text)")
            for type in ["application/json", "application/geo+json", "text/csv"] {
                #expect(reply.text.contains(type), "\(reply.text)")
            }
            return
        }
        #expect(reply.status == 200, "\(reply.text)")
        #expect(reply.headers["content-type"]?.hasPrefix(expected) ?? false, "\(reply.headers)")
        #expect(reply.headers["vary"]?.contains("Accept") ?? false, "\(reply.headers)")
    }

    // MARK: GeoJSON

    private static let wantsGeo = [("Accept", "application/geo+json")]

    @Test("GeoJSON has each object as a feature, with its point apart from its properties")
    func features() throws {
        let server = try ListForms.server()
        let reply = APIScenario(
            "GET", Self.shops + "?limit=2&count=exact", headers: Self.wantsGeo, status: 200,
            contains: [
                #"{"type":"FeatureCollection","features":[{"type":"Feature","id":1,"geometry":{"type":"Point","coordinates":[13.4,52.52]},"properties":{"id":1,"name":"A","town":1,"tags":["x"]}},"#,
                #"{"type":"Feature","id":2,"geometry":{"type":"Point","coordinates":[-70.0,-33.5,520.0]},"properties":{"id":2,"name":"B","town":2,"tags":[]}}],"next":""#,
                #""count":8}"#,
            ], fields: ["content-type": "application/geo+json", "link": "", "holdfast-version": ""]
        ).check(on: server)
        let next = try #require(reply.next)
        #expect(reply.headers["link"]?.contains(next) ?? false)
        let second = server.send(
            "GET", Self.shops + "?limit=2&cursor=\(next)&fields=id", headers: Self.wantsGeo)
        #expect(
            second.text.hasPrefix(
                #"{"type":"FeatureCollection","features":[{"type":"Feature","id":3,"geometry":null,"properties":{"id":3}},{"type":"Feature","id":4,"geometry":null,"properties":{"id":4}}],"next":"#
            ), "\(second.text)")
        // A cursor says where to go on, in whatever form.
        #expect(server.send("GET", Self.shops + "?limit=2&cursor=\(next)").ids == [3, 4])
        let rest = server.send(
            "GET", target(Self.shops, [("filter", "id > 4"), ("fields", "name")]),
            headers: Self.wantsGeo)
        #expect(
            rest.text
                == #"{"type":"FeatureCollection","features":[{"type":"Feature","id":5,"geometry":null,"properties":{"name":null}},{"type":"Feature","id":6,"geometry":null,"properties":{"name":null}},{"type":"Feature","id":7,"geometry":null,"properties":{"name":null}},{"type":"Feature","id":8,"geometry":{"type":"Point","coordinates":[1.0,2.0]},"properties":{"name":null}}]}"#
        )
        let empty = server.send(
            "GET", target(Self.shops, [("filter", "id > 9")]), headers: Self.wantsGeo)
        #expect(empty.text == #"{"type":"FeatureCollection","features":[]}"#)
    }

    @Test("'geometry' names the point, 'fields' and 'expand' shape the properties")
    func shapes() throws {
        let server = try ListForms.server()
        func list(_ path: String, _ parameters: [(String, String)]) -> String {
            server.send("GET", target(path, parameters + [("limit", "1")]), headers: Self.wantsGeo)
                .text
        }
        let bonn = #""geometry":{"type":"Point","coordinates":[7.1,50.7]}"#
        for (path, parameters, expected) in [
            (Self.shops, [("geometry", "town.centre"), ("fields", "place,id")], bonn),
            (
                Self.shops, [("geometry", "town.centre"), ("fields", "place,id")],
                #""properties":{"place":{"type":"Point","coordinates":[13.4,52.52]},"id":1}"#
            ),
            (
                "/v1/classes/Town/objects", [("geometry", "edge")],
                #""id":1,"geometry":{"type":"Point","coordinates":[7.0,50.0]},"properties":{"$id":1,"name":"Bonn","centre":{"type":"Point""#
            ),
            (Self.shops, [("fields", "place")], #""properties":{}}"#),
            (Self.shops, [("fields", "place.type,name")], #""properties":{"name":"A"}}"#),
            (
                Self.shops, [("fields", "id,town.name")],
                #""properties":{"id":1,"town":{"name":"Bonn"}}"#
            ),
            (
                Self.shops, [("expand", "town"), ("fields", "id,town")],
                #""properties":{"id":1,"town":{"$id":1,"name":"Bonn""#
            ),
            (Self.shops, [("explain", "true")], #""explain":{"plan":"#),
            (
                Self.shops, [("filter", "id < 3 SORT(id DESC) LIMIT(1) SORT(id ASC)")],
                #""id":2,"geometry""#
            ),
            // An identifier is never null.
            (
                "/v1/classes/Key/objects", [],
                #"{"type":"Feature","geometry":null,"properties":{"key":null}}"#
            ),
            (
                "/v1/projections/ShopCard/objects", [],
                #""id":1,"geometry":{"type":"Point","coordinates":[13.4,52.52]},"properties":{"title":"A","townName":"Bonn"}"#
            ),
            (
                "/v1/projections/ShopCard/objects",
                [("geometry", "town.edge"), ("fields", "title")],
                #""geometry":{"type":"Point","coordinates":[7.0,50.0]},"properties":{"title":"A"}"#
            ),
        ] as [(String, [(String, String)], String)] {
            let text = list(path, parameters)
            #expect(text.contains(expected), "\(path) \(parameters): \(text)")
            #expect(QueryJSON(text) != nil, "\(text)")
        }
        let posted = server.send(
            "POST", "/v1/classes/Shop/query",
            #"{"filter":"id == 1","fields":"id","geometry":"town.edge"}"#, headers: Self.wantsGeo)
        #expect(
            posted.text
                == #"{"type":"FeatureCollection","features":[{"type":"Feature","id":1,"geometry":{"type":"Point","coordinates":[7.0,50.0]},"properties":{"id":1}}]}"#
        )
        #expect(posted.headers["content-type"] == "application/geo+json")
    }

    @Test(
        "what has no geometry is refused and says why",
        arguments: [
            APIScenario(
                "GET", flats, headers: wantsGeo, status: 406,
                contains: ["no-geometry", "'Flat'", "coordinates"]),
            APIScenario(
                "GET", "/v1/classes/Town/objects", headers: wantsGeo, status: 400,
                contains: ["centre, edge", #""parameter":"geometry""#]),
            APIScenario(
                "GET", shops + "?geometry=plaec", headers: wantsGeo, status: 400,
                contains: [#""hint":"place""#, #""parameter":"geometry""#]),
            APIScenario(
                "GET", shops + "?geometry=town", headers: wantsGeo, status: 400,
                contains: ["no geographic point"]),
            APIScenario("GET", shops + "?geometry=tags", headers: wantsGeo, status: 400),
            APIScenario("GET", shops + "?geometry=place.type", headers: wantsGeo, status: 400),
            APIScenario("GET", shops + "?geometry=", headers: wantsGeo, status: 400),
            APIScenario("GET", shops + "?geometry=town..centre", headers: wantsGeo, status: 400),
            APIScenario(
                "GET", shops + "?geometry=place", status: 400, contains: ["application/geo+json"]),
            APIScenario(
                "POST", "/v1/classes/Town/query", "{}", headers: wantsGeo, status: 400,
                contains: [#""pointer":"/geometry""#]),
            APIScenario(
                "POST", "/v1/classes/Town/query", #"{"geometry":7}"#, headers: wantsGeo,
                status: 400,
                contains: [#""pointer":"/geometry""#]),
            APIScenario(
                "POST", "/v1/classes/Shop/query", "{}", headers: [("Accept", "text/csv")],
                status: 406, contains: ["application/json and application/geo+json"]),
            APIScenario(
                "GET", "/v1/classes/Shop/aggregate?geometry=place", status: 400,
                contains: ["unknown-parameter"]),
        ])
    func refusals(scenario: APIScenario) throws {
        scenario.check(on: try ListForms.server())
    }

    @Test("a path to a point is as long as a query's text may be, and no longer")
    func geometryLength() throws {
        var options = RESTOptions()
        options.limits.queryTextByteCountMax = 100
        let server = try ListForms.server(options)
        func scenario(_ path: String, _ contains: [String]) -> APIScenario {
            APIScenario(
                "POST", "/v1/classes/Shop/query", "{\"geometry\":\"\(path)\"}",
                headers: [("Accept", "application/geo+json")], status: 400, contains: contains)
        }
        let name = String(repeating: "n", count: 100)
        scenario(name, ["unknown-property"]).check(on: server)
        let tooLong = ["query-too-long", #""pointer":"/geometry""#]
        scenario(name + "n", tooLong).check(on: server)
        scenario(String(repeating: ".", count: 101), tooLong).check(on: server)
    }

    @Test("a point that the geometry can't hold stays among the properties")
    func noPoint() throws {
        let server = try ListForms.server()
        let reply = server.send(
            "GET", target(Self.shops, [("filter", "id IN {2, 3, 5}"), ("fields", "id,place")]),
            headers: Self.wantsGeo)
        for expected in [
            #""geometry":{"type":"Point","coordinates":[-70.0,-33.5,520.0]},"properties":{"id":2}}"#,
            #""geometry":null,"properties":{"id":3}}"#,
            #""geometry":null,"properties":{"id":5,"place":{"type":"point","coordinates":[200.0,10.0]}}}"#,
        ] {
            #expect(reply.text.contains(expected), "\(reply.text)")
        }
    }

    // MARK: CSV

    private static let wantsCSV = [("Accept", "text/csv")]

    @Test("CSV has a header line and a record of each object, as an export has them")
    func records() throws {
        let server = try ListForms.server()
        let first = APIScenario(
            "GET", Self.flats + "?fields=id,name,big,shop&limit=2", headers: Self.wantsCSV,
            status: 200,
            fields: [
                "content-type": "text/csv; charset=utf-8", "link": "", "holdfast-version": "",
            ]
        ).check(on: server)
        #expect(
            first.text
                == "id,name,big,shop\r\n1,\"a,\"\"b\"\"\",9007199254740993,2\r\n2,\"\",,\r\n")
        let link = try #require(first.headers["link"])
        let next = String(link.dropFirst().prefix { $0 != ">" })
        let second = server.send("GET", next, headers: Self.wantsCSV)
        #expect(second.text == "id,name,big,shop\r\n3,,,\r\n")
        #expect(second.headers["link"] == nil)
        let exported = server.send(
            "GET", "/v1/classes/Flat/export?fields=id,name,big,shop", headers: Self.wantsCSV)
        #expect(
            server.send("GET", Self.flats + "?fields=id,name,big,shop", headers: Self.wantsCSV).text
                == exported.text)
        for (path, parameters, expected) in [
            (
                Self.flats, [("fields", "name"), ("sort", "-id"), ("limit", "2")],
                "name\r\n\r\n\"\"\r\n"
            ),
            (Self.flats, [("fields", "id"), ("filter", "id > 9")], "id\r\n"),
            (
                Self.flats, [("fields", "id,shop"), ("filter", "shop.id == 2")],
                "id,shop\r\n1,2\r\n"
            ),
            (
                Self.flats,
                [("fields", "id"), ("filter", "TRUEPREDICATE LIMIT(2) SORT(id DESC)")],
                "id\r\n2\r\n1\r\n"
            ),
            (
                "/v1/classes/Town/objects", [("fields", "$id,name")],
                "$id,name\r\n1,Bonn\r\n2,Nowhere\r\n"
            ),
            (
                "/v1/projections/FlatCard/objects", [("limit", "2")],
                "label,shopName\r\n\"a,\"\"b\"\"\",B\r\n\"\",\r\n"
            ),
        ] as [(String, [(String, String)], String)] {
            let reply = server.send("GET", target(path, parameters), headers: Self.wantsCSV)
            #expect(
                reply.status == 200 && reply.text == expected,
                "\(path) \(parameters): \(reply.text)")
        }
    }

    @Test(
        "what does not fit into CSV is refused and named",
        arguments: [
            APIScenario(
                "GET", flats, headers: wantsCSV, status: 406, contains: ["not-flat", "'any'"]),
            APIScenario(
                "GET", shops + "?fields=id,tags", headers: wantsCSV, status: 406,
                contains: ["'tags'", "application/json"]),
            APIScenario("GET", shops, headers: wantsCSV, status: 406, contains: ["'place'"]),
            APIScenario(
                "GET", shops + "?fields=id,town.centre", headers: wantsCSV, status: 406,
                contains: ["'town.centre'"]),
            APIScenario(
                "GET", "/v1/projections/ShopCard/objects", headers: wantsCSV, status: 406,
                contains: ["'where'"]),
            APIScenario(
                "GET", flats + "?fields=id&expand=shop", headers: wantsCSV, status: 400,
                contains: [#""parameter":"expand""#]),
            APIScenario(
                "GET", flats + "?fields=id&count=exact", headers: wantsCSV, status: 400,
                contains: [#""parameter":"count""#]),
            APIScenario(
                "GET", flats + "?fields=id&explain=true", headers: wantsCSV, status: 400,
                contains: [#""parameter":"explain""#]),
            APIScenario(
                "GET", flats + "?fields=id&geometry=shop.place", headers: wantsCSV, status: 400),
        ])
    func csvRefusals(scenario: APIScenario) throws {
        scenario.check(on: try ListForms.server())
    }

    @Test("neither form holds more in memory than a query may")
    func limits() throws {
        var options = RESTOptions()
        options.limits.queryMemoryByteCountMax = 100_000
        let server = try ListForms.server(options)
        let name = String(repeating: "n", count: 200)
        let objects = (100..<1100).map { "{\"id\":\($0),\"name\":\"\(name)\"}" }
        for (path, headers) in [
            (Self.shops, Self.wantsGeo), (Self.flats + "?fields=id,name", Self.wantsCSV),
        ] {
            let created = server.send(
                "POST", String(path.prefix { $0 != "?" }), "[\(objects.joined(separator: ","))]",
                headers: [("Prefer", "return=minimal")])
            #expect(created.status == 201 || created.status == 204, "\(created.text)")
            let separator = path.contains("?") ? "&" : "?"
            let reply = server.send("GET", path + separator + "limit=1000", headers: headers)
            #expect(reply.status == 422 && reply.text.contains("query-memory-exceeded"))
            let short = server.send("GET", path + separator + "limit=10", headers: headers)
            #expect(short.status == 200, "\(short.text)")
        }
    }
}
