import HoldfastTestSupport
import Testing

@Suite("Queries, aggregates, sections and exports of a projection")
struct ProjectedQueryTests {
    private static func check(_ scenario: APIScenario) throws {
        let server = try Projections.server()
        Projections.people(server)
        scenario.check(on: server)
    }

    private static let path = "/v1/projections/PersonCard"

    @Test(
        "use the names of the class, and show the objects as the projection does",
        arguments: [
            APIScenario(
                "POST", path + "/query", #"{"filter":"age < $0","args":[25],"fields":["first"]}"#,
                status: 200, contains: [#"{"objects":[{"first":"Bob"}]}"#]),
            APIScenario(
                "POST", path + "/query", #"{"sort":"-firstName","limit":1,"count":"exact"}"#,
                status: 200, contains: [#"{"objects":[{"id":3,"first":"Cy""#, #""count":3"#]),
            APIScenario(
                "POST", "/v1/projections/PersonFile/query", #"{"filter":"home.city == 'Rome'"}"#,
                status: 200, contains: [#""home":{"town":"Rome","owner":"Cy"}"#]),
            APIScenario(
                "GET", path + "/aggregate?op=count,max(age),min(_id)", status: 200,
                contains: [#"{"count":3,"max(age)":30,"min(_id)":1}"#]),
            APIScenario(
                "GET", path + "/aggregate?op=count&by=boss.firstName&filter=age%3E0", status: 200,
                contains: [#"{"groups":[{"by":{"boss.firstName":"Cy"},"count":2}]}"#]),
            APIScenario(
                "GET", path + "/sections?by=boss.firstName&fields=first,bossName&objects=1",
                status: 200,
                contains: [
                    #"{"key":null,"count":1,"objects":[{"first":"Cy","bossName":null}]}"#,
                    #"{"key":"Cy","count":2,"objects":[{"first":"Ann","bossName":"Cy"}]}"#,
                ]),
            APIScenario(
                "GET", path + "/export?fields=first,homeCity", status: 200,
                contains: [
                    "{\"first\":\"Ann\",\"homeCity\":\"Rome\"}\n{\"first\":\"Bob\",\"homeCity\":null}\n"
                ]),
            APIScenario(
                "GET", path + "/export?fields=id,first,bossName",
                headers: [("Accept", "text/csv")], status: 200,
                contains: ["id,first,bossName\r\n1,Ann,Cy\r\n2,Bob,Cy\r\n3,Cy,"]),
        ])
    func answers(scenario: APIScenario) throws { try Self.check(scenario) }

    @Test(
        "names that only the projection has are refused with the path that they stand for",
        arguments: [
            APIScenario(
                "POST", path + "/query", #"{"filter":"homeCity == 'Rome'"}"#, status: 400,
                contains: [#""pointer":"/filter""#, #""hint":"home.city""#]),
            APIScenario(
                "POST", path + "/query", #"{"fields":["firstName"]}"#, status: 400,
                contains: [#""pointer":"/fields""#, "unknown-property"]),
            APIScenario(
                "GET", path + "/aggregate?op=min(homeCity)", status: 400,
                contains: [#""parameter":"op""#, #""hint":"home.city""#]),
            APIScenario(
                "GET", path + "/aggregate?by=bossName", status: 400,
                contains: [#""parameter":"by""#, #""hint":"boss.firstName""#]),
            APIScenario(
                "GET", path + "/aggregate?filter=first==%22A%22", status: 400,
                contains: [#""hint":"firstName""#]),
            APIScenario(
                "GET", path + "/sections?by=homeCity", status: 400,
                contains: [#""parameter":"by""#, #""hint":"home.city""#]),
            APIScenario(
                "GET", path + "/sections?by=age&sort=homeCity", status: 400,
                contains: [#""parameter":"sort""#, #""hint":"home.city""#]),
            APIScenario(
                "GET", path + "/sections?by=age&fields=lastName", status: 400,
                contains: [#""parameter":"fields""#]),
            APIScenario(
                "GET", path + "/sections?by=age&expand=boss", status: 400,
                contains: ["unknown-parameter"]),
            APIScenario(
                "GET", path + "/export?fields=lastName", status: 400,
                contains: [#""parameter":"fields""#]),
            APIScenario(
                "GET", "/v1/projections/PersonFile/export", headers: [("Accept", "text/csv")],
                status: 406, contains: ["not-flat"]),
            APIScenario(
                "GET", "/v1/projections/AddressLine/aggregate", status: 405,
                contains: ["embedded-class"]),
            APIScenario(
                "POST", "/v1/projections/PersonCrd/query", "{}", status: 404,
                contains: [#""hint":"PersonCard""#]),
            APIScenario(
                "GET", "/v1/projections/PersonCrd/sections?by=age", status: 404,
                contains: ["unknown-projection"]),
        ])
    func refusals(scenario: APIScenario) throws { try Self.check(scenario) }

    @Test("pages of each go on where the one before ended")
    func pages() throws {
        let server = try Projections.server()
        Projections.people(server)
        let query = Self.path + "/query"
        let first = server.send("POST", query, #"{"sort":"firstName","limit":2}"#)
        let next = try #require(first.next)
        APIScenario(
            "POST", query, #"{"sort":"firstName","limit":2,"cursor":"\#(next)"}"#, status: 200,
            contains: [#"{"objects":[{"id":3,"first":"Cy""#]
        ).check(on: server)
        for path in ["/aggregate?by=firstName", "/sections?by=firstName&fields=first"] {
            let first = server.send("GET", Self.path + path + "&limit=2")
            let link = try #require(first.headers["link"])
            let second = server.send("GET", String(link.dropFirst().prefix { $0 != ">" }))
            #expect(second.status == 200)
            #expect(second.text.contains("\"Cy\"") && !second.text.contains("\"Bob\""))
        }
    }
}
