import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

/// The operations of an application that knows the objects of a class only in the form of a projection.
@Suite("Creating, replacing and deleting through projections")
struct ProjectedLifeTests {
    let server: TestServer
    private let cards = "/v1/projections/PersonCard/objects"
    private let people = "/v1/classes/Person/objects"

    init() throws {
        server = try Projections.server()
        Projections.people(server)
    }

    private func person(_ id: Int) -> QueryJSON? {
        QueryJSON(server.send("GET", people + "/\(id)").text)
    }

    @Test(
        "an object is made of what is projected, with the embedded objects on the paths, and shown so"
    )
    func creation() throws {
        let made = APIScenario(
            "POST", cards, #"{"id":9,"first":"Ida","homeCity":"Riga"}"#, status: 201,
            contains: [
                #"{"id":9,"first":"Ida","homeCity":"Riga","friendNames":[],"placeCities":[],"bossName":null,"bossCity":null}"#
            ], fields: ["location": "/v1/projections/PersonCard/objects/9", "holdfast-version": ""]
        ).check(on: server)
        #expect(made.headers["etag"] == server.send("GET", people + "/9").headers["etag"])
        #expect(person(9)?["firstName"] == .string("Ida") && person(9)?["lastName"] == .string(""))
        #expect(person(9)?["home"]?["city"] == .string("Riga"))
        APIScenario("POST", cards, #"{"id":9}"#, status: 409, contains: ["duplicate-key"])
            .check(on: server)
        APIScenario("POST", cards, #"{"first":"X"}"#, status: 422, contains: ["missing-key"])
            .check(on: server)
        APIScenario(
            "POST", cards, #"{"id":10,"firstName":"X"}"#, status: 422,
            contains: ["unknown-property"]
        )
        .check(on: server)
        APIScenario(
            "POST", cards, #"{"id":10,"bossName":"X"}"#, status: 422, contains: ["null-on-path"]
        )
        .check(on: server)
        APIScenario(
            "POST", cards, #"{"id":10,"friendNames":["X"]}"#, status: 422,
            contains: ["projection-read-only"]
        ).check(on: server)
        #expect(server.send("GET", people + "/10").status == 404)
    }

    @Test("several are made at once, in each mode, and a fault names its place")
    func arrays() throws {
        APIScenario(
            "POST", cards, #"[{"id":9,"first":"a"},{"id":10,"first":"b"}]"#, status: 201,
            contains: [
                #"{"objects":[{"id":9,"first":"a","#, #"{"id":10,"first":"b""#, #""version":""#,
            ]
        ).check(on: server)
        APIScenario(
            "POST", cards + "?mode=merge", #"[{"id":1,"first":"Anna"},{"id":2,"homeCity":"Ulm"}]"#,
            status: 200,
            contains: [#""first":"Anna","homeCity":"Rome""#, #""first":"Bob","homeCity":"Ulm""#]
        ).check(on: server)
        APIScenario(
            "POST", cards + "?mode=ignore", #"{"id":1,"first":"No"}"#, status: 200,
            contains: ["Anna"]
        )
        .check(on: server)
        APIScenario(
            "POST", cards + "?mode=replace", #"{"id":1,"homeCity":"Rome"}"#, status: 200,
            contains: [#""first":"","homeCity":"Rome""#]
        ).check(on: server)
        #expect(person(1)?["lastName"] == .string("Ash"))
        APIScenario(
            "POST", cards, #"[{"id":20},{"id":1}]"#, status: 409, contains: [#""pointer":"/1""#]
        ).check(on: server)
        APIScenario(
            "POST", cards, #"[{"id":20},{"id":21,"first":7}]"#, status: 422,
            contains: [#""pointer":"/1/first""#]
        ).check(on: server)
        #expect(server.send("GET", people + "/20").status == 404)
    }

    @Test("what was read can be put back, and what the projection does not show stays")
    func replacing() throws {
        let before = server.send("GET", people + "/1")
        let read = server.send("GET", cards + "/1")
        let put = APIScenario("PUT", cards + "/1", read.text, status: 200).check(on: server)
        #expect(put.text == read.text && put.headers["etag"] == read.headers["etag"])
        #expect(server.send("GET", people + "/1").text == before.text)
        let file = server.send("GET", "/v1/projections/PersonFile/objects/1")
        let again = APIScenario(
            "PUT", "/v1/projections/PersonFile/objects/1", file.text, status: 200
        )
        .check(on: server)
        #expect(again.text == file.text)
        #expect(server.send("GET", people + "/1").text == before.text)

        // An omitted property gets its default; another object's name stays.
        APIScenario(
            "PUT", cards + "/1", #"{"first":"Anna"}"#, status: 200,
            contains: [
                #"{"id":1,"first":"Anna","homeCity":"","friendNames":["Bob","Cy","Bob"]"#,
                #""bossName":"Cy""#,
            ]
        ).check(on: server)
        #expect(person(1)?["age"] == .int(30) && person(1)?["home"]?["country"] == .string("IT"))
        #expect(person(1)?["friends"] == .array([.int(2), .int(3), .int(2)]))
        APIScenario("PUT", cards + "/2", #"{"first":"Bo","bossName":"Cyd"}"#, status: 200).check(
            on: server)
        #expect(person(2)?["home"] == .null && person(3)?["firstName"] == .string("Cyd"))
        APIScenario(
            "PUT", cards + "/1", #"{"first":"A","friendNames":["X"]}"#, status: 422,
            contains: ["projection-read-only", #""pointer":"/friendNames""#]
        ).check(on: server)
        APIScenario("PUT", cards + "/1", #"{"id":2}"#, status: 422, contains: ["key-mismatch"])
            .check(on: server)
        APIScenario(
            "PUT", cards + "/9", #"{"first":"New","bossName":null}"#, status: 201,
            contains: [#""id":9"#]
        )
        .check(on: server)
        APIScenario(
            "PUT", "/v1/projections/PersonCard/object?key=9", #"{"id":9,"first":"Newer"}"#,
            status: 200,
            contains: ["Newer"]
        ).check(on: server)
    }

    @Test("an embedded object and a map that a whole object states take the place of those before")
    func wholes() throws {
        APIScenario(
            "PUT", "/v1/projections/Homes",
            #"{"class":"Person","properties":{"id":"_id","home":"home","at":"home.inner.city"}}"#,
            status: 201
        ).check(on: server)
        APIScenario(
            "PUT", "/v1/projections/Homes/objects/1", #"{"home":{"city":"Bonn","country":"DE"}}"#,
            status: 200
        ).check(on: server)
        #expect(person(1)?["home"]?["landlord"] == .null)
        APIScenario("PUT", "/v1/projections/Homes/objects/1", #"{"at":"Kiel"}"#, status: 200).check(
            on: server)
        #expect(person(1)?["home"]?["inner"]?["city"] == .string("Kiel"))
        APIScenario("PUT", "/v1/projections/Homes/objects/1", "{}", status: 200).check(on: server)
        #expect(person(1)?["home"] == .null && person(1)?["lastName"] == .string("Ash"))
    }

    @Test(
        "the object is deleted through any of its projections, by either form of its key and by a filter"
    )
    func deletion() throws {
        let tag = server.send("GET", cards + "/1").headers["etag"] ?? ""
        APIScenario(
            "DELETE", cards + "/1", headers: [("If-Match", "\"00000000-1\"")], status: 412,
            contains: [#""object":{"id":1,"first":"Ann","homeCity""#],
            excludes: ["firstName", "lastName"]
        ).check(on: server)
        APIScenario("DELETE", cards + "/1", headers: [("If-Match", tag)], status: 204).check(
            on: server)
        APIScenario("GET", people + "/1", status: 404).check(on: server)
        APIScenario("DELETE", cards + "/1", status: 404).check(on: server)
        APIScenario("DELETE", "/v1/projections/PersonCard/object?key=2", status: 204).check(
            on: server)
        APIScenario(
            "DELETE", cards + "?filter=firstName%20%3D%3D%20%27Cy%27", status: 200,
            contains: [#""affected":1"#]
        ).check(on: server)
        #expect(server.send("GET", people).text == #"{"objects":[]}"#)
        #expect(try StoreCheck.run(server.store).findings.isEmpty)
    }

    @Test("a 412 shows the object as the projection does, whatever was asked for")
    func preconditions() throws {
        for (method, body) in [
            ("PATCH", #"{"first":"X"}"#), ("PUT", #"{"first":"X"}"#), ("DELETE", nil), ("GET", nil),
        ] {
            APIScenario(
                method, cards + "/1", body, headers: [("If-Match", "\"00000000-1\"")], status: 412,
                contains: [
                    #""current":{"etag":""#,
                    #""object":{"id":1,"first":"Ann","homeCity":"Rome","friendNames":["Bob","Cy","Bob"]"#,
                ], excludes: ["firstName", "lastName", "\"age\""], fields: ["etag": ""]
            ).check(on: server)
        }
        for op in ["patch", "put", "merge", "delete"] {
            let value = op == "delete" ? "" : #","value":{"first":"X"}"#
            APIScenario(
                "POST", "/v1/transactions",
                #"{"operations":[{"op":"\#(op)","projection":"PersonCard","id":1,"ifMatch":"00000000-1"\#(value)}]}"#,
                status: 412, contains: [#""object":{"id":1,"first":"Ann","homeCity":"Rome""#],
                excludes: ["firstName", "lastName"]
            ).check(on: server)
        }
    }

    @Test(
        "a transaction makes, replaces, merges, patches and deletes through projections, with names of its own"
    )
    func transactions() throws {
        APIScenario(
            "POST", "/v1/transactions",
            #"{"operations":["#
                + #"{"op":"create","projection":"PersonCard","ref":"ida","value":{"id":9,"first":"Ida","homeCity":"Riga"}},"#
                + #"{"op":"put","projection":"PersonCard","id":1,"value":{"first":"Anna"}},"#
                + #"{"op":"merge","projection":"PersonCard","id":2,"value":{"homeCity":"Ulm"}},"#
                + #"{"op":"merge","projection":"PersonCard","value":{"id":10,"first":"Ten"}},"#
                + #"{"op":"put","projection":"PersonFile","id":11,"value":{"name":"Eleven","boss":{"$ref":"ida"}}},"#
                + #"{"op":"create","projection":"PetTag","ref":"rex","value":{"label":"Rex"}},"#
                + #"{"op":"merge","projection":"PetTag","id":{"$ref":"rex"},"value":{"label":"Max"}},"#
                + #"{"op":"delete","projection":"PersonCard","id":3}]}"#,
            status: 200,
            contains: [
                #""object":{"id":9,"first":"Ida","homeCity":"Riga""#,
                #""object":{"id":1,"first":"Anna","homeCity":"""#,
                #""object":{"id":2,"first":"Bob","homeCity":"Ulm""#,
                #""object":{"id":10,"first":"Ten""#,
                #""label":"Max""#, #"{"class":"Person","id":3}"#,
            ]
        ).check(on: server)
        #expect(person(11)?["boss"] == .int(9) && person(1)?["boss"] == .null)
        #expect(person(1)?["lastName"] == .string("Ash"))
        for (operation, status, code) in [
            (#"{"op":"create","projection":"PersonCard","value":{"id":9}}"#, 409, "duplicate-key"),
            (#"{"op":"put","projection":"PetTag","value":{"label":"x"}}"#, 422, "missing-key"),
            (
                #"{"op":"put","projection":"PetTag","id":99,"value":{"label":"x"}}"#, 404,
                "object-not-found"
            ),
            (
                #"{"op":"create","projection":"PersonCard","value":{"id":30,"bossName":"X"}}"#, 422,
                "null-on-path"
            ),
            (#"{"op":"merge","projection":"PersonCard","value":[]}"#, 422, "wrong-type"),
            (#"{"op":"delete","projection":"PersonCard","id":99}"#, 404, "object-not-found"),
        ] {
            APIScenario(
                "POST", "/v1/transactions", #"{"operations":[\#(operation)]}"#, status: status,
                contains: [code]
            ).check(on: server)
        }
        #expect(try StoreCheck.run(server.store).findings.isEmpty)
    }

    @Test("a repeat of a creation gets its reply, with its place")
    func repeats() throws {
        let key = [("Idempotency-Key", "k"), ("Content-Type", "application/json")]
        let first = server.send("POST", cards, #"{"id":9,"first":"Ida"}"#, headers: key)
        let again = server.send("POST", cards, #"{"id":9,"first":"Ida"}"#, headers: key)
        #expect(first.status == 201 && again.status == 201 && again.text == first.text)
        #expect(again.headers["location"] == cards + "/9")
        #expect(again.headers["idempotency-replayed"] == "true")
    }
}
