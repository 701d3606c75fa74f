import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import HoldfastTransfer
import Testing

@testable import HoldfastObjectJSON
@testable import HoldfastRESTAPI

@Suite("Imports of GeoJSON")
struct GeoJSONTests {
    private static let schema = Schema(classes: [
        ObjectClass(
            name: "Site", primaryKey: "code",
            properties: [
                Schemas.property("code", .string),
                Schemas.property("name", .string, optional: true),
                Schemas.property("id", .int, optional: true), Schemas.link("place", "Spot"),
                Schemas.list("tags", .string),
            ]),
        ObjectClass(
            name: "Area", primaryKey: "id",
            properties: [
                Schemas.property("id", .int),
                Property(name: "geometry", type: .single(.scalar(.mixed))),
                Schemas.link("middle", "Spot"),
            ]),
        ObjectClass(
            name: "Way", primaryKey: "id",
            properties: [
                Schemas.property("id", .int), Schemas.link("start", "Spot"),
                Schemas.link("end", "Spot"),
            ]),
        ObjectClass(name: "Plain", properties: [Schemas.property("name", .string, optional: true)]),
        ObjectClass(
            name: "Spot", kind: .embedded,
            properties: [
                Property(name: "kind", type: .single(.scalar(.string)), mapTo: "type"),
                Schemas.list("coordinates", .double),
            ]),
    ])

    private static func store() throws -> Store {
        let store = try Store(engine: try EngineCase.memory.open())
        try TestServer.put(schema, in: store)
        return store
    }

    private static func feature(_ id: String, _ properties: String = "null") -> String {
        #"{"type":"Feature","id":\#(id),"geometry":{"type":"Point","coordinates":[13.4,52.5]},"properties":\#(properties)}"#
    }

    private static func spot(_ code: String) -> String {
        #"{"code":"\#(code)","name":null,"id":null,"place":{"kind":"Point","coordinates":[13.4,52.5]},"tags":[]}"#
    }

    // MARK: Lists

    /// Sends the pages of a list to another server, all in one text.
    private static func move(
        _ path: String, _ parameters: String, _ options: String, from source: TestServer,
        to target: TestServer
    ) throws {
        var pages = ""
        var cursor = ""
        repeat {
            let page = source.send(
                "GET", "\(path)/objects?limit=3\(parameters)\(cursor)",
                headers: [("Accept", "application/geo+json")])
            #expect(page.status == 200, "\(page.text)")
            pages += page.text
            cursor = page.next.map { "&cursor=\($0)" } ?? ""
        } while !cursor.isEmpty
        let reply = target.send(
            "POST", "\(path)/import\(options)", pages,
            headers: [("Content-Type", "application/geo+json")])
        #expect(reply.text.contains(#""failed":0,"errors":[]"#), "\(reply.text)")
    }

    @Test("take lists as they are given out, page behind page, and make equal objects")
    func lists() throws {
        let source = try ListForms.server()
        let target = try TestServer(schema: source.store.catalog.rows.definition)
        let (towns, shops) = ("/v1/classes/Town", "/v1/classes/Shop")
        for (path, parameters, options) in [
            (towns, "&geometry=edge", "?map=geometry=edge"), (shops, "", ""),
            ("/v1/classes/Key", "", "?mode=merge"), (shops, "", "?mode=replace"),
        ] {
            try Self.move(path, parameters, options, from: source, to: target)
            func features(_ server: TestServer) -> String {
                server.send(
                    "GET", "\(path)/objects?count=exact\(parameters)",
                    headers: [("Accept", "application/geo+json")]
                ).text
            }
            #expect(features(target) == features(source))
            // The eighth shop has a point of another case, with an altitude that a list does not have.
            func objects(_ server: TestServer) -> String? {
                QueryJSON(server.send("GET", "\(path)/objects?limit=7").text)?["objects"]?.text
            }
            #expect(objects(target) == objects(source) && objects(source) != nil)
        }
        let refused = target.send(
            "POST", "\(towns)/import", Self.feature("1"),
            headers: [("Content-Type", "application/geo+json")])
        #expect(refused.status == 400)
        #expect(refused.text.contains("several geographic points: centre, edge"), "\(refused.text)")
    }

    // MARK: Texts

    @Test(
        "take a collection in any form, features one behind the other, and pieces of any size",
        arguments: [
            #"{"type":"FeatureCollection","features":[A,B],"next":"x","count":2}"#,
            #"{"bbox":[1,[2]],"name":"features","x":{"features":[1]},"features":[A,B],"type":"FeatureCollection"}"#,
            "\u{FEFF}{\n\"type\" : \"FeatureCollection\",\n\"features\" :\n[\nA\n,\nB\n]\n}\n",
            #"{"features":[A]}{"features":[]}{"features":[B]}"#, "A\nB\n", "\u{1E}A\n\u{1E}B\n",
            "\r\nA\r\n\r\nB", "[A,B]", "A{\"features\":[B]}",
        ])
    func forms(template: String) throws {
        let text = template.replacing("A", with: Self.feature("\"a\"", "{}"))
            .replacing("B", with: Self.feature("\"b\""))
        for pieceByteCount in [1, 7, 1 << 16] {
            let store = try Self.store()
            let report = try Importing.report(
                text, into: store, "Site", pieceByteCount: pieceByteCount
            ) { $0.format = .geoJSON }
            #expect(report.codes == [] && report.importedCount == 2, "\(text)")
            #expect(try Importing.export(store, "Site") == [Self.spot("a"), Self.spot("b")])
        }
    }

    @Test("take a collection on one line that is longer than a line may be")
    func memory() throws {
        let store = try Self.store()
        let features = (0..<1000).map { Self.feature("\"\($0)\"") }.joined(separator: ",")
        let report = try Importing.report(
            #"{"type":"FeatureCollection","features":["# + features + "]}", into: store, "Site"
        ) { options in
            options.format = .geoJSON
            options.limits.importLineByteCountMax = 200
        }
        #expect(report.codes == [] && report.importedCount == 1000)
    }

    @Test(
        "take a feature's geometry as the point, its id as the primary key, and its properties",
        arguments: [
            (
                "Site",
                #""id":"a","geometry":{"type":"Point","coordinates":[1,2,3],"bbox":[]},"bbox":[]"#,
                "",
                #"{"code":"a","name":null,"id":null,"place":{"kind":"Point","coordinates":[1.0,2.0,3.0]},"tags":[]}"#
            ),
            (
                "Site", #""geometry":null,"properties":{"code":"a","name":"x","tags":["y"]}"#, "",
                #"{"code":"a","name":"x","id":null,"place":null,"tags":["y"]}"#
            ),
            (
                "Site",
                #""id":5,"geometry":null,"properties":{"code":"a","place":{"kind":"?","coordinates":[]}}"#,
                "",
                #"{"code":"a","name":null,"id":5,"place":{"kind":"?","coordinates":[]},"tags":[]}"#
            ),
            (
                "Site", #""id":"way/5","geometry":null,"properties":{"code":"a","id":6,"x":{}}"#,
                "id skip x", #"{"code":"a","name":null,"id":6,"place":null,"tags":[]}"#
            ),
            (
                "Site",
                #""id":"way/5","geometry":{"type":"Polygon","coordinates":[]},"properties":{"code":"a"}"#,
                "skip id skip geometry",
                #"{"code":"a","name":null,"id":null,"place":null,"tags":[]}"#
            ),
            (
                "Site", #""id":7,"geometry":null,"properties":{"addr:name":"x","ref":"a"}"#,
                "map ref=code map addr:name=name",
                #"{"code":"a","name":"x","id":7,"place":null,"tags":[]}"#
            ),
            (
                "Site", #""id":"b","geometry":null,"properties":{"code":"a"}"#, "map id=name",
                #"{"code":"a","name":"b","id":null,"place":null,"tags":[]}"#
            ),
            (
                "Way",
                #""id":1,"geometry":{"type":"Point","coordinates":[1,2]},"properties":{"start":null}"#,
                "map geometry=end",
                #"{"id":1,"start":null,"end":{"kind":"Point","coordinates":[1.0,2.0]}}"#
            ),
            (
                "Area", #""id":1,"geometry":{"type":"Polygon","coordinates":[[[1,2]]]}"#,
                "map geometry=geometry",
                #"{"id":1,"geometry":{"coordinates":[[[1,2]]],"type":"Polygon"},"middle":null}"#
            ),
            (
                "Plain", #""id":7,"geometry":null,"properties":{"name":"x"}"#, "skip geometry",
                #"{"$id":1,"name":"x"}"#
            ),
            ("Plain", #""id":"a","geometry":null"#, "skip geometry", #"{"$id":1,"name":null}"#),
        ])
    func members(className: String, members: String, names: String, expected: String) throws {
        let store = try Self.store()
        let words = names.split(separator: " ").map(String.init)
        let report = try Importing.report(
            #"{"type":"Feature",\#(members)}"#, into: store, className
        ) { options in
            options.format = .geoJSON
            for (word, name) in zip(words, words.dropFirst()) {
                if word == "skip" { options.names.skip(name) }
                if word == "map" {
                    let isTaken = options.names.map(name)
                    #expect(isTaken)
                }
            }
        }
        #expect(report.faults.map(\.text) == [])
        let exported = try Importing.export(store, className)
        #expect(exported == [expected])
    }

    // MARK: Faults

    @Test("report the fault of each feature by its line, or by its number where a line has several")
    func faults() throws {
        let broken = [
            Self.feature("\"a\""), Self.feature("\"b\"", #"{"nam":"x"}"#), Self.feature("5"),
            #"{"type":"Feature","id":"c","geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]}}"#,
            #"{"type":"Feature","id":"d","geometry":{"type":"Point","coordinates":["x",2]}}"#,
            #"{"type":"Feature","id":"e","properties":[]}"#, #"{"type":"Polygon"}"#, "{}",
            #"{"type":"Feature" "id":"f"}"#, Self.feature("\"g\""),
        ]
        for separator in [",", ",\n"] {
            let store = try Self.store()
            let report = try Importing.report(
                #"{"type":"FeatureCollection","features":["# + broken.joined(separator: separator)
                    + "]}", into: store, "Site"
            ) { $0.format = .geoJSON }
            #expect(report.importedCount == 2)
            #expect(
                report.faults.map { "\($0.line) \($0.fault.code) \($0.fault.pointer ?? "")" } == [
                    "2 unknown-property /nam", "3 wrong-type /code", "4 wrong-type /geometry",
                    "5 wrong-type /place/coordinates/0", "6 wrong-type /properties",
                    "7 wrong-type /type", "8 wrong-type /type", "9 malformed-json ",
                ])
            #expect(report.faults[2].fault.detail.contains("a LineString, and property 'place'"))
            #expect(report.faults[5].fault.detail.contains("found an object of type 'Polygon'"))
        }
    }

    @Test(
        "report a text that is cut off, and a broken feature that takes no other along",
        arguments: [
            (#"{"features":[A,"#, 1, ["2 malformed-json"]),
            (#"{"features":[A]"#, 1, ["2 malformed-json"]),
            (#"{"features":[A],"features":[A]}"#, 1, ["2 duplicate-name"]),
            (#"{"features":["#, 0, ["1 malformed-json"]), ("", 0, []), (#"{"features":[]}"#, 0, []),
            ("A\n{\"type\":\nA\n", 1, ["2 malformed-json", "3 duplicate-key"]),
            ("\u{1E}A\n\u{1E}{\"type\":\n\u{1E}A\n", 1, ["2 malformed-json", "3 duplicate-key"]),
        ] as [(String, Int, [String])])
    func cut(template: String, count: Int, codes: [String]) throws {
        let report = try Importing.report(
            template.replacing("A", with: Self.feature("\"a\"")), into: try Self.store(), "Site"
        ) { $0.format = .geoJSON }
        #expect(
            report.importedCount == count && report.codes == codes, "\(template): \(report.codes)")
    }

    // MARK: Requests

    @Test("have the media types of GeoJSON, and the options of other imports")
    func requests() throws {
        let server = try TestServer(schema: Self.schema)
        let text = Self.feature("\"a\"", #"{"x":1,"name":"y"}"#)
        let path = "/v1/classes/Site/import"
        for (type, parameters, status, part) in [
            ("application/geo+json", "", 422, #""pointer":"/x""#),
            (
                "application/geo+json", "?unknown=ignore", 200,
                #""imported":1,"failed":0,"unknownMembers":1"#
            ),
            ("application/geo+json-seq", "?mode=merge&skip=x&atomic=true", 200, #""imported":1"#),
            ("application/geo+json", "?mode=ignore&map=x=id", 200, #""ignored":1"#),
            ("application/geo+json", "?delimiter=%3B", 400, "'delimiter' is for CSV"),
            ("application/x-ndjson", "", 422, "The line has GeoJSON: import it with --geojson"),
            ("application/vnd.geo", "", 415, "application/geo+json"),
        ] {
            let reply = server.send(
                "POST", path + parameters, text, headers: [("Content-Type", type)])
            #expect(reply.status == status && reply.text.contains(part), "\(type): \(reply.text)")
        }
        let object = server.send("GET", "/v1/classes/Site/objects/a?fields=name,id").text
        #expect(object == #"{"name":"y","id":null}"#)
    }
}
