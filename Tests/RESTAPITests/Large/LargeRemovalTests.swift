import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

extension TestServer {
    /// A server that stores all but the smallest texts and collections out of line.
    static func overflow(_ engine: EngineCase, _ schema: Schema) throws -> TestServer {
        var options = StoreOptions()
        options.overflowLimits = .tiny
        return try TestServer(
            try engine.open(valueByteCountMax: 64 << 20), schema: schema, storeOptions: options)
    }
}

@Suite("removal from out-of-line collections")
struct LargeRemovalTests {
    private let album = "/v1/classes/Album/objects/1"

    @Test(
        "embedded objects in an out-of-line list lose links and free their own out-of-line values")
    func unlinking() throws {
        let schema = Schema(classes: [
            ObjectClass(
                name: "Album", primaryKey: "id",
                properties: [Schemas.property("id", .int), Schemas.list("pages", of: "Page")]),
            ObjectClass(
                name: "Page", kind: .embedded,
                properties: [
                    Property(name: "any", type: .single(.scalar(.mixed))),
                    Schemas.list("tracks", of: "Track"),
                ]),
            ObjectClass(
                name: "Track", primaryKey: "id", properties: [Schemas.property("id", .int)]),
        ])
        let server = try TestServer.overflow(.memory, schema)
        server.send("POST", "/v1/classes/Track/objects", #"[{"id":1},{"id":2}]"#)
        let link = #"{"$link":{"class":"Track","id":1}}"#
        let page = "{\"any\":[\(link),\"some text that is long\"],\"tracks\":[1,1,1,1,1,1]}"
        server.send("PUT", album, "{\"pages\":[\(page),\(page),{\"tracks\":[1,2,1,2,1,2]}]}")
        #expect(try StoreCheck.run(server.store).findings.isEmpty)
        server.send("DELETE", "/v1/classes/Track/objects/1")
        let left = #"{"any":["some text that is long"],"tracks":[]}"#
        APIScenario(
            "GET", album, status: 200,
            contains: ["\"pages\":[\(left),\(left),{\"any\":null,\"tracks\":[2,2,2]}]"]
        ).check(on: server)
        #expect(try StoreCheck.run(server.store).findings.isEmpty)
    }

    @Test("a list that is emptied element by element leaves nothing out of line, and grows again")
    func emptied() throws {
        let server = try TestServer.overflow(.memory, Schemas.albums)
        server.send("PUT", album, #"{"plays":[1,2,3,4,5,6,7,8,9,10]}"#)
        let elements = album + "/properties/plays/elements"
        for _ in 0..<10 { server.send("DELETE", elements + "/0") }
        #expect(server.send("GET", album).text.contains("\"plays\":[]"))
        #expect(try StoreCheck.run(server.store).findings.isEmpty)
        for number in 0..<10 { server.send("POST", elements, "\(number)") }
        #expect(server.send("GET", album).text.contains("\"plays\":[0,1,2,3,4,5,6,7,8,9]"))
        #expect(try StoreCheck.run(server.store).findings.isEmpty)
    }
}
