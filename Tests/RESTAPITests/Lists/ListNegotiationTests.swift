import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

@Suite("which form of a list is taken of those that are accepted")
struct ListNegotiationTests {
    private static let shops = "/v1/classes/Shop/objects"
    private static let flats = "/v1/classes/Flat/objects"

    @Test(
        "a form that the class can't have is passed over for one that it can",
        arguments: [
            (flats, "application/geo+json, application/json", "application/json"),
            (flats, "application/geo+json, */*;q=0.1", "application/json"),
            (flats, "application/geo+json, application/json;q=0.9", "application/json"),
            (flats + "?fields=id", "application/geo+json, text/csv;q=0.9", "text/csv"),
            (shops, "*/*, text/csv", "application/json"),
            (shops, "text/*, application/json;q=0.9", "application/json"),
            (shops, "text/csv, application/geo+json", "application/geo+json"),
        ])
    func passedOver(path: String, accept: String, expected: String) throws {
        let server = try ListForms.server()
        let reply = server.send("GET", path, headers: [("Accept", accept)])
        #expect(reply.status == 200, "\(reply.text)")
        #expect(reply.headers["content-type"]?.hasPrefix(expected) ?? false, "\(reply.headers)")
        if path == Self.flats {
            let posted = server.send(
                "POST", "/v1/classes/Flat/query", "{}", headers: [("Accept", accept)])
            #expect(posted.status == 200 && posted.headers["content-type"] == expected)
        }
    }

    @Test(
        "where no form fits, the refusal is about the one that is wanted most",
        arguments: [
            APIScenario(
                "GET", flats, headers: [("Accept", "application/geo+json, text/csv")], status: 406,
                contains: ["no-geometry"], fields: ["vary": "Accept"]),
            APIScenario(
                "GET", flats, headers: [("Accept", "application/geo+json;q=0.5, text/csv")],
                status: 406, contains: ["not-flat"], fields: ["vary": "Accept"]),
            APIScenario(
                "GET", shops, headers: [("Accept", "text/html")], status: 406,
                contains: ["not-acceptable"], fields: ["vary": "Accept"]),
            APIScenario(
                "POST", "/v1/classes/Flat/query", "{}",
                headers: [("Accept", "application/geo+json")], status: 406,
                contains: ["no-geometry"], fields: ["vary": "Accept"]),
            // What can be mended by a parameter is said, whatever else is accepted.
            APIScenario(
                "GET", "/v1/classes/Town/objects",
                headers: [("Accept", "application/geo+json, application/json;q=0.9")], status: 400,
                contains: ["centre, edge"]),
        ])
    func noneFits(scenario: APIScenario) throws {
        scenario.check(on: try ListForms.server())
    }

    @Test(
        "several lines of Accept are one list",
        arguments: [
            (["*/*", "text/csv"], "text/csv"),
            (["application/json;q=0", "*/*"], "application/geo+json"),
            (["*/*;q=0.5", "application/json;q=0"], "application/geo+json"),
            (["", "text/csv"], "text/csv"), (["", ""], "application/json"),
            (["text/csv;q=0.4, application/json;q=0.1", "application/geo+json;q=0.3"], "text/csv"),
            (["text/html, text/csv", "application/geo+json"], "text/csv"),
            (["application/json", "text/csv"], "application/json"),
        ])
    func lines(accepts: [String], expected: String) throws {
        let server = try ListForms.server()
        let reply = server.send(
            "GET", Self.shops + "?fields=name", headers: accepts.map { ("Accept", $0) })
        #expect(reply.status == 200, "\(reply.text)")
        #expect(reply.headers["content-type"]?.hasPrefix(expected) ?? false, "\(reply.headers)")
    }
}
