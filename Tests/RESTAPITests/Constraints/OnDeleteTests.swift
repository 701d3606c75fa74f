import HoldfastObjectModel
import HoldfastObjectSupport
import Testing
import HoldfastTestSupport

@Suite("Rules for deletion")
struct OnDeleteTests {
    /// Links to `T` of every shape, and an embedded class with one, each with a rule.
    private func open(_ rule: String, _ engine: EngineCase = .memory) throws -> TestServer {
        let server = try TestServer(engine, schema: Schema())
        func link(_ type: String) -> String { #"{"type":"\#(type)","onDelete":"\#(rule)"}"# }
        let classes = [
            #"{"name":"T","primaryKey":"id","properties":{"id":"int","next":"T?"}}"#,
            #"{"name":"H","primaryKey":"id","properties":{"id":"int","one":\#(link("T?")),"many":\#(link("T[]")),"some":\#(link("T<>")),"named":\#(link("T{}")),"plain":"T?","part":"E?","parts":"E[]","rooms":"E{}"}}"#,
            #"{"name":"E","kind":"embedded","properties":{"n":"int","to":\#(link("T?")),"all":\#(link("T[]")),"by":\#(link("T{}")),"inner":"E?"}}"#,
        ]
        APIScenario(
            "PUT", "/v1/schema", #"{"classes":[\#(classes.joined(separator: ","))]}"#, status: 200,
            contains: rule == "nullify" ? [] : [#""onDelete":"\#(rule)""#],
            excludes: rule == "nullify" ? ["onDelete"] : []
        ).check(on: server)
        for id in 1...4 { server.send("PUT", "/v1/classes/T/objects/\(id)", "{}") }
        return server
    }

    private let holders = "/v1/classes/H/objects"

    @Test("nullify, the default: links become null and elements vanish", arguments: EngineCase.all)
    func nullify(engine: EngineCase) throws {
        let server = try open("nullify", engine)
        server.send(
            "PUT", holders + "/1",
            #"{"one":1,"many":[1,2,1],"some":[1,2],"named":{"x":1,"y":2},"part":{"n":1,"to":1,"inner":{"n":2,"to":1}},"parts":[{"n":3,"all":[2,1,2]}],"rooms":{"r":{"n":4,"to":1,"by":{"k":1}}}}"#
        )
        APIScenario("DELETE", "/v1/classes/T/objects/1", status: 204).check(on: server)
        APIScenario(
            "GET", holders + "/1", status: 200,
            contains: [
                #""one":null,"many":[2],"some":[2],"named":{"x":null,"y":2}"#,
                #""part":{"n":1,"to":null,"all":[],"by":{},"inner":{"n":2,"to":null,"all":[],"by":{},"inner":null}}"#,
                #""parts":[{"n":3,"to":null,"all":[2,2],"by":{},"inner":null}]"#,
                #""rooms":{"r":{"n":4,"to":null,"all":[],"by":{"k":null},"inner":null}}"#,
            ]
        ).check(on: server)
        #expect(try server.store.findings() == [])
    }

    @Test(
        "cascade: what holds the target goes with it, by a link, a list, a set or a map",
        arguments: ["\"one\":1", "\"many\":[2,1]", "\"some\":[1,2]", "\"named\":{\"a\":2,\"b\":1}"])
    func cascade(held: String) throws {
        let server = try open("cascade")
        server.send("PUT", holders + "/1", "{\(held)}")
        server.send("PUT", holders + "/2", #"{"one":2,"plain":1}"#)
        APIScenario("DELETE", "/v1/classes/T/objects/1", status: 204).check(on: server)
        APIScenario("GET", holders + "/1", status: 404).check(on: server)
        APIScenario("GET", holders + "/2", status: 200, contains: [#""one":2"#, #""plain":null"#])
            .check(on: server)
        APIScenario("GET", "/v1/classes/T/objects/2", status: 200).check(on: server)
        #expect(try server.store.findings() == [])
    }

    @Test("cascade: an embedded object that holds the target leaves its owner, which stays")
    func cascadeEmbedded() throws {
        let server = try open("cascade", .lmdb)
        server.send(
            "PUT", holders + "/1",
            #"{"part":{"n":1,"to":1},"parts":[{"n":2,"to":1},{"n":3,"to":2,"inner":{"n":4,"all":[2,1]}},{"n":5},{"n":6,"all":[1]}],"rooms":{"a":{"n":7,"by":{"k":2,"l":1}},"b":{"n":8,"by":{"k":2}}}}"#
        )
        APIScenario("DELETE", "/v1/classes/T/objects/1", status: 204).check(on: server)
        APIScenario(
            "GET", holders + "/1", status: 200,
            contains: [
                #""part":null"#,
                #""parts":[{"n":3,"to":2,"all":[],"by":{},"inner":null},{"n":5,"to":null,"all":[],"by":{},"inner":null}]"#,
                #""rooms":{"b":{"n":8,"to":null,"all":[],"by":{"k":2},"inner":null}}"#,
            ]
        ).check(on: server)
        #expect(try server.store.findings() == [])
    }

    @Test(
        "cascade: of many embedded objects, stored out of line, those go that hold the target")
    func cascadeManyEmbedded() throws {
        let server = try open("cascade", .lmdb)
        let text = String(repeating: "x", count: 40)
        for (property, open, close) in [("parts", "[", "]"), ("rooms", "{", "}")] {
            let parts = (0..<3000).map { n in
                let key = property == "rooms" ? "\"\(text)\(n)\":" : ""
                return
                    "\(key){\"n\":\(n),\"to\":\(n % 3 + 1),\"all\":[4,\(n % 2 + 1)],\"by\":{\"k\":4}}"
            }
            let id = property == "parts" ? 1 : 2
            APIScenario(
                "PUT", holders + "/\(id)",
                "{\"\(property)\":\(open)\(parts.joined(separator: ","))\(close)}", status: 201
            ).check(on: server)
        }
        #expect(try server.store.findings() == [])
        for target in [1, 4] {
            APIScenario("DELETE", "/v1/classes/T/objects/\(target)", status: 204).check(on: server)
            #expect(try server.store.findings() == [])
            let reply = server.send("GET", holders + "/1?fields=parts").text
            // What is left links to 2 or 3 by "to", and to 2 by "all"; then none, all hold 4.
            let count = reply.split(separator: "{").filter { $0.hasPrefix("\"n\"") }.count
            #expect(count == (target == 1 ? 1000 : 0))
        }
    }

    @Test(
        "deny: the target stays as long as the holder is there, whatever holds it",
        arguments: [
            (#"{"one":1}"#, "H.one"), (#"{"many":[2,1]}"#, "H.many"), (#"{"some":[1]}"#, "H.some"),
            (#"{"named":{"x":1}}"#, "H.named"),
            (#"{"part":{"n":1,"to":1}}"#, "E.to"), (#"{"parts":[{"n":1,"all":[1]}]}"#, "E.all"),
            (#"{"rooms":{"a":{"n":1,"by":{"k":1}}}}"#, "E.by"),
        ])
    func deny(body: String, property: String) throws {
        let server = try open("deny")
        server.send("PUT", holders + "/7", body)
        for target in ["/1", "?filter=id%20%3D%3D%201"] {
            APIScenario(
                "DELETE", "/v1/classes/T/objects" + target, status: 409,
                contains: [
                    #""code":"denied-delete""#, "T 1 can't be deleted",
                    "H 7 links to it by '\(property)'",
                ]
            ).check(on: server)
        }
        APIScenario(
            "POST", "/v1/transactions",
            """
            {"operations":[{"op":"delete","class":"T","id":2},{"op":"delete","class":"T","id":1},
              {"op":"patch","class":"H","id":7,"value":[{"op":"replace","path":"/plain","value":3}]}]}
            """, status: 409, contains: [#""pointer":"/operations/1""#, "denied-delete"]
        ).check(on: server)
        APIScenario("GET", "/v1/classes/T/objects/1", status: 200).check(on: server)
        #expect(try server.store.findings() == [])
        APIScenario(
            "POST", "/v1/transactions",
            """
            {"operations":[{"op":"delete","class":"T","id":1},{"op":"delete","class":"H","id":7}]}
            """, status: 200
        ).check(on: server)
        #expect(try server.store.findings() == [])
    }

    @Test("deny: a link that is changed before the deletion holds nothing")
    func denyReleased() throws {
        let server = try open("deny")
        server.send("PUT", holders + "/1", #"{"one":1,"plain":2}"#)
        APIScenario("DELETE", "/v1/classes/T/objects/2", status: 204).check(on: server)
        APIScenario(
            "POST", "/v1/transactions",
            """
            {"operations":[{"op":"patch","class":"H","id":1,"value":{"one":3}},
              {"op":"delete","class":"T","id":1}]}
            """, status: 200
        ).check(on: server)
        APIScenario("GET", holders + "/1", status: 200, contains: [#""one":3,"#, #""plain":null"#])
            .check(on: server)
        #expect(try server.store.findings() == [])
    }

    @Test("cycles and self links end, and one rule does not hide another")
    func cycles() throws {
        let server = try TestServer(schema: Schema())
        server.send(
            "PUT", "/v1/schema/classes/N",
            #"{"primaryKey":"id","properties":{"id":"string","up":{"type":"N?","onDelete":"cascade"},"held":{"type":"N[]","onDelete":"deny"},"see":"N<>"}}"#
        )
        APIScenario(
            "POST", "/v1/classes/N/objects",
            """
            [{"id":"a","up":"c","held":["a"]},{"id":"b","up":"a","see":["a","b","c","d"]},
             {"id":"c","up":"b","held":["a","b"]},{"id":"d","see":["a","d"]},
             {"id":"e","up":"e","held":["e"],"see":["e"]}]
            """, status: 201
        ).check(on: server)
        APIScenario("DELETE", "/v1/classes/N/objects/e", status: 204).check(on: server)
        server.send("PATCH", "/v1/classes/N/objects/d", #"{"held":["c"]}"#)
        APIScenario(
            "DELETE", "/v1/classes/N/objects/a", status: 409,
            contains: ["N 'c' can't be deleted: N 'd' links to it by 'N.held'"]
        ).check(on: server)
        server.send("PATCH", "/v1/classes/N/objects/d", #"{"held":[]}"#)
        APIScenario("DELETE", "/v1/classes/N/objects/a", status: 204).check(on: server)
        APIScenario(
            "GET", "/v1/classes/N/objects?count=exact", status: 200,
            contains: [#""count":1"#, #"{"id":"d","up":null,"held":[],"see":["d"]}"#]
        ).check(on: server)
        #expect(try server.store.findings() == [])
    }

    @Test("what goes along is told on streams as deleted, with its key")
    func events() throws {
        let server = try open("cascade")
        server.send("PUT", holders + "/1", #"{"one":1}"#)
        let first = server.send("GET", "/v1/changes?since=now")
        let start = try #require(first.text.split(separator: "\"").last { $0.contains("-") })
        server.send("DELETE", "/v1/classes/T/objects/1")
        let page = server.send("GET", "/v1/changes?since=\(start)").text
        #expect(page.contains(#""op":"delete","class":"T","id":1"#), "\(page)")
        #expect(page.contains(#""op":"delete","class":"H","id":1"#), "\(page)")
    }

    @Test("a rule stands on links to objects alone, and changing it changes no data")
    func schemas() throws {
        let server = try TestServer(schema: Schema())
        server.send("PUT", "/v1/schema/classes/E", #"{"kind":"embedded","properties":{"n":"int"}}"#)
        let table: [(String, String)] = [
            (#"{"type":"int","onDelete":"deny"}"#, "/properties/p"),
            (#"{"type":"E?","onDelete":"cascade"}"#, "/properties/p"),
            (#"{"type":"E[]","onDelete":"cascade"}"#, "/properties/p"),
            (
                #"{"type":"linkingObjects","class":"X","property":"q","onDelete":"deny"}"#,
                "/properties/p"
            ),
            (#"{"type":"X?","onDelete":"ignore"}"#, "/properties/p/onDelete"),
            (#"{"type":"X?","onDelete":true}"#, "/properties/p/onDelete"),
        ]
        for (property, pointer) in table {
            APIScenario(
                "PUT", "/v1/schema/classes/X", #"{"properties":{"p":\#(property),"q":"X?"}}"#,
                status: 422, contains: [#""pointer":"\#(pointer)""#]
            ).check(on: server)
        }
        for (rule, revision) in [("nullify", 201), ("deny", 200), ("cascade", 200)] {
            APIScenario(
                "PUT", "/v1/schema/classes/X",
                #"{"properties":{"q":{"type":"object","class":"X","onDelete":"\#(rule)"}}}"#,
                status: revision
            ).check(on: server)
        }
        let object = server.send("POST", "/v1/classes/X/objects", "{}")
        let tag = try #require(object.headers["etag"])
        APIScenario(
            "PUT", "/v1/schema/classes/X?dryRun=true", #"{"properties":{"q":"X?"}}"#, status: 200,
            contains: [#""op":"changeOnDelete","class":"X","property":"q""#]
        ).check(on: server)
        APIScenario("PUT", "/v1/schema/classes/X", #"{"properties":{"q":"X?"}}"#, status: 200)
            .check(on: server)
        APIScenario(
            "GET", "/v1/classes/X/objects/1", headers: [("If-None-Match", tag)], status: 304
        ).check(on: server)
    }
}
