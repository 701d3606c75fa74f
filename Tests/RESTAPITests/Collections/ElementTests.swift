import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("elements of collections")
struct ElementTests {
    let server: TestServer
    private static let ann = "/v1/classes/Person/objects/ann"
    private static let thing = "/v1/classes/Thing/objects/1"

    /// One request of a story: method, target, body, status, and texts of the reply.
    private typealias Step = (String, String, String?, Int, [String])

    init() throws {
        server = try TestServer(schema: Schemas.everything)
        for (path, body) in [
            ("Person/objects/bob", #"{"age":1}"#), ("Person/objects/eve", "{}"),
            ("Person/objects/ann", #"{"friends":["bob"],"places":[{"city":"Rome"}]}"#),
            ("Thing/objects/1", #"{"counts":[3,1,2],"namesN":["a",null],"nameSet":["b","a"]}"#),
        ] {
            let reply = server.send("PUT", "/v1/classes/" + path, body)
            #expect(reply.status < 300, "\(reply.text)")
        }
    }

    private func tell(_ steps: [Step], _ location: SourceLocation = #_sourceLocation) {
        for (method, target, body, status, texts) in steps {
            APIScenario(method, target, body, status: status, contains: texts)
                .check(on: server, location)
        }
    }

    @Test("elements of a list of values are appended, inserted, read, set and removed")
    func lists() {
        let list = Self.thing + "/properties/counts/elements"
        tell([
            ("POST", list, "7", 201, [#""counts":[3,1,2,7]"#]),
            ("POST", list + "?at=0", "-1", 201, [#""counts":[-1,3,1,2,7]"#]),
            ("POST", list + "?at=5", "9", 201, [#""counts":[-1,3,1,2,7,9]"#]),
            ("POST", list + "?at=7", "9", 422, ["position-out-of-range", "6 elements"]),
            ("POST", list + "?at=-1", "9", 400, ["at"]),
            ("POST", list, #""x""#, 422, [#""pointer":"""#, "wrong-type"]),
            ("POST", list, "null", 422, ["null-not-allowed"]),
            ("POST", list, "[1", 400, []),
            ("GET", list + "/0", nil, 200, [#"{"value":-1}"#]),
            ("GET", list + "/6", nil, 404, ["element-not-found"]),
            ("GET", list + "/x", nil, 400, ["invalid-position"]),
            ("GET", list + "/-1", nil, 400, ["invalid-position"]),
            ("PUT", list + "/1", "30", 200, [#""counts":[-1,30,1,2,7,9]"#]),
            ("PUT", list + "/6", "30", 404, ["element-not-found"]),
            ("DELETE", list + "/0", nil, 200, [#""counts":[30,1,2,7,9]"#]),
            ("DELETE", list + "/5", nil, 404, ["element-not-found"]),
            ("POST", list, "30", 201, [#""counts":[30,1,2,7,9,30]"#]),
            ("DELETE", list + "?value=30", nil, 200, [#""counts":[1,2,7,9]"#]),
            ("DELETE", list + "?value=30", nil, 404, ["element-not-found"]),
            ("DELETE", list + "?value=x", nil, 400, ["value"]),
            ("DELETE", list + "?value=%22x%22", nil, 400, ["value"]),
            ("DELETE", list, nil, 400, ["value"]),
            ("DELETE", list + "?key=%22x%22", nil, 400, ["key"]),
        ])
        let created = server.send("POST", list, "5")
        #expect(created.headers["location"] == list + "/4" && created.status == 201)
        #expect(server.send("GET", list + "/4").text == #"{"value":5}"#)
    }

    @Test("null is an element like any other where elements are optional")
    func nulls() {
        let list = Self.thing + "/properties/namesN/elements"
        tell([
            ("GET", list + "/1", nil, 200, [#"{"value":null}"#]),
            ("POST", list, "null", 201, [#""namesN":["a",null,null]"#]),
            ("PUT", list + "/0", "null", 200, [#""namesN":[null,null,null]"#]),
            ("PUT", list + "/1", #""b""#, 200, [#""namesN":[null,"b",null]"#]),
            ("DELETE", list + "?value=null", nil, 200, [#""namesN":["b"]"#]),
        ])
        // What is left has no trace of the nulls that were there.
        let etag = server.send("GET", Self.thing).headers["etag"]
        let body = server.send("GET", Self.thing).text
        #expect(server.send("PUT", Self.thing, body).headers["etag"] == etag)
        let set = Self.thing + "/properties/ratioSetN/elements"
        tell([
            ("POST", set, "1.5", 201, [#""ratioSetN":[1.5]"#]),
            ("POST", set, "null", 201, [#""ratioSetN":[null,1.5]"#]),
            ("POST", set, "null", 200, [#""ratioSetN":[null,1.5]"#]),
            ("POST", set, #""NaN""#, 201, [#""ratioSetN":[null,"NaN",1.5]"#]),
            ("DELETE", set + "?value=%22NaN%22", nil, 200, [#""ratioSetN":[null,1.5]"#]),
            ("DELETE", set + "?value=null", nil, 200, [#""ratioSetN":[1.5]"#]),
        ])
    }

    @Test("a set takes values, without positions to put them at")
    func sets() {
        let set = Self.thing + "/properties/nameSet/elements"
        tell([
            ("POST", set, #""aa""#, 201, [#""nameSet":["a","aa","b"]"#]),
            ("POST", set, #""aa""#, 200, [#""nameSet":["a","aa","b"]"#]),
            ("GET", set + "/1", nil, 200, [#"{"value":"aa"}"#]),
            ("PUT", set + "/1", #""c""#, 405, ["element-method-not-allowed"]),
            ("DELETE", set + "/1", nil, 405, ["element-method-not-allowed"]),
            ("POST", set + "?at=0", #""c""#, 400, ["at"]),
            ("DELETE", set + "?value=%22a%22", nil, 200, [#""nameSet":["aa","b"]"#]),
            ("DELETE", set + "?value=%22a%22", nil, 404, ["element-not-found"]),
        ])
        #expect(server.send("POST", set, #""d""#).headers["location"] == nil)
        #expect(server.send("PUT", set + "/0", "1").headers["allow"] == "GET, HEAD, OPTIONS")
    }

    @Test("links are elements by key, in full, and in the long form; a dangling one is told")
    func links() {
        let list = Self.ann + "/properties/friends/elements"
        tell([
            ("POST", list, #""eve""#, 201, [#""friends":["bob","eve"]"#]),
            ("POST", list, #""none""#, 422, ["dangling-link", #""pointer":"""#]),
            ("POST", list, #"{"name":"new","age":9,"best":"none"}"#, 422, [#""pointer":"/best""#]),
            ("POST", list, #"{"$link":{"class":"Person","id":"bob"}}"#, 200, []),
            ("GET", list + "/0", nil, 200, [#"{"value":"bob"}"#]),
            ("GET", "/v1/classes/Person/objects/new", nil, 404, []),
            ("DELETE", list + "?value=%22none%22", nil, 404, ["element-not-found"]),
            ("DELETE", list + "?value=%7B%22name%22%3A%22x%22%7D", nil, 400, ["value"]),
            ("POST", list, #"{"name":"new","age":9}"#, 201, [#""new""#]),
            ("GET", "/v1/classes/Person/objects/new?fields=age", nil, 200, [#"{"age":9}"#]),
            ("DELETE", list + "?value=%22bob%22", nil, 200, [#""friends":["eve","new"]"#]),
        ])
        server.send("PUT", "/v1/classes/Dog/objects/aaaaaaaaaaaaaaaaaaaaaaaa", "{}")
        let dogs = Self.ann + "/properties/dogs/elements"
        let (id, key) = (#""aaaaaaaaaaaaaaaaaaaaaaaa""#, "%22aaaaaaaaaaaaaaaaaaaaaaaa%22")
        tell([
            ("POST", dogs, id, 201, ["[\(id)]"]), ("POST", dogs, id, 201, ["[\(id),\(id)]"]),
            ("DELETE", dogs + "/0", nil, 200, [#""dogs":[\#(id)]"#]),
            ("POST", dogs, id, 201, ["[\(id),\(id)]"]),
            ("DELETE", dogs + "?value=" + key, nil, 200, [#""dogs":[]"#]),
        ])
    }

    @Test("embedded objects are added, replaced whole and removed by position")
    func embedded() {
        let list = Self.ann + "/properties/places/elements"
        tell([
            ("POST", list + "?at=0", #"{"city":"Oslo","street":"a"}"#, 201, [#""city":"Oslo""#]),
            ("GET", list + "/0", nil, 200, [#"{"value":{"street":"a","city":"Oslo""#]),
            ("PUT", list + "/0", #"{"city":"Bern"}"#, 200, [#"{"street":null,"city":"Bern""#]),
            ("PUT", list + "/0", #"{"town":"Bern"}"#, 422, [#""pointer":"/town""#]),
            ("PUT", list + "/0", #"{"landlord":"none"}"#, 422, [#""pointer":"/landlord""#]),
            ("PUT", list + "/0", "7", 422, ["wrong-type"]),
            ("DELETE", list + "?value=%7B%7D", nil, 400, ["not compared"]),
            ("PUT", list + "/1", #"{"landlord":"bob"}"#, 200, [#""landlord":"bob""#]),
            ("DELETE", list + "/0", nil, 200, [#""places":[{"street":null,"city":"","#]),
            ("DELETE", "/v1/classes/Person/objects/bob", nil, 204, []),
            ("GET", list + "/0", nil, 200, [#""landlord":null"#]),
        ])
    }

    @Test("entries of maps are put, read and removed by key, whatever the key")
    func maps() throws {
        let server = try MapServer.open()
        server.send("PUT", MapServer.kennel, "{}")
        let base = MapServer.kennel + "/properties/"
        let steps: [Step] = [
            ("PUT", base + "marks/elements/a", "1.5", 201, [#""marks":{"a":1.5}"#]),
            ("PUT", base + "marks/elements/a", "null", 200, [#""marks":{"a":null}"#]),
            ("GET", base + "marks/elements/a", nil, 200, [#"{"value":null}"#]),
            ("GET", base + "marks/elements/b", nil, 404, ["element-not-found"]),
            ("DELETE", base + "marks/elements/b", nil, 404, ["element-not-found"]),
            (
                "PUT", base + "marks/elements/a.b", "1", 422,
                ["invalid-map-key", "%2E", #""parameter":"element""#]
            ),
            (
                "PUT", base + "marks/elements?key=%22a.b%22", "1", 422,
                ["invalid-map-key", "%2E", #""parameter":"key""#]
            ),
            ("PUT", base + "marks/elements/b", #""x""#, 422, ["wrong-type", #""pointer":"""#]),
            ("PUT", base + "marks/elements/a%2Fb", "2", 201, [#""a/b":2.0"#]),
            ("PUT", base + "marks/elements?key=%22%22", "3", 201, [#""":3.0"#]),
            ("GET", base + "marks/elements?key=%22%22", nil, 200, [#"{"value":3.0}"#]),
            ("GET", base + "marks/elements?key=%22a%2Fb%22", nil, 200, [#"{"value":2.0}"#]),
            ("GET", base + "marks/elements?key=7", nil, 400, ["key"]),
            ("GET", base + "marks/elements", nil, 400, ["key"]),
            ("PUT", base + "marks/elements", "1", 400, ["key"]),
            ("POST", base + "marks/elements", "1", 405, ["PUT …/elements/{key}"]),
            ("DELETE", base + "marks/elements?value=2", nil, 400, ["key"]),
            ("DELETE", base + "marks/elements?key=%22%22&value=2", nil, 400, ["not both"]),
            ("DELETE", base + "marks/elements?key=%22%22", nil, 200, [#"{"a":null,"a/b":2.0}"#]),
            ("DELETE", base + "marks/elements/a", nil, 200, [#""marks":{"a/b":2.0}"#]),
            ("PUT", base + "labels/elements/a", "null", 422, ["null-not-allowed"]),
            ("PUT", base + "roles/elements/a", #""cat""#, 422, ["not-in-enum"]),
            ("PUT", base + "dogs/elements/d", #""rex""#, 201, [#""dogs":{"d":"rex"}"#]),
            ("GET", base + "dogs/elements/d", nil, 200, [#"{"value":"rex"}"#]),
            ("PUT", base + "dogs/elements/e", #""none""#, 422, ["dangling", #""pointer":"""#]),
            ("PUT", base + "dogs/elements/e", "null", 201, [#""dogs":{"d":"rex","e":null}"#]),
            (
                "PUT", base + "rooms/elements/r", #"{"size":1,"notes":{"n":"t"}}"#, 201,
                [#""size":1"#]
            ),
            (
                "PUT", base + "rooms/elements/r", #"{"warm":true}"#, 200,
                [#""r":{"size":0,"warm":true"#]
            ),
            ("PUT", base + "rooms/elements/r", #"{"guests":{"g":"none"}}"#, 422, ["/guests/g"]),
            ("GET", base + "rooms/elements/r", nil, 200, [#"{"value":{"size":0,"warm":true"#]),
            ("GET", base + "home/elements/0", nil, 404, ["no-elements"]),
        ]
        for (method, target, body, status, texts) in steps {
            APIScenario(method, target, body, status: status, contains: texts).check(on: server)
        }
        for (key, path) in [
            ("%C3%A9", "/%C3%A9"), ("x%20y", "/x%20y"), ("a%2Fc", "?key=%22a%2Fc%22"),
        ] {
            let reply = server.send("PUT", base + "labels/elements/" + key, #""v""#)
            #expect(reply.headers["location"] == base + "labels/elements" + path)
            #expect(server.send("GET", base + "labels/elements" + path).text == #"{"value":"v"}"#)
        }
    }

    @Test("what has no elements says so, and inverse links are not written")
    func refusals() {
        tell([
            ("GET", Self.ann + "/properties/age/elements/0", nil, 404, ["no-elements"]),
            ("POST", Self.ann + "/properties/age/elements", "1", 404, ["no-elements"]),
            ("POST", Self.ann + "/properties/frends/elements", "1", 404, [#""hint":"friends""#]),
            (
                "POST", "/v1/classes/Person/objects/no/properties/friends/elements", #""bob""#, 404,
                ["object-not-found"]
            ),
            (
                "GET", "/v1/classes/Person/objects/no/properties/friends/elements/0", nil, 404,
                ["object-not-found"]
            ),
            (
                "POST", "/v1/classes/Nobody/objects/no/properties/p/elements", "1", 404,
                ["unknown-class"]
            ),
            (
                "POST",
                "/v1/classes/Dog/objects/aaaaaaaaaaaaaaaaaaaaaaaa/properties/owners/elements",
                #""bob""#, 405, ["inverse-link-read-only"]
            ),
            (
                "GET", Self.thing + "/properties/counts/elements/0?fields=x", nil, 400,
                ["unknown-parameter"]
            ),
            ("PATCH", Self.thing + "/properties/counts/elements/0", "1", 405, []),
        ])
        APIScenario(
            "POST", Self.thing + "/properties/counts/elements", "1",
            headers: [("Content-Type", "text/plain")], status: 415
        ).check(on: server)
    }

    @Test("preconditions, preferences and repeats hold as for whole objects")
    func conditions() throws {
        let list = Self.thing + "/properties/counts/elements"
        let first = server.send("GET", list + "/0")
        let etag = try #require(first.headers["etag"])
        #expect(etag == server.send("GET", Self.thing).headers["etag"])
        #expect(server.send("GET", list + "/0", headers: [("If-None-Match", etag)]).status == 304)
        let minimal = server.send(
            "PUT", list + "/0", "4", headers: [("If-Match", etag), ("Prefer", "return=minimal")])
        #expect(minimal.status == 204 && minimal.body.isEmpty && minimal.headers["etag"] != etag)
        #expect(minimal.headers["holdfast-version"] != nil)
        for (method, target, body) in [
            ("PUT", list + "/0", "5"), ("POST", list, "5"), ("DELETE", list + "/0", nil),
        ] {
            APIScenario(
                method, target, body, headers: [("If-Match", etag)], status: 412,
                contains: [#""current":{"etag""#]
            ).check(on: server)
        }
        // A write that changes nothing makes no version.
        let same = server.send("PUT", list + "/0", "4")
        #expect(same.status == 200 && same.headers["etag"] == minimal.headers["etag"])
        let repeated = [("Idempotency-Key", "k1")]
        let added = server.send("POST", list, "6", headers: repeated)
        let again = server.send("POST", list, "6", headers: repeated)
        #expect(added.status == 201 && again.status == 201 && again.text == added.text)
        #expect(again.headers["location"] == added.headers["location"])
        #expect(server.send("GET", Self.thing).text.contains(#""counts":[4,1,2,6]"#))
        #expect(
            server.send("PUT", list + "/0", "9007199254740993").text.contains("9007199254740993"))
        #expect(
            server.send("GET", list + "/0", headers: [("Prefer", "int64=string")]).text
                == #"{"value":"9007199254740993"}"#)
    }

    @Test(
        "random edits of elements do what they do to an array, a set and a dictionary",
        arguments: [false, true])
    func random(overflow: Bool) throws {
        let seed = SeededGenerator.testSeed("edits of elements")
        var random = SeededGenerator(seed: seed)
        // Small limits, so that collections are out of line after a few elements.
        var options = StoreOptions()
        if overflow { options.overflowLimits = .tiny }
        let server = try TestServer(
            try EngineCase.memory.open(), schema: Schema(), storeOptions: options)
        server.send(
            "PUT", "/v1/schema/classes/Bag",
            #"{"properties":{"id":"int","list":"int?[]","set":"int?<>","map":"int?{}"},"primaryKey":"id"}"#
        )
        let bag = "/v1/classes/Bag/objects/1"
        #expect(server.send("PUT", bag, "{}").status == 201)
        var list: [Int?] = []
        var set: Set<Int?> = []
        var map: [String: Int?] = [:]
        func text(_ value: Int?) -> String { value.map { "\($0)" } ?? "null" }
        for step in 0..<SeededGenerator.scaled(300) {
            let value =
                Int.random(in: 0..<9, using: &random) == 0
                ? nil : Int.random(in: 0..<40, using: &random)
            let path = bag + "/properties/"
            let place = Int.random(in: 0...list.count, using: &random)
            let key = "k\(Int.random(in: 0..<30, using: &random))"
            var status = 200
            let reply: HTTPClient.Reply
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1:
                list.insert(value, at: place)
                status = 201
                reply = server.send("POST", path + "list/elements?at=\(place)", text(value))
            case 2:
                if place < list.count { list[place] = value } else { status = 404 }
                reply = server.send("PUT", path + "list/elements/\(place)", text(value))
            case 3:
                if place < list.count { list.remove(at: place) } else { status = 404 }
                reply = server.send("DELETE", path + "list/elements/\(place)")
            case 4:
                if set.insert(value).inserted { status = 201 }
                reply = server.send("POST", path + "set/elements", text(value))
            case 5:
                if set.remove(value) == nil { status = 404 }
                reply = server.send("DELETE", path + "set/elements?value=\(text(value))")
            case 6:
                if map.updateValue(value, forKey: key) == nil { status = 201 }
                reply = server.send("PUT", path + "map/elements/\(key)", text(value))
            default:
                if map.removeValue(forKey: key) == nil { status = 404 }
                reply = server.send("DELETE", path + "map/elements/\(key)")
            }
            #expect(reply.status == status, "step \(step), seed \(seed): \(reply.text)")
            let sorted = set.sorted { ($0 ?? -1) < ($1 ?? -1) }
            let entries = map.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\(text($0.value))" }
            let expected =
                "{\"id\":1,\"list\":[\(list.map(text).joined(separator: ","))],"
                + "\"set\":[\(sorted.map(text).joined(separator: ","))],"
                + "\"map\":{\(entries.joined(separator: ","))}}"
            #expect(server.send("GET", bag).text == expected, "step \(step), seed \(seed)")
        }
        let findings = try StoreCheck.run(server.store).findings
        #expect(findings.isEmpty, "\(findings)")
    }
}
