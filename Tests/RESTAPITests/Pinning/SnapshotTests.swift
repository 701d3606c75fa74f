import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

@Suite("Reads of a pinned version")
struct SnapshotTests {
    let server: TestServer

    init() throws {
        server = try Projections.server(.lmdb)
        Projections.people(server)
    }

    /// Reads something and pins the version.
    private func pin(_ target: String = "/v1/classes/Person/objects/1") throws -> String {
        let mark = target.contains("?") ? "&" : "?"
        let reply = server.send("GET", "\(target)\(mark)snapshot=new")
        #expect(reply.status == 200, "\(reply.text)")
        return try #require(reply.headers["holdfast-snapshot"])
    }

    private func change() {
        for (method, target, body) in [
            (
                "PATCH", "/v1/classes/Person/objects/1",
                #"{"firstName":"Zoe","age":90,"tags":["z"]}"#
            ),
            (
                "PATCH", "/v1/classes/Person/objects/3",
                #"{"firstName":"Dan","home":{"city":"Ulm"}}"#
            ),
            ("PUT", "/v1/classes/Person/objects/7", #"{"firstName":"New","age":25}"#),
            ("POST", "/v1/classes/Pet/objects", #"{"name":"Rex"}"#),
            ("DELETE", "/v1/classes/Person/objects/2", nil),
        ] as [(String, String, String?)] {
            #expect(server.send(method, target, body).status < 300, "\(method) \(target)")
        }
    }

    /// What may be read under a snapshot.
    private static let targets = [
        "/v1/classes/Person/objects/1", "/v1/classes/Person/objects/2",
        "/v1/classes/Person/object?key=2",
        "/v1/classes/Person/objects/1?expand=boss&fields=*,friendOf",
        "/v1/classes/Person/objects", "/v1/classes/Person/objects?filter=age%3E22&count=exact",
        "/v1/classes/Person/objects?sort=-firstName&limit=2", "/v1/classes/Pet/objects",
        "/v1/classes/Person/objects/1/properties/firstName",
        "/v1/classes/Person/objects/1/properties/tags",
        "/v1/classes/Person/objects/1/properties/friends",
        "/v1/classes/Person/objects/1/properties/tags/elements/0",
        "/v1/classes/Person/aggregate?op=count,max(age)",
        "/v1/classes/Person/aggregate?op=count&by=lastName",
        "/v1/classes/Person/sections?by=prefix(firstName,1)",
        "/v1/projections/PersonCard/objects/1", "/v1/projections/PersonCard/objects?sort=firstName",
        "/v1/classes/Person/export", "/v1/export",
    ]

    @Test(
        "every read answers what it did when the version was pinned, ETag included",
        arguments: targets)
    func reads(target: String) throws {
        let before = server.send("GET", target)
        #expect(before.status == 200, "\(before.text)")
        let id = try pin(target)
        change()
        let mark = target.contains("?") ? "&" : "?"
        let now = server.send("GET", target)
        #expect(now.text != before.text || now.status != 200)
        #expect(now.headers["holdfast-snapshot"] == nil)
        let again = server.send("GET", "\(target)\(mark)snapshot=\(id)")
        #expect(again.status == 200)
        // The cursor of a page under a snapshot has its id.
        let text = again.text.replacing("\(id).", with: "")
        #expect(text == before.text)
        for name in ["etag", "holdfast-version", "vary"] {
            #expect(again.headers[name] == before.headers[name], "\(name)")
        }
        #expect(again.headers["holdfast-snapshot"] == id)
        #expect(again.headers["cache-control"] == "private, no-cache")
        let head = server.send("HEAD", "\(target)\(mark)snapshot=\(id)")
        #expect(head.status == 200 && head.headers["holdfast-snapshot"] == id)
    }

    @Test("one snapshot serves every class, and conditions are about its version")
    func conditions() throws {
        let path = "/v1/classes/Person/objects/1"
        let tag = try #require(server.send("GET", path).headers["etag"])
        let id = try pin("/v1/classes/Pet/objects")
        change()
        let newTag = try #require(server.send("GET", path).headers["etag"])
        for scenario in [
            APIScenario(
                "GET", "\(path)?snapshot=\(id)", headers: [("If-None-Match", tag)], status: 304,
                fields: ["holdfast-snapshot": id, "etag": tag]),
            APIScenario(
                "GET", "\(path)?snapshot=\(id)", headers: [("If-None-Match", newTag)], status: 200,
                contains: [#""firstName":"Ann""#], fields: ["etag": tag]),
            APIScenario(
                "GET", "\(path)?snapshot=\(id)", headers: [("If-Match", newTag)], status: 412,
                excludes: ["Zoe"], fields: [:]),
            APIScenario(
                "GET", "\(path)?snapshot=\(id)", headers: [("If-Match", tag)], status: 200),
            APIScenario(
                "GET", "/v1/classes/Person/objects/7?snapshot=\(id)", status: 404,
                contains: ["object-not-found"]),
            APIScenario(
                "GET", "/v1/classes/Pet/objects?snapshot=\(id)", status: 200,
                contains: [#"{"objects":[]}"#]),
            APIScenario(
                "POST", "/v1/classes/Person/query?snapshot=\(id)", #"{"filter":"age == 20"}"#,
                status: 200, contains: [#""firstName":"Bob""#], fields: ["holdfast-snapshot": id]),
        ] { scenario.check(on: server) }
    }

    @Test("a page's cursor goes on under its snapshot, whether the snapshot is stated or not")
    func cursors() throws {
        let list = "/v1/classes/Person/objects?sort=firstName&limit=1"
        func names(_ first: String, _ rest: (String) -> String) -> [String] {
            var reply = server.send("GET", first)
            var names: [String] = []
            while true {
                #expect(reply.status == 200, "\(reply.text)")
                names += (reply.json["objects"]?.elements ?? []).compactMap {
                    $0["firstName"]?.string
                }
                guard let next = reply.next else { return names }
                reply = server.send("GET", rest(next))
            }
        }
        let id = try pin()
        change()
        let then = ["Ann", "Bob", "Cy"]
        #expect(names("\(list)&snapshot=\(id)") { "\(list)&cursor=\($0)" } == then)
        #expect(names("\(list)&snapshot=\(id)") { "\(list)&snapshot=\(id)&cursor=\($0)" } == then)
        #expect(names("\(list)&snapshot=\(id)") { "\(list)&snapshot=new&cursor=\($0)" } == then)
        #expect(names(list) { "\(list)&cursor=\($0)" } == ["Dan", "New", "Zoe"])
        // A new snapshot, whose pages go on while the objects change.
        let first = server.send("GET", "\(list)&snapshot=new")
        server.send("PATCH", "/v1/classes/Person/objects/7", #"{"firstName":"Abe"}"#)
        let link = try #require(first.headers["link"])
        let target = String(link.dropFirst().prefix { $0 != ">" })
        let second = server.send("GET", target)
        #expect(second.text.contains(#""firstName":"New""#))
        #expect(second.headers["holdfast-snapshot"] == first.headers["holdfast-snapshot"])
        let body = server.send(
            "POST", "/v1/classes/Person/query?snapshot=\(id)", #"{"sort":"firstName","limit":1}"#)
        let next = try #require(body.next)
        APIScenario(
            "POST", "/v1/classes/Person/query",
            #"{"sort":"firstName","limit":1,"cursor":"\#(next)"}"#, status: 200,
            contains: [#""firstName":"Bob""#], fields: ["holdfast-snapshot": id]
        ).check(on: server)
        // A cursor belongs to one snapshot.
        let other = try pin()
        APIScenario(
            "GET", "\(list)&snapshot=\(other)&cursor=\(next)", status: 400,
            contains: ["invalid-cursor", "another snapshot"]
        ).check(on: server)
    }

    @Test("who pins the same version shares it, and gets the same id again")
    func sharing() throws {
        let id = try pin()
        #expect(try pin("/v1/classes/Pet/objects") == id)
        #expect(server.service.served.pins.versionCount == 1)
        APIScenario("GET", "/metrics", status: 200, contains: ["holdfast_pinned_versions 1\n"])
            .check(on: server)
        change()
        #expect(try pin() != id)
        #expect(server.service.served.pins.versionCount == 2)
    }

    @Test("a read that fails pins nothing")
    func failures() {
        for target in [
            "/v1/classes/Person/objects/99?", "/v1/classes/Persn/objects/1?",
            "/v1/classes/Person/objects?filter=((&", "/v1/classes/Person/aggregate?op=max(x)&",
            "/v1/classes/Persn/export?",
        ] {
            let reply = server.send("GET", target + "snapshot=new")
            #expect(reply.status >= 400 && reply.headers["holdfast-snapshot"] == nil)
        }
        #expect(server.service.served.pins.versionCount == 0)
    }

    @Test("what is no snapshot is refused, and what contradicts one")
    func refusals() throws {
        let path = "/v1/classes/Person/objects/1"
        let old = "\(server.store.version)"
        let id = try pin()
        change()
        let version = "\(server.store.version)"
        for scenario in [
            APIScenario(
                "GET", "\(path)?snapshot=\(version)", status: 400,
                contains: ["invalid-parameter", "Holdfast-Snapshot", #""parameter":"snapshot""#]),
            APIScenario("GET", "\(path)?snapshot=", status: 400),
            APIScenario(
                "GET", "\(path)?snapshot=\(String(repeating: "A", count: 22))", status: 410,
                contains: ["snapshot-ended", "snapshot=new", "60 s"]),
            APIScenario(
                "GET", "\(path)?snapshot=\(id)&minVersion=\(version)", status: 400,
                contains: [#""parameter":"minVersion""#, "older"]),
            APIScenario("GET", "\(path)?snapshot=\(id)&minVersion=\(old)", status: 200),
            APIScenario(
                "GET", "\(path)?snapshot=new&minVersion=\(version)", status: 200,
                contains: [#""firstName":"Zoe""#], fields: ["holdfast-version": version]),
            APIScenario(
                "GET", "\(path)?snapshot=\(id)&snapshot=new", status: 400,
                contains: ["more than once"]),
            APIScenario(
                "GET", "/v1/classes/Person/objects?limit=1&cursor=\(id).x", status: 400,
                contains: ["invalid-cursor"]),
            APIScenario(
                "PATCH", "\(path)?snapshot=\(id)", "{}", status: 400,
                contains: ["unknown-parameter"]),
        ] { scenario.check(on: server) }
    }

    @Test("a change of the schema leaves a pinned version as it was")
    func schemaChange() throws {
        let id = try pin()
        let before = server.send("GET", "/v1/export").text
        let list = server.send("GET", "/v1/classes/Person/objects?sort=age").text
        for name in ["PersonFile", "PersonCard", "Pals", "PetTag", "AddressLine"] {
            APIScenario("DELETE", "/v1/projections/\(name)", status: 204).check(on: server)
        }
        APIScenario(
            "PUT", "/v1/schema?allowDataLoss=true",
            #"{"classes":[{"name":"Person","primaryKey":"_id","properties":{"_id":"int","age":"string?"}}]}"#,
            status: 200
        ).check(on: server)
        for scenario in [
            APIScenario(
                "GET", "/v1/classes/Person/objects/1?snapshot=\(id)", status: 200,
                contains: [#""firstName":"Ann","lastName":"Ash","age":30"#]),
            APIScenario("GET", "/v1/classes/Person/objects/1", status: 200, excludes: ["Ann"]),
            APIScenario("GET", "/v1/classes/Pet/objects?snapshot=\(id)", status: 200),
            APIScenario("GET", "/v1/classes/Pet/objects", status: 404),
            APIScenario(
                "GET", "/v1/projections/PersonCard/objects/1?snapshot=\(id)", status: 200,
                contains: [#""bossCity":"Kyiv""#]),
        ] { scenario.check(on: server) }
        #expect(server.send("GET", "/v1/export?snapshot=\(id)").text == before)
        let listed = server.send("GET", "/v1/classes/Person/objects?sort=age&snapshot=\(id)").text
        #expect(listed == list)
    }
}
