import Glibc
import HoldfastObjectStore
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("geographic indexes over HTTP")
struct PointIndexTests {
    private static let pointClass =
        #"{"name":"GeoPoint","kind":"embedded","properties":{"type":{"type":"string","default":"Point"},"coordinates":"double[]"}}"#

    private static func schema(_ index: String) -> String {
        #"{"classes":[{"name":"Shop","primaryKey":"id","properties":{"id":"int","n":"int","place":{"type":"GeoPoint"\#(index)},"twin":"GeoPoint"}},\#(pointClass)]}"#
    }

    private func makeServer(_ schema: String) throws -> TestServer {
        let server = try TestServer(schema: .init(classes: []))
        APIScenario("PUT", "/v1/schema", schema, status: 200).check(on: server)
        return server
    }

    private func shop(_ id: Int, _ longitude: Double, _ latitude: Double) -> String {
        let point = #"{"type":"Point","coordinates":[\#(longitude),\#(latitude)]}"#
        return #"{"id":\#(id),"n":\#(id),"place":\#(point),"twin":\#(point)}"#
    }

    private func query(_ server: TestServer, _ filter: String, _ more: String = "") -> QueryJSON {
        let reply = server.send(
            "POST", "/v1/classes/Shop/query",
            "{\"filter\":\"\(filter)\",\"fields\":\"id\",\"explain\":true\(more)}")
        #expect(reply.status == 200, "\(filter): \(reply.text)")
        return reply.json
    }

    private func ids(_ reply: QueryJSON) -> [Int64] {
        reply["objects"]?.elements.compactMap { $0["id"]?.int } ?? []
    }

    // MARK: The schema

    @Test("the kind of an index is declared, told, and kept")
    func declaration() throws {
        let server = try makeServer(Self.schema(#","indexed":"geo""#))
        APIScenario("GET", "/v1/schema", status: 200, contains: [#""indexed":"geo""#])
            .check(on: server)
        // What was told can be put back and changes nothing.
        let told = server.send("GET", "/v1/schema")
        APIScenario("PUT", "/v1/schema", told.text, status: 200, contains: [#""indexed":"geo""#])
            .check(on: server)
        APIScenario(
            "GET", "/v1/openapi.json", status: 200,
            contains: ["Indexed by place, for `geoWithin`."]
        ).check(on: server)
        APIScenario(
            "PUT", "/v1/schema?dryRun=true", Self.schema(""), status: 200,
            contains: [#"{"op":"dropIndex","class":"Shop","property":"place""#]
        ).check(on: server)
        APIScenario("PUT", "/v1/schema", Self.schema(""), status: 200, excludes: ["indexed"])
            .check(on: server)
        APIScenario(
            "PUT", "/v1/schema?dryRun=true", Self.schema(#","indexed":"geo""#), status: 200,
            contains: [#"{"op":"addIndex","class":"Shop","property":"place""#]
        ).check(on: server)
    }

    @Test(
        "only a single point of an object of its own has a geographic index",
        arguments: [
            #""p":{"type":"int","indexed":"geo"}"#, #""p":{"type":"string","indexed":"geo"}"#,
            #""p":{"type":"GeoPoint","indexed":true}"#,
            #""p":{"type":"list","element":"GeoPoint","indexed":"geo"}"#,
            #""p":{"type":"map","element":"GeoPoint","indexed":"geo"}"#,
            #""p":{"type":"Shop","indexed":"geo"}"#, #""p":{"type":"Odd","indexed":"geo"}"#,
            #""p":{"type":"Odder","indexed":"geo"}"#, #""p":{"type":"mixed","indexed":"geo"}"#,
            #""p":{"type":"GeoPoint","indexed":"geo","unique":true}"#,
            #""p":{"type":"linkingObjects","class":"Shop","property":"link","indexed":"geo"}"#,
        ])
    func faultyDeclarations(property: String) throws {
        let server = try TestServer(schema: .init(classes: []))
        let classes = [
            #"{"name":"Shop","primaryKey":"id","properties":{"id":"int","link":"Shop",\#(property)}}"#,
            #"{"name":"Odd","kind":"embedded","properties":{"type":"string","coordinates":"float[]"}}"#,
            #"{"name":"Odder","kind":"embedded","properties":{"type":"string","coordinates":"double?[]"}}"#,
            Self.pointClass,
        ]
        APIScenario(
            "PUT", "/v1/schema", "{\"classes\":[\(classes.joined(separator: ","))]}", status: 422,
            contains: ["/classes/0/properties/p"]
        ).check(on: server)
    }

    @Test("a class whose points are indexed has to stay one of points")
    func pointClassStays() throws {
        let server = try makeServer(Self.schema(#","indexed":"geo""#))
        APIScenario(
            "PUT", "/v1/schema/classes/GeoPoint",
            #"{"kind":"embedded","properties":{"type":"string"}}"#, status: 422,
            contains: ["coordinates"]
        ).check(on: server)
    }

    // MARK: Queries

    @Test("points behind links are found by their index and by inverse links")
    func behindLinks() throws {
        let server = try makeServer(
            #"{"classes":[{"name":"Shop","primaryKey":"id","properties":{"id":"int","n":"int","place":{"type":"GeoPoint","indexed":"geo"},"twin":"GeoPoint","rival":"Shop?","branches":"Shop[]"}},\#(Self.pointClass)]}"#
        )
        var random = SeededGenerator(seed: 1)
        let count = 20_000
        let shops = (0..<count).map { id in
            let place =
                id % 4000 == 0
                ? Place(10, 50).moved(0.01, bearing: Double(id)) : Place.random(&random)
            let others =
                #","rival":\#((id + 1) % count),"branches":[\#((id + 2) % count),\#((id + 3) % count)]}"#
            return shop(id, place.longitude, place.latitude).dropLast() + others
        }
        APIScenario(
            "POST", "/v1/classes/Shop/objects", "[" + shops.joined(separator: ",") + "]",
            headers: [("Prefer", "return=minimal")], status: 201
        ).check(on: server)
        let near = "geoWithin geoCircle([10,50],0.02)"
        for (path, isExact) in [
            ("rival.#", true), ("ANY branches.#", true), ("branches[0].#", false),
            ("rival.rival.#", true), ("@links.Shop.rival.#", true),
        ] {
            let indexed = path.replacing("#", with: "place")
            let reply = query(server, "\(indexed) \(near)", #","limit":1000,"sort":"n""#)
            let twin = path.replacing("#", with: "twin")
            #expect(
                ids(reply) == ids(query(server, "\(twin) \(near)", #","limit":1000"#)), "\(path)")
            #expect(ids(reply).count >= 5, "\(path)")
            let explain = reply["explain"]
            #expect(explain?["indexes"] == .array([.string("place")]), "\(path)")
            let plan = explain?["plan"]?.string ?? ""
            #expect(plan.hasSuffix("then sorted") == isExact, "\(path): \(plan)")
            #expect(explain?["rowsRead"]?.int ?? .max < 50, "\(path)")
            let page = query(server, "\(indexed) \(near)", #","limit":1000"#)["explain"]
            #expect(page?["indexes"] == .array([.string("place")]), "\(path)")
            #expect(page?["rowsRead"]?.int ?? .max < 1000, "\(path)")
        }
        // All of several need not be there, and a region with most of the shops is none for inverse links.
        for filter in ["ALL branches.place \(near)", "rival.place geoWithin geoCircle([10,50],3)"] {
            let plan = query(server, filter)["explain"]?["plan"]?.string ?? ""
            #expect(!plan.contains("link"), "\(filter): \(plan)")
        }
    }

    @Test("a query reads little more than what lies in the region, in every order and by pages")
    func plans() throws {
        let server = try makeServer(Self.schema(#","indexed":"geo""#))
        var random = SeededGenerator(seed: 1)
        let shops = (0..<4000).map { id in
            let place =
                id % 100 == 0
                ? Place(10, 50).moved(0.01, bearing: Double(id)) : Place.random(&random)
            return shop(id, place.longitude, place.latitude)
        }
        APIScenario(
            "POST", "/v1/classes/Shop/objects", "[" + shops.joined(separator: ",") + "]",
            headers: [("Prefer", "return=minimal")], status: 201
        ).check(on: server)
        let near = "geoWithin geoCircle([10,50],0.02)"
        let expected = ids(query(server, "twin \(near)", #","limit":1000"#))
        #expect(expected.count >= 40 && expected.count < 60)
        for (more, order) in [
            ("", expected), (#","sort":"-n""#, expected.reversed()), (#","sort":"n""#, expected),
        ] as [(String, [Int64])] {
            let reply = query(server, "place \(near)", more + #","limit":1000"#)
            #expect(ids(reply) == order)
            let explain = reply["explain"]
            #expect(explain?["indexes"] == .array([.string("place")]))
            let plan = explain?["plan"]?.string ?? ""
            #expect(plan.hasPrefix("geographic index place, "), "\(plan)")
            #expect(plan.hasSuffix("each object tested"), "\(plan)")
            #expect(explain?["rowsRead"]?.int ?? .max < 100)
            #expect(explain?["entriesRead"]?.int ?? .max < 300)
        }
        // Pages.
        var found: [Int64] = []
        var cursor = ""
        for _ in 0..<20 {
            let reply = query(server, "place \(near)", #","limit":7\#(cursor)"#)
            found += ids(reply)
            guard let next = reply["next"]?.string else { break }
            cursor = #","cursor":"\#(next)""#
        }
        #expect(found == expected)
        // Another index that is better is used.
        let both = query(server, "place \(near) AND id == 100")
        #expect(both["explain"]?["plan"]?.string?.hasPrefix("primary key") == true)
        #expect(ids(both) == [100])
        // So are several at once, and those of the parts of an OR.
        let far = "place geoWithin geoCircle([-10,-50],0.0001)"
        let neither = query(server, "place \(near) AND \(far)", #","sort":"n""#)
        #expect(ids(neither) == [])
        #expect(neither["explain"]?["rowsRead"]?.int ?? .max < 3)
        let either = query(
            server, "place \(near) OR \(far)", #","limit":1000,"sort":"n""#)
        #expect(ids(either) == expected)
        #expect(
            either["explain"]?["plan"]?.string?.hasPrefix("any of (geographic index place") == true)
        // Most of the Earth is read by a scan.
        let most = query(server, "place geoWithin geoCircle([10,50],2)", #","limit":1"#)
        #expect(most["explain"]?["plan"]?.string?.hasPrefix("scan") == true)
        #expect(
            query(server, "place \(near)", #","count":"exact""#)["count"]?.int
                == Int64(expected.count))
    }

    @Test("every way to write keeps the index")
    func writes() throws {
        let server = try makeServer(Self.schema(#","indexed":"geo""#))
        let here = "place geoWithin geoCircle([10,50],0.02)"
        func expect(_ expected: [Int64], _ step: String) throws {
            // For a page so few objects would be scanned.
            let reply = query(server, here, #","sort":"n""#)
            #expect(ids(reply) == expected, "\(step)")
            #expect(reply["explain"]?["indexes"] == .array([.string("place")]), "\(step)")
            #expect(try StoreCheck.run(server.store).findings == [], "\(step)")
        }
        let objects = "/v1/classes/Shop/objects"
        func send(
            _ method: String, _ target: String, _ body: String? = nil, _ type: String? = nil,
            status: Int = 200
        ) {
            APIScenario(
                method, target, body, headers: type.map { [("Content-Type", $0)] } ?? [],
                status: status
            ).check(on: server)
        }
        send("PUT", objects + "/1", shop(1, 10, 50), status: 201)
        try expect([1], "put")
        send("POST", objects, "[\(shop(2, 10.1, 50)),\(shop(3, 90, 0))]", status: 201)
        try expect([1, 2], "create")
        send("PATCH", objects + "/3", #"{"place":{"coordinates":[10,50.1]}}"#)
        try expect([1, 2, 3], "merge patch")
        send(
            "PATCH", objects + "/2", #"[{"op":"replace","path":"/place/coordinates/1","value":0}]"#,
            "application/json-patch+json")
        try expect([1, 3], "JSON patch")
        send("PUT", objects + "/2/properties/place/elements/coordinates", "[10,50]", status: 404)
        send("PATCH", objects + "/1", #"{"place":null}"#)
        try expect([3], "null")
        send("PATCH", objects + "/1", #"{"place":{"type":"Line","coordinates":[10,50]}}"#)
        try expect([3], "no point")
        send("PATCH", objects + "/1", #"{"place":{"type":"point"}}"#)
        try expect([1, 3], "a point again")
        send("PATCH", objects + "/1", #"{"place":{"coordinates":["NaN",50]}}"#)
        try expect([3], "not a number")
        send(
            "PATCH", objects + "?all=true",
            #"{"place":{"type":"Point","coordinates":[10.01,50.01]}}"#)
        try expect([1, 2, 3], "bulk change")
        send(
            "POST", "/v1/transactions",
            #"{"operations":[{"op":"merge","class":"Shop","id":1,"value":{"place":{"coordinates":[0,0]}}},{"op":"delete","class":"Shop","id":2}]}"#
        )
        try expect([3], "transaction")
        send(
            "POST", "/v1/classes/Shop/import?mode=replace",
            shop(1, 10, 50) + "\n" + shop(9, 10, 50) + "\n", "application/x-ndjson")
        try expect([1, 3, 9], "import")
        send("DELETE", objects + "/3", status: 204)
        try expect([1, 9], "delete")
        send("PUT", "/v1/schema", Self.schema(""))
        #expect(ids(query(server, here)) == [1, 9])
        send("PUT", "/v1/schema", Self.schema(#","indexed":"geo""#))
        try expect([1, 9], "an index that is built")
        let encoded = here.replacing(" ", with: "%20").replacing("[", with: "%5B")
            .replacing("]", with: "%5D")
        send("DELETE", objects + "?filter=\(encoded)")
        try expect([], "bulk deletion")
    }

    // MARK: The world

    /// A city's key and place.
    private struct City {
        var id: Int64
        var place: Place
    }

    @Test("of the world's cities exactly those are found that plain mathematics finds")
    func world() throws {
        let server = try TestServer(schema: .init(classes: []))
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let folder = "/\(root)/Examples/world/"
        var schema = String(decoding: try read(folder + "schema.json"), as: UTF8.self)
        schema = schema.replacing(
            #""location": "Location?""#,
            with: #""location": {"type": "Location?", "indexed": "geo"}"#)
        APIScenario("PUT", "/v1/schema", schema, status: 200, contains: [#""indexed":"geo""#])
            .check(on: server)
        for name in ["Continent", "Country", "City"] {
            let reply = server.client.send(
                "POST", "/v1/classes/\(name)/import",
                headers: [
                    ("Content-Type", "application/x-ndjson"), ("Content-Encoding", "gzip"),
                ], body: try read(folder + name + ".ndjson.gz"))
            #expect(reply.status == 200, "\(reply.text)")
        }
        let cities = server.send("GET", "/v1/classes/City/export").body.split(
            separator: UInt8(ascii: "\n")
        ).map { city(Array($0)) }
        #expect(cities.count == 34_006)
        var random = SeededGenerator(seed: SeededGenerator.testSeed("cities in regions"))
        var total = 0
        for round in 0..<SeededGenerator.scaled(30) {
            let near = cities[Int.random(in: cities.indices, using: &random)].place
            let center = near.moved(
                .random(in: 0...0.01, using: &random), bearing: .random(in: 0...6, using: &random))
            let size = [0.003, 0.02, 0.1, 0.4][round % 4]
            let (region, isInside, margin) = makeRegion(round % 3, center, size, &random)
            var expected: Set<Int64> = []
            var undecided: Set<Int64> = []
            for city in cities {
                if margin(city.place) < 1e-9 {
                    undecided.insert(city.id)
                } else if isInside(city.place) {
                    expected.insert(city.id)
                }
            }
            total += expected.count
            var found: Set<Int64> = []
            var cursor = ""
            repeat {
                let reply = server.send(
                    "POST", "/v1/classes/City/query",
                    #"{"filter":"location geoWithin \#(region)","fields":"id","limit":1000\#(cursor)}"#
                )
                #expect(reply.status == 200, "\(reply.text)")
                for object in reply.json["objects"]?.elements ?? [] {
                    if let id = object["id"]?.int { found.insert(id) }
                }
                cursor = reply.json["next"]?.string.map { #","cursor":"\#($0)""# } ?? ""
            } while !cursor.isEmpty
            #expect(
                found.subtracting(undecided) == expected, "\(region) found \(found.count)")
        }
        #expect(total > 1000)
        #expect(try StoreCheck.run(server.store).findings == [])
    }

    private typealias Region = (
        text: String, isInside: (Place) -> Bool, distanceToBorder: (Place) -> Double
    )

    /// A circle, a box or a polygon around a place, and what plain mathematics says of it.
    private func makeRegion(
        _ kind: Int, _ center: Place, _ size: Double, _ random: inout SeededGenerator
    ) -> Region {
        func text(_ place: Place) -> String { "[\(place.longitude), \(place.latitude)]" }
        if kind == 0 {
            return (
                "geoCircle(\(text(center)), \(size))", { $0.angle(to: center) < size },
                { abs($0.angle(to: center) - size) }
            )
        }
        var ring: [Place]
        let region: String
        if kind == 1 {
            let half = size * 57 / max(cos(center.latitude * .pi / 180), 0.3)
            let (west, east) = (
                max(center.longitude - half, -180), min(center.longitude + half, 180)
            )
            let (south, north) = (
                max(center.latitude - size * 57, -85), min(center.latitude + size * 57, 85)
            )
            ring = [
                Place(west, south), Place(east, south), Place(east, north), Place(west, north),
            ]
            region = "geoBox(\(text(ring[0])), \(text(ring[2])))"
            ring.append(ring[0])
        } else {
            ring = (0..<9).map { index in
                center.moved(
                    size * .random(in: 0.4...1, using: &random), bearing: Double(index) / 9 * 6.28)
            }
            ring.append(ring[0])
            region = "geoPolygon({\(ring.map(text).joined(separator: ", "))})"
        }
        let plain = PlainRing(ring, around: center)
        return (region, { plain.contains($0) }, { plain.distanceToBorder($0) })
    }

    /// Key and place in a line of the export.
    private func city(_ line: [UInt8]) -> City {
        let text = String(decoding: line, as: UTF8.self)
        func number(behind mark: String) -> Substring {
            let rest = text[(text.firstRange(of: mark)?.upperBound ?? text.startIndex)...]
            return rest.prefix { $0 != "," && $0 != "]" && $0 != "}" }
        }
        let longitude = number(behind: #""coordinates":["#)
        let latitude = number(behind: #""coordinates":[\#(longitude),"#)
        return City(
            id: Int64(number(behind: #""id":"#)) ?? -1,
            place: Place(Double(longitude) ?? .nan, Double(latitude) ?? .nan))
    }

    private func read(_ path: String) throws -> [UInt8] {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&part, 1, part.count, file)
            if count == 0 { return bytes }
            bytes += part[..<count]
        }
    }
}
