import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

/// People with homes, friends and pets, and projections of them.
enum Projections {
    static let schema = Schema(classes: [
        ObjectClass(
            name: "Person", primaryKey: "_id",
            properties: [
                Schemas.property("_id", .int), Schemas.property("firstName", .string),
                Schemas.property("lastName", .string),
                Schemas.property("age", .int, optional: true, indexed: true),
                Property(name: "home", type: .single(.object("Address")), isOptional: true),
                Schemas.list("places", of: "Address"), Schemas.list("friends", of: "Person"),
                Schemas.set("pets", of: "Pet"), Schemas.link("boss", "Person"),
                Schemas.list("tags", .string, optional: true),
                Property(
                    name: "friendOf",
                    type: .linkingObjects(className: "Person", property: "friends")),
            ]),
        ObjectClass(
            name: "Address", kind: .embedded,
            properties: [
                Schemas.property("street", .string, optional: true),
                Schemas.property("city", .string), Schemas.property("country", .string),
                Schemas.link("landlord", "Person"), Schemas.list("lines", .string),
                Property(name: "inner", type: .single(.object("Address")), isOptional: true),
            ]),
        ObjectClass(
            name: "Pet",
            properties: [
                Schemas.property("name", .string), Schemas.property("weight", .double),
                Schemas.link("vet", "Person"),
            ]),
    ])

    /// Definitions by name, in an order in which they can be made.
    static let definitions: [(name: String, body: String)] = [
        (
            "AddressLine",
            #"{"class":"Address","properties":{"town":"city","owner":"landlord.firstName"}}"#
        ),
        (
            "PersonCard",
            #"{"class":"Person","properties":{"id":"_id","first":"firstName","homeCity":"home.city","#
                + #""friendNames":"friends.firstName","placeCities":"places.city","#
                + #""bossName":"boss.firstName","bossCity":"boss.home.city"}}"#
        ),
        ("Pals", #"{"class":"Person","properties":{"first":"firstName","pals":"friends"}}"#),
        (
            "PersonFile",
            #"{"class":"Person","properties":{"name":"lastName","#
                + #""home":{"path":"home","projection":"AddressLine"},"#
                + #""places":{"path":"places","projection":"AddressLine"},"#
                + #""boss":{"path":"boss","projection":"PersonCard"},"#
                + #""friends":{"path":"friends","projection":"Pals"},"bossTags":"boss.tags"}}"#
        ),
        ("PetTag", #"{"class":"Pet","properties":{"label":"name","vetName":"vet.firstName"}}"#),
    ]

    /// A server with the schema and the definitions.
    static func server(_ engine: EngineCase = .memory) throws -> TestServer {
        let server = try TestServer(engine, schema: schema)
        define(server)
        return server
    }

    static func define(_ server: TestServer) {
        for (name, body) in definitions {
            APIScenario("PUT", "/v1/projections/\(name)", body, status: 201).check(on: server)
        }
    }

    /// Adds Ann (1) and Bob (2), who know each other and their boss Cy (3).
    static func people(_ server: TestServer) {
        APIScenario(
            "POST", "/v1/classes/Person/objects",
            #"[{"_id":1,"firstName":"Ann","lastName":"Ash","age":30,"home":{"city":"Rome","country":"IT","#
                + #""landlord":3},"places":[{"city":"Oslo"},{"city":"Bern","landlord":2}],"#
                + #""friends":[2,3,2],"boss":3,"tags":["a",null]},"#
                + #"{"_id":2,"firstName":"Bob","lastName":"Birch","age":20,"friends":[1],"boss":3},"#
                + #"{"_id":3,"firstName":"Cy","lastName":"Cedar","home":{"city":"Kyiv","country":"UA"}}]"#,
            status: 201
        ).check(on: server)
    }
}
