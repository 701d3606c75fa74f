import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastTestSupport

/// A schema with every kind of property and relation, for tests.
package enum Shelter {
    /// Persons with embedded addresses that link to cities, and their dogs.
    package static let classes: [ObjectClass] = [
        ObjectClass(
            name: "Person", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.string))),
                Property(name: "name", type: .single(.scalar(.string)), isIndexed: true),
                Property(
                    name: "age", type: .single(.scalar(.int)), isOptional: true, isIndexed: true),
                Property(name: "home", type: .single(.object("Address")), isOptional: true),
                Property(name: "former", type: .list(.object("Address"))),
                Property(name: "dogs", type: .list(.object("Dog"))),
                Property(name: "best", type: .single(.object("Dog")), isOptional: true),
                Property(name: "friends", type: .set(.object("Person"))),
                Property(name: "boss", type: .single(.object("Person")), isOptional: true),
                Property(name: "tags", type: .list(.scalar(.string)), isOptional: true),
                Property(name: "scores", type: .set(.scalar(.double))),
                Property(
                    name: "staff", type: .linkingObjects(className: "Person", property: "boss")),
            ]),
        ObjectClass(
            name: "Dog",
            properties: [
                Property(name: "name", type: .single(.scalar(.string))),
                Property(
                    name: "packs", type: .linkingObjects(className: "Person", property: "dogs")),
                Property(
                    name: "lovers", type: .linkingObjects(className: "Person", property: "best")),
            ]),
        ObjectClass(
            name: "Address", kind: .embedded,
            properties: [
                Property(name: "street", type: .single(.scalar(.string)), isOptional: true),
                Property(name: "city", type: .single(.object("City")), isOptional: true),
                Property(name: "inner", type: .single(.object("Address")), isOptional: true),
            ]),
        ObjectClass(
            name: "City", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "name", type: .single(.scalar(.string))),
                Property(
                    name: "addresses",
                    type: .linkingObjects(className: "Address", property: "city")),
            ]),
    ]

    /// The same with maps of links, embedded objects and numbers in each person.
    package static let withMaps: [ObjectClass] = {
        var extended = Shelter.classes
        extended[0].properties += [
            Property(name: "pets", type: .map(.object("Dog")), isOptional: true),
            Property(name: "places", type: .map(.object("Address")), isOptional: true),
            Property(name: "marks", type: .map(.scalar(.double)), isOptional: true),
        ]
        extended[1].properties.append(
            Property(name: "keepers", type: .linkingObjects(className: "Person", property: "pets")))
        return extended
    }()

    /// Some of these with a point in each person, indexed, and some others.
    package static func withPoints(_ classes: [ObjectClass]) -> [ObjectClass] {
        var extended = classes
        extended[0].properties += [
            Property(
                name: "place", type: .single(.object("Place")), isOptional: true,
                searchIndex: .geo),
            Property(name: "trail", type: .list(.object("Place"))),
        ]
        extended.append(
            ObjectClass(
                name: "Place", kind: .embedded,
                properties: [
                    Property(name: "type", type: .single(.scalar(.string))),
                    Property(name: "coordinates", type: .list(.scalar(.double))),
                ]))
        return extended
    }

    /// Opens an empty store with the schema, at version 1.
    package static func open(
        _ engineCase: EngineCase, options: StoreOptions = StoreOptions(),
        classes: [ObjectClass] = Shelter.classes
    ) throws -> Store {
        let store = try Store(engine: try engineCase.open(), options: options)
        try store.setSchema(classes)
        return store
    }

    /// A person's draft.
    package static func person(_ id: String, _ more: ObjectContent = [:]) -> ObjectContent {
        more.merging(["id": .value(.string(id))]) { _, new in new }
    }

    /// A link to a person.
    package static func link(_ id: String) -> Content { .link("Person", .string(id)) }
}
