import HoldfastTestSupport
import Testing

@Suite("Changes by filter through a projection")
struct ProjectedBulkTests {
    let server: TestServer

    init() throws {
        server = try Projections.server()
        Projections.people(server)
    }

    private let cards = "/v1/projections/PersonCard/objects"
    private static let json = [("Content-Type", "application/json-patch+json")]

    private func names() -> [String] {
        server.send("GET", cards + "?fields=first,bossName").json["objects"]?.elements.map {
            "\($0["first"]?.string ?? "") \($0["bossName"]?.string ?? "-")"
        } ?? []
    }

    @Test("each object that matches is changed, and what lies behind its links")
    func changes() {
        APIScenario(
            "PATCH", cards + "?filter=boss.firstName=='Cy'", #"{"first":"X","bossName":"Cyd"}"#,
            status: 200, contains: [#"{"affected":2,"version":"#]
        ).check(on: server)
        #expect(names() == ["X Cyd", "X Cyd", "Cyd -"])
        APIScenario(
            "PATCH", cards + "?all=true",
            #"[{"op":"test","path":"/id","value":1}]"#, headers: Self.json, status: 409,
            contains: ["test-failed", #""pointer":"/0/value""#]
        ).check(on: server)
        APIScenario(
            "PATCH", cards + "?filter=age!=null",
            #"[{"op":"replace","path":"/first","value":"Y"},{"op":"replace","path":"/bossName","value":"C"}]"#,
            headers: Self.json, status: 200, contains: [#"{"affected":2,"#]
        ).check(on: server)
        #expect(names() == ["Y C", "Y C", "C -"])
    }

    @Test(
        "what can't be changed refuses all, with its place in projected names",
        arguments: [
            APIScenario(
                "PATCH", "?all=true", #"{"first":"X","bossName":"C"}"#, status: 422,
                contains: ["null-on-path", #""pointer":"/bossName""#]),
            APIScenario(
                "PATCH", "?filter=_id==1", #"{"firstName":"X","friendNames":[]}"#, status: 422,
                contains: [
                    "unknown-property", "projection-read-only", #""pointer":"/friendNames""#,
                ]),
            APIScenario("PATCH", "", #"{"first":"X"}"#, status: 400, contains: ["all=true"]),
            APIScenario(
                "PATCH", "?filter=first==%22A%22", #"{"first":"X"}"#, status: 400,
                contains: [#""hint":"firstName""#]),
            APIScenario(
                "PATCH", "?all=true", #"{"first":"X"}"#,
                headers: [("Prefer", "max-affected=2"), ("Content-Type", "application/json")],
                status: 409, contains: ["max-affected-exceeded"]),
            APIScenario(
                "PATCH", "?all=true", #"{"$version":"00000000-1"}"#, status: 422,
                contains: ["unknown-property"]),
        ])
    func refusals(scenario: APIScenario) {
        var scenario = scenario
        scenario.target = cards + scenario.target
        let before = names()
        scenario.check(on: server)
        #expect(names() == before)
    }

    @Test("a projection that is not there, or of an embedded class, has no such changes")
    func others() {
        APIScenario(
            "PATCH", "/v1/projections/PersonCrd/objects?all=true", "{}", status: 404,
            contains: [#""hint":"PersonCard""#]
        ).check(on: server)
        APIScenario(
            "PATCH", "/v1/projections/AddressLine/objects?all=true", "{}", status: 405,
            contains: ["embedded-class"]
        ).check(on: server)
        APIScenario("DELETE", "/v1/projections/AddressLine/objects?all=true", status: 405)
            .check(on: server)
    }
}
