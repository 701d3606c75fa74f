import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("Whole objects as a projection shows them")
struct ProjectedRoundTripTests {
    let server: TestServer
    private let teams = "/v1/projections/Team/objects"
    private let people = "/v1/classes/Person/objects"

    /// A projection that shows a link, a value behind it, and one property under two names.
    init() throws {
        server = try Projections.server()
        Projections.people(server)
        for (name, body) in [
            (
                "Team",
                #"{"class":"Person","properties":{"bossName":"boss.firstName","boss":"boss","title":"firstName","#
                    + #""id":"_id","label":"firstName","city":"home.city","home":"home","fans":"friendOf"}}"#
            ),
            ("Animal", #"{"class":"Pet","properties":{"label":"name"}}"#),
        ] {
            APIScenario("PUT", "/v1/projections/\(name)", body, status: 201).check(on: server)
        }
    }

    @Test("an object with overlapping members can be put back, and each of the first may change")
    func overlaps() throws {
        let read = server.send("GET", teams + "/1")
        let put = APIScenario("PUT", teams + "/1", read.text, status: 200).check(on: server)
        #expect(put.text == read.text && put.headers["etag"] == read.headers["etag"])
        func changed(_ from: String, _ to: String) -> String {
            read.text.split(separator: from, omittingEmptySubsequences: false)
                .joined(separator: to)
        }
        // A link is the statement, wherever it stands; the value behind it is the one that was read.
        APIScenario(
            "PUT", teams + "/1", changed(#""boss":3"#, #""boss":2"#), status: 200,
            contains: [#""bossName":"Bob","boss":2"#]
        ).check(on: server)
        APIScenario(
            "PUT", teams + "/1", read.text, status: 422, contains: [#""pointer":"/bossName""#]
        )
        .check(on: server)
        APIScenario("PATCH", teams + "/1", #"{"boss":3}"#, status: 200).check(on: server)
        APIScenario(
            "PUT", teams + "/1", changed(#""title":"Ann""#, #""title":"Anna""#), status: 200,
            contains: [#""title":"Anna","id":1,"label":"Anna""#]
        ).check(on: server)
        for (from, to, pointer) in [
            (#""label":"Ann""#, #""label":"X""#, "/label"),
            (#""bossName":"Cy""#, #""bossName":"X""#, "/bossName"),
            (#""city":"Rome""#, #""city":"X""#, "/city"),
        ] {
            APIScenario("PATCH", teams + "/1", #"{"title":"Ann"}"#, status: 200).check(on: server)
            APIScenario(
                "PUT", teams + "/1", changed(from, to), status: 422,
                contains: ["conflicting-properties", "\"pointer\":\"\(pointer)\""]
            ).check(on: server)
        }
    }

    @Test("a link is the statement wherever it stands, also behind another link")
    func order() throws {
        for (name, body) in [
            (
                "Far",
                #"{"class":"Person","properties":{"id":"_id","name":"boss.boss.firstName","link":"boss.boss"}}"#
            ),
            (
                "Near",
                #"{"class":"Person","properties":{"id":"_id","card":{"path":"boss","projection":"Team"},"link":"boss"}}"#
            ),
        ] {
            APIScenario("PUT", "/v1/projections/\(name)", body, status: 201).check(on: server)
        }
        APIScenario("PATCH", people + "/3", #"{"boss":1}"#, status: 200).check(on: server)
        for text in [#""name":"Ann","link":2"#, #""link":3,"name":"Bob""#] {
            APIScenario(
                "PUT", "/v1/projections/Far/objects/1", #"{"id":1,\#(text)}"#, status: 200
            ).check(on: server)
        }
        APIScenario("PATCH", people + "/3", #"{"boss":null}"#, status: 200).check(on: server)
        let near = "/v1/projections/Near/objects/1"
        let read = server.send("GET", near).text
        APIScenario(
            "PUT", near, read.split(separator: #""link":3"#).joined(separator: #""link":2"#),
            status: 200, contains: [#""link":2"#]
        ).check(on: server)
    }

    @Test("nested objects without a primary key, and collections behind null, can be put back")
    func shapes() throws {
        let kinds = """
            {"classes":[
              {"name":"Box","primaryKey":"id","properties":{"id":"int","thing":"Thing?","next":"Box?","deep":"mixed","n":"int[]"}},
              {"name":"Thing","properties":{"name":"string","marks":"int?[]","any":"mixed{}"}}]}
            """
        let server = try TestServer(.memory, schema: Schema(classes: []))
        let deep = String(repeating: "[", count: 90) + String(repeating: "]", count: 90)
        for (method, path, body) in [
            ("PUT", "schema", kinds),
            ("PUT", "projections/ThingCard", #"{"class":"Thing","properties":{"name":"name"}}"#),
            (
                "PUT", "projections/BoxCard",
                #"{"class":"Box","properties":{"id":"id","thing":{"path":"thing","projection":"ThingCard"},"#
                    + #""marks":"next.thing.marks","any":"next.thing.any","deep":"next.deep","count":"n.@count"}}"#
            ),
            (
                "POST", "classes/Box/objects",
                "[{\"id\":1,\"thing\":{\"name\":\"x\"},\"n\":[1,2],\"deep\":\(deep)},{\"id\":2,\"next\":1}]"
            ),
        ] {
            let reply = server.send(method, "/v1/" + path, body)
            #expect(reply.status < 300, "\(path): \(reply.text)")
        }
        for id in 1...2 {
            let path = "/v1/projections/BoxCard/objects/\(id)"
            let read = server.send("GET", path).text
            APIScenario("PUT", path, read, status: 200, contains: [read]).check(on: server)
        }
        let one = server.send("GET", "/v1/projections/BoxCard/objects/1").json
        let other = (one["thing"]?["$id"]?.int ?? 0) + 1
        APIScenario(
            "PUT", "/v1/projections/BoxCard/objects/1",
            #"{"thing":{"$id":\#(other),"name":"x"},"count":2}"#, status: 422,
            contains: ["key-mismatch", "/thing/$id"]
        ).check(on: server)
    }

    @Test("an object that is created may state read-only values that it then shows")
    func copies() throws {
        let read = server.send("GET", teams + "/1").text
        let copy = read.split(separator: #""id":1"#).joined(separator: #""id":9"#)
        APIScenario(
            "PUT", teams + "/9", copy, status: 422,
            contains: ["inverse-link-read-only", #""pointer":"/fans""#]
        ).check(on: server)
        let own = copy.split(separator: #""fans":[2]"#).joined(separator: #""fans":[]"#)
        APIScenario("PUT", teams + "/9", own, status: 201, contains: [own]).check(on: server)
        APIScenario(
            "POST", teams, own.split(separator: #""id":9"#).joined(separator: #""id":10"#),
            status: 201, contains: [#""bossName":"Cy","boss":3"#]
        ).check(on: server)
        APIScenario(
            "POST", "/v1/transactions",
            #"{"operations":[{"op":"create","projection":"Team","value":{"id":11,"boss":3,"bossName":"Bob"}}]}"#,
            status: 422, contains: [#""pointer":"/operations/0/value/bossName""#]
        ).check(on: server)
        #expect(server.send("GET", people + "/11").status == 404)
    }

    @Test("an object's $id and $version are taken where the class takes them")
    func specials() throws {
        let animals = "/v1/projections/Animal/objects"
        let made = server.send("POST", animals, #"{"label":"Rex"}"#)
        let id = made.json["$id"]?.int ?? 0
        let version = made.headers["etag"]?.split(separator: "\"").first.map(String.init) ?? ""
        for (mode, body, status, text) in [
            ("create", #"{"$id":\#(id),"label":"Max"}"#, 422, #""pointer":"/$id""#),
            ("merge", #"[{"$id":\#(id),"$version":"\#(version)","label":"Max"}]"#, 200, "Max"),
            ("merge", #"{"$id":\#(id),"$version":"\#(version)","label":"Rex"}"#, 412, "Max"),
            ("replace", #"{"$id":\#(id)}"#, 200, #""label":"""#),
            ("merge", #"{"$id":99,"label":"Max"}"#, 404, "object-not-found"),
            ("merge", #"{"$id":"x","label":"Max"}"#, 422, "wrong-type"),
        ] {
            APIScenario("POST", animals + "?mode=\(mode)", body, status: status, contains: [text])
                .check(on: server)
        }
        APIScenario(
            "POST", teams, #"{"$id":12,"id":13}"#, status: 422, contains: ["key-mismatch"]
        ).check(on: server)
        APIScenario("POST", teams, #"{"$id":12}"#, status: 201, contains: [#""id":12"#]).check(
            on: server)
        APIScenario(
            "POST", "/v1/transactions",
            #"{"operations":[{"op":"create","projection":"Animal","value":{"$id":1,"label":"x"}}]}"#,
            status: 422, contains: ["id-not-allowed", #""pointer":"/operations/0/value/$id""#]
        ).check(on: server)
    }

    @Test("a merge patch creates an object that does not exist, if it is asked to")
    func upserts() throws {
        let body = #"{"title":"Zoe"}"#
        APIScenario("PATCH", teams + "/20", body, status: 404).check(on: server)
        APIScenario(
            "PATCH", teams + "/20?upsert=true", body, status: 201,
            contains: [#""title":"Zoe","id":20"#], fields: ["location": teams + "/20"]
        ).check(on: server)
        APIScenario(
            "PATCH", teams + "/1?upsert=true", body, status: 200,
            contains: [#""title":"Zoe","id":1,"label":"Zoe","city":"Rome""#]
        ).check(on: server)
        APIScenario(
            "PATCH", "/v1/projections/Team/object?key=21&upsert=true", body, status: 201
        ).check(on: server)
        APIScenario(
            "PATCH", "/v1/projections/Animal/objects/77?upsert=true", #"{"label":"x"}"#, status: 404
        ).check(on: server)
        APIScenario(
            "PATCH", teams + "/1?upsert=true", "[]",
            headers: [("Content-Type", "application/json-patch+json")], status: 400,
            contains: ["upsert"]
        ).check(on: server)
    }

    @Test("the faults of several parts are counted once, and those of an array have their index")
    func faults() throws {
        let both = #"{"id":"x","title":7}"#
        for (path, body, pointers) in [
            (teams, "[{},\(both)]", ["/0/_id", "/1/id", "/1/title"]),
            (
                "/v1/transactions",
                #"{"operations":[{"op":"put","projection":"Team","id":1,"value":\#(both)}]}"#,
                ["/operations/0/value/id", "/operations/0/value/title"]
            ),
        ] {
            let reply = APIScenario(
                "POST", path, body, status: 422, contains: pointers.map { "\"pointer\":\"\($0)\"" }
            ).check(on: server)
            let detail = reply.json["detail"]?.string ?? ""
            #expect(detail.split(separator: "more fault").count == 2, "\(detail)")
        }
    }
}
