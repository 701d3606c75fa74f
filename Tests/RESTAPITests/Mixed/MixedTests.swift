import HoldfastObjectModel
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

@Suite("mixed values")
struct MixedTests {
    let server: TestServer
    private static let box = MixedServer.box

    init() throws { server = try MixedServer.open() }

    private func check(
        _ method: String, _ target: String = box, _ body: String? = nil, _ status: Int = 200,
        headers: [(String, String)] = [], contains: [String] = [], excludes: [String] = [],
        _ location: SourceLocation = #_sourceLocation
    ) {
        APIScenario(
            method, target, body, headers: headers, status: status, contains: contains,
            excludes: excludes
        ).check(on: server, location)
    }

    /// Every kind of value: what is written, and what comes back where that is another text.
    static let kinds: [(String, String?)] = [
        ("null", nil), ("true", nil), ("false", nil), ("0", nil), ("-9223372036854775808", nil),
        ("9223372036854775807", nil), (#"{"$int":"42"}"#, "42"), (#"{"$int":7}"#, "7"),
        (#"{"$int":7.0}"#, "7"), ("1.5", nil), ("1.0", nil), ("1e3", "1000.0"), ("1E-400", "0.0"),
        (#"{"$double":1}"#, "1.0"), (#"{"$double":"NaN"}"#, nil),
        (#"{"$double":"-Infinity"}"#, nil), (#"{"$float":1.5}"#, nil),
        (#"{"$float":"Infinity"}"#, nil), (#"{"$float":0.1}"#, nil),
        (#"{"$decimal":"1.10"}"#, nil), (#"{"$decimal":1.10}"#, #"{"$decimal":"1.10"}"#),
        (#"{"$decimal":"-1E-6000"}"#, nil), (#"{"$decimal":"NaN"}"#, nil), (#""""#, nil),
        (#""$int""#, nil), (#""é𝄞\u0000""#, nil), (#"{"$data":""}"#, nil),
        (#"{"$data":"AP8="}"#, nil), (#"{"$data":"_-8"}"#, #"{"$data":"/+8="}"#),
        (#"{"$date":"2026-11-20T06:38:58.123456789Z"}"#, nil),
        (
            #"{"$date":"2026-01-01T00:00:00+01:00"}"#,
            #"{"$date":"2025-12-31T23:00:00Z"}"#
        ), (#"{"$objectId":"65a0b1c2d3e4f50617280001"}"#, nil),
        (
            #"{"$uuid":"123E4567-e89b-12d3-a456-426614174000"}"#,
            #"{"$uuid":"123e4567-e89b-12d3-a456-426614174000"}"#
        ), (MixedServer.dog("rex"), nil), ("[]", nil), ("{}", nil),
        (#"[1,1.0,"1",null,[],{"":[{}]}]"#, nil),
        (#"{"b":1,"a":{"z":null,"é":2,"y":true}}"#, #"{"a":{"y":true,"z":null,"é":2},"b":1}"#),
        (
            #"{"k":[{"$date":"2026-11-20T06:38:58Z"},\#(MixedServer.dog("ada"))]}"#, nil
        ),
    ]

    @Test(
        "a value of each kind comes back as it was, alone and in every collection", arguments: kinds
    )
    func roundTrips(written: String, read: String?) throws {
        let read = read ?? written
        check("PUT", Self.box, #"{"item":\#(written)}"#, 201, contains: [#""item":\#(read),"#])
        check(
            "PUT", Self.box,
            #"{"item":[\#(written)],"list":[\#(written),1],"set":[\#(written)],"map":{"k":\#(written)},"sorted":\#(written),"part":{"item":\#(written),"list":[\#(written)]}}"#,
            contains: [
                #""item":[\#(read)]"#, #""list":[\#(read),1]"#, #""set":[\#(read)]"#,
                #""map":{"k":\#(read)}"#, #""sorted":\#(read)"#,
                #""part":{"item":\#(read),"list":[\#(read)]}"#,
            ])
        let stored = server.send("GET", Self.box)
        let back = server.send("PUT", Self.box, stored.text)
        #expect(
            back.status == 200 && back.headers["etag"] == stored.headers["etag"], "\(back.text)")
        #expect(server.send("GET", Self.box).text == stored.text)
    }

    @Test("ints beyond 2^53 are written as strings for who asks")
    func largeInts() {
        check("PUT", Self.box, #"{"item":[9007199254740993,9007199254740992]}"#, 201)
        check(
            "GET", headers: [("Prefer", "int64=string")],
            contains: [#""item":[{"$int":"9007199254740993"},9007199254740992]"#])
    }

    @Test("lists and maps nest to 100 levels, one more is refused")
    func depth() {
        let deepest = MixedServer.nested(100)
        check("PUT", Self.box, #"{"item":\#(deepest)}"#, 201, contains: [deepest])
        check("PUT", Self.box, #"{"list":[\#(deepest)]}"#, contains: ["[" + deepest + "]"])
        check("PUT", Self.box, #"{"map":{"k":\#(deepest)}}"#, contains: [deepest])
        check(
            "PUT", Self.box, #"{"item":\#(MixedServer.nested(99, MixedServer.dog("rex")))}"#,
            contains: [MixedServer.dog("rex")])
        let maps =
            String(repeating: #"{"k":"#, count: 100) + "1" + String(repeating: "}", count: 100)
        check("PUT", Self.box, #"{"item":\#(maps)}"#, contains: [maps])
        for body in [
            #"{"item":\#(MixedServer.nested(101))}"#, #"{"list":[\#(MixedServer.nested(101))]}"#,
            #"{"item":{"k":\#(deepest)}}"#,
        ] {
            check("PUT", Self.box, body, 422, contains: ["too-deep", "100 levels"])
        }
    }

    @Test(
        "what is no value is refused with its place",
        arguments: [
            (
                #"{"item":{"$decimal":"x"}}"#, 422,
                ["invalid-decimal", #""pointer":"/item/$decimal""#]
            ),
            (#"{"item":{"$int":1.5}}"#, 422, ["invalid-number", "/item/$int"]),
            (#"{"item":{"$int":"9223372036854775808"}}"#, 422, ["invalid-number"]),
            (#"{"item":9223372036854775808}"#, 422, ["out-of-range", #""pointer":"/item""#]),
            (#"{"item":1e400}"#, 422, ["out-of-range"]),
            (#"{"item":{"$float":1e39}}"#, 422, ["invalid-number"]),
            (#"{"item":{"$date":"yesterday"}}"#, 422, ["invalid-date"]),
            (#"{"item":{"$data":"?"}}"#, 422, ["invalid-base64"]),
            (#"{"item":{"$uuid":7}}"#, 422, ["invalid-uuid"]),
            (#"{"item":{"$objectId":"7"}}"#, 422, ["invalid-object-id"]),
            (#"{"item":{"$what":1}}"#, 422, ["invalid-mixed", "$what", "$decimal"]),
            (#"{"item":{"$ref":"a"}}"#, 422, ["invalid-mixed"]),
            (#"{"item":{"$int":"1","a":2}}"#, 422, ["invalid-mixed", "%24"]),
            (#"{"item":{"a":2,"$b":1}}"#, 422, ["invalid-mixed"]),
            (#"{"item":{"a$b":1,"c.d":2}}"#, 422, ["/item/a$b", "/item/c.d", "%24", "%2E"]),
            (#"{"item":{"a":1,"b":2,"a":3}}"#, 400, ["duplicate-name", "/item/a"]),
            (#"{"item":[0,{"k":[{"$date":1}]}]}"#, 422, [#""pointer":"/item/1/k/0/$date""#]),
            (
                #"{"list":[1,{"$uuid":""}],"map":{"a":{"$int":""}}}"#, 422,
                ["/list/1/$uuid", "/map/a/$int"]
            ),
            (#"{"list":null}"#, 422, ["null-not-allowed"]),
            (#"{"item":{"$link":{"class":"Cat","id":1}}}"#, 422, ["unknown-class", "Cat"]),
            (#"{"item":{"$link":{"class":"Part","id":1}}}"#, 422, ["wrong-class", "embedded"]),
            (#"{"item":{"$link":{"class":"Dog"}}}"#, 422, ["invalid-link"]),
            (#"{"item":{"$link":{"class":"Dog","id":7}}}"#, 422, ["wrong-type", "/item"]),
            (#"{"item":{"$link":{"class":"Dog","id":"x"},"y":1}}"#, 422, ["invalid-mixed"]),
        ])
    func faults(body: String, status: Int, texts: [String]) {
        check("PUT", Self.box, body, status, contains: texts)
        check("GET", Self.box, nil, 404)
    }

    @Test("a set has each value once in the order of values, and a number once whatever its kind")
    func sets() {
        let values = #"""
            {"a":1}|[2]|[1,2]|[1]|"b"|"a"|2.5|{"$decimal":"1.0"}|1|1.0|{"$float":1}|true|false|null|
            {"$data":"AA=="}|{"$date":"2026-01-01T00:00:00Z"}|{"$objectId":"65a0b1c2d3e4f50617280001"}|
            {"$uuid":"123e4567-e89b-12d3-a456-426614174000"}|\#(MixedServer.dog("rex"))|
            {"$link":{"name":"x"}}|{"$double":"NaN"}|{"$decimal":"NaN"}|-0.0|0|[1.0]|{}|
            9007199254740993|9007199254740992.0|{"$decimal":"9007199254740992.5"}
            """#.split(separator: "|").map { $0.filter { !$0.isNewline } }
            .filter { !$0.contains("name\":\"x") }.joined(separator: ",")
        check(
            "PUT", Self.box, #"{"set":[\#(values)]}"#, 201,
            contains: [
                #""set":[null,false,true,{"$double":"NaN"},-0.0,{"$decimal":"1.0"},2.5,9007199254740992.0,{"$decimal":"9007199254740992.5"},9007199254740993,"a","b",{"$data":"AA=="},{"$date":"2026-01-01T00:00:00Z"},{"$objectId":"65a0b1c2d3e4f50617280001"},{"$uuid":"123e4567-e89b-12d3-a456-426614174000"},\#(MixedServer.dog("rex")),[1],[1,2],[2],{},{"a":1}]"#
            ])
    }

    @Test("a merge patch replaces a value whole, and null is a value")
    func mergePatch() {
        check("PUT", Self.box, #"{"item":{"a":1,"b":2},"map":{"x":1,"y":{"z":1}}}"#, 201)
        check("PATCH", Self.box, #"{"item":{"b":3}}"#, contains: [#""item":{"b":3}"#])
        check(
            "PATCH", Self.box, #"{"map":{"y":{"w":null},"x":null}}"#,
            contains: [#""map":{"y":{"w":null}}"#])
        check("PATCH", Self.box, #"{"item":null}"#, contains: [#""item":null"#])
        check("PATCH", Self.box, #"{"count":2}"#, contains: [#""map":{"y":{"w":null}}"#])
    }

    @Test("a JSON patch goes into lists and maps at any depth")
    func jsonPatch() {
        check(
            "PUT", Self.box, #"{"item":{"a":[1,{"b":[2]}]},"list":[[1]],"map":{"k":{"l":1}}}"#, 201)
        let type = [("Content-Type", "application/json-patch+json")]
        check(
            "PATCH", Self.box,
            #"""
            [{"op":"add","path":"/item/a/1/b/0","value":{"$date":"2026-01-01T00:00:00Z"}},
             {"op":"replace","path":"/item/a/0","value":\#(MixedServer.dog("rex"))},
             {"op":"add","path":"/list/0/-","value":null},{"op":"remove","path":"/map/k/l"},
             {"op":"add","path":"/map/k/m","value":[]},{"op":"test","path":"/item/a/1/b/1","value":2}]
            """#, headers: type,
            contains: [
                #""item":{"a":[\#(MixedServer.dog("rex")),{"b":[{"$date":"2026-01-01T00:00:00Z"},2]}]}"#,
                #""list":[[1,null]]"#, #""map":{"k":{"m":[]}}"#,
            ])
        check(
            "PATCH", Self.box, #"[{"op":"add","path":"/item/a/9","value":1}]"#, 422, headers: type)
    }

    @Test("a schema has mixed everywhere but as a key, an enum or optional")
    func schemas() {
        check(
            "GET", "/v1/schema",
            contains: [
                #""item":{"type":"mixed"}"#, #""set":{"type":"set","element":{"type":"mixed"}}"#,
                #""sorted":{"type":"mixed","indexed":true}"#,
            ])
        for (property, texts) in [
            (#""mixed?""#, ["never optional"]), (#""mixed?[]""#, ["never optional"]),
            (#"{"type":"mixed","optional":true}"#, ["never optional"]),
            (#"{"type":"mixed","enum":[1,2]}"#, ["enum"]),
            (#"{"type":"list","element":"mixed","indexed":true}"#, ["index"]),
            (#"{"type":"mixed","default":{"$link":{"class":"A","id":1}}}"#, ["default"]),
            (#"{"type":"mixed","default":{"$date":"x"}}"#, ["default"]),
        ] {
            let server = try? TestServer(schema: Schema())
            let reply = server?.send(
                "PUT", "/v1/schema", #"{"classes":[{"name":"A","properties":{"p":\#(property)}}]}"#)
            #expect(reply?.status == 422, "\(property): \(reply?.text ?? "")")
            for text in texts {
                #expect(reply?.text.contains(text) == true, "\(reply?.text ?? "")")
            }
        }
        let server = try? TestServer(schema: Schema())
        let reply = server?.send(
            "PUT", "/v1/schema",
            #"{"classes":[{"name":"A","primaryKey":"p","properties":{"p":"mixed"}}]}"#)
        #expect(reply?.status == 422 && reply?.text.contains("primary key") == true)
    }

    @Test("a default may be of every kind, and objects that are there get it", arguments: kinds)
    func defaults(written: String, read: String?) throws {
        if written.contains("$link") { return }
        let read = read ?? written
        let server = try TestServer(schema: Schema())
        server.send("PUT", "/v1/schema", #"{"classes":[{"name":"A","properties":{"n":"int"}}]}"#)
        server.send("POST", "/v1/classes/A/objects", #"{"n":1}"#)
        let reply = server.send(
            "PUT", "/v1/schema",
            #"{"classes":[{"name":"A","properties":{"n":"int","p":{"type":"mixed","default":\#(written)},"q":"mixed"}}]}"#
        )
        #expect(reply.status == 200, "\(reply.text)")
        server.send("POST", "/v1/classes/A/objects", #"{"n":2}"#)
        let page = server.send("GET", "/v1/classes/A/objects")
        for number in 1...2 {
            #expect(
                page.text.contains(#""n":\#(number),"p":\#(read),"q":null}"#), "\(page.text)")
        }
        let schema = server.send("GET", "/v1/schema").text
        if read.first != "{" || !read.contains("\"b\"") {
            #expect(written == "null" || schema.contains(#""default":\#(read)"#), "\(schema)")
        }
        #expect(server.send("PUT", "/v1/schema", schema).status == 200)
    }
}
