import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastTestSupport
import HoldfastTransfer
import Testing

@testable import HoldfastObjectJSON
@testable import HoldfastRESTAPI

@Suite("Proposals of classes over HTTP")
struct ProposalTests {
    private static let path = "/v1/schema/propose"
    private static let schema = Schema(classes: [
        ObjectClass(
            name: "Country", primaryKey: "iso", properties: [Schemas.property("iso", .string)])
    ])
    private static let csv = ("Content-Type", "text/csv")
    private static let sales =
        "Nr;Umsatz €;Am;Land\n1;9.429,59;31.12.2025;DE\n2;12,50;1.2.2026;FR\n"

    private static func server() throws -> TestServer {
        let server = try TestServer(schema: schema)
        for iso in ["DE", "FR"] {
            server.send("PUT", "/v1/classes/Country/objects/\(iso)", "{}")
        }
        return server
    }

    @Test("have the class, the import and the reasons, and change nothing")
    func answer() throws {
        let server = try Self.server()
        let before = server.send("GET", "/v1/schema").text
        let reply = server.send(
            "POST", Self.path + "?class=Sale", Self.sales, headers: [Self.csv])
        #expect(reply.status == 200, "\(reply.text)")
        let beginning = [
            #"{"class":{"name":"Sale","kind":"object","primaryKey":"Nr","properties":{"Nr":{"type":"int"},"#,
            #""Umsatz":{"type":"double"},"Am":{"type":"date"},"#,
            #""Land":{"type":"object","class":"Country","optional":true}}},"embedded":[],"#,
            #""import":{"contentType":"text/csv","parameters":{"delimiter":";","decimalComma":true,"#,
            #""dateFormat":["Am=%d.%m.%Y"],"map":["Umsatz €=Umsatz"]},"#,
            #""query":"?delimiter=%3B&decimalComma=true&dateFormat=Am%3D%25d.%25m.%25Y"#,
            #"&map=Umsatz%20%E2%82%AC%3DUmsatz","options":["--csv","--delimiter",";","--decimal-comma","#,
            #""--date-format","Am=%d.%m.%Y","--map","Umsatz €=Umsatz"]},"reasons":[{"class":"Sale","#,
        ].joined()
        #expect(reply.text.hasPrefix(beginning), "\(reply.text)")
        #expect(
            reply.text.contains(
                #"{"class":"Sale","property":"Umsatz","name":"Umsatz €","reason":"All 2 values are numbers, "#
            ),
            "\(reply.text)")
        #expect(
            reply.text.hasSuffix(#""sample":{"objects":2,"faulty":0,"whole":true},"notes":[]}"#),
            "\(reply.text)")
        #expect(server.send("GET", "/v1/schema").text == before)
    }

    @Test("are classes that are put as they are, and imports that take the text")
    func use() throws {
        let server = try Self.server()
        for (type, text) in [
            ("text/csv", Self.sales),
            (
                "application/x-ndjson",
                #"{"id":1,"at":{"type":"Point","coordinates":[13.4,52.5]},"home":{"street":"x"}}"#
            ),
            ("application/json", #"[{"id":1,"tags":["a"]},{"id":2,"tags":[]}]"#),
            (
                "application/geo+json",
                #"[{"type":"Feature","id":1,"geometry":{"type":"Point","coordinates":[1,2]},"properties":{"a:b":1}}]"#
            ),
        ] {
            let reply = server.send(
                "POST", Self.path, text, headers: [("Content-Type", type)])
            let proposal = try #require(QueryJSON(reply.text), "\(reply.text)")
            let definition = try #require(proposal["class"])
            for put in (proposal["embedded"]?.elements ?? []) + [definition] {
                let name = try #require(put["name"]?.string)
                let made = server.send("PUT", "/v1/schema/classes/\(name)", put.text)
                #expect(made.status == 201, "\(made.text)")
            }
            let query = try #require(proposal["import"]?["query"]?.string)
            let contentType = try #require(proposal["import"]?["contentType"]?.string)
            let imported = server.send(
                "POST", "/v1/classes/Item/import" + query, text,
                headers: [("Content-Type", contentType)])
            #expect(imported.text.contains(#""failed":0"#), "\(imported.text)")
            server.send("DELETE", "/v1/schema/classes/Item?allowDataLoss=true")
        }
    }

    @Test("take the parameters of the import, and refuse others")
    func parameters() throws {
        let server = try Self.server()
        for scenario in [
            APIScenario(
                "POST", Self.path + "?map=b=c&skip=a&delimiter=%3B", "id;a;b\n1;2;3\n",
                headers: [Self.csv], status: 200,
                contains: [#""c":{"type":"int"}"#, #""map":["b=c"],"skip":["a"]"#],
                excludes: [#""a":{"#]),
            APIScenario(
                "POST", Self.path + "?trueWord=x&falseWord=o", "id,f\n1,x\n2,o\n",
                headers: [Self.csv], status: 200, contains: [#""f":{"type":"bool"}"#]),
            APIScenario(
                "POST", Self.path + "?dateFormat=%25d/%25m/%25Y", "id,d\n1,01/02/2026\n",
                headers: [Self.csv], status: 200,
                contains: [#""d":{"type":"date"}"#, #""dateFormat":["%d/%m/%Y"]"#]),
            APIScenario(
                "POST", Self.path + "?mode=merge", "id\n1\n", headers: [Self.csv], status: 400,
                contains: ["unknown-parameter"]),
            APIScenario(
                "POST", Self.path + "?class=1st", "id\n1\n", headers: [Self.csv], status: 400,
                contains: ["invalid-parameter", #""parameter":"class""#]),
            APIScenario(
                "POST", Self.path + "?decimalComma=true", "{}", status: 400,
                contains: ["'decimalComma' is for CSV"]),
            APIScenario(
                "POST", Self.path + "?dateFormat=x=%25Y", "id\n1\n", headers: [Self.csv],
                status: 422, contains: ["unknown-column"]),
        ] { scenario.check(on: server) }
    }

    @Test("are refused for bodies that have no objects, and for other media types")
    func refusals() throws {
        let server = try Self.server()
        for scenario in [
            APIScenario("POST", Self.path, "[]", status: 422, contains: ["empty-sample"]),
            APIScenario("POST", Self.path, "{", status: 422, contains: ["empty-sample"]),
            APIScenario(
                "POST", Self.path, "id,a\n", headers: [Self.csv], status: 422,
                contains: ["empty-sample"]),
            APIScenario(
                "POST", Self.path, "\u{FF}", headers: [Self.csv], status: 422,
                contains: ["empty-sample"]),
            APIScenario(
                "POST", Self.path, #"{"Dog":[{"id":1}]}"#, status: 422,
                contains: ["no-class", "jq -c '.Dog[]'"]),
            APIScenario(
                "POST", Self.path,
                #" [{"Person":"1","Dog":"2"}, ["3"],["4"],{"id":1,"name":"5"},{"id":7},"Ann"]"#,
                status: 422, contains: ["no-class", "since version 13", "--from realm-js"]),
            APIScenario(
                "POST", Self.path, "PK\u{3}\u{4}xl", headers: [Self.csv], status: 422,
                contains: ["no-class", "Save it as CSV"]),
            APIScenario(
                "POST", Self.path, "<a/>", headers: [("Content-Type", "application/xml")],
                status: 415, contains: ["unsupported-media-type"],
                fields: [
                    "accept":
                        "text/csv, application/x-ndjson, application/json, application/geo+json"
                ]),
            APIScenario(
                "POST", Self.path, #"{"id":1}"#,
                headers: [("Content-Type", "application/geo+json")],
                status: 422, contains: ["empty-sample", "Expected a Feature of GeoJSON"]),
            APIScenario(
                "POST", Self.path, "[]", headers: [("Accept", "text/csv")], status: 406,
                contains: ["not-acceptable"]),
            APIScenario("GET", Self.path, status: 405, contains: ["method-not-allowed"]),
        ] { scenario.check(on: server) }
    }

    @Test("find the form by the first character where no media type states it")
    func forms() throws {
        let server = try Self.server()
        for (text, type) in [
            ("id,a\n1,x\n", "text/csv"), ("\u{FEFF} {\"id\":1}", "application/x-ndjson"),
            ("[{\"id\":1}]", "application/x-ndjson; profile=extended-json"),
            (
                "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\"}]}",
                "application/geo+json"
            ),
        ] {
            let reply = server.client.send("POST", Self.path, headers: [], body: Array(text.utf8))
            #expect(reply.status == 200, "\(reply.text)")
            #expect(reply.text.contains("\"contentType\":\"\(type)\""), "\(reply.text)")
        }
    }

    @Test("are for a body of at most a MiB, and refuse a larger one with the next step")
    func bounds() throws {
        let server = try Self.server()
        let record = "1,\(String(repeating: "x", count: 1022))\n"
        let text = "id,a\n" + String(repeating: record, count: 1024)
        let sample = String(text.prefix(GuessSample.byteCountMax))
        let large = server.send("POST", Self.path, sample + "x", headers: [Self.csv])
        #expect(large.status == 413 && large.text.contains("head -c 1048576"), "\(large.text)")
        let reply = server.send("POST", Self.path, sample, headers: [Self.csv])
        #expect(reply.status == 200, "\(reply.text.suffix(500))")
        #expect(
            reply.text.contains(#""sample":{"objects":1022,"faulty":0,"whole":false}"#),
            "\(reply.text.suffix(500))")
    }
}
