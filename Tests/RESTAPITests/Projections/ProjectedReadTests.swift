import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("Reading projected objects")
struct ProjectedReadTests {
    let server: TestServer

    init() throws {
        server = try Projections.server()
        Projections.people(server)
    }

    private func get(_ target: String, _ body: String) {
        let reply = server.send("GET", target)
        #expect(reply.status == 200)
        #expect(reply.text == body, "\(target)")
    }

    @Test("an object has exactly what is named, along every path, and null behind a null")
    func object() {
        get(
            "/v1/projections/PersonCard/objects/1",
            #"{"id":1,"first":"Ann","homeCity":"Rome","friendNames":["Bob","Cy","Bob"],"#
                + #""placeCities":["Oslo","Bern"],"bossName":"Cy","bossCity":"Kyiv"}"#)
        get(
            "/v1/projections/PersonCard/objects/3",
            #"{"id":3,"first":"Cy","homeCity":"Kyiv","friendNames":[],"placeCities":[],"bossName":null,"#
                + #""bossCity":null}"#)
        get("/v1/projections/Pals/objects/1", #"{"first":"Ann","pals":[2,3,2]}"#)
    }

    @Test("a property may be shown by another projection, and a collection behind null is null")
    func nested() {
        get(
            "/v1/projections/PersonFile/objects/1",
            #"{"name":"Ash","home":{"town":"Rome","owner":"Cy"},"#
                + #""places":[{"town":"Oslo","owner":null},{"town":"Bern","owner":"Bob"}],"#
                + #""boss":{"id":3,"first":"Cy","homeCity":"Kyiv","friendNames":[],"placeCities":[],"#
                + #""bossName":null,"bossCity":null},"friends":[{"first":"Bob","pals":[1]},"#
                + #"{"first":"Cy","pals":[]},{"first":"Bob","pals":[1]}],"bossTags":[]}"#)
        get(
            "/v1/projections/PersonFile/objects/3",
            #"{"name":"Cedar","home":{"town":"Kyiv","owner":null},"places":[],"boss":null,"#
                + #""friends":[],"bossTags":null}"#)
    }

    @Test("a collection keeps the nulls at the ends of its paths, its order, and its repetitions")
    func mapping() {
        APIScenario(
            "PUT", "/v1/projections/Friends",
            #"{"class":"Person","properties":{"ages":"friends.age","cities":"friends.home.city","#
                + #""bossFriends":"boss.friends._id","tags":"tags","followers":"friendOf"}}"#,
            status: 201
        ).check(on: server)
        get(
            "/v1/projections/Friends/objects/1",
            #"{"ages":[20,null,20],"cities":[null,"Kyiv",null],"bossFriends":[],"tags":["a",null],"#
                + #""followers":[2]}"#)
        APIScenario("DELETE", "/v1/classes/Person/objects/3", status: 204).check(on: server)
        get(
            "/v1/projections/Friends/objects/1",
            #"{"ages":[20,20],"cities":[null,null],"bossFriends":null,"tags":["a",null],"#
                + #""followers":[2]}"#)
    }

    @Test("an object without a primary key carries $id, and fields choose among projected names")
    func fields() {
        let made = server.send("POST", "/v1/classes/Pet/objects", #"{"name":"Rex","vet":2}"#)
        #expect(made.status == 201)
        get("/v1/projections/PetTag/objects/1", #"{"$id":1,"label":"Rex","vetName":"Bob"}"#)
        get("/v1/projections/PetTag/objects/1?fields=label", #"{"label":"Rex"}"#)
        get("/v1/projections/PetTag/object?key=1&fields=label", #"{"label":"Rex"}"#)
        let base = "/v1/projections/PersonCard/objects"
        get(base + "/1?fields=bossName,first,first", #"{"bossName":"Cy","first":"Ann"}"#)
        get(
            base + "/3?fields=*,$id",
            #"{"id":3,"first":"Cy","homeCity":"Kyiv","friendNames":[],"placeCities":[],"bossName":null,"#
                + #""bossCity":null,"$id":3}"#)
        APIScenario(
            "GET", base + "/3?fields=$version", status: 200, contains: [#"{"$version":""#]
        ).check(on: server)
        APIScenario(
            "GET", base + "/3?fields=homeCty", status: 400,
            contains: ["unknown-property", "Projection 'PersonCard'", #""hint":"homeCity""#]
        ).check(on: server)
        APIScenario(
            "GET", base + "/3?expand=boss", status: 400, contains: ["unknown-parameter"]
        ).check(on: server)
    }

    @Test("the ETag is the object's own, and a reply with other objects' data is never 304")
    func tags() throws {
        let whole = server.send("GET", "/v1/classes/Person/objects/1")
        let tag = try #require(whole.headers["etag"])
        let card = "/v1/projections/PersonCard/objects/1"
        APIScenario(
            "GET", card, headers: [("If-None-Match", tag)], status: 200, fields: ["etag": tag]
        ).check(on: server)
        APIScenario(
            "GET", card + "?fields=first,homeCity,placeCities", headers: [("If-None-Match", tag)],
            status: 304
        ).check(on: server)
        APIScenario("HEAD", card, status: 200, fields: ["etag": tag]).check(on: server)
        APIScenario(
            "GET", card, headers: [("If-Match", "\"00000000-1\"")], status: 412,
            contains: ["\"current\":"]
        ).check(on: server)
    }

    @Test("a list is filtered, sorted, paged and counted by the names of the class")
    func list() throws {
        let base = "/v1/projections/PersonCard/objects?fields=first"
        get(base + "&sort=-age", #"{"objects":[{"first":"Ann"},{"first":"Bob"},{"first":"Cy"}]}"#)
        get(
            base + "&filter=home.city%20==%20'Kyiv'&count=exact",
            #"{"objects":[{"first":"Cy"}],"count":1}"#)
        get(
            base + "&filter=ANY%20friends.lastName%20==%20$0&text=Ash",
            #"{"objects":[{"first":"Bob"}]}"#
        )
        get(
            base + "&sort=boss._id,_id&distinct=boss._id", #"{"objects":[{"first":"Ann"}]}"#)
        let first = server.send("GET", base + "&sort=firstName&limit=2")
        let cursor = try #require(QueryJSON(first.text)?["next"]?.string)
        #expect(first.headers["link"]?.contains("/v1/projections/PersonCard/objects?") == true)
        get(
            base + "&sort=firstName&limit=2&cursor=" + cursor, #"{"objects":[{"first":"Cy"}]}"#)
        APIScenario(
            "GET", base + "&filter=age%20==%2030&explain=true", status: 200,
            contains: [#""indexes":["age"]"#]
        ).check(on: server)
    }

    @Test(
        "a query by a name that only the projection has says why it fails, and what to write",
        arguments: [
            ("filter=homeCity%20==%20'Rome'", "homeCity", "home.city", 1),
            ("filter=age%20%3E%201%20AND%20bossName%20!=%20nil", "bossName", "boss.firstName", 13),
            ("filter=ANY%20friendNames%20==%20'x'", "friendNames", "friends.firstName", 5),
            ("sort=-first", "first", "firstName", 2),
            ("distinct=homeCity", "homeCity", "home.city", 1),
        ])
    func projectedNames(query: String, name: String, path: String, column: Int) {
        APIScenario(
            "GET", "/v1/projections/PersonCard/objects?" + query, status: 400,
            contains: [
                "'\(name)' exists only in the projection 'PersonCard'", "'\(path)'",
                #""column":\#(column),"hint":"\#(path)""#,
            ]
        ).check(on: server)
        APIScenario(
            "GET", "/v1/projections/PersonCard/objects?filter=homeTown%20==%201", status: 400,
            excludes: ["exists only"]
        ).check(on: server)
    }

    @Test("a projection of an embedded class shows what a property holds, one or many")
    func embedded() {
        let base = "/v1/classes/Person/objects/1/properties/"
        get(base + "home?projection=AddressLine", #"{"value":{"town":"Rome","owner":"Cy"}}"#)
        get(
            base + "places?projection=AddressLine&sort=city",
            #"{"objects":[{"town":"Bern","owner":"Bob"},{"town":"Oslo","owner":null}]}"#)
        get(
            base + "places?projection=AddressLine&fields=town&limit=5",
            #"{"objects":[{"town":"Oslo"},{"town":"Bern"}]}"#)
        get(base + "boss?projection=Pals", #"{"value":{"first":"Cy","pals":[]}}"#)
        get(base + "friendOf?projection=Pals", #"{"objects":[{"first":"Bob","pals":[1]}]}"#)
        get(
            "/v1/classes/Person/objects/2/properties/home?projection=AddressLine",
            #"{"value":null}"#)
        for (target, status, text) in [
            (base + "home?projection=Pals", 400, "has no objects of class 'Person'"),
            (base + "age?projection=Pals", 400, "has no objects of class 'Person'"),
            (base + "home?projection=Address", 400, "unknown-projection"),
            (base + "places?projection=AddressLine&fields=city", 400, "unknown-property"),
            (base + "places?projection=AddressLine&expand=landlord", 400, "excludes 'expand'"),
            ("/v1/projections/AddressLine/objects", 405, "?projection=AddressLine"),
            ("/v1/projections/AddressLine/objects/1", 405, "?projection=AddressLine"),
            ("/v1/projections/PersonCrd/objects", 404, #""hint":"PersonCard""#),
            ("/v1/projections/PersonCard/objects/9", 404, "object-not-found"),
            ("/v1/projections/PersonCard/objects/x", 400, "wrong-key-type"),
        ] {
            APIScenario(
                "GET", target, status: status, contains: [text]
            ).check(on: server)
        }
    }

    @Test("the value of a property is 304 only when no other object's data stands in it")
    func embeddedTags() throws {
        let target = "/v1/classes/Person/objects/1/properties/home?projection="
        let tag = try #require(
            server.send("GET", target + "AddressLine").headers["etag"])
        APIScenario(
            "GET", target + "AddressLine", headers: [("If-None-Match", tag)], status: 200
        ).check(on: server)
        APIScenario(
            "PUT", "/v1/projections/Town", #"{"class":"Address","properties":{"town":"city"}}"#,
            status: 201
        ).check(on: server)
        APIScenario(
            "GET", target + "Town", headers: [("If-None-Match", tag)], status: 304
        ).check(on: server)
    }
}
