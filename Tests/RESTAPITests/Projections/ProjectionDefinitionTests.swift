import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("Definitions of projections")
struct ProjectionDefinitionTests {
    @Test("a definition and a class are written with If-None-Match: * only where there is none")
    func onlyNew() throws {
        let server = try TestServer(schema: Projections.schema)
        let absent = [("If-None-Match", "*")]
        for (path, body) in [
            ("/v1/projections/Card", #"{"class":"Person","properties":{"first":"firstName"}}"#),
            ("/v1/schema/classes/Extra", #"{"properties":{"a":"int"}}"#),
        ] {
            APIScenario(
                "PUT", path, body, headers: [("If-None-Match", "\"x\"")], status: 400,
                contains: ["invalid-header"]
            ).check(on: server)
            APIScenario(
                "PUT", path, body, headers: absent + [("If-Match", "*")], status: 400
            ).check(on: server)
            APIScenario("PUT", path, body, headers: absent, status: 201).check(on: server)
            APIScenario(
                "PUT", path, body, headers: absent, status: 412,
                contains: ["precondition-failed", "exists already"]
            ).check(on: server)
            APIScenario("PUT", path, body, status: 200).check(on: server)
        }
    }

    @Test(
        "a definition is put, read by the schema's tag, replaced and taken away",
        arguments: EngineCase.all)
    func life(engine: EngineCase) throws {
        let server = try TestServer(engine, schema: Projections.schema)
        APIScenario("GET", "/v1/projections", status: 200, contains: [#"{"projections":[]}"#])
            .check(on: server)
        let body = #"{"class":"Person","properties":{"first":"firstName","homeCity":"home.city"}}"#
        let stored = #"{"name":"Card","# + body.dropFirst()
        let made = APIScenario(
            "PUT", "/v1/projections/Card", body, status: 201, contains: [String(stored)],
            fields: ["holdfast-version": "", "etag": ""]
        ).check(on: server)
        let tag = try #require(made.headers["etag"])
        APIScenario("GET", "/v1/schema", status: 200, fields: ["etag": tag]).check(on: server)
        APIScenario("GET", "/v1/projections/Card", status: 200, fields: ["etag": tag])
            .check(on: server)
        APIScenario(
            "GET", "/v1/projections/Card", headers: [("If-None-Match", tag)], status: 304
        ).check(on: server)
        APIScenario(
            "PUT", "/v1/projections/Card", made.text, status: 200, fields: ["etag": tag]
        ).check(on: server)
        APIScenario(
            "PUT", "/v1/projections/Card", body, headers: [("If-Match", "\"other\"")], status: 412
        ).check(on: server)
        APIScenario(
            "PUT", "/v1/projections/Line",
            #"{"class":"Address","properties":{"town":"city","with space":"street"}}"#, status: 201
        ).check(on: server)
        APIScenario(
            "PUT", "/v1/projections/Card",
            #"{"class":"Person","properties":{"home":{"projection":"Line","path":"home"}}}"#,
            headers: [("If-Match", "*")], status: 200,
            contains: [#""properties":{"home":{"path":"home","projection":"Line"}}"#]
        ).check(on: server)
        APIScenario(
            "GET", "/v1/projections", status: 200,
            contains: [#"{"projections":[{"name":"Card","#, #"{"name":"Line","class":"Address","#]
        ).check(on: server)
        APIScenario(
            "DELETE", "/v1/projections/Line", status: 409,
            contains: [
                "breaks-projection", "Projection 'Card', property 'home'", "no projection 'Line'",
            ]
        ).check(on: server)
        APIScenario("DELETE", "/v1/projections/Card", status: 204).check(on: server)
        APIScenario("DELETE", "/v1/projections/Line", status: 204).check(on: server)
        APIScenario(
            "GET", "/v1/projections/Line", status: 404, contains: ["unknown-projection"]
        ).check(on: server)
    }

    @Test("a projection outlives changes of the schema and a restart")
    func lasting() throws {
        let engine = LastingEngine(try EngineCase.memory.open())
        do {
            let server = try TestServer(engine, schema: Projections.schema)
            Projections.define(server)
            let before = server.send("GET", "/v1/projections").text
            var schema = Projections.schema
            schema.classes[2].properties.append(Schemas.property("race", .string))
            try TestServer.put(schema, in: server.store)
            #expect(server.send("GET", "/v1/projections").text == before)
            // The schema as a client puts it says nothing of projections.
            let read = server.send("GET", "/v1/schema")
            APIScenario("PUT", "/v1/schema", read.text, status: 200).check(on: server)
            APIScenario(
                "PUT", "/v1/schema/classes/Toy", #"{"properties":{"a":"int"}}"#, status: 201
            ).check(on: server)
            #expect(server.send("GET", "/v1/projections").text == before)
        }
        let store = try Store(engine: engine)
        defer { store.close() }
        #expect(store.catalog.projections.map(\.name) == Projections.definitions.map(\.name))
    }

    /// A body and what its refusal says.
    struct Refusal: Sendable, CustomTestStringConvertible {
        var body: String
        var contains: [String]
        var status = 422
        var testDescription: String { body }
    }

    @Test(
        "a definition is checked against the schema, all faults at once",
        arguments: [
            Refusal(
                body: #"{"class":"Persn","properties":{"a":"b"}}"#,
                contains: ["no class 'Persn'", #""pointer":"/class""#, #""hint":"Person""#]),
            Refusal(
                body:
                    #"{"class":"Person","properties":{"a":"firstNam","b":"age.x","c":"friendOf._id"}}"#,
                contains: [
                    #""pointer":"/properties/a","hint":"firstName""#,
                    "Class 'Person' has no property",
                    #""pointer":"/properties/b""#, "'age' of class 'Person' has no objects",
                    #""pointer":"/properties/c""#, "is an inverse link",
                ]),
            Refusal(
                body:
                    #"{"class":"Person","properties":{"a":"friends.pets","b":"friends.friends._id"}}"#,
                contains: [
                    "ends in a single plain value", "through one collection at most",
                    "'friends' and 'friends' are two",
                ]),
            Refusal(
                body: #"{"class":"Person","properties":{"a":"friends.home","b":"tags.x"}}"#,
                contains: ["which 'home' is not", "'tags' of class 'Person' has no objects"]),
            Refusal(
                body: #"{"class":"Person","properties":{"a":"home..city","b":"","c":7,"d":{}}}"#,
                contains: [
                    "a name is missing in 'home..city'", #""pointer":"/properties/b""#,
                    #""pointer":"/properties/c""#, "states its 'path'",
                ]),
            Refusal(
                body: #"{"class":"Person","properties":{"$x":"firstName","a.b":"lastName"}}"#,
                contains: [#""pointer":"/properties/$x""#, #""pointer":"/properties/a.b""#]),
            Refusal(body: #"{"class":"Person","properties":{}}"#, contains: ["at least one"]),
            Refusal(
                body:
                    #"{"class":"Person","properties":{"a":{"path":"home","projection":"PersonCard"}}}"#,
                contains: ["leads to 'Address'", "'PersonCard' shows objects of class 'Person'"]),
            Refusal(
                body:
                    #"{"class":"Person","properties":{"a":{"path":"age","projection":"PersonCard"}}}"#,
                contains: ["'age' has no objects that 'PersonCard' could show"]),
            Refusal(
                body:
                    #"{"class":"Person","properties":{"a":{"path":"boss","projection":"PersonCrd"}}}"#,
                contains: ["no projection 'PersonCrd'", #""hint":"PersonCard""#]),
            Refusal(
                body: #"{"class":"Person","properties":{"a":{"path":"boss","projection":"Test"}}}"#,
                contains: ["contains itself: 'Test' shows 'Test'", #""pointer":"/properties/a""#]),
            Refusal(
                body: #"{"name":"Other","class":"Person","properties":{"a":"age"}}"#,
                contains: ["the path names 'Test'"]),
            Refusal(
                body: #"{"clas":"Person","properties":{"a":{"pth":"age"}}}"#,
                contains: [#""hint":"class""#, #""hint":"path""#]),
            Refusal(body: #"{"properties":{"a":"age"}}"#, contains: ["missing-member"]),
            Refusal(body: "[]", contains: ["A projection is an object"]),
            Refusal(
                body: #"{"class":"Person","properties":{"a":"age","a":"age"}}"#,
                contains: ["duplicate-name"], status: 400),
        ])
    func refused(refusal: Refusal) throws {
        let server = try Projections.server()
        APIScenario(
            "PUT", "/v1/projections/Test", refusal.body, status: refusal.status,
            contains: refusal.contains
        ).check(on: server)
        APIScenario("GET", "/v1/projections/Test", status: 404, contains: []).check(on: server)
    }

    @Test("projections can't show each other in a circle, however long")
    func circle() throws {
        let server = try TestServer(schema: Projections.schema)
        func link(_ name: String, to other: String?, status: Int) {
            let inner = other.map { #","p":{"path":"boss","projection":"\#($0)"}"# } ?? ""
            APIScenario(
                "PUT", "/v1/projections/\(name)",
                #"{"class":"Person","properties":{"n":"firstName"\#(inner)}}"#, status: status,
                contains: status == 422
                    ? ["'A' shows 'C' shows 'B' shows 'A'", #""pointer":"/properties/p""#] : []
            ).check(on: server)
        }
        link("A", to: nil, status: 201)
        link("B", to: "A", status: 201)
        link("C", to: "B", status: 201)
        link("A", to: "C", status: 422)
    }

    @Test("a change of the schema that would break a projection names it, and changes nothing")
    func broken() throws {
        let server = try Projections.server()
        let before = server.send("GET", "/v1/schema").text
        // A class of the name of a projection.
        APIScenario(
            "PUT", "/v1/schema/classes/PetTag", #"{"properties":{"a":"int"}}"#, status: 409,
            contains: ["breaks-projection", "Projection 'PetTag'", "A class is named 'PetTag'"]
        ).check(on: server)
        var schema = Projections.schema
        schema.classes[2].properties.removeAll { $0.name == "name" || $0.name == "vet" }
        #expect(throws: StoreError.self) { try TestServer.put(schema, in: server.store) }
        APIScenario(
            "PUT", "/v1/schema/classes/Pet?dryRun=true",
            #"{"properties":{"weight":"double"}}"#, status: 409,
            contains: [
                "breaks-projection", "Projection 'PetTag', property 'label'",
                "Projection 'PetTag', property 'vetName'",
            ]
        ).check(on: server)
        #expect(server.send("GET", "/v1/schema").text == before)
        // A projection that others show changes its class.
        APIScenario(
            "PUT", "/v1/projections/AddressLine", #"{"class":"Pet","properties":{"n":"name"}}"#,
            status: 409, contains: ["breaks-projection", "Projection 'PersonFile'"]
        ).check(on: server)
    }

    @Test(
        "names, paths, nesting and the number of properties have their limits, at them and one above"
    )
    func limits() throws {
        let server = try TestServer(schema: Projections.schema)
        func put(_ name: String, _ properties: String, status: Int, _ contains: String = "") {
            APIScenario(
                "PUT", "/v1/projections/\(name)",
                #"{"class":"Person","properties":{\#(properties)}}"#, status: status,
                contains: [contains]
            ).check(on: server)
        }
        put(String(repeating: "a", count: 57), #""n":"age""#, status: 201)
        put(String(repeating: "a", count: 58), #""n":"age""#, status: 422, "57 are allowed")
        put("P", #""\#(String(repeating: "n", count: 63))":"age""#, status: 201)
        put("P", #""\#(String(repeating: "n", count: 64))":"age""#, status: 422, "63 are allowed")
        let boss = Array(repeating: "boss", count: 15).joined(separator: ".")
        put("P", #""n":"\#(boss).age""#, status: 200)
        put("P", #""n":"\#(boss).boss.age""#, status: 422, "16 are allowed")
        func many(_ count: Int) -> String {
            (0..<count).map { #""n\#($0)":"age""# }.joined(separator: ",")
        }
        put("Many", many(1000), status: 201)
        put("Many", many(1001), status: 422, "at most 1000 properties")
        put("Half", many(499), status: 201)
        let halves =
            #""x":{"path":"boss","projection":"Half"},"y":{"path":"boss","projection":"Half"}"#
        put("Both", halves, status: 201)
        put("Both", halves + #","z":"age""#, status: 422, "1000 are allowed")
        put("D1", #""n":"age""#, status: 201)
        for depth in 2...17 {
            put(
                "D\(depth)", #""n":{"path":"boss","projection":"D\#(depth - 1)"}"#,
                status: depth <= 16 ? 201 : 422, depth <= 16 ? "" : "16 are allowed")
        }
    }
}
