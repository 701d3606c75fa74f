import HoldfastTestSupport
import Testing

@Suite("geographic points")
struct GeographicPointTests {
    let server: TestServer
    private let shop = "/v1/classes/Shop/objects/1"

    init() throws {
        server = try TestServer(schema: .init(classes: []))
        let reply = server.send(
            "PUT", "/v1/schema",
            #"""
            {"classes":[
              {"name":"Shop","primaryKey":"id","properties":{
                "id":"int","place":"GeoPoint","former":"GeoPoint[]","depots":"GeoPoint{}"}},
              {"name":"GeoPoint","kind":"embedded","properties":{
                "type":{"type":"string","default":"Point"},"coordinates":"double[]"}}]}
            """#)
        #expect(reply.status == 200, "\(reply.text)")
    }

    @Test("a GeoJSON point goes in and out as it stands, through every way")
    func waysInAndOut() {
        let point = #"{"type":"Point","coordinates":[13.4,52.52]}"#
        let high = #"{"type":"Point","coordinates":[-70.0,-33.5,520.0]}"#
        let body =
            #"{"id":1,"place":\#(point),"former":[\#(high),\#(point)],"depots":{"a":\#(high)}}"#
        APIScenario("PUT", shop, body, status: 201, contains: [body]).check(on: server)
        for (method, target, sent, type, text) in [
            (
                "PATCH", shop, #"{"place":{"coordinates":[1,2]}}"#, nil,
                #""place":{"type":"Point","coordinates":[1.0,2.0]}"#
            ),
            (
                "PATCH", shop, #"[{"op":"replace","path":"/place/coordinates/0","value":7.5}]"#,
                "application/json-patch+json", #""coordinates":[7.5,2.0]"#
            ),
            ("PUT", shop + "/properties/depots/elements/b", point, nil, #""b":\#(point)"#),
            (
                "PUT", shop + "/properties/former/elements/0", point, nil,
                #""former":[\#(point),\#(point)]"#
            ),
            (
                "POST", "/v1/transactions",
                #"{"operations":[{"op":"merge","class":"Shop","id":1,"value":{"place":\#(high)}}]}"#,
                nil, #""place":\#(high)"#
            ),
            ("GET", shop + "/properties/place", nil, nil, #"{"value":\#(high)}"#),
            (
                "GET",
                "/v1/classes/Shop/objects?fields=place&filter=place.coordinates%5B1%5D%3C0.0",
                nil, nil, #"[{"place":\#(high)}]"#
            ),
            (
                "GET", "/v1/classes/Shop/objects?fields=id&filter=depots.b.coordinates%5B0%5D%3E10",
                nil, nil, #"[{"id":1}]"#
            ),
        ] as [(String, String, String?, String?, String)] {
            APIScenario(
                method, target, sent, headers: type.map { [("Content-Type", $0)] } ?? [],
                status: target.hasSuffix("/b") ? 201 : 200, contains: [text]
            ).check(on: server)
        }
        let lines = server.send("GET", "/v1/classes/Shop/export").text
        server.send("DELETE", shop)
        APIScenario(
            "POST", "/v1/classes/Shop/import", lines,
            headers: [("Content-Type", "application/x-ndjson")], status: 200,
            contains: [#""imported":1"#]
        ).check(on: server)
        #expect(server.send("GET", "/v1/classes/Shop/export").text == lines)
    }

    @Test("coordinates that are no numbers are told with their place")
    func faults() {
        for (body, pointer) in [
            (#"{"place":{"coordinates":[1,"a"]}}"#, "/place/coordinates/1"),
            (#"{"place":{"coordinates":[null,2]}}"#, "/place/coordinates/0"),
            (#"{"depots":{"a":{"coordinate":[1,2]}}}"#, "/depots/a/coordinate"),
            (#"{"former":[{"type":7}]}"#, "/former/0/type"),
        ] {
            APIScenario("PUT", shop, body, status: 422, contains: ["\"pointer\":\"\(pointer)\""])
                .check(on: server)
        }
    }
}
