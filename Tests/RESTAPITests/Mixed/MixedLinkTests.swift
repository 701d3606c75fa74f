import HoldfastObjectModel
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

@Suite("links in mixed values")
struct MixedLinkTests {
    let server: TestServer
    private static let box = MixedServer.box
    private static let rex = MixedServer.dog("rex")

    init() throws { server = try MixedServer.open() }

    private func check(
        _ method: String, _ target: String = box, _ body: String? = nil, _ status: Int = 200,
        contains: [String] = [], excludes: [String] = [],
        _ location: SourceLocation = #_sourceLocation
    ) {
        APIScenario(
            method, target, body, status: status, contains: contains, excludes: excludes
        ).check(on: server, location)
    }

    private func incoming(_ dog: String) -> String {
        let filter = "name == '\(dog)' AND @links.@count == "
        for count in 0..<40 {
            let reply = server.client.send(
                "POST", "/v1/classes/Dog/query",
                headers: [("Content-Type", "application/json")],
                body: Array(#"{"filter":"\#(filter)\#(count)"}"#.utf8))
            if reply.text.contains("\"name\"") { return "\(count)" }
        }
        return "none"
    }

    @Test("the target's deletion leaves null alone and in maps, and nothing in lists and sets")
    func deletion() {
        let (rex, ada) = (Self.rex, MixedServer.dog("ada"))
        check(
            "PUT", Self.box,
            #"{"item":\#(rex),"sorted":[\#(rex),{"a":\#(rex),"b":[\#(ada),\#(rex)]}],"list":[\#(rex),1,\#(ada),[\#(rex)]],"set":[\#(rex),\#(ada),[\#(rex)],[]],"map":{"x":\#(rex),"y":[\#(rex),2]},"part":{"item":\#(rex),"list":[\#(rex)]},"parts":[{"item":[\#(rex)]}]}"#,
            201)
        #expect(incoming("rex") == "13")
        #expect(incoming("ada") == "3")
        let before = server.send("GET", Self.box).headers["etag"]
        check("DELETE", "/v1/classes/Dog/objects/rex", nil, 204)
        check(
            "GET",
            contains: [
                #""item":null,"#, #""list":[1,\#(ada),[]]"#, #""set":[\#(ada),[]]"#,
                #""map":{"x":null,"y":[2]}"#, #""sorted":[{"a":null,"b":[\#(ada)]}]"#,
                #""part":{"item":null,"list":[]}"#, #""parts":[{"item":[],"list":[]}]"#,
            ])
        #expect(server.send("GET", Self.box).headers["etag"] != before)
        #expect(incoming("ada") == "3")
        check("PUT", Self.box, "{}")
        #expect(incoming("ada") == "0")
    }

    @Test("a link that leads nowhere is told with its place at any depth")
    func dangling() {
        let (no, no2) = (MixedServer.dog("nobody"), MixedServer.dog("nil"))
        check(
            "PUT", Self.box,
            #"{"item":[1,{"z":"é","k":[\#(no)]}],"list":[\#(Self.rex),\#(no)],"set":[2,\#(no),1],"map":{"z":1,"a":[[],\#(no2)]},"parts":[{},{"list":[0,\#(no)]}],"sorted":\#(no)}"#,
            422,
            contains: [
                "dangling-link", #""pointer":"/item/1/k/0""#, #""pointer":"/list/1""#,
                #""pointer":"/set/1""#, #""pointer":"/map/a/1""#, #""pointer":"/parts/1/list/1""#,
                #""pointer":"/sorted""#,
            ], excludes: [#""pointer":"/list/0""#])
        check("GET", Self.box, nil, 404)
        check(
            "PUT", Self.box, #"{"item":{"$link":{"class":"Loose","id":99}}}"#, 422,
            contains: ["dangling-link"])
    }

    @Test("links lead forward and in circles, to objects with and without a key, and to a null key")
    func targets() {
        let me = #"{"$link":{"class":"Box","id":"b"}}"#
        check("PUT", Self.box, #"{"item":\#(me),"list":[\#(me),[\#(me)]]}"#, 201, contains: [me])
        check("POST", "/v1/classes/Loose/objects", #"{"text":"t"}"#, 201, contains: [#""$id":1"#])
        let link = #"{"$link":{"class":"Loose","id":1}}"#
        check("PUT", Self.box, #"{"item":\#(link)}"#, contains: [#""item":\#(link)"#])
        server.send("PUT", "/v1/classes/Keyed/object?key=null", "{}")
        let null = #"{"$link":{"class":"Keyed","id":null}}"#
        check("PUT", Self.box, #"{"item":[\#(null)]}"#, contains: [#""item":[\#(null)]"#])
        check("PUT", Self.box, #"{"item":[\#(null)]}"#, contains: [#""item":[\#(null)]"#])
        check(
            "POST", "/v1/transactions",
            #"""
            {"operations":[
              {"op":"put","class":"Box","id":"one","value":{"item":{"to":{"$ref":"d"}},"set":[{"$ref":"d"},{"$link":{"class":"Dog","id":"new"}}]}},
              {"op":"put","class":"Box","id":"two","value":{"list":[{"$link":{"class":"Loose","id":{"$ref":"l"}}}]}},
              {"op":"create","class":"Dog","ref":"d","value":{"name":"new"}},
              {"op":"create","class":"Loose","ref":"l","value":{"item":{"$link":{"class":"Box","id":"one"}}}}]}
            """#)
        check(
            "GET", "/v1/classes/Box/objects/one",
            contains: [
                #""item":{"to":\#(MixedServer.dog("new"))}"#,
                #""set":[\#(MixedServer.dog("new"))]"#,
            ])
        check(
            "GET", "/v1/classes/Box/objects/two",
            contains: [#""list":[{"$link":{"class":"Loose","id":2}}]"#])
        check(
            "POST", "/v1/transactions",
            #"{"operations":[{"op":"put","class":"Box","id":"x","value":{"item":{"$ref":"q"}}}]}"#,
            422,
            contains: ["unknown-ref", "/operations/0/value/item"])
    }

    @Test("an array of objects is told of a bad link with its own place, and an import by line")
    func manyObjects() {
        check(
            "POST", "/v1/classes/Box/objects",
            #"[{"id":"p"},{"id":"q","item":[\#(MixedServer.dog("no"))]}]"#, 422,
            contains: [#""pointer":"/1/item/0""#])
        let lines = #"""
            {"id":"m","item":\#(MixedServer.dog("later"))}
            {"id":"n","map":{"k":[\#(MixedServer.dog("never"))]}}
            {"id":"o","item":{"$link":{"class":"Box","id":"m"}}}
            {"id":"l","list":[[\#(MixedServer.dog("rex"))]]}
            """#
        let reply = server.send(
            "POST", "/v1/classes/Box/import", lines,
            headers: [("Content-Type", "application/x-ndjson")])
        for text in [
            #""imported":1,"failed":3"#, #""line":1,"code":"dangling-link""#,
            #""pointer":"/map/k/0""#, "the line that has it was not imported",
        ] {
            #expect(reply.text.contains(text), "\(reply.text)")
        }
        check("GET", "/v1/classes/Box/objects/l", contains: [#""list":[[\#(Self.rex)]]"#])
    }
}
