import HoldfastObjectModel
import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

@Suite("the next step that the answer to a wrong value names")
struct NextStepValueTests {
    private static let objects = "/v1/classes/Trip/objects"

    private static func server() throws -> TestServer {
        let server = try TestServer(schema: Schema())
        let schema = #"""
            {"classes":[{"name":"Trip","primaryKey":"id","properties":{
               "id":"int","begins":"date?","price":"double?","start":"Point?","stops":"Point[]","next":"Trip?"}},
              {"name":"Point","kind":"embedded","properties":{
               "type":{"type":"string","default":"Point"},"coordinates":"double[]"}},
              {"name":"Car","primaryKey":"id","properties":{"id":"int","size":"Size?"}},
              {"name":"Size","kind":"embedded","properties":{"width":"int"}}]}
            """#
        #expect(server.send("PUT", "/v1/schema", schema).status == 200)
        #expect(server.send("PUT", objects + "/1", "{}").status == 201)
        return server
    }

    @Test(
        "in a new object",
        arguments: [
            (#"{"id":2,"price":NaN}"#, 400, "in quotes"),
            (#"{"id":2,"price":-Infinity}"#, 400, "in quotes"),
            (#"{"id":2}{"id":3}"#, 400, "application/x-ndjson"),
            (#"{"id":2,"begins":"2026-02-30T00:00:00Z"}"#, 422, "no such day as 2026-02-30."),
            (#"{"id":2,"begins":"2026-13-01T00:00:00Z"}"#, 422, "no such day as 2026-13-01."),
            (
                #"{"id":2,"start":[2.3,48.8]}"#, 422,
                #"such as {\"type\":\"Point\",\"coordinates\":["#
            ),
            (#"{"id":2,"start":"48.8,2.3"}"#, 422, "an object of the embedded class 'Point'"),
            (#"{"id":2,"stops":1}"#, 422, "an array of objects of the embedded class 'Point'"),
            (#"{"id":2,"start":{"lat":48.8,"lng":2.3}}"#, 422, "A point is {"),
            (#"{"id":2,"start":{"latitude":48.8,"longitude":2.3}}"#, 422, "A point is {"),
            (#"{"id":2,"next":{"$ref":"Trip","$id":1}}"#, 422, "its 'id' (an int)"),
        ])
    func create(body: String, status: Int, text: String) throws {
        APIScenario(
            "POST", Self.objects, body, status: status, contains: [text], excludes: ["hint"]
        ).check(on: try Self.server())
    }

    @Test(
        "in a change",
        arguments: [
            (#"{"$inc":{"id":1}}"#, "none for increments"),
            (#"{"price":{"$inc":1}}"#, "none for increments"),
            (#"{"next":{"$inc":1}}"#, "If-Match"), (#"{"stops":{"$push":{}}}"#, "no operators"),
            (#"{"$set":{"price":1}}"#, "no operators"),
            (#"[{"op":"replace","path":"/price","value":1}]"#, "application/json-patch+json"),
        ])
    func change(body: String, text: String) throws {
        APIScenario(
            "PATCH", Self.objects + "/1", body, status: 422, contains: [text], excludes: ["hint"]
        ).check(on: try Self.server())
    }

    @Test("says nothing of points, days and patches where they are not meant")
    func others() throws {
        let server = try Self.server()
        for (method, target, body) in [
            ("POST", "/v1/classes/Car/objects", #"{"id":2,"size":{"lat":1}}"#),
            ("POST", "/v1/classes/Car/objects", #"{"id":2,"size":[1]}"#),
            ("POST", Self.objects, #"{"id":2,"begins":"2026-02-28"}"#),
            ("POST", Self.objects, #"{"id":2,"begins":"9999-12-31T23:59:59-10:00"}"#),
            ("PATCH", Self.objects + "/1", #"[{"op":"replace"}]"#),
        ] {
            APIScenario(
                method, target, body, status: 422,
                excludes: ["point is", "coordinates", "no such day", "json-patch"]
            ).check(on: server)
        }
    }
}
