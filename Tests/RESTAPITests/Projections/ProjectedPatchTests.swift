import HoldfastObjectModel
import HoldfastTestSupport
import Testing

@Suite("Writing through projections")
struct ProjectedPatchTests {
    let server: TestServer

    init() throws {
        server = try Projections.server()
        Projections.people(server)
    }

    private let card = "/v1/projections/PersonCard/objects/1"

    private func tag(_ id: Int) -> String {
        server.send("GET", "/v1/classes/Person/objects/\(id)").headers["etag"] ?? ""
    }

    @Test(
        "a patch changes the object, its embedded objects and the objects behind its links at once")
    func writes() throws {
        let before = (1...3).map(tag)
        let reply = APIScenario(
            "PATCH", card,
            #"{"first":"Anna","homeCity":"Bari","bossName":"Cyd","bossCity":"Lviv"}"#,
            headers: [("If-Match", before[0])], status: 200,
            contains: [
                #"{"id":1,"first":"Anna","homeCity":"Bari","friendNames":["Bob","Cyd","Bob"],"#,
                #""bossName":"Cyd","bossCity":"Lviv"}"#,
            ], fields: ["holdfast-version": ""]
        ).check(on: server)
        #expect(reply.headers["etag"] == tag(1))
        APIScenario(
            "GET", "/v1/classes/Person/objects/1", status: 200,
            contains: [
                #""firstName":"Anna","lastName":"Ash","age":30"#,
                #""city":"Bari","country":"IT","landlord":3"#,
            ]
        ).check(on: server)
        APIScenario(
            "GET", "/v1/classes/Person/objects/3", status: 200,
            contains: [#""firstName":"Cyd""#, #""city":"Lviv","country":"UA""#]
        ).check(on: server)
        #expect(tag(2) == before[1])
        // One transaction, in which each object has its own change.
        #expect(tag(1) == tag(3))
    }

    @Test("what lies behind a link changes with its own version, not the base object's")
    func versions() throws {
        let base = tag(1)
        let reply = server.send("PATCH", card, #"{"bossName":"Cyd"}"#)
        #expect(reply.status == 200)
        #expect(reply.headers["etag"] == base)
        #expect(reply.headers["holdfast-version"].map { "\"\($0)\"" } == tag(3))
        #expect(tag(1) == base)
        // A precondition is about the base object, so this one still holds.
        APIScenario(
            "PATCH", card, #"{"bossName":"Cy"}"#, headers: [("If-Match", base)], status: 200
        )
        .check(on: server)
        APIScenario(
            "PATCH", card, #"{"bossName":"No"}"#, headers: [("If-Match", tag(3))], status: 412,
            contains: [#""current":{"etag":"#]
        ).check(on: server)
        let version = base.dropFirst().dropLast()
        APIScenario(
            "PATCH", card, #"{"$id":1,"$version":"\#(version)","first":"A"}"#, status: 200
        ).check(on: server)
        APIScenario(
            "PATCH", card, #"{"$version":"\#(version)","first":"B"}"#, status: 412
        ).check(on: server)
        APIScenario(
            "PATCH", "/v1/projections/PersonCard/objects/9", #"{"first":"B"}"#,
            headers: [("If-Match", "*")], status: 412
        ).check(on: server)
        APIScenario("PATCH", "/v1/projections/PersonCard/objects/9", #"{"first":"B"}"#, status: 404)
            .check(on: server)
    }

    @Test("a patch that changes nothing makes no version, and a minimal reply has no body")
    func nothing() {
        let version = "\(server.store.version)"
        for body in ["{}", #"{"first":"Ann","bossName":"Cy","id":1}"#] {
            APIScenario(
                "PATCH", card, body, status: 200, fields: ["holdfast-version": version]
            ).check(on: server)
        }
        let reply = server.send(
            "PATCH", card, #"{"first":"Anne"}"#, headers: [("Prefer", "return=minimal")])
        #expect(reply.status == 204 && reply.text.isEmpty)
        #expect(reply.headers["etag"] == tag(1))
        APIScenario(
            "PATCH", "/v1/projections/PersonCard/object?key=1", #"{"first":"Ann"}"#, status: 200
        ).check(on: server)
    }

    @Test("other projections' objects are changed member by member, links also by key")
    func nested() {
        let file = "/v1/projections/PersonFile/objects/1"
        APIScenario(
            "PATCH", file, #"{"home":{"town":"Pisa","owner":"Cyrus"},"boss":{"homeCity":"Odesa"}}"#,
            status: 200,
            contains: [
                #""home":{"town":"Pisa","owner":"Cyrus"}"#,
                #""boss":{"id":3,"first":"Cyrus","homeCity":"Odesa""#,
            ]
        ).check(on: server)
        APIScenario(
            "PATCH", file, #"{"boss":2}"#, status: 200, contains: [#""boss":{"id":2,"first":"Bob""#]
        ).check(on: server)
        APIScenario(
            "PATCH", file, #"{"boss":{"$link":{"class":"Person","id":3}}}"#, status: 200,
            contains: [#""boss":{"id":3"#]
        ).check(on: server)
        APIScenario(
            "PATCH", file, #"{"boss":null,"home":null}"#, status: 200,
            contains: [#""home":null"#, #""boss":null"#, #""bossTags":null"#]
        ).check(on: server)
        // As in a merge patch of the class, an object in the place of null makes an embedded one.
        APIScenario(
            "PATCH", file, #"{"home":{"town":"Rome"}}"#, status: 200,
            contains: [#""home":{"town":"Rome","owner":null}"#]
        ).check(on: server)
        APIScenario(
            "PATCH", "/v1/projections/Pals/objects/1", #"{"pals":[3]}"#, status: 200,
            contains: [#""pals":[3]"#]
        ).check(on: server)
        APIScenario(
            "PATCH", file, #"{"boss":{"bossName":"x"},"bossTags":["t"]}"#, status: 422,
            contains: ["null-on-path"]
        ).check(on: server)
    }

    /// A body and what its refusal says, with the pointer of the fault.
    struct Refusal: Sendable, CustomTestStringConvertible {
        var id = 1
        var projection = "PersonCard"
        var body: String
        var contains: [String]
        var status = 422
        var testDescription: String { "\(projection)/\(id) \(body)" }
    }

    @Test(
        "what can't be written is refused with its place, and nothing is changed",
        arguments: [
            Refusal(
                id: 2, body: #"{"first":"B","homeCity":"Rome","bossCity":"Lviv"}"#,
                contains: ["null-on-path", "'home' of 'Person' is null", #""pointer":"/homeCity""#]),
            Refusal(
                id: 3, body: #"{"bossName":"B","bossCity":"Lviv"}"#,
                contains: [
                    "'boss' of 'Person' is null", #""pointer":"/bossName""#,
                ]),
            Refusal(
                body: #"{"friendNames":["x"],"placeCities":[]}"#,
                contains: [
                    "projection-read-only", "the collection 'friends'",
                    #""pointer":"/friendNames""#,
                    #""pointer":"/placeCities""#,
                ]),
            Refusal(
                body: #"{"lastName":"x","frist":"y","bossName":7,"homeCity":null}"#,
                contains: [
                    "class 'Person' has one, which is not shown", #""pointer":"/lastName""#,
                    #""pointer":"/frist","hint":"first""#, #""pointer":"/bossName""#, "wrong-type",
                    #""pointer":"/homeCity""#, "null-not-allowed",
                ]),
            Refusal(body: #"{"id":7}"#, contains: ["key-mismatch", #""pointer":"/id""#]),
            Refusal(body: #"{"$id":7}"#, contains: ["key-mismatch", #""pointer":"/$id""#]),
            Refusal(
                projection: "PersonFile", body: #"{"boss":{"id":7,"lastName":"x"}}"#,
                contains: ["unknown-property", #""pointer":"/boss/lastName""#]),
            Refusal(
                projection: "PersonFile", body: #"{"boss":{"id":7}}"#,
                contains: ["key-mismatch", #""pointer":"/boss/id""#]),
            Refusal(
                projection: "PersonFile", body: #"{"boss":99}"#,
                contains: ["dangling-link", #""pointer":"/boss""#]),
            Refusal(
                projection: "Pals", body: #"{"pals":[2,99]}"#,
                contains: ["dangling-link", #""pointer":"/pals/1""#]),
            Refusal(
                projection: "PersonFile", body: #"{"friends":[],"places":[]}"#,
                contains: ["projection-read-only", #""pointer":"/friends""#]),
            Refusal(
                projection: "PersonFile", body: #"{"boss":2,"bossTags":["x"]}"#,
                contains: ["conflicting-properties", "'/boss' both change 'boss'"]),
            Refusal(
                projection: "PersonFile", body: #"{"home":{"owner":"x"},"boss":{"first":"y"}}"#,
                contains: [
                    "conflicting-properties",
                    "'/boss/first' and '/home/owner' both change 'firstName'",
                ]),
            Refusal(
                id: 2, projection: "PersonFile", body: #"{"home":{"town":"x","owner":"y"}}"#,
                contains: ["null-on-path", "'landlord' of 'Address'", #""pointer":"/home/owner""#]),
            Refusal(body: #"{"first":"x","first":"y"}"#, contains: ["duplicate-name"], status: 400),
            Refusal(body: "[]", contains: ["wrong-type"]),
            Refusal(body: "{", contains: ["malformed-json"], status: 400),
        ])
    func refused(refusal: Refusal) {
        let before = server.send("GET", "/v1/classes/Person/objects?fields=*,$version").text
        APIScenario(
            "PATCH", "/v1/projections/\(refusal.projection)/objects/\(refusal.id)", refusal.body,
            status: refusal.status, contains: refusal.contains
        ).check(on: server)
        #expect(
            server.send("GET", "/v1/classes/Person/objects?fields=*,$version").text == before)
    }

    @Test("an object that links to itself is one object, whichever path leads to it")
    func circle() {
        server.send("PATCH", "/v1/classes/Person/objects/3", #"{"boss":3}"#)
        APIScenario(
            "PATCH", "/v1/projections/PersonCard/objects/3",
            #"{"bossName":"Me","homeCity":"Here"}"#,
            status: 200,
            contains: [#""first":"Me","homeCity":"Here""#, #""bossName":"Me","bossCity":"Here""#]
        ).check(on: server)
        APIScenario(
            "PATCH", "/v1/projections/PersonCard/objects/3", #"{"bossName":"Me","first":"Here"}"#,
            status: 422, contains: ["conflicting-properties"]
        ).check(on: server)
    }

    @Test("media types, parameters and preconditions of a patch")
    func requests() {
        for type in ["application/json-patch", "text/plain"] {
            APIScenario(
                "PATCH", card, "[]", headers: [("Content-Type", type)], status: 415,
                contains: ["merge patch as", "JSON patch as"],
                fields: [
                    "accept-patch":
                        "application/merge-patch+json, application/json, application/json-patch+json"
                ]
            ).check(on: server)
        }
        APIScenario(
            "PATCH", card, #"{"first":"x"}"#,
            headers: [("Content-Type", "application/merge-patch+json")], status: 200
        ).check(on: server)
        APIScenario("PATCH", card + "?upsert=true", "{}", status: 200).check(on: server)
        APIScenario(
            "PATCH", "/v1/projections/AddressLine/objects/1", "{}", status: 405,
            contains: ["embedded-class"]
        ).check(on: server)
        APIScenario("PATCH", "/v1/projections/No/objects/1", "{}", status: 404).check(on: server)
        APIScenario("POST", card, "{}", status: 405, fields: ["allow": ""]).check(on: server)
        let key = [("Idempotency-Key", "one")]
        let first = server.send("PATCH", card, #"{"first":"once"}"#, headers: key)
        server.send("PATCH", card, #"{"first":"twice"}"#)
        let again = server.send("PATCH", card, #"{"first":"once"}"#, headers: key)
        #expect(again.text == first.text && again.headers["idempotency-replayed"] == "true")
        APIScenario("GET", card, status: 200, contains: ["twice"]).check(on: server)
    }

    @Test("the object that a property holds is changed in the names of a projection")
    func property() {
        let base = "/v1/classes/Person/objects/1/properties/"
        let before = tag(1)
        APIScenario(
            "PATCH", base + "home?projection=AddressLine", #"{"town":"Bari","owner":"Cyd"}"#,
            headers: [("If-Match", before)], status: 200,
            contains: [#"{"value":{"town":"Bari","owner":"Cyd"}}"#]
        ).check(on: server)
        APIScenario(
            "PATCH", base + "home?projection=AddressLine", #"{"town":"x"}"#,
            headers: [("If-Match", before)], status: 412
        ).check(on: server)
        APIScenario(
            "PATCH", base + "boss?projection=PersonCard", #"{"homeCity":"Here"}"#, status: 200,
            contains: [#"{"value":{"id":3,"first":"Cyd","homeCity":"Here""#]
        ).check(on: server)
        let owner2 = "/v1/classes/Person/objects/2/properties/home?projection=AddressLine"
        for (target, body, status, text) in [
            (owner2, #"{"town":"x"}"#, 422, "null-on-path"),
            (base + "home?projection=AddressLine", #"{"city":"x"}"#, 422, #""pointer":"/city""#),
            (base + "home?projection=AddressLine", "null", 422, "wrong-type"),
            (base + "home", "{}", 400, "State the 'projection'"),
            (base + "places?projection=AddressLine", "{}", 422, "projection-read-only"),
            (base + "home?projection=Pals", "{}", 400, "has no objects of class 'Person'"),
            (base + "hme?projection=AddressLine", "{}", 404, #""hint":"home""#),
        ] {
            APIScenario("PATCH", target, body, status: status, contains: [text]).check(on: server)
        }
    }

    @Test("what a reply left out may stand in a patch, and is held to the names of the projection")
    func omitted() {
        let before = tag(1)
        APIScenario(
            "PATCH", card, #"{"$omitted":["friendNames","placeCities"]}"#, status: 200,
            contains: [#""friendNames":["Bob","Cy","Bob"]"#]
        ).check(on: server)
        #expect(tag(1) == before)
        for (body, code, pointer) in [
            (#"{"$omitted":null}"#, "wrong-type", "/$omitted"),
            (#"{"$omitted":[{}]}"#, "wrong-type", "/$omitted/0"),
            (#"{"$omitted":["friendNames","freindNames"]}"#, "unknown-property", "/$omitted/1"),
            (#"{"first":"x","$omitted":["first"]}"#, "omitted-and-stated", "/$omitted/0"),
        ] {
            APIScenario(
                "PATCH", card, body, status: 422,
                contains: ["\"code\":\"\(code)\"", "\"pointer\":\"\(pointer)\""]
            ).check(on: server)
        }
        APIScenario(
            "PATCH", card, #"{"$omitted":[],"$omitted":[]}"#, status: 400,
            contains: ["duplicate-name"]
        ).check(on: server)
        #expect(tag(1) == before)
    }
}
