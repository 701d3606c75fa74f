import HoldfastObjectModel
import HoldfastServiceSupport
import Testing

/// People in places, with two inverse properties over one origin, and projections of them.
enum ExactProjections {
    static func server() throws -> ChangesServer {
        let server = try TestServer(
            schema: Schema(classes: [
                ObjectClass(
                    name: "Person", primaryKey: "_id",
                    properties: [
                        Schemas.property("_id", .int), Schemas.property("firstName", .string),
                        Schemas.property("note", .string), Schemas.link("home", "Place"),
                        Schemas.list("friends", of: "Person"),
                        Property(
                            name: "fanOf",
                            type: .linkingObjects(className: "Person", property: "friends")),
                        Property(
                            name: "fanOf2",
                            type: .linkingObjects(className: "Person", property: "friends")),
                    ]),
                ObjectClass(
                    name: "Place", primaryKey: "_id",
                    properties: [Schemas.property("_id", .int), Schemas.property("city", .string)]),
            ]))
        for (name, properties) in [
            ("Card", #"{"first":"firstName","city":"home.city"}"#),
            ("Fan2", #"{"first":"firstName","fans":"fanOf2"}"#),
        ] {
            APIScenario(
                "PUT", "/v1/projections/\(name)",
                #"{"class":"Person","properties":\#(properties)}"#, status: 201
            ).check(on: server)
        }
        return ChangesServer(server)
    }
}
