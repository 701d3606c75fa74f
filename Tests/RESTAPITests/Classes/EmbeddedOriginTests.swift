import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

/// Cities to which addresses link, which are embedded in people and firms and know who holds them.
private enum Addresses {
    static let schema = Schema(classes: [
        ObjectClass(
            name: "City", primaryKey: "id",
            properties: [
                Schemas.property("id", .string),
                inverse("residents", of: "Address", "city"),
                inverse("depots", of: "Depot", "city"),
            ]),
        ObjectClass(
            name: "Address", kind: .embedded,
            properties: [
                Schemas.property("street", .string), Schemas.link("city", "City"),
                Property(name: "depot", type: .single(.object("Depot")), isOptional: true),
                inverse("dwellers", of: "Person", "home"),
                inverse("guests", of: "Person", "others"),
            ]),
        ObjectClass(
            name: "Depot", kind: .embedded,
            properties: [
                Schemas.property("size", .int), Schemas.link("city", "City"),
                inverse("addresses", of: "Address", "depot"),
            ]),
        ObjectClass(
            name: "Person", primaryKey: "id",
            properties: [
                Schemas.property("id", .int), Schemas.property("name", .string),
                Property(name: "home", type: .single(.object("Address")), isOptional: true),
                Schemas.list("others", of: "Address"), Schemas.link("friend", "Person"),
            ]),
        ObjectClass(
            name: "Firm",
            properties: [
                Schemas.property("title", .string),
                Property(name: "seats", type: .map(.object("Address")), isOptional: true),
            ]),
    ])

    static func inverse(_ name: String, of className: String, _ property: String) -> Property {
        Property(name: name, type: .linkingObjects(className: className, property: property))
    }

    static func server(_ engine: EngineCase = .memory) throws -> TestServer {
        let server = try TestServer(engine, schema: schema)
        server.send("PUT", "/v1/classes/City/objects/X", "{}")
        for (path, body) in [
            (
                "/v1/classes/Person/objects/1",
                #"{"name":"ann","home":{"street":"a","city":"X","depot":{"size":7,"city":"X"}},"others":[{"street":"b","city":"X"},{"street":"c"}]}"#
            ),
            (
                "/v1/classes/Person/objects/2",
                #"{"name":"bob","home":{"street":"d","city":"X"},"friend":1}"#
            ),
        ] {
            #expect(server.send("PUT", path, body).status == 201)
        }
        #expect(
            server.send(
                "POST", "/v1/classes/Firm/objects",
                #"{"title":"f","seats":{"main":{"street":"e","city":"X"}}}"#
            ).status == 201)
        return server
    }
}

@Suite("inverse links of and from embedded objects")
struct EmbeddedOriginTests {
    private static let city = "/v1/classes/City/objects/X"
    private static let person = "/v1/classes/Person/objects/1"

    @Test(
        "fields and expand reach the embedded objects and their owners",
        arguments: [
            (
                "fields=residents",
                #"{"residents":[{"$owner":{"$link":{"class":"Person","id":1}},"street":"a","city":"X","depot":{"size":7,"city":"X"}},{"$owner":{"$link":{"class":"Person","id":1}},"street":"b","city":"X","depot":null},{"$owner":{"$link":{"class":"Person","id":2}},"street":"d","city":"X","depot":null},{"$owner":{"$link":{"class":"Firm","id":1}},"street":"e","city":"X","depot":null}]}"#
            ),
            (
                "fields=residents.street",
                #"{"residents":[{"street":"a"},{"street":"b"},{"street":"d"},{"street":"e"}]}"#
            ),
            (
                "fields=residents.$owner.name,residents.$owner.title",
                #"{"residents":[{"$owner":{"$link":{"class":"Person","id":1},"name":"ann"}},{"$owner":{"$link":{"class":"Person","id":1},"name":"ann"}},{"$owner":{"$link":{"class":"Person","id":2},"name":"bob"}},{"$owner":{"$link":{"class":"Firm","id":1},"title":"f"}}]}"#
            ),
            (
                "fields=depots.size&expand=depots.$owner.friend",
                #"{"depots":[{"size":7,"$owner":"#
            ),
            (
                "fields=residents.dwellers,residents.guests.name",
                #"{"residents":[{"dwellers":[1],"guests":[]},{"dwellers":[],"guests":[{"name":"ann"}]},{"dwellers":[2],"guests":[]},{"dwellers":[],"guests":[]}]}"#
            ),
            (
                "fields=depots.addresses.street,depots.addresses.dwellers",
                #"{"depots":[{"addresses":[{"street":"a","dwellers":[1]}]}]}"#
            ),
            ("fields=residents.@count", #"{"residents.@count":4}"#),
        ])
    func selections(query: String, expected: String) throws {
        let reply = try Addresses.server().send("GET", Self.city + "?" + query)
        #expect(reply.status == 200)
        #expect(
            expected.hasSuffix("}") ? reply.text == expected : reply.text.contains("$link"),
            "\(reply.text)")
    }

    @Test(
        "an embedded object shows the row that holds it, in the property that does",
        arguments: [
            ("fields=home.dwellers,home.guests", #"{"home":{"dwellers":[1],"guests":[]}}"#),
            ("fields=home.dwellers.name", #"{"home":{"dwellers":[{"name":"ann"}]}}"#),
            (
                "fields=others.guests,others.dwellers",
                #"{"others":[{"guests":[1],"dwellers":[]},{"guests":[1],"dwellers":[]}]}"#
            ),
            (
                "fields=home.depot.addresses.$owner.name",
                #"{"home":{"depot":{"addresses":[{"$owner":{"$link":{"class":"Person","id":1},"name":"ann"}}]}}}"#
            ),
        ])
    func holders(query: String, expected: String) throws {
        let reply = try Addresses.server().send("GET", Self.person + "?" + query)
        #expect(reply.status == 200 && reply.text == expected, "\(reply.text)")
    }

    @Test(
        "a page of them is filtered, sorted and shaped as any other",
        arguments: [
            ("street > 'a'", "-street", ["e", "d", "b"]),
            ("TRUEPREDICATE", "city.id,-street", ["e", "d", "b", "a"]),
            ("depot.size == 7", "street", ["a"]), ("city.id == 'Y'", "street", []),
        ])
    func pages(filter: String, sort: String, streets: [String]) throws {
        let server = try Addresses.server()
        let path = Self.city + "/properties/residents"
        let parameters = [("filter", filter), ("sort", sort), ("fields", "street,$owner.name")]
        for limit in 1...4 {
            var found: [String] = []
            var cursor: String?
            repeat {
                let reply = server.send(
                    "GET",
                    target(
                        path,
                        parameters + [("limit", "\(limit)")]
                            + (cursor.map { [("cursor", $0)] } ?? [])))
                #expect(reply.status == 200, "\(reply.text)")
                found += (reply.json["objects"]?.elements ?? []).compactMap { $0["street"]?.string }
                cursor = reply.next
            } while cursor != nil && found.count < 9
            #expect(found == streets, "by \(limit)")
        }
    }

    @Test(
        "filters lead back from embedded objects",
        arguments: [
            ("Person", "ANY home.dwellers.name == 'ann'", ["1"]),
            ("Person", "home.dwellers.@count == 1", ["1", "2"]),
            ("Person", "home.guests.@count > 0", []),
            ("Person", "others.guests.@count == 2", ["1"]),
            ("Person", "ANY others.guests.name == 'ann'", ["1"]),
            ("Person", "ANY home.depot.addresses.street == 'a'", ["1"]),
            ("Person", "ANY home.depot.addresses.dwellers.name == 'ann'", ["1"]),
            ("Person", "ANY friend.home.dwellers.name == 'ann'", ["2"]),
            ("Person", "ANY home.dwellers.friend.name == 'ann'", ["2"]),
            ("City", "ANY residents.dwellers.name == 'bob'", ["X"]),
            ("City", "residents.dwellers.@count == 2", ["X"]),
            ("City", "ANY depots.addresses.dwellers.name == 'bob'", []),
            ("City", "ANY depots.addresses.dwellers.name == 'ann'", ["X"]),
        ])
    func filters(className: String, filter: String, expected: [String]) throws {
        let server = try Addresses.server()
        let reply = server.send(
            "GET",
            target("/v1/classes/\(className)/objects", [("filter", filter), ("fields", "id")]))
        let ids = (reply.json["objects"]?.elements ?? []).map { object in
            object["id"]?.string ?? "\(object["id"]?.int ?? -1)"
        }
        #expect(reply.status == 200 && ids == expected, "\(filter): \(reply.text)")
    }

    @Test(
        "what does not lead there is refused",
        arguments: [
            APIScenario(
                "GET", city + "?fields=residents.$owner.nmae", status: 400,
                contains: ["unknown-property", #""hint":"name""#]),
            APIScenario(
                "GET", city + "?fields=residents.owner", status: 400,
                contains: [#""hint":"$owner""#]),
            APIScenario("GET", person + "?fields=home.$owner", status: 400),
            APIScenario(
                "GET", person + "/properties/others?filter=guests.@count%20==%201", status: 400,
                contains: ["ask from that object"]),
            APIScenario(
                "PATCH", person, #"{"home":{"dwellers":[2]}}"#, status: 422,
                contains: ["inverse-link-read-only"]),
        ])
    func refusals(scenario: APIScenario) throws { scenario.check(on: try Addresses.server()) }

    @Test("a projection shows them as the class does, and its own streams tell them")
    func projections() throws {
        let server = ChangesServer(try Addresses.server())
        let definition =
            #"{"class":"City","properties":{"key":"id","who":"residents","n":"residents.@count"}}"#
        #expect(server.send("PUT", "/v1/projections/Town", definition).status == 201)
        let stream = server.events("/v1/projections/Town/changes")
        #expect(stream.nextEvent().name == "hello")
        server.send("PATCH", Self.person, #"{"home":{"street":"z"}}"#)
        let event = stream.nextEvent()
        #expect(event.changes == ["update X"])
        let shown = server.send("GET", "/v1/projections/Town/objects/X")
        #expect(
            shown.text.contains(
                #""who":[{"$owner":{"$link":{"class":"Person","id":1}},"street":"z""#),
            "\(shown.text)")
    }

    @Test("streams tell what becomes of the embedded objects and of what is shown of their owners")
    func streams() throws {
        let server = ChangesServer(try Addresses.server())
        func follow(_ path: String, _ parameters: [(String, String)]) -> ChangesClient {
            let stream = server.events(path, parameters)
            #expect(stream.nextEvent().name == "hello", "\(stream.headers)")
            return stream
        }
        let cities = "/v1/classes/City/changes"
        let plain = follow(cities, [("fields", "residents")])
        let owners = follow(cities, [("fields", "residents.$owner.name")])
        let expanded = follow(cities, [("expand", "residents.$owner")])
        let filtered = follow(cities, [("filter", "ANY residents.dwellers.name == 'eve'")])
        let people = follow(
            "/v1/classes/Person/changes", [("filter", "ANY home.dwellers.name == 'eve'")])
        server.send("PATCH", Self.person, #"{"name":"eve"}"#)
        #expect(owners.nextEvent().changes == ["update X"])
        #expect(expanded.nextEvent().changes == ["update X"])
        #expect(filtered.nextEvent().changes == ["enter X"])
        #expect(people.nextEvent().changes == ["enter 1"])
        server.send("PATCH", Self.person, #"{"home":{"street":"q"}}"#)
        #expect(plain.nextEvent().changes == ["update X"])
        #expect(expanded.nextEvent().changes == ["update X"])
        #expect(filtered.nextEvent().changes == ["update X"])
        server.send("PATCH", Self.person, #"{"home":null}"#)
        #expect(plain.nextEvent().changes == ["update X"])
        #expect(filtered.nextEvent().changes == ["leave X"])
    }

    @Test(
        "pages tell of all that is shown behind an owner, where a path leads on from what is named")
    func namedBehindOwners() throws {
        let server = ChangesServer(try Addresses.server())
        let start = "\(server.store.version)"
        server.send("PATCH", Self.person, #"{"name":"eve"}"#)
        for (fields, count) in [
            ("residents.$owner.friend,residents.$owner.friend.id", 1),
            ("residents.$owner.friend", 0), ("residents.$owner.friend.id", 0),
        ] {
            let reply = server.send(
                "GET", "/v1/classes/City/changes?since=\(start)&fields=\(fields)")
            let changes = QueryJSON(reply.text)?["changes"]?.elements
            #expect(changes?.count == count, "\(fields) \(reply.text)")
        }
    }

    @Test("the store's document says what the replies hold")
    func document() throws {
        let server = try Addresses.server()
        let document = server.send("GET", "/v1/openapi.json").json
        let schemas = document["components"]?["schemas"]
        let items = schemas?["City"]?["properties"]?["residents"]?["items"]?["allOf"]?.elements
        #expect(items?.first?["$ref"]?.string == "#/components/schemas/Address")
        let owner = items?.last?["properties"]?["$owner"]?["anyOf"]?.elements
        #expect(
            owner?.compactMap { $0["$ref"]?.string } == [
                "#/components/schemas/HoldfastLink", "#/components/schemas/Person",
                "#/components/schemas/Firm",
            ])
        #expect(
            schemas?["Address"]?["properties"]?["dwellers"]?["description"]?.string
                == "The object of `Person` that holds this one in its `home`, if it does.")
    }
}
