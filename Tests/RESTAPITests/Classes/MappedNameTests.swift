import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastTestSupport
import Testing

@Suite("properties that are mapped to other names")
struct MappedNameTests {
    let server: TestServer

    private static let schema = Schema(classes: [
        ObjectClass(
            name: "Person", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int)), mapTo: "_id"),
                Property(
                    name: "firstName", type: .single(.scalar(.string)), isIndexed: true,
                    mapTo: "first_name"),
                Property(
                    name: "boss", type: .single(.object("Person")), isOptional: true,
                    mapTo: "boss_link"),
                Property(
                    name: "home", type: .single(.object("Home")), isOptional: true, mapTo: "adr"),
                Property(
                    name: "staff", type: .linkingObjects(className: "Person", property: "boss"),
                    mapTo: "staff_of"),
            ]),
        ObjectClass(
            name: "Home", kind: .embedded,
            properties: [Property(name: "city", type: .single(.scalar(.string)), mapTo: "town")]),
    ])

    init() throws {
        server = try TestServer(schema: Self.schema)
        server.send(
            "POST", "/v1/classes/Person/objects",
            #"[{"id":1,"firstName":"Ann","home":{"city":"Oslo"}},{"id":2,"firstName":"Bob","boss":1}]"#
        )
    }

    @Test("JSON has the property's own name")
    func json() {
        APIScenario(
            "GET", "/v1/classes/Person/objects/1", status: 200,
            contains: [#"{"id":1,"firstName":"Ann","boss":null,"home":{"city":"Oslo"}}"#],
            excludes: ["first_name", "adr", "town"]
        ).check(on: server)
        APIScenario(
            "PATCH", "/v1/classes/Person/objects/1", #"{"first_name":"x"}"#, status: 422,
            contains: ["unknown-property", "\"hint\":\"firstName\""]
        ).check(on: server)
        APIScenario(
            "PATCH", "/v1/classes/Person/objects/1",
            #"[{"op":"replace","path":"/firstName","value":"Eva"}]"#,
            headers: [("Content-Type", "application/json-patch+json")], status: 200,
            contains: [#""firstName":"Eva""#]
        ).check(on: server)
        APIScenario(
            "GET", "/v1/classes/Person/objects/1/properties/firstName", status: 200
        ).check(on: server)
        APIScenario(
            "GET", "/v1/classes/Person/objects/1/properties/first_name", status: 404,
            contains: ["\"hint\":\"firstName\""]
        ).check(on: server)
    }

    @Test(
        "queries, orders and selections take either name",
        arguments: [
            [("filter", "firstName == 'Ann'")], [("filter", "first_name == 'Ann'")],
            [("filter", "adr.town == 'Oslo'")], [("filter", "home.town == 'Oslo'")],
            [("filter", "staff_of.first_name == 'Bob'")],
            [("filter", "@links.Person.boss_link.@count == 1")],
            [("filter", "@links.Person.boss.@count == 1")], [("filter", "_id == 1")],
            [("sort", "first_name"), ("limit", "1")], [("sort", "firstName"), ("limit", "1")],
            [("filter", "TRUEPREDICATE SORT(first_name ASC) LIMIT(1)")],
            [("sort", "-adr.town"), ("limit", "1")],
        ])
    func queries(parameters: [(String, String)]) {
        let page = server.send("GET", target("/v1/classes/Person/objects", parameters))
        #expect(page.status == 200 && page.ids == [1], "\(page.text)")
    }

    @Test("a selection by either name shows the property's own")
    func fields() {
        for names in ["firstName,home.city,staff", "first_name,adr.town,staff_of"] {
            APIScenario(
                "GET", "/v1/classes/Person/objects/1?fields=\(names)", status: 200,
                contains: [#"{"firstName":"Ann","home":{"city":"Oslo"},"staff":[2]}"#]
            ).check(on: server)
        }
        APIScenario(
            "GET", "/v1/classes/Person/objects/2?expand=boss_link", status: 200,
            contains: [#""boss":{"id":1,"firstName":"Ann""#]
        ).check(on: server)
    }

    @Test("changes name the property as JSON does")
    func changes() {
        let since = server.store.version.description
        server.send("PATCH", "/v1/classes/Person/objects/1", #"{"firstName":"Eva"}"#)
        APIScenario(
            "GET",
            target(
                "/v1/classes/Person/changes",
                [("since", since), ("filter", "first_name == 'Eva'"), ("fields", "first_name")]),
            status: 200, contains: [#""changed":["firstName"],"object":{"firstName":"Eva"}"#]
        ).check(on: server)
    }

    @Test("changes are told of an object that both names show whole together")
    func bothNames() {
        let since = server.store.version.description
        server.send("PATCH", "/v1/classes/Person/objects/1", #"{"firstName":"Eva"}"#)
        APIScenario(
            "GET",
            target(
                "/v1/classes/Person/changes",
                [("since", since), ("filter", "id == 2"), ("fields", "boss,boss_link.id")]),
            status: 200, contains: [#""op":"update","id":2"#, #""firstName":"Eva""#]
        ).check(on: server)
    }

    @Test("the schema keeps both names and can be put back; another mapping is no change of data")
    func schema() throws {
        let reply = server.send("GET", "/v1/schema")
        #expect(
            reply.text.contains(
                #""firstName":{"type":"string","mapTo":"first_name","indexed":true}"#))
        let before = server.store.version
        APIScenario("PUT", "/v1/schema", reply.text, status: 200).check(on: server)
        #expect(server.store.version == before)
        let etag = server.send("GET", "/v1/classes/Person/objects/1").headers["etag"]
        let other = reply.text.replacing("first_name", with: "given_name")
        APIScenario(
            "PUT", "/v1/schema?dryRun=true", other, status: 200,
            contains: [#"{"op":"changeMapTo","class":"Person","property":"firstName""#]
        ).check(on: server)
        APIScenario("PUT", "/v1/schema", other, status: 200).check(on: server)
        #expect(server.send("GET", "/v1/classes/Person/objects/1").headers["etag"] == etag)
        for (name, status) in [("given_name", 200), ("first_name", 400)] {
            APIScenario(
                "GET", target("/v1/classes/Person/objects", [("filter", "\(name) == 'Ann'")]),
                status: status
            ).check(on: server)
        }
        #expect(try StoreCheck.run(server.store).findings == [])
    }

    private static let longest = String(repeating: "é", count: 31) + "x"

    @Test(
        "a mapped name is like any name, and one property's alone",
        arguments: [
            (#"{"a":{"type":"int","mapTo":"b"},"b":"int"}"#, 422, "/properties/a"),
            (
                #"{"a":{"type":"int","mapTo":"c"},"b":{"type":"int","mapTo":"c"}}"#, 422,
                "/properties/b"
            ),
            (#"{"a":{"type":"int","mapTo":"a"}}"#, 201, ""),
            (#"{"a":{"type":"int","mapTo":"b"},"c":{"type":"int","mapTo":"d"}}"#, 201, ""),
            (#"{"a":{"type":"int","mapTo":""}}"#, 422, "/properties/a"),
            (#"{"a":{"type":"int","mapTo":"x.y"}}"#, 422, "/properties/a"),
            (#"{"a":{"type":"int","mapTo":7}}"#, 422, "/properties/a/mapTo"),
            (#"{"a":{"type":"int","mapTo":"\#(longest)"}}"#, 201, ""),
            (#"{"a":{"type":"int","mapTo":"\#(longest)x"}}"#, 422, "63"),
        ])
    func names(properties: String, status: Int, pointer: String) {
        APIScenario(
            "PUT", "/v1/schema/classes/X", "{\"properties\":\(properties)}", status: status,
            contains: [pointer]
        ).check(on: server)
    }
}
