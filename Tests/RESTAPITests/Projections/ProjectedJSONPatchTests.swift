import HoldfastObjectModel
import HoldfastTestSupport
import Testing

@Suite("JSON patches through projections")
struct ProjectedJSONPatchTests {
    let server: TestServer

    init() throws {
        server = try Projections.server()
        Projections.people(server)
    }

    private let card = "/v1/projections/PersonCard/objects/1"
    private let file = "/v1/projections/PersonFile/objects/1"
    private static let json = [("Content-Type", "application/json-patch+json")]

    private func patch(
        _ target: String, _ body: String, status: Int = 200, contains: [String] = [],
        _ location: SourceLocation = #_sourceLocation
    ) {
        APIScenario(
            "PATCH", target, body, headers: Self.json, status: status, contains: contains
        ).check(on: server, location)
    }

    private func object(_ id: Int) -> String {
        server.send("GET", "/v1/classes/Person/objects/\(id)").text
    }

    @Test("operations write along the paths, into embedded objects and behind links")
    func writes() {
        patch(
            card,
            #"[{"op":"test","path":"/homeCity","value":"Rome"},"#
                + #"{"op":"replace","path":"/first","value":"Anna"},"#
                + #"{"op":"replace","path":"/homeCity","value":"Bari"},"#
                + #"{"op":"test","path":"/bossName","value":"Cy"},"#
                + #"{"op":"add","path":"/bossName","value":"Cyd"},"#
                + #"{"op":"replace","path":"/bossCity","value":"Lviv"},"#
                + #"{"op":"test","path":"/first","value":"Anna"}]"#,
            contains: [
                #"{"id":1,"first":"Anna","homeCity":"Bari""#,
                #""bossName":"Cyd","bossCity":"Lviv"}"#,
            ])
        #expect(
            object(1).contains(#""home":{"street":null,"city":"Bari","country":"IT","landlord":3"#))
        #expect(object(3).contains(#""firstName":"Cyd","lastName":"Cedar""#))
        #expect(object(3).contains(#""city":"Lviv","country":"UA""#))
    }

    @Test("elements of collections are reached, and values moved and copied within an object")
    func elements() {
        patch(
            "/v1/projections/Pals/objects/1",
            #"[{"op":"add","path":"/pals/-","value":1},{"op":"remove","path":"/pals/0"},"#
                + #"{"op":"test","path":"/pals","value":[3,2,1]},"#
                + #"{"op":"move","from":"/pals/2","path":"/pals/0"}]"#,
            contains: [#"{"first":"Ann","pals":[1,3,2]}"#])
        patch(
            file,
            #"[{"op":"copy","from":"/home/town","path":"/home/town"},"#
                + #"{"op":"add","path":"/home/town","value":"Pisa"},"#
                + #"{"op":"test","path":"/home/owner","value":"Cy"},"#
                + #"{"op":"add","path":"/home/owner","value":"Cyrus"},"#
                + #"{"op":"test","path":"/boss/first","value":"Cyrus"}]"#,
            contains: [#""home":{"town":"Pisa","owner":"Cyrus"}"#])
    }

    @Test("each operation sees those before it, also where they change a link")
    func order() {
        patch(
            file,
            #"[{"op":"replace","path":"/boss","value":2},{"op":"test","path":"/boss/first","value":"Bob"},"#
                + #"{"op":"replace","path":"/boss/first","value":"Rob"},"#
                + #"{"op":"replace","path":"/boss","value":{"$link":{"class":"Person","id":3}}},"#
                + #"{"op":"test","path":"/boss/first","value":"Cy"},{"op":"remove","path":"/home"}]"#,
            contains: [#""home":null"#, #""boss":{"id":3,"first":"Cy""#])
        #expect(object(2).contains(#""firstName":"Rob""#))
    }

    @Test("what an embedded property holds is patched at the property")
    func embedded() {
        let target = "/v1/classes/Person/objects/1/properties/home?projection=AddressLine"
        patch(
            target,
            #"[{"op":"test","path":"/town","value":"Rome"},{"op":"replace","path":"/town","value":"Bari"},"#
                + #"{"op":"replace","path":"/owner","value":"Cyd"}]"#,
            contains: [#"{"value":{"town":"Bari","owner":"Cyd"}}"#])
        patch(
            target, #"[{"op":"replace","path":"/city","value":"x"}]"#, status: 422,
            contains: ["unknown-property", #""pointer":"/0/path""#])
        let boss = "/v1/classes/Person/objects/1/properties/boss?projection=PersonCard"
        patch(
            boss, #"[{"op":"replace","path":"/first","value":"Cyrus"}]"#,
            contains: [#"{"value":{"id":3,"first":"Cyrus""#])
        patch(
            "/v1/classes/Person/objects/2/properties/home?projection=AddressLine",
            #"[{"op":"replace","path":"/town","value":"x"}]"#, status: 422,
            contains: [#""pointer":"/0/path""#])
    }

    /// A body, the status of its refusal and what that says.
    struct Refusal: Sendable, CustomTestStringConvertible {
        var target = "/v1/projections/PersonCard/objects/1"
        var body: String
        var status = 422
        var contains: [String]
        var testDescription: String { body }
    }

    @Test(
        "what can't be done is refused with its operation, in projected names, and nothing is changed",
        arguments: [
            Refusal(
                body:
                    #"[{"op":"replace","path":"/first","value":"X"},{"op":"test","path":"/bossName","value":"x"}]"#,
                status: 409,
                contains: ["test-failed", "'/bossName'", #""pointer":"/1/value""#]),
            Refusal(
                body:
                    #"[{"op":"replace","path":"/first","value":"X"},{"op":"replace","path":"/bossCity","value":7}]"#,
                contains: ["wrong-type", #""pointer":"/1/value""#]),
            Refusal(
                target: "/v1/projections/PersonCard/objects/3",
                body:
                    #"[{"op":"replace","path":"/first","value":"X"},{"op":"replace","path":"/bossName","value":"x"}]"#,
                contains: ["null-on-path", "'/bossName'", #""pointer":"/1/path""#]),
            Refusal(
                body:
                    #"[{"op":"replace","path":"/lastName","value":"X"},{"op":"add","path":"/frst","value":"X"}]"#,
                contains: [
                    "which is not shown", #""pointer":"/0/path""#, #""pointer":"/1/path""#,
                    #""hint":"first""#,
                ]),
            Refusal(
                body:
                    #"[{"op":"add","path":"/friendNames/-","value":"X"},{"op":"replace","path":"/first","value":1}]"#,
                contains: [
                    "projection-read-only", "'friends'", #""pointer":"/0/path""#,
                    #""pointer":"/1/value""#,
                ]),
            Refusal(
                body: #"[{"op":"copy","from":"/first","path":"/bossName"}]"#,
                contains: ["different objects", #""pointer":"/0/from""#]),
            Refusal(
                body: #"[{"op":"replace","path":"","value":{}}]"#,
                contains: ["invalid-patch", #""pointer":"/0/path""#]),
            Refusal(
                body: #"[{"op":"replace","path":"/id","value":9}]"#,
                contains: ["key-mismatch", #""pointer":"/0/value""#]),
            Refusal(
                target: "/v1/projections/PersonFile/objects/1",
                body: #"[{"op":"replace","path":"/home","value":{"town":"X"}}]"#,
                contains: ["state each member", #""pointer":"/0/value""#]),
            Refusal(
                target: "/v1/projections/PersonFile/objects/1",
                body: #"[{"op":"add","path":"/boss","value":99}]"#,
                contains: ["dangling-link", #""pointer":"/0/value""#]),
            Refusal(
                target: "/v1/projections/PersonFile/objects/1",
                body: #"[{"op":"replace","path":"/home/city","value":"X"}]"#,
                contains: ["'AddressLine' has no property 'city'", #""pointer":"/0/path""#]),
            Refusal(
                body: #"{"first":"X"}"#, status: 400, contains: ["invalid-patch"]),
            Refusal(
                body: #"[{"op":"put","path":"/first","value":"X"}]"#, status: 400,
                contains: ["invalid-patch", #""pointer":"/0/op""#]),
        ])
    func refusals(refusal: Refusal) {
        let version = server.store.version
        patch(
            refusal.target, refusal.body, status: refusal.status, contains: refusal.contains)
        #expect(server.store.version == version)
    }

    @Test("preconditions are about the object, and a patch that changes nothing makes no version")
    func preconditions() throws {
        let tag = try #require(server.send("GET", card).headers["etag"])
        let version = server.store.version
        patch(card, #"[{"op":"test","path":"/bossCity","value":"Kyiv"}]"#)
        #expect(server.store.version == version)
        APIScenario(
            "PATCH", card, #"[{"op":"replace","path":"/first","value":"X"}]"#,
            headers: Self.json + [("If-Match", "\"00000000-1\"")], status: 412,
            contains: [#""current""#]
        ).check(on: server)
        APIScenario(
            "PATCH", card, #"[{"op":"replace","path":"/first","value":"X"}]"#,
            headers: Self.json + [("If-Match", tag)], status: 200
        ).check(on: server)
    }
}
