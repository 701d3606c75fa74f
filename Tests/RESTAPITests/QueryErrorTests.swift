import HoldfastObjectModel
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("faults and limits of queries")
struct QueryErrorTests {
    private static let list = "/v1/classes/Thing/objects"
    private static let post = "/v1/classes/Thing/query"

    private static func get(
        _ parameters: [(String, String)], _ contains: [String], status: Int = 400
    ) -> APIScenario {
        APIScenario("GET", target(list, parameters), status: status, contains: contains)
    }

    private static func body(_ text: String, _ contains: [String], status: Int = 400) -> APIScenario
    {
        APIScenario("POST", post, text, status: status, contains: contains)
    }

    @Test(
        "a faulty query is told by column and place",
        arguments: [
            // The filter.
            get(
                [("filter", "((")],
                [#""code":"invalid-query""#, #""column":3"#, #""parameter":"filter""#]),
            get([("filter", "")], [#""code":"query-syntax""#, #""column":1"#]),
            get(
                [("filter", "nmae == 1")],
                ["query-unknown-property", #""column":1"#, #""hint":"name""#]),
            get(
                [("filter", "name == 1")], ["query-type", #""parameter":"filter""#, "\"column\":"]),
            get(
                [("filter", "count == $0")],
                ["query-argument", "\"column\":10", "no arguments", "'arg'", "'text'"]),
            body(#"{"filter":"count == $0"}"#, ["in the array 'args'"]),
            get(
                [("filter", "at == $0"), ("text", "yesterday")],
                ["query-argument", #""parameter":"arg""#]),
            get([("sort", "-$id")], ["primary key is 'id'", #""hint":"id""#, #""column":2"#]),
            get([("distinct", "$id")], ["primary key is 'id'", #""hint":"id""#]),
            APIScenario(
                "GET", "/v1/classes/Toy/objects?sort=$id", status: 400,
                contains: ["no primary key", "by default"], excludes: [#""hint""#]),
            get(
                [("filter", "count == 1 SORT(nam ASC)")],
                [#""hint":"name""#, #""parameter":"filter""#]),
            body(#"{"filter":"(("}"#, [#""column":3"#, #""pointer":"/filter""#]),
            body(#"{"filter":"at == $0","args":["yesterday"]}"#, [#""pointer":"/args/0""#]),
            body(
                #"{"filter":"count == $1","args":[1]}"#,
                [#""code":"query-argument""#, #""column":10"#]),
            // Arguments.
            get([("filter", "count == $0"), ("arg", "x")], ["'text'", #""parameter":"arg""#]),
            get([("filter", "count == $0"), ("arg", "")], [#""parameter":"arg""#]),
            get([("filter", "count == $0"), ("arg", #"{"$nothing":1}"#)], [#""parameter":"arg""#]),
            get([("filter", "count == $0"), ("arg", #"{"$date":"x"}"#)], [#""parameter":"arg""#]),
            get(
                [("filter", "count == $0"), ("arg", #"{"$int":1,"$double":2}"#)],
                [#""parameter":"arg""#]),
            get(
                [("filter", "count IN $0"), ("arg", String(repeating: "[", count: 40))],
                [#""parameter":"arg""#]),
            get([("filter", "count IN $0"), ("arg", "[[1]]")], ["a list that contains a list"]),
            get([("arg", "1")], ["no filter that uses them"]),
            body(#"{"args":[1]}"#, [#""pointer":"/args""#]),
            body(#"{"filter":"count == $0","args":[{"$nothing":1}]}"#, [#""pointer":"/args/0""#]),
            body(#"{"filter":"count == $0","args":{"0":1}}"#, [#""pointer":"/args""#]),
            // Sort and distinct.
            get([("sort", "nam")], [#""parameter":"sort""#, #""hint":"name""#, #""column":1"#]),
            get([("sort", "name,-nmae")], [#""column":7"#]),
            get([("sort", "")], [#""parameter":"sort""#]),
            get([("sort", "name,")], [#""parameter":"sort""#]),
            get([("sort", "-")], [#""parameter":"sort""#]),
            get([("sort", ",name")], [#""parameter":"sort""#]),
            get([("sort", "--name")], [#""parameter":"sort""#]),
            get([("sort", "counts")], [#""parameter":"sort""#]),
            get([("distinct", "-name")], [#""parameter":"distinct""#]),
            get([("distinct", "nam")], [#""hint":"name""#]),
            get(
                [("filter", "count == 1 SORT(name ASC)"), ("sort", "id")], [#""parameter":"sort""#]),
            get(
                [("filter", "count == 1 DISTINCT(name)"), ("sort", "id")], [#""parameter":"sort""#]),
            get(
                [("filter", "count == 1 SORT(name ASC)"), ("distinct", "name")],
                [#""parameter":"distinct""#]),
            get(
                [("sort", Array(repeating: "name", count: 17).joined(separator: ","))],
                ["at most 16"]),
            body(
                #"{"sort":["name","nmae"]}"#,
                [#""pointer":"/sort""#, #""column":6"#, #""hint":"name""#]),
            body(#"{"sort":[1]}"#, [#""pointer":"/sort""#]),
            // Other parameters.
            get(
                [("limit", "0")],
                ["from 1 to 1000", #""code":"limit-out-of-range""#, #""parameter":"limit""#]),
            get([("limit", "1001")], ["from 1 to 1000"]),
            get([("limit", "-1")], [#""parameter":"limit""#]),
            get([("limit", "x")], [#""parameter":"limit""#]),
            get([("limit", "99999999999999999999")], [#""parameter":"limit""#]),
            get([("limit", "9223372036854775807")], ["from 1 to 1000"]),
            get([("limit", "")], [#""parameter":"limit""#]),
            get([("count", "all")], ["'none' or 'exact'"]),
            get([("explain", "1")], ["'false' or 'true'"]),
            get([("filtr", "x")], [#""hint":"filter""#]),
            get([("filter", "count == 1"), ("filter", "count == 2")], [#""parameter":"filter""#]),
            get([("fields", "")], [#""parameter":"fields""#]),
            get([("minVersion", "x")], [#""parameter":"minVersion""#]),
            get([("minVersion", "00000000-1")], ["other-epoch"], status: 409),
            APIScenario("GET", list + "?filter=%", status: 400),
            APIScenario("GET", list + "?filter=%ff", status: 400),
            // Bodies.
            body("[]", ["invalid-body"]), body("", ["malformed-json"]),
            body("{", ["malformed-json"]),
            body(#"{"limit":0}"#, [#""pointer":"/limit""#]),
            body(#"{"limit":1001}"#, [#""pointer":"/limit""#]),
            body(#"{"limit":-1}"#, [#""pointer":"/limit""#]),
            body(#"{"limit":"5"}"#, [#""pointer":"/limit""#]),
            body(#"{"limit":1e30}"#, [#""pointer":"/limit""#]),
            body(
                #"{"filtr":"x","limit":"y","count":1}"#,
                [
                    #""hint":"filter""#, #""pointer":"/limit""#, #""pointer":"/count""#,
                    "unknown-member",
                ]),
            body(
                #"{"selector":{},"offset":1}"#, [#""hint":"filter""#, #""hint":"cursor""#]),
            body(#"{"filter":1}"#, [#""pointer":"/filter""#]),
            body(#"{"filter":"count == 1","filter":"x"}"#, ["duplicate-name"]),
            body(#"{"explain":"true"}"#, [#""pointer":"/explain""#]),
            body(#"{"cursor":1}"#, [#""pointer":"/cursor""#]),
            body(#"{"minVersion":"x"}"#, ["unknown-member"]),
            APIScenario(
                "POST", post + "?filter=x", "{}", status: 400, contains: ["unknown-parameter"]),
            APIScenario("POST", post, "{}", headers: [("Content-Type", "text/plain")], status: 415),
            APIScenario("POST", post, "{}", headers: [("Accept", "text/html")], status: 406),
            APIScenario("GET", list, headers: [("Accept", "text/html")], status: 406),
            APIScenario(
                "GET", "/v1/classes/Thin/objects", status: 404, contains: [#""hint":"Thing""#]),
            APIScenario(
                "GET", "/v1/classes/Address/objects", status: 405, contains: ["embedded"],
                fields: ["allow": ""]),
            APIScenario("POST", "/v1/classes/Thin/query", "{}", status: 404),
            APIScenario("GET", post, status: 405, fields: ["allow": ""]),
        ])
    func faults(scenario: APIScenario) throws {
        let server = try TestServer(schema: Schemas.everything)
        scenario.check(on: server)
    }

    @Test("a page has as many objects as asked for, up to the limit")
    func pageLimits() throws {
        var options = RESTOptions()
        options.limits.pageObjectCountMax = 5
        options.limits.pageObjectCountDefault = 3
        let server = try TestServer(schema: Schemas.everything, options: options)
        for id in 0..<8 { server.send("PUT", "/v1/classes/Thing/objects/\(id)", "{}") }
        #expect(server.send("GET", Self.list).ids.count == 3)
        #expect(server.send("GET", Self.list + "?limit=1").ids.count == 1)
        #expect(server.send("GET", Self.list + "?limit=5").ids.count == 5)
        APIScenario("GET", Self.list + "?limit=6", status: 400, contains: ["from 1 to 5"]).check(
            on: server)
    }

    @Test("a query's text in a body has a limit")
    func textLimit() throws {
        var options = RESTOptions()
        options.limits.queryTextByteCountMax = 100
        let server = try TestServer(schema: Schemas.everything, options: options)
        func filter(_ count: Int) -> String {
            "count == 1" + String(repeating: " ", count: count - 10)
        }
        Self.body("{\"filter\":\"\(filter(100))\"}", [], status: 200).check(on: server)
        Self.body("{\"filter\":\"\(filter(101))\"}", ["query-too-long", #""pointer":"/filter""#])
            .check(on: server)
        let fields = Array(repeating: "id", count: 34).joined(separator: ",")
        Self.body("{\"fields\":\"\(fields)\"}", ["query-too-long", #""pointer":"/fields""#]).check(
            on: server)
        Self.body("{\"sort\":\"\(fields)\"}", ["query-too-long"]).check(on: server)
        Self.body("{\"distinct\":\"\(fields)\"}", ["query-too-long"]).check(on: server)
        Self.body("{\"expand\":\"\(fields)\"}", ["query-too-long"]).check(on: server)
    }

    @Test("a regular expression that ran wild ends the query though its plan was given up since")
    func wildPattern() throws {
        let server = try TestServer(
            schema: Schema(classes: [
                ObjectClass(
                    name: "Item", primaryKey: "id",
                    properties: [
                        Schemas.property("id", .int), Schemas.property("ai", .int, indexed: true),
                        Schemas.property("s", .string),
                    ])
            ]))
        let evil = String(repeating: "a", count: 60)
        let bodies = (0..<20_000).map { id in
            let isFar = id == 5 || id == 6 || id >= 19_850
            let text = id == 5 ? evil : isFar ? "aaab" : "zz"
            return "{\"id\":\(id),\"ai\":\(isFar ? 3000 : 0),\"s\":\"\(text)\"}"
        }
        #expect(
            server.send(
                "POST", "/v1/classes/Item/objects", "[\(bodies.joined(separator: ","))]",
                headers: [("Prefer", "return=minimal")]
            ).status == 201)
        for filter in ["ai > 2000 AND s MATCHES $0", "ai > 2000 AND NOT s MATCHES $0"] {
            for limit in [1, 5, 20] {
                APIScenario(
                    "POST", "/v1/classes/Item/query",
                    #"{"filter":"\#(filter)","args":["(a+)+b"],"limit":\#(limit)}"#, status: 422,
                    contains: ["query-pattern-too-complex"]
                ).check(on: server)
            }
            APIScenario(
                "DELETE",
                target(
                    "/v1/classes/Item/objects",
                    [("filter", filter + " LIMIT(20)"), ("arg", "\"(a+)+b\"")]), status: 422,
                contains: ["query-pattern-too-complex"]
            ).check(on: server)
        }
        let left = server.send("GET", "/v1/classes/Item/objects?limit=1&count=exact")
        #expect(left.text.hasSuffix("\"count\":20000}"), "\(left.text)")
        APIScenario(
            "GET",
            target(
                "/v1/classes/Item/changes",
                [("since", "start"), ("filter", "s MATCHES $0"), ("arg", "\"(a+)+b\"")]),
            status: 422, contains: ["query-pattern-too-complex"]
        ).check(on: server)
    }

    @Test(
        "a regular expression of which a step is as long as the text is not tried on a long one",
        arguments: [
            (#"(?i)(a*)\1\1b"#, 20_000), (#"(?:(?=.*)a)*c"#, 100_000), (#"(?>a*)+b"#, 100_000),
            (#"a*+b"#, 100_000),
            // It is given up by the processor time that it takes.
            (String(repeating: "a?", count: 500) + String(repeating: "a", count: 500), 200_000),
        ])
    func longSteps(pattern: String, letterCount: Int) throws {
        let server = try TestServer(schema: Schemas.everything)
        let things = "/v1/classes/Thing"
        for (id, letter, count) in [(1, "a", letterCount), (2, "b", 100)] {
            let text = String(repeating: letter, count: count)
            #expect(
                server.send("PUT", things + "/objects/\(id)", #"{"name":"\#(text)"}"#).status == 201
            )
        }
        func query(_ id: Int) -> String {
            "{\"filter\":\"id == \(id) AND name MATCHES $0\",\"args\":[\(quoted(pattern))]}"
        }
        APIScenario(
            "POST", things + "/query", query(1), status: 422,
            contains: ["query-pattern-too-complex"]
        ).check(on: server)
        APIScenario("POST", things + "/query", query(2), status: 200).check(on: server)
    }

    @Test("a query that needs too much memory or time is stopped")
    func memoryAndTime() throws {
        var options = RESTOptions()
        options.limits.queryMemoryByteCountMax = 20_000
        let small = try TestServer(schema: Schemas.everything, options: options)
        let text = String(repeating: "x", count: 300)
        for id in 0..<80 {
            small.send("PUT", "/v1/classes/Thing/objects/\(id)", "{\"name\":\"\(text)\(id)\"}")
        }
        #expect(small.send("GET", Self.list + "?sort=name&limit=5&fields=id").status == 200)
        APIScenario(
            "GET", Self.list + "?sort=name&limit=80&fields=id", status: 422,
            contains: ["query-memory-exceeded"]
        ).check(on: small)
        APIScenario(
            "GET", Self.list + "?limit=80", status: 422, contains: ["query-memory-exceeded"]
        ).check(on: small)
        APIScenario(
            "GET", Self.list + "?distinct=name&limit=80&fields=id", status: 422,
            contains: ["query-memory-exceeded"]
        ).check(on: small)
        APIScenario(
            "GET", Self.list + "?distinct=name&limit=1&count=exact&fields=id", status: 422,
            contains: ["query-memory-exceeded"]
        ).check(on: small)

        options = RESTOptions()
        options.limits.queryTimeSecondsMax = 0
        let slow = try TestServer(schema: Schemas.everything, options: options)
        // A write of many objects would take too long, too.
        let things = (0..<1100).map { "{\"id\":\($0)}" }.joined(separator: "\n")
        #expect(
            slow.send(
                "POST", "/v1/classes/Thing/import", things,
                headers: [("Content-Type", "application/x-ndjson")]
            ).status == 200)
        #expect(slow.send("GET", Self.list + "?limit=5").status == 200)
        APIScenario(
            "GET", target(Self.list, [("filter", "count > 5")]), status: 503,
            contains: ["query-too-slow"],
            fields: ["retry-after": ""]
        ).check(on: slow)
        APIScenario(
            "GET", target(Self.list, [("sort", "name")]), status: 503, contains: ["query-too-slow"]
        ).check(on: slow)
    }

    @Test("a cursor belongs to its query and its store")
    func cursors() throws {
        let server = try TestServer(schema: Schemas.everything)
        for id in 0..<10 {
            server.send("PUT", "/v1/classes/Thing/objects/\(id)", "{\"count\":\(id % 3)}")
        }
        func list(_ parameters: [(String, String)]) -> String { target(Self.list, parameters) }
        let first = server.send(
            "GET",
            list([("filter", "count == $0"), ("arg", "1"), ("sort", "-name"), ("limit", "1")]))
        let cursor = try #require(first.next)
        let link = try #require(first.headers["link"])
        #expect(
            link.hasPrefix("<" + Self.list + "?filter=")
                && link.hasSuffix("cursor=\(cursor)>; rel=\"next\""))
        // What a request says stays as it was written there, empty parts and an older cursor aside.
        let byCount = try #require(server.send("GET", Self.list + "?sort=count&limit=1").next)
        for (asked, kept) in [
            ("?sort=count&limit=1", "?sort=count&limit=1&"),
            ("?&&sort=%63ount&&limit=1&", "?sort=%63ount&limit=1&"),
            ("?cursor=\(byCount)&limit=1&sort=count", "?limit=1&sort=count&"),
        ] {
            let page = server.send("GET", Self.list + asked)
            let next = try #require(page.next)
            #expect(page.headers["link"] == "<\(Self.list)\(kept)cursor=\(next)>; rel=\"next\"")
        }
        // The Link header leads to the next page, again and again.
        var address = String(link.dropFirst().prefix { $0 != ">" })
        var ids = first.ids
        while !address.isEmpty {
            let page = server.send("GET", address)
            #expect(page.status == 200)
            ids += page.ids
            address = page.headers["link"].map { String($0.dropFirst().prefix { $0 != ">" }) } ?? ""
        }
        #expect(ids == [1, 4, 7])
        // Other queries.
        let others: [[(String, String)]] = [
            [("filter", "count == $0"), ("arg", "2"), ("sort", "-name")],
            [("filter", "count == $0"), ("arg", "1")],
            [("filter", "count == $0"), ("arg", "1"), ("sort", "name")], [("sort", "-name")],
            [("filter", "count == $0"), ("arg", "1"), ("sort", "-name"), ("distinct", "name")],
        ]
        for other in others {
            APIScenario(
                "GET", list(other + [("cursor", cursor)]), status: 400, contains: ["another query"]
            ).check(on: server)
        }
        APIScenario("GET", "/v1/classes/Person/objects?cursor=\(cursor)", status: 400).check(
            on: server)
        // The page's size and shape may change, and the form of the request.
        let own = [("filter", "count == $0"), ("arg", "1"), ("sort", "-name")]
        #expect(
            server.send(
                "GET",
                list(
                    own + [
                        ("cursor", cursor), ("limit", "9"), ("fields", "id"), ("count", "exact"),
                    ])
            ).ids == [4, 7])
        #expect(
            server.send(
                "POST", Self.post,
                "{\"filter\":\"count == $0\",\"args\":[1],\"sort\":[\"-name\"],\"cursor\":\"\(cursor)\"}"
            ).ids == [4, 7])
        // Damage.
        for text in ["", "x", "!!!", String(cursor.dropLast()), cursor + "AAAA"] {
            APIScenario(
                "GET", list(own + [("cursor", text)]), status: 400,
                contains: ["invalid-cursor", #""parameter":"cursor""#]
            ).check(on: server)
        }
        var characters = Array(cursor)
        for position in stride(from: 0, to: characters.count, by: 5) {
            let before = characters[position]
            characters[position] = before == "A" ? "B" : "A"
            let reply = server.send("GET", list(own + [("cursor", String(characters))]))
            #expect(reply.status == 400, "position \(position): \(reply.status) \(reply.text)")
            characters[position] = before
        }
        Self.body("{\"cursor\":\"x\"}", ["invalid-cursor", #""pointer":"/cursor""#]).check(
            on: server)
        // Another store has another epoch.
        let other = try TestServer(schema: Schemas.everything)
        APIScenario(
            "GET", list(own + [("cursor", cursor)]), status: 410, contains: ["cursor-expired"]
        ).check(on: other)
    }

    @Test("a cursor whose numbers were made up is refused, its checksum right or not")
    func forgedCursors() throws {
        let server = try TestServer(schema: Schemas.everything)
        for id in 0..<3 {
            server.send("PUT", "/v1/classes/Thing/objects/\(id)", "{\"counts\":[1,2,3]}")
        }
        for path in ["/v1/classes/Thing/objects", "/v1/classes/Thing/objects/1/properties/counts"] {
            let cursor = try #require(server.send("GET", path + "?limit=1").next)
            for sortByteCount in [0, 30, 500] {
                let forged = try #require(
                    CursorForgery.change(
                        cursor, returned: .max, key: .max,
                        sortBytes: Array(repeating: 1, count: sortByteCount)))
                let reply = server.send("GET", path + "?limit=1&cursor=\(forged)")
                #expect(reply.status == 400, "\(reply.text)")
                #expect(reply.text.contains("invalid-cursor"))
            }
        }
        #expect(server.send("GET", "/v1/classes/Thing/objects").status == 200)
    }

    @Test("a read at a version waits for it, and not for ever")
    func minVersion() throws {
        var options = RESTOptions()
        options.limits.minVersionWaitSeconds = 0
        let server = try TestServer(schema: Schemas.everything, options: options)
        let version = try #require(
            server.send("PUT", "/v1/classes/Thing/objects/1", "{\"counts\":[1]}").headers[
                "holdfast-version"])
        for path in [
            Self.list, "/v1/classes/Thing/objects/1/properties/counts",
            "/v1/classes/Thing/objects/1/properties/name",
        ] {
            let reply = server.send("GET", path + "?minVersion=\(version)")
            #expect(
                reply.status == 200 && reply.headers["holdfast-version"] == version, "\(reply.text)"
            )
            APIScenario(
                "GET", path + "?minVersion=\(version)0", status: 503, fields: ["retry-after": ""]
            ).check(on: server)
        }
        APIScenario("POST", Self.post + "?minVersion=\(version)", "{}", status: 200).check(
            on: server)
        APIScenario("POST", Self.post + "?minVersion=\(version)0", "{}", status: 503).check(
            on: server)
    }
}
