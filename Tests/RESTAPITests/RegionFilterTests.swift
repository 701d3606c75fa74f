import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

/// Shops with points, and which of them filters with `geoWithin` find.
@Suite("filters with geoWithin")
struct RegionFilterTests {
    let server: TestServer

    init() throws {
        server = try TestServer(schema: .init(classes: []))
        let reply = server.send(
            "PUT", "/v1/schema",
            #"""
            {"classes":[
              {"name":"Shop","primaryKey":"id","properties":{
                "id":"int","place":"GeoPoint","former":"GeoPoint[]","depots":"GeoPoint{}","home":"Home",
                "rival":"Shop","branches":"Shop[]",
                "rivals":{"type":"linkingObjects","class":"Shop","property":"rival"}}},
              {"name":"Home","kind":"embedded","properties":{"name":"string?","at":"GeoPoint"}},
              {"name":"GeoPoint","kind":"embedded","properties":{
                "type":{"type":"string?","default":"Point"},"coordinates":"double[]"}}]}
            """#)
        #expect(reply.status == 200, "\(reply.text)")
        func point(_ coordinates: String, _ type: String = "\"Point\"") -> String {
            "{\"type\":\(type),\"coordinates\":[\(coordinates)]}"
        }
        let inside = point("0.5,0.5")
        let outside = point("5,5")
        let shops = [
            #"{"id":1,"place":\#(inside),"former":[\#(inside),\#(outside)],"depots":{"a":\#(inside),"b":null},"home":{"name":"x","at":\#(inside)}}"#,
            #"{"id":2,"place":\#(outside),"former":[\#(inside)],"depots":{"a":\#(outside)},"rival":1,"branches":[1]}"#,
            #"{"id":3,"former":[],"rival":2,"branches":[1,2]}"#,
            #"{"id":4,"place":\#(point("0.5,0.5,900")),"former":[\#(outside),\#(outside)],"rival":3,"branches":[]}"#,
            #"{"id":5,"place":\#(point("0.5,0.5", "\"pOINT\"")),"rival":1}"#,
            #"{"id":6,"place":\#(point("0.5,0.5", "\"Polygon\""))}"#,
            #"{"id":7,"place":\#(point("0.5,0.5", "null"))}"#,
            #"{"id":8,"place":\#(point("0.5"))}"#,
            #"{"id":9,"place":\#(point(""))}"#,
            #"{"id":10,"place":\#(point("\"NaN\",0.5"))}"#,
            #"{"id":11,"place":\#(point("0.5,90.5"))}"#,
            #"{"id":12,"place":\#(point("181,0.5"))}"#,
            #"{"id":13,"place":\#(point("0.5,0.5", "\"Point \""))}"#,
        ]
        let created = server.send(
            "POST", "/v1/classes/Shop/objects", "[" + shops.joined(separator: ",") + "]")
        #expect(created.status == 201, "\(created.text)")
    }

    private func ids(_ filter: String, _ arguments: String = "[]") -> [Int64]? {
        let text = filter.replacing("\"", with: "\\\"")
        let reply = server.send(
            "POST", "/v1/classes/Shop/query",
            "{\"filter\":\"\(text)\",\"args\":\(arguments),\"fields\":\"id\"}")
        #expect(reply.status == 200, "\(filter): \(reply.text)")
        return reply.json["objects"]?.elements.compactMap { $0["id"]?.int }
    }

    @Test("each form of a path and of a quantifier finds its objects")
    func paths() {
        let square = "geoBox([0,0],[1,1])"
        let everywhere = "geoCircle([0,0],4)"
        for (filter, expected) in [
            ("place geoWithin \(square)", [1, 4, 5]),
            ("place geoWithin \(everywhere)", [1, 2, 4, 5]),
            ("NOT place geoWithin \(square)", [2, 3, 6, 7, 8, 9, 10, 11, 12, 13]),
            ("former geoWithin \(square)", [1, 2]),
            ("place geoWithin geoCircle([5,5], 1km)", [2]),
            ("place geoWithin geoCircle([4.99,5], 1200m)", [2]),
            ("place geoWithin geoCircle([4.99,5], 0.5 mi)", []),
            ("ANY former geoWithin \(square)", [1, 2]),
            ("ALL former geoWithin \(square) AND id < 5", [2, 3]),
            ("NONE former geoWithin \(square) AND id < 5", [3, 4]),
            ("former[0] geoWithin \(square)", [1, 2]),
            ("former[LAST] geoWithin \(square)", [2]),
            ("former[7] geoWithin \(square)", []),
            ("depots.a geoWithin \(square)", [1]),
            ("depots['b'] geoWithin \(square)", []),
            ("ANY depots geoWithin \(everywhere)", [1, 2]),
            // A null is no point, so that all of the others may be inside.
            ("ALL depots geoWithin \(everywhere) AND id < 3", [1, 2]),
            ("NONE depots geoWithin \(square) AND id < 3", [2]),
            ("ALL depots geoWithin \(square) AND id < 3", [1]),
            ("ALL rivals.place geoWithin \(square) AND id > 1 AND id < 5", [2, 3, 4]),
            ("home.at geoWithin \(square)", [1]),
            ("rival.place geoWithin \(square)", [2, 5]),
            ("rival.rival.place geoWithin \(square)", [3]),
            ("NOT rival.place geoWithin \(square) AND id < 6", [1, 3, 4]),
            ("ANY branches.place geoWithin \(square)", [2, 3]),
            ("ALL branches.place geoWithin \(square) AND id < 5", [1, 2, 4]),
            ("NONE branches.former geoWithin \(square) AND id < 5", [1, 4]),
            ("rivals.place geoWithin geoBox([4,4],[6,6])", [1]),
            ("@links.Shop.rival.place geoWithin geoBox([4,4],[6,6])", [1]),
            ("place geoWithin \(square) AND former geoWithin geoBox([4,4],[6,6])", [1, 4]),
            ("place geoWithin \(square) OR place geoWithin geoBox([4,4],[6,6])", [1, 2, 4, 5]),
            (
                "place geoWithin geoPolygon({[0,0],[1,0],[1,1],[0,1],[0,0]}, "
                    + "{[0.4,0.4],[0.6,0.4],[0.6,0.6],[0.4,0.6],[0.4,0.4]})", []
            ),
        ] as [(String, [Int64])] {
            #expect(ids(filter) == expected, "\(filter)")
        }
    }

    @Test("regions and numbers come as arguments, too")
    func arguments() {
        for (filter, arguments, expected) in [
            ("place geoWithin $0", #"["geoBox([0,0],[1,1])"]"#, [1, 4, 5]),
            ("place geoWithin $0", #"[{"bottomLeft":[0,0],"topRight":[1,1]}]"#, [1, 4, 5]),
            ("place geoWithin $0", #"[{"center":[5.0,5],"radiusInRadians":0.01}]"#, [2]),
            (
                "place geoWithin $0",
                #"[{"type":"Polygon","coordinates":[[[4,4],[6,4],[6,6],[4,6],[4,4]]]}]"#, [2]
            ),
            ("place geoWithin geoCircle([$0,$1],$2)", "[5,5,0.01]", [2]),
        ] as [(String, String, [Int64])] {
            #expect(ids(filter, arguments) == expected, "\(filter) \(arguments)")
        }
        APIScenario(
            "GET",
            "/v1/classes/Shop/objects?fields=id&filter=place+geoWithin+%240&text=geoCircle(%5B5,5%5D,0.01)",
            status: 200, contains: [#"{"objects":[{"id":2}]"#]
        ).check(on: server)
    }

    @Test("a faulty region is 400 with its place")
    func faults() {
        for (body, contained) in [
            (
                #"{"filter":"place geoWithin geoCircle([0,0],-1)"}"#,
                [#""code":"query-type""#, #""column":17"#, "non-negative"]
            ),
            (
                #"{"filter":"place geoWithin $0","args":[7]}"#,
                [#""code":"query-argument""#, "is 'int'"]
            ),
            (
                #"{"filter":"place geoWithin geoBox([0,0],[1,1)"}"#,
                [#""code":"query-syntax""#]
            ),
        ] {
            APIScenario("POST", "/v1/classes/Shop/query", body, status: 400, contains: contained)
                .check(on: server)
        }
    }

    @Test("a stream tells what comes into a region and what leaves it, behind links and lists too")
    func changes() {
        let path = "/v1/classes/Shop/changes"
        func told(_ since: String, _ filter: String) -> Set<String> {
            let reply = server.send("GET", target(path, [("since", since), ("filter", filter)]))
            #expect(reply.status == 200, "\(reply.text)")
            return Set(
                (reply.json["changes"]?.elements ?? []).map {
                    "\($0["op"]?.string ?? "?") \($0["id"]?.int ?? -1)"
                })
        }
        let square = "geoWithin geoBox([0,0],[1,1])"
        for (id, body, expected) in [
            (
                2, #"{"place":{"coordinates":[0.5,0.5]}}"#,
                ["place": ["update 2"], "rival.place": ["update 3"]]
            ),
            (
                1, #"{"place":{"type":"Line"}}"#,
                ["place": ["leave 1"], "rival.place": ["leave 2", "leave 5"]]
            ),
            (1, #"{"former":[]}"#, ["former": ["leave 1"], "branches.former": ["leave 2"]]),
            (
                2, #"{"former":[{"coordinates":[7,7]}]}"#,
                ["former": ["leave 2"], "branches.former": ["leave 3"]]
            ),
            (
                1, #"{"former":[{"coordinates":[1,7]},{"coordinates":[0.1,0.2]}]}"#,
                ["former": ["update 1"], "branches.former": ["update 2", "update 3"]]
            ),
        ] as [(Int, String, [String: Set<String>])] {
            let since = server.send("GET", path).json["cursor"]?.string ?? ""
            server.send("PATCH", "/v1/classes/Shop/objects/\(id)", body)
            for (point, changes) in expected {
                // A page keeps no state: what may have left is told to have left, and what enters is
                // told as changed.
                let found = told(since, "\(point) \(square)")
                #expect(found.isSuperset(of: changes), "\(body): \(point) \(found)")
                #expect(found.isEmpty || !changes.isEmpty, "\(body): \(point) \(found)")
            }
        }
    }

    @Test("bulk changes and deletions take it as any filter")
    func bulkChanges() {
        APIScenario(
            "PATCH",
            "/v1/classes/Shop/objects?filter=place%20geoWithin%20geoBox(%5B0,0%5D,%5B1,1%5D)",
            #"{"place":{"coordinates":[5,5]}}"#, status: 200, contains: [#""affected":3"#]
        ).check(on: server)
        #expect(ids("place geoWithin geoBox([4,4],[6,6])") == [1, 2, 4, 5])
        APIScenario(
            "DELETE",
            "/v1/classes/Shop/objects?filter=place%20geoWithin%20geoBox(%5B4,4%5D,%5B6,6%5D)",
            status: 200
        ).check(on: server)
        #expect(ids("TRUEPREDICATE")?.first == 3)
    }
}
