import HoldfastObjectModel
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

@Suite("maps")
struct MapTests {
    let server: TestServer
    private static let kennel = MapServer.kennel

    init() throws { server = try MapServer.open() }

    private func check(
        _ method: String, _ target: String = kennel, _ body: String? = nil, _ status: Int = 200,
        type: String? = nil, contains: [String] = [], excludes: [String] = [],
        _ location: SourceLocation = #_sourceLocation
    ) {
        APIScenario(
            method, target, body, headers: type.map { [("Content-Type", $0)] } ?? [],
            status: status, contains: contains, excludes: excludes
        ).check(on: server, location)
    }

    @Test("a schema has maps in short and in long form, and answers in the long one")
    func schemas() {
        check(
            "GET", "/v1/schema",
            contains: [
                #""marks":{"type":"map","element":{"type":"double","optional":true}}"#,
                #""labels":{"type":"map","element":{"type":"string"}}"#,
                #""dogs":{"type":"map","element":{"type":"object","class":"Dog","optional":true}}"#,
                #""rooms":{"type":"map","element":{"type":"object","class":"Room","optional":true}}"#,
                #""roles":{"type":"map","element":{"type":"string"},"enum":["guard","pet"]}"#,
            ])
        let reply = server.send("GET", "/v1/schema")
        #expect(server.send("PUT", "/v1/schema", reply.text).status == 200)
        for (property, status) in [
            (#""Dog?{}""#, 200), (#""int{}?""#, 422),
            (#"{"type":"map","element":"int","default":{}}"#, 200),
            (#"{"type":"map","element":"int","default":[]}"#, 422),
            (#"{"type":"map","element":"int","indexed":true}"#, 422),
            (#"{"type":"map","element":"int","optional":true}"#, 422),
            (#"{"type":"map","element":"int[]"}"#, 422), (#"{"type":"map"}"#, 422),
            (#"{"type":"map","element":{"type":"object","class":"Dog","optional":false}}"#, 422),
        ] {
            let server = try? TestServer(schema: Schema())
            let reply = server?.send(
                "PUT", "/v1/schema",
                #"{"classes":[{"name":"Dog","properties":{"p":\#(property)}}]}"#)
            #expect(reply?.status == status, "\(property): \(reply?.text ?? "")")
        }
    }

    @Test("values of every kind come back in the order of the keys' bytes, and can be put back")
    func values() {
        let body = #"""
            {"marks":{"b":null,"a":1.5,"":"NaN","é":-0.5,"Z":2},"labels":{"x y":"1","10":"","2":"z"},
             "days":{"d":"2026-01-01T00:00:00+01:00"},"prices":{"p":1.10},"roles":{"r":"pet"},
             "dogs":{"z":"rex","a":null,"m":{"name":"new","age":1},"l":{"$link":{"class":"Dog","id":"ada"}}},
             "rooms":{"r2":{"size":2,"guests":{"g":"tom","h":null},"notes":{"n":"t"}},"r1":null,"r3":{"best":"rex"}},
             "small":{"lo":-128,"hi":127}}
            """#
        check("PUT", Self.kennel, body, 201)
        check(
            "GET",
            contains: [
                #""marks":{"":"NaN","Z":2.0,"a":1.5,"b":null,"é":-0.5}"#,
                #""labels":{"10":"","2":"z","x y":"1"}"#,
                #""days":{"d":"2025-12-31T23:00:00Z"}"#, #""prices":{"p":"1.10"}"#,
                #""roles":{"r":"pet"}"#, #""dogs":{"a":null,"l":"ada","m":"new","z":"rex"}"#,
                #""rooms":{"r1":null,"r2":{"size":2,"warm":null,"best":null,"guests":{"g":"tom","h":null},"notes":{"n":"t"}},"r3":{"size":0,"#,
                #""small":{"hi":127,"lo":-128}"#,
            ])
        let reply = server.send("GET", Self.kennel)
        let back = server.send("PUT", Self.kennel, reply.text)
        #expect(back.status == 200 && back.headers["etag"] == reply.headers["etag"], "\(back.text)")
        check("PUT", Self.kennel, "{}", contains: [#""marks":{}"#, #""dogs":{}"#, #""rooms":{}"#])
    }

    @Test("a key without '.' and '$' is taken, any other is refused with the way to write it")
    func keys() {
        let longest = String(repeating: "k", count: ModelLimits.keyByteCountMax)
        let (dot, dollar) = ("percent-encode it: write '%2E'", "percent-encode it: write '%24'")
        check("PUT", Self.kennel, #"{"labels":{"%2E%24":"ok","\u0000/~":"ok"}}"#, 201)
        check("GET", contains: [#"{"\u0000/~":"ok","%2E%24":"ok"}"#])
        check(
            "PUT", Self.kennel,
            #"{"labels":{"a.b":"1","$c":"2"},"rooms":{"r":{"notes":{".":""}}}}"#,
            422,
            contains: [
                dot, dollar, #""pointer":"/labels/a.b""#, #""pointer":"/labels/$c""#,
                #""pointer":"/rooms/r/notes/.""#, "invalid-map-key",
            ])
        check(
            "PUT", Self.kennel, #"{"labels":{"a":"1","b":"2","a":"3"}}"#, 400,
            contains: ["duplicate-name", "/labels/a"])
        #expect(
            server.send("PUT", Self.kennel, #"{"labels":{"\#(longest)":""}}"#).status == 200)
        let long = server.send("PUT", Self.kennel, #"{"labels":{"k\#(longest)":""}}"#)
        #expect(long.status == 422 && long.text.contains("16777216 bytes"))
    }

    @Test("each fault of a map's values is told with its key")
    func faults() {
        for (body, texts) in [
            (#"{"marks":[]}"#, ["/marks", "an object whose values are numbers; found an array"]),
            (#"{"marks":null}"#, ["/marks", "send {} to empty it"]),
            (#"{"marks":{"a":"x","b":true}}"#, ["/marks/a", "/marks/b"]),
            (#"{"labels":{"a":null}}"#, ["/labels/a", "null-not-allowed"]),
            (#"{"roles":{"a":"cat"}}"#, ["/roles/a", "not-in-enum"]),
            (#"{"small":{"a":128}}"#, ["/small/a", "out-of-range"]),
            (#"{"dogs":{"a":7}}"#, ["/dogs/a", "wrong-type"]),
            (#"{"dogs":{"a":"rex","b":"none","c":"nobody"}}"#, ["/dogs/b", "/dogs/c", "dangling"]),
            (#"{"rooms":{"a":[]}}"#, ["/rooms/a", "wrong-type"]),
            (#"{"rooms":{"a":{"wide":1}}}"#, ["/rooms/a/wide", "unknown-property"]),
            (
                #"{"rooms":{"a":{},"b":{"guests":{"g":"none"}}}}"#,
                ["/rooms/b/guests/g", "dangling"]
            ),
            (#"{"dogs":{"a":{"name":"n","age":"x"}}}"#, ["/dogs/a/age"]),
        ] {
            check("PUT", Self.kennel, body, 422, contains: texts)
        }
    }

    @Test("a merge patch states entries, removes them with null, and merges embedded values")
    func mergePatch() {
        check(
            "PUT", Self.kennel,
            #"{"marks":{"a":1,"c":null},"dogs":{"x":"rex","y":"ada"},"rooms":{"r":{"size":1,"notes":{"n":"t"}}}}"#,
            201)
        for (body, texts) in [
            (#"{"marks":{"b":2}}"#, [#""marks":{"a":1.0,"b":2.0,"c":null}"#]),
            (#"{"marks":{"c":null,"zz":null,"a":3}}"#, [#""marks":{"a":3.0,"b":2.0}"#]),
            (#"{"dogs":{"x":null,"w":"tom"}}"#, [#""dogs":{"w":"tom","y":"ada"}"#]),
            (
                #"{"rooms":{"r":{"warm":true,"notes":{"m":"u"}},"s":{"size":5}}}"#,
                [
                    #""rooms":{"r":{"size":1,"warm":true,"best":null,"guests":{},"notes":{"m":"u","n":"t"}}"#,
                    #""s":{"size":5,"warm":null"#,
                ]
            ),
            (
                #"{"rooms":{"r":{"notes":{"n":null}},"s":null}}"#,
                [#""rooms":{"r":{"size":1,"warm":true,"best":null,"guests":{},"notes":{"m":"u"}}}"#]
            ),
            (#"{"marks":{}}"#, [#""marks":{"a":3.0,"b":2.0}"#]),
        ] {
            check("PATCH", Self.kennel, body, contains: texts)
        }
        check("PATCH", Self.kennel, #"{"marks":null}"#, 422, contains: ["/marks"])
        // A nested object is merged too; a new one begins with an empty map.
        check(
            "POST", "/v1/classes/Kennel/objects?mode=merge", #"{"id":"k","marks":{"a":null}}"#,
            contains: [#""marks":{"b":2.0}"#])
        check(
            "POST", "/v1/classes/Kennel/objects?mode=merge", #"{"id":"new","marks":{"a":null}}"#,
            201, contains: [#""marks":{}"#])
    }

    @Test("a JSON patch goes into maps by key, and null is a value there")
    func jsonPatch() {
        check("PUT", Self.kennel, #"{"marks":{"a":1},"rooms":{"r":{"size":1}}}"#, 201)
        for (patch, status, text) in [
            (
                #"[{"op":"add","path":"/marks/b","value":null}]"#, 200,
                #""marks":{"a":1.0,"b":null}"#
            ),
            (#"[{"op":"replace","path":"/marks/a","value":2}]"#, 200, #""a":2.0"#),
            (#"[{"op":"move","from":"/marks/a","path":"/marks/x~1y"}]"#, 200, #""x/y":2.0"#),
            (#"[{"op":"test","path":"/marks/x~1y","value":2}]"#, 200, ""),
            (#"[{"op":"remove","path":"/marks/none"}]"#, 422, "path-missing"),
            (#"[{"op":"replace","path":"/rooms/r/size","value":7}]"#, 200, #""size":7"#),
            (#"[{"op":"copy","from":"/rooms/r","path":"/rooms/s"}]"#, 200, #""s":{"size":7"#),
            (#"[{"op":"remove","path":"/rooms/r"}]"#, 200, #""rooms":{"s":"#),
            (#"[{"op":"add","path":"/labels/a.b","value":"x"}]"#, 422, "invalid-map-key"),
            (#"[{"op":"add","path":"/dogs/d","value":"nobody"}]"#, 422, "/0/value"),
        ] {
            check(
                "PATCH", Self.kennel, patch, status, type: "application/json-patch+json",
                contains: [text])
        }
    }

    @Test("a deleted target leaves null in a map, which is a change of the map's owner")
    func deletedTargets() throws {
        check(
            "PUT", Self.kennel,
            #"{"dogs":{"a":"rex","b":"rex","c":"ada"},"rooms":{"r":{"best":"rex","guests":{"g":"rex","h":"tom"}}}}"#,
            201)
        check(
            "GET", "/v1/classes/Dog/objects/rex?fields=kennels,rooms",
            contains: [
                #"{"kennels":["k","k"],"rooms":[{"$owner":{"$link":{"class":"Kennel","id":"k"}},"#
            ])
        let etag = server.send("GET", Self.kennel).headers["etag"]
        check("DELETE", "/v1/classes/Dog/objects/rex", nil, 204)
        let reply = server.send("GET", Self.kennel)
        #expect(reply.text.contains(#""dogs":{"a":null,"b":null,"c":"ada"}"#), "\(reply.text)")
        #expect(
            reply.text.contains(#""best":null,"guests":{"g":null,"h":"tom"}"#), "\(reply.text)")
        #expect(reply.headers["etag"] != etag)
        check(
            "PATCH", Self.kennel, #"{"dogs":{"c":null}}"#,
            contains: [#""dogs":{"a":null,"b":null}"#])
        check("GET", "/v1/classes/Dog/objects/ada?fields=kennels", contains: [#"{"kennels":[]}"#])
        check("DELETE", Self.kennel, nil, 204)
        check("GET", "/v1/classes/Dog/objects/tom?fields=rooms", contains: [#"{"rooms":[]}"#])
    }

    @Test("fields and expand go through maps")
    func fieldsAndExpand() {
        check(
            "PUT", Self.kennel,
            #"{"dogs":{"a":"tom","b":null},"rooms":{"r":{"size":4,"guests":{"g":"ada"}},"s":null}}"#,
            201)
        for (query, text) in [
            ("fields=dogs", #"{"dogs":{"a":"tom","b":null}}"#),
            ("fields=dogs&expand=dogs", #"{"dogs":{"a":{"name":"tom","age":9},"b":null}}"#),
            ("fields=dogs.age", #"{"dogs":{"a":{"age":9},"b":null}}"#),
            ("fields=rooms.size", #"{"rooms":{"r":{"size":4},"s":null}}"#),
            (
                "fields=rooms.guests&expand=rooms.guests",
                #"{"rooms":{"r":{"guests":{"g":{"name":"ada","age":null}}},"s":null}}"#
            ),
        ] {
            check("GET", Self.kennel + "?" + query, contains: [text])
        }
        check("GET", Self.kennel + "?fields=marks.x", nil, 400, contains: ["has no objects"])
    }

    @Test("a map is paged as entries, filtered and sorted by its values")
    func pages() throws {
        check(
            "PUT", Self.kennel,
            #"{"marks":{"a":3,"b":null,"c":1,"d":2},"dogs":{"x":"tom","y":null,"z":"rex"},"rooms":{"r":{"size":4}}}"#,
            201)
        let path = Self.kennel + "/properties/"
        for (target, text) in [
            (
                "marks?limit=9",
                #"{"entries":[{"key":"a","value":3.0},{"key":"b","value":null},{"key":"c","value":1.0},{"key":"d","value":2.0}]}"#
            ),
            (
                "marks?filter=self%3E1&count=exact",
                #"{"entries":[{"key":"a","value":3.0},{"key":"d","value":2.0}],"count":2}"#
            ),
            (
                "marks?sort=-self",
                #""entries":[{"key":"a","value":3.0},{"key":"d","value":2.0},{"key":"c","value":1.0},{"key":"b","value":null}]"#
            ),
            (
                "dogs?fields=age",
                #"{"entries":[{"key":"x","value":{"age":9}},{"key":"y","value":null},{"key":"z","value":{"age":3}}]}"#
            ),
            (
                "dogs?sort=age&fields=age",
                #"{"entries":[{"key":"y","value":null},{"key":"z","value":{"age":3}},{"key":"x","value":{"age":9}}]}"#
            ),
            (
                "dogs?filter=age%3C5&fields=name",
                #"{"entries":[{"key":"z","value":{"name":"rex"}}]}"#
            ),
            ("rooms?fields=size", #"{"entries":[{"key":"r","value":{"size":4}}]}"#),
            ("labels", #"{"entries":[]}"#),
        ] {
            check("GET", path + target, contains: [text])
        }
        var keys: [String] = []
        var target: String? = path + "marks?limit=1&sort=self"
        while let next = target {
            let reply = server.send("GET", next)
            keys += ["a", "b", "c", "d"].filter { reply.text.contains(#""key":"\#($0)""#) }
            target = reply.headers["link"].map { String($0.dropFirst().prefix { $0 != ">" }) }
        }
        #expect(keys == ["b", "c", "d", "a"])
    }

    @Test("maps go through transactions, changes by filter, exports and imports")
    func waysInAndOut() {
        check(
            "POST", "/v1/transactions",
            #"""
            {"operations":[
              {"op":"create","class":"Kennel","value":{"id":"k","marks":{"b":1,"a":2},"dogs":{"n":{"$ref":"dog"}}}},
              {"op":"create","class":"Dog","ref":"dog","value":{"name":"ida"}},
              {"op":"merge","class":"Kennel","id":"k","value":{"marks":{"a":null,"c":null},"labels":{"l":"x"}}}]}
            """#, contains: [#""marks":{"b":1.0}"#, #""dogs":{"n":"ida"}"#])
        check(
            "PATCH", "/v1/classes/Kennel/objects?filter=id=='k'", #"{"marks":{"d":4,"b":null}}"#,
            contains: [#""affected":1"#])
        check("GET", contains: [#""marks":{"d":4.0}"#])
        let lines = server.send("GET", "/v1/classes/Kennel/export").text
        check("DELETE", Self.kennel, nil, 204)
        check(
            "POST", "/v1/classes/Kennel/import", lines, type: "application/x-ndjson",
            contains: [#""imported":1"#])
        #expect(server.send("GET", "/v1/classes/Kennel/export").text == lines)
        check(
            "POST", "/v1/classes/Kennel/import",
            "{\"id\":\"i1\",\"dogs\":{\"a\":\"nobody\"}}\n{\"id\":\"i2\",\"labels\":{\"a.b\":\"\"}}\n",
            422, type: "application/x-ndjson",
            contains: [#""failed":2"#, "/dogs/a", "/labels/a.b"])
    }
}
