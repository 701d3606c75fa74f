import HoldfastObjectModel
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("properties of one object")
struct PropertyTests {
    let server: TestServer
    private static let thing = "/v1/classes/Thing/objects/1/properties/"
    private static let ann = "/v1/classes/Person/objects/ann/properties/"
    /// The owners of a dog that one person has twice.
    private static let gusDog =
        "/v1/classes/Dog/objects/aaaaaaaaaaaaaaaaaaaaaaaa/properties/owners"

    init() throws {
        server = try TestServer(schema: Schemas.everything)
        func put(_ path: String, _ body: String) {
            let reply = server.send("PUT", "/v1/classes/" + path, body)
            #expect(reply.status < 300, "\(reply.text)")
        }
        put(
            "Thing/objects/1",
            #"{"count":9007199254740993,"name":"x","bytes":"AAEC","at":"2026-01-01T00:00:00Z","ratio":"NaN","#
                + #""counts":[3,1,2,3,-5],"names":["b","a","B","ab"],"countsN":[2,null,1,null],"nameSet":["b","a"],"#
                + #""blobs":["AQ==","AA=="],"ratios":[1.5,"NaN",-1],"flags":[true,false],"#
                + #""dates":["2026-01-02T00:00:00Z","2026-01-01T00:00:00Z"]}"#)
        for (name, age) in [("bob", "40"), ("eve", "null"), ("cid", "9")] {
            put("Person/objects/\(name)", "{\"age\":\(age)}")
        }
        put(
            "Person/objects/ann",
            #"{"age":30,"best":"bob","friends":["eve","bob","cid"],"home":{"city":"Bath"},"#
                + #""places":[{"city":"Rome","landlord":"bob"},{"city":"Oslo","street":"a"},{"city":"Rome","street":"b","landlord":"bob"}]}"#
        )
        put(
            "Person/objects/dan",
            #"{"age":1,"friends":["eve"],"home":{"city":"Bonn","landlord":"bob"}}"#)
        put("Dog/objects/aaaaaaaaaaaaaaaaaaaaaaaa", #"{"name":"rex","toy":{"label":"ball"}}"#)
        put(
            "Person/objects/gus",
            #"{"dogs":["aaaaaaaaaaaaaaaaaaaaaaaa","aaaaaaaaaaaaaaaaaaaaaaaa"]}"#)
    }

    @Test("a single value stands alone, with the object's ETag")
    func values() throws {
        let etag = try #require(server.send("GET", "/v1/classes/Thing/objects/1").headers["etag"])
        let cases = [
            ("count", #"{"value":9007199254740993}"#), ("name", #"{"value":"x"}"#),
            ("bytes", #"{"value":"AAEC"}"#),
            ("bytesN", #"{"value":null}"#), ("ratio", #"{"value":"NaN"}"#),
            ("flag", #"{"value":false}"#),
            ("at", #"{"value":"2026-01-01T00:00:00Z"}"#),
        ]
        for (name, body) in cases {
            APIScenario(
                "GET", Self.thing + name, status: 200, contains: [body],
                fields: ["etag": etag, "holdfast-version": ""]
            ).check(on: server)
            APIScenario("GET", Self.thing + name, headers: [("If-None-Match", etag)], status: 304)
                .check(on: server)
        }
        #expect(
            server.send("GET", Self.thing + "count", headers: [("Prefer", "int64=string")]).text
                == #"{"value":"9007199254740993"}"#)
        #expect(server.send("GET", Self.ann + "best").text == #"{"value":"bob"}"#)
        #expect(
            server.send("GET", Self.ann + "home").text
                == #"{"value":{"street":null,"city":"Bath","landlord":null,"inner":null}}"#)
        #expect(
            server.send("GET", "/v1/classes/Person/objects/bob/properties/best").text
                == #"{"value":null}"#)
        let head = server.send("HEAD", Self.thing + "name")
        #expect(head.status == 200 && head.body.isEmpty && head.headers["content-length"] == "13")
    }

    @Test("data comes as raw bytes for those who ask for them")
    func bytes() {
        let raw = server.send(
            "GET", Self.thing + "bytes", headers: [("Accept", "application/octet-stream")])
        #expect(
            raw.status == 200 && raw.body == [0, 1, 2]
                && raw.headers["content-type"] == "application/octet-stream")
        #expect(raw.headers["vary"]?.contains("Accept") == true && raw.headers["etag"] != nil)
        #expect(
            server.send("GET", Self.thing + "bytes", headers: [("Accept", "*/*")]).text
                == #"{"value":"AAEC"}"#)
        #expect(
            server.send("GET", Self.thing + "bytes").headers["vary"]?.contains("Accept,") == true
                || server.send("GET", Self.thing + "bytes").headers["vary"] != nil)
        for scenario in [
            APIScenario(
                "GET", Self.thing + "bytesN", headers: [("Accept", "application/octet-stream")],
                status: 404, contains: ["value-is-null"]),
            APIScenario(
                "GET", Self.thing + "name", headers: [("Accept", "application/octet-stream")],
                status: 406),
            APIScenario(
                "GET", Self.thing + "counts", headers: [("Accept", "application/octet-stream")],
                status: 406),
            APIScenario(
                "GET", Self.thing + "name", headers: [("Accept", "text/html")], status: 406),
        ] { scenario.check(on: server) }
    }

    /// All elements, by pages.
    private func pages(_ path: String, _ parameters: [(String, String)], limit: Int) -> [QueryJSON]
    {
        var found: [QueryJSON] = []
        var cursor: String?
        repeat {
            let reply = server.send(
                "GET",
                target(
                    path,
                    parameters + [("limit", "\(limit)")] + (cursor.map { [("cursor", $0)] } ?? [])))
            #expect(reply.status == 200, "\(path) \(parameters): \(reply.text)")
            #expect(
                reply.json["etag"] == nil && reply.headers["etag"] == nil
                    && reply.headers["holdfast-version"] != nil)
            let elements = (reply.json["elements"] ?? reply.json["objects"])?.elements ?? []
            #expect(elements.count <= limit)
            found += elements
            cursor = reply.next
            #expect((reply.headers["link"] != nil) == (cursor != nil))
            if found.count > 1000 { break }
        } while cursor != nil
        return found
    }

    @Test("collections of values: paged, filtered by self, sorted by self, in every page size")
    func collections() {
        func ints(_ values: [Int64?]) -> [QueryJSON] { values.map { $0.map { .int($0) } ?? .null } }
        func texts(_ values: [String]) -> [QueryJSON] { values.map { .string($0) } }
        let cases: [(String, [(String, String)], [QueryJSON])] = [
            ("counts", [], ints([3, 1, 2, 3, -5])),
            ("counts", [("sort", "self")], ints([-5, 1, 2, 3, 3])),
            ("counts", [("sort", "-self")], ints([3, 3, 2, 1, -5])),
            ("counts", [("filter", "self > 1")], ints([3, 2, 3])),
            (
                "counts", [("filter", "self > $0"), ("arg", "1"), ("sort", "self")],
                ints([2, 3, 3])
            ),
            ("counts", [("filter", "self IN {1, -5}")], ints([1, -5])),
            ("counts", [("filter", "TRUEPREDICATE SORT(self DESC)")], ints([3, 3, 2, 1, -5])),
            ("countsN", [("sort", "self")], ints([nil, nil, 1, 2])),
            ("countsN", [("filter", "self == null")], ints([nil, nil])),
            ("countsN", [("filter", "self != null"), ("sort", "-self")], ints([2, 1])),
            ("names", [("filter", "self BEGINSWITH 'a'")], texts(["a", "ab"])),
            ("names", [("filter", "self ==[c] 'b'")], texts(["b", "B"])),
            ("names", [("sort", "self")], texts(["B", "a", "ab", "b"])),
            ("names", [("filter", "self LIKE '?'")], texts(["b", "a", "B"])),
            ("nameSet", [], texts(["a", "b"])),
            ("nameSet", [("sort", "-self")], texts(["b", "a"])),
            ("blobs", [("sort", "self")], texts(["AA==", "AQ=="])),
            ("ratios", [("sort", "self")], [.string("NaN"), .double(-1), .double(1.5)]),
            (
                "dates", [("filter", "self < $0"), ("text", "2026-01-01T12:00:00Z")],
                texts(["2026-01-01T00:00:00Z"])
            ),
            ("dates", [("sort", "self")], texts(["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"])),
            ("flags", [("filter", "self == true")], [.bool(true)]), ("uuids", [], []),
        ]
        for (name, parameters, expected) in cases {
            for limit in [1, 2, 3, 100] {
                #expect(
                    pages(Self.thing + name, parameters, limit: limit) == expected,
                    "\(name) \(parameters) by \(limit)")
            }
        }
        let counted = server.send(
            "GET",
            target(
                Self.thing + "counts", [("filter", "self > 1"), ("count", "exact"), ("limit", "1")])
        )
        #expect(counted.json["count"]?.int == 3 && counted.json["elements"]?.elements == [.int(3)])
        let second = server.send(
            "GET",
            target(
                Self.thing + "counts",
                [
                    ("filter", "self > 1"), ("count", "exact"), ("limit", "1"),
                    ("cursor", counted.next ?? ""),
                ]))
        #expect(second.json["count"]?.int == 3 && second.json["elements"]?.elements == [.int(2)])
    }

    @Test("links, embedded lists and inverse links: objects, filtered, sorted and shaped")
    func objects() {
        func names(_ list: [QueryJSON]) -> [String] {
            list.map { $0["name"]?.string ?? $0["street"]?.string ?? $0["city"]?.string ?? "-" }
        }
        let cases: [(String, [(String, String)], [String])] = [
            (Self.ann + "friends", [("sort", "name")], ["bob", "cid", "eve"]),
            (Self.ann + "friends", [("sort", "-age,name")], ["bob", "cid", "eve"]),
            (Self.ann + "friends", [("sort", "age")], ["eve", "cid", "bob"]),
            (Self.ann + "friends", [("filter", "age > 5"), ("sort", "-name")], ["cid", "bob"]),
            (Self.ann + "friends", [("filter", "ANY friendOf.name == 'dan'")], ["eve"]),
            (Self.ann + "places", [], ["Rome", "a", "b"]),
            (Self.ann + "places", [("filter", "city == 'Rome'")], ["Rome", "b"]),
            (Self.ann + "places", [("sort", "-street")], ["b", "a", "Rome"]),
            (
                Self.ann + "places",
                [("filter", "landlord.name == 'bob'"), ("sort", "city,-street")], ["b", "Rome"]
            ),
            ("/v1/classes/Person/objects/eve/properties/friendOf", [], ["ann", "dan"]),
            (
                "/v1/classes/Person/objects/eve/properties/friendOf", [("sort", "-name")],
                ["dan", "ann"]
            ),
            (
                "/v1/classes/Person/objects/eve/properties/friendOf", [("filter", "age == 1")],
                ["dan"]
            ),
            ("/v1/classes/Person/objects/dan/properties/friendOf", [], []),
            // An origin stands as often as it links.
            (Self.gusDog, [], ["gus", "gus"]),
            (Self.gusDog, [("sort", "-name")], ["gus", "gus"]),
            (Self.gusDog, [("filter", "name == 'gus'"), ("sort", "age")], ["gus", "gus"]),
        ]
        for (path, parameters, expected) in cases {
            for limit in [1, 2, 100] {
                #expect(
                    names(pages(path, parameters, limit: limit)) == expected,
                    "\(path) \(parameters) by \(limit)")
            }
        }
        #expect(
            server.send(
                "GET",
                target(
                    Self.ann + "friends",
                    [("fields", "name,friendOf"), ("filter", "name == 'eve'")])
            ).text
                == #"{"objects":[{"name":"eve","friendOf":["ann","dan"]}]}"#)
        #expect(
            server.send(
                "GET",
                target(
                    Self.ann + "places",
                    [("fields", "city"), ("expand", "landlord"), ("limit", "1")])
            ).text
                .hasPrefix(#"{"objects":[{"city":"Rome","landlord":{"name":"bob","age":40"#))
        // A list with an object twice shows it twice.
        #expect(pages("/v1/classes/Person/objects/gus/properties/dogs", [], limit: 1).count == 2)
    }

    @Test("inverse links from embedded objects show these, with their owners of any class")
    func ownedOrigins() throws {
        let schema = Schema(classes: [
            ObjectClass(
                name: "Host", primaryKey: "id",
                properties: [
                    Schemas.property("id", .int),
                    Property(
                        name: "stays", type: .linkingObjects(className: "Stay", property: "host")),
                ]),
            ObjectClass(name: "Stay", kind: .embedded, properties: [Schemas.link("host", "Host")]),
            ObjectClass(
                name: "Guest", primaryKey: "id",
                properties: [Schemas.property("id", .int), Schemas.list("stays", of: "Stay")]),
            ObjectClass(
                name: "Firm", primaryKey: "id",
                properties: [
                    Schemas.property("id", .int),
                    Property(name: "stay", type: .single(.object("Stay")), isOptional: true),
                ]),
        ])
        let server = try TestServer(schema: schema)
        server.send("PUT", "/v1/classes/Host/objects/1", "{}")
        for id in 1...3 {
            server.send(
                "PUT", "/v1/classes/Guest/objects/\(id)", #"{"stays":[{"host":1},{"host":1}]}"#)
            server.send("PUT", "/v1/classes/Firm/objects/\(id + 10)", #"{"stay":{"host":1}}"#)
        }
        let path = "/v1/classes/Host/objects/1/properties/stays"
        for limit in [1, 2, 4, 5, 6, 7] {
            var ids: [Int64] = []
            var cursor: String?
            repeat {
                let reply = server.send(
                    "GET",
                    target(
                        path,
                        [("limit", "\(limit)"), ("count", "exact")]
                            + (cursor.map { [("cursor", $0)] } ?? [])))
                #expect(reply.status == 200 && reply.json["count"]?.int == 9, "\(reply.text)")
                for stay in reply.json["objects"]?.elements ?? [] {
                    #expect(stay["host"]?.int == 1)
                    ids += (stay["$owner"]?["$link"]?["id"]?.int).map { [Int64($0)] } ?? []
                }
                cursor = reply.next
            } while cursor != nil && ids.count < 20
            #expect(ids == [1, 1, 2, 2, 3, 3, 11, 12, 13], "by \(limit)")
        }
    }

    @Test("long texts in a list are sorted by their whole value")
    func longTexts() {
        let stem = String(repeating: "x", count: 450)
        let texts = ["d", "a", "c", "b", "e"].map { stem + $0 }
        let list = texts.map { "\"\($0)\"" }.joined(separator: ",")
        server.send("PUT", "/v1/classes/Thing/objects/2", "{\"names\":[\(list)]}")
        let path = "/v1/classes/Thing/objects/2/properties/names"
        for limit in [1, 2, 5] {
            #expect(
                pages(path, [("sort", "self")], limit: limit).compactMap(\.string) == texts.sorted()
            )
            #expect(
                pages(path, [("sort", "-self")], limit: limit).compactMap(\.string)
                    == texts.sorted(by: >))
        }
    }

    @Test(
        "what is not there or does not fit is refused",
        arguments: [
            APIScenario(
                "GET", thing + "nmae", status: 404,
                contains: ["unknown-property", #""hint":"name""#]),
            APIScenario("GET", thing + "nmae/x", status: 404),
            APIScenario(
                "GET", "/v1/classes/Thing/objects/404/properties/name", status: 404,
                contains: ["object-not-found"]),
            APIScenario(
                "GET", "/v1/classes/Thing/objects/x/properties/name", status: 400,
                contains: ["wrong-key-type"]),
            APIScenario(
                "GET", "/v1/classes/Thin/objects/1/properties/name", status: 404,
                contains: [#""hint":"Thing""#]),
            APIScenario(
                "GET", thing + "name?filter=self%20==%201", status: 400,
                contains: ["unknown-parameter"]),
            APIScenario(
                "GET", thing + "name?limit=1", status: 400, contains: ["unknown-parameter"]),
            APIScenario(
                "GET", thing + "counts?distinct=self", status: 400, contains: ["unknown-parameter"]),
            APIScenario(
                "GET", thing + "counts?explain=true", status: 400, contains: ["unknown-parameter"]),
            APIScenario(
                "GET", target(thing + "counts", [("filter", "self == 'x'")]), status: 400,
                contains: ["query-type", #""parameter":"filter""#]),
            APIScenario(
                "GET", target(thing + "counts", [("filter", "name == 'x'")]), status: 400,
                contains: [#""parameter":"filter""#]),
            APIScenario(
                "GET",
                target(
                    thing + "counts", [("filter", "self == 1 SORT(self ASC)"), ("sort", "self")]),
                status: 400, contains: [#""parameter":"sort""#]),
            APIScenario(
                "GET", target(thing + "counts", [("sort", "name")]), status: 400,
                contains: [#""parameter":"sort""#]),
            APIScenario(
                "GET", target(thing + "counts", [("fields", "self")]), status: 400,
                contains: [#""parameter":"fields""#]),
            APIScenario(
                "GET", target(thing + "counts", [("expand", "self")]), status: 400,
                contains: [#""parameter":"expand""#]),
            APIScenario(
                "GET", target(thing + "counts", [("arg", "1")]), status: 400,
                contains: ["no filter"]),
            APIScenario("GET", thing + "counts?limit=0", status: 400, contains: ["from 1 to 1000"]),
            APIScenario(
                "GET", thing + "counts?limit=1001", status: 400, contains: ["from 1 to 1000"]),
            APIScenario(
                "GET", thing + "counts?cursor=x", status: 400, contains: ["invalid-cursor"]),
            APIScenario(
                "GET", target(ann + "friends", [("fields", "nmae")]), status: 400,
                contains: [#""hint":"name""#]),
            APIScenario(
                "GET", target(ann + "friends", [("filter", "nmae == 1")]), status: 400,
                contains: [#""hint":"name""#, #""column":1"#]),
            APIScenario("PUT", thing + "counts", "[]", status: 405, fields: ["allow": ""]),
        ])
    func refused(scenario: APIScenario) { scenario.check(on: server) }

    @Test("a cursor belongs to one property of one object and its query")
    func cursors() throws {
        server.send("PUT", "/v1/classes/Thing/objects/2", #"{"counts":[1,2,3]}"#)
        let cursor = try #require(server.send("GET", Self.thing + "counts?limit=1").next)
        for path in [
            Self.thing + "names", "/v1/classes/Thing/objects/2/properties/counts",
            Self.thing + "counts?sort=self", "/v1/classes/Thing/objects",
        ] {
            APIScenario(
                "GET", path + (path.contains("?") ? "&" : "?") + "cursor=\(cursor)", status: 400,
                contains: ["another query"]
            ).check(on: server)
        }
    }

    @Test("the memory of a sorted page has a limit")
    func memory() throws {
        var options = RESTOptions()
        options.limits.queryMemoryByteCountMax = 10_000
        let small = try TestServer(schema: Schemas.everything, options: options)
        let list = (0..<500).map(String.init).joined(separator: ",")
        small.send(
            "PUT", "/v1/classes/Thing/objects/1", "{\"counts\":[\(list)]}",
            headers: [("Prefer", "return=minimal")])
        APIScenario(
            "GET", Self.thing + "counts?sort=-self&limit=1", status: 422,
            contains: ["query-memory-exceeded"]
        ).check(on: small)
        #expect(
            small.send("GET", Self.thing + "counts?limit=5&count=exact").json["count"]?.int == 500)
    }
}
