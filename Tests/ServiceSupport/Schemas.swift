import HoldfastObjectModel

/// The schemas of the tests.
package enum Schemas {
    package static func property(
        _ name: String, _ scalar: ScalarType, optional: Bool = false, indexed: Bool = false,
        default value: DefaultValue? = nil
    ) -> Property {
        Property(
            name: name, type: .single(.scalar(scalar)), isOptional: optional, isIndexed: indexed,
            defaultValue: value)
    }

    package static func link(_ name: String, _ target: String) -> Property {
        Property(name: name, type: .single(.object(target)), isOptional: true)
    }

    package static func list(_ name: String, _ scalar: ScalarType, optional: Bool = false)
        -> Property
    {
        Property(name: name, type: .list(.scalar(scalar)), isOptional: optional)
    }

    package static func set(_ name: String, _ scalar: ScalarType, optional: Bool = false)
        -> Property
    {
        Property(name: name, type: .set(.scalar(scalar)), isOptional: optional)
    }

    package static func list(_ name: String, of target: String) -> Property {
        Property(name: name, type: .list(.object(target)))
    }

    package static func set(_ name: String, of target: String) -> Property {
        Property(name: name, type: .set(.object(target)))
    }

    /// Every type there is, people with dogs, and keys of each kind.
    package static let everything = Schema(classes: [
        ObjectClass(
            name: "Thing", primaryKey: "id",
            properties: [
                property("id", .int),
                property("flag", .bool), property("count", .int), property("ratio", .double),
                property("name", .string), property("bytes", .data), property("at", .date),
                property("oid", .objectID), property("uuid", .uuid),
                property("flagN", .bool, optional: true), property("countN", .int, optional: true),
                property("ratioN", .double, optional: true),
                property("nameN", .string, optional: true),
                property("bytesN", .data, optional: true), property("atN", .date, optional: true),
                property("oidN", .objectID, optional: true),
                property("uuidN", .uuid, optional: true),
                list("flags", .bool), list("counts", .int), list("ratios", .double),
                list("names", .string), list("blobs", .data), list("dates", .date),
                list("oids", .objectID), list("uuids", .uuid),
                list("countsN", .int, optional: true), list("namesN", .string, optional: true),
                set("countSet", .int), set("nameSet", .string),
                set("ratioSetN", .double, optional: true),
            ]),
        ObjectClass(
            name: "Person", primaryKey: "name",
            properties: [
                property("name", .string), property("age", .int, optional: true),
                property("role", .string, default: .constant(.string("user"))),
                Property(name: "home", type: .single(.object("Address")), isOptional: true),
                list("places", of: "Address"),
                list("dogs", of: "Dog"), set("friends", of: "Person"), link("best", "Person"),
                Property(
                    name: "friendOf",
                    type: .linkingObjects(className: "Person", property: "friends")),
            ]),
        ObjectClass(
            name: "Address", kind: .embedded,
            properties: [
                property("street", .string, optional: true), property("city", .string),
                link("landlord", "Person"),
                Property(name: "inner", type: .single(.object("Address")), isOptional: true),
            ]),
        ObjectClass(
            name: "Dog", primaryKey: "_id",
            properties: [
                property("_id", .objectID), property("name", .string), link("toy", "Toy"),
                Property(
                    name: "owners", type: .linkingObjects(className: "Person", property: "dogs")),
            ]),
        ObjectClass(
            name: "Toy", properties: [property("label", .string), link("next", "Toy")]),
        ObjectClass(
            name: "Ticket", primaryKey: "id",
            properties: [property("id", .uuid), property("title", .string)]),
        ObjectClass(
            name: "Loose", primaryKey: "key",
            properties: [
                property("key", .string, optional: true), link("other", "Loose"),
                list("others", of: "Loose"),
            ]),
    ])

    /// Albums with every kind of collection, for values and collections that are stored out of line.
    package static let albums = Schema(classes: [
        ObjectClass(
            name: "Album", primaryKey: "id",
            properties: [
                property("id", .int),
                property("title", .string, optional: true),
                property("notes", .string, optional: true, indexed: true),
                property("cover", .data, optional: true),
                Property(name: "plays", type: .list(.scalar(.int)), isOptional: true),
                set("tags", .string),
                Property(name: "prices", type: .map(.scalar(.int))),
                list("tracks", of: "Track"),
                list("pages", of: "Page"),
                Property(name: "front", type: .single(.object("Page")), isOptional: true),
            ]),
        ObjectClass(
            name: "Track", primaryKey: "id",
            properties: [
                property("id", .int),
                Property(
                    name: "albums", type: .linkingObjects(className: "Album", property: "tracks")),
            ]),
        ObjectClass(
            name: "Page", kind: .embedded,
            properties: [
                property("text", .string, optional: true),
                list("marks", .int),
                link("track", "Track"),
            ]),
    ])
}
