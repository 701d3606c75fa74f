import HoldfastObjectModel
import HoldfastObjectStore

/// The contents of the stores of earlier formats in `Tests/Fixtures`: every single type, rows of
/// three layouts of their classes, indexes, links of every kind, keys that were cut, and a deletion.
///
/// The stages must stay as they are, since the stored files were made by them.
package enum StoredFixture {
    /// A schema, and the transactions that follow it.
    package struct Stage {
        /// The classes.
        package var classes: [ObjectClass]
        /// The transactions, each with its operations.
        package var transactions: [[ObjectScript.Operation]]
    }

    private static let values: [(ScalarType, [Value])] = [
        (.bool, [.bool(false), .bool(true)]),
        (.int, [.int(.min), .int(-1), .int(0), .int(.max)]),
        (.double, [.double(-.infinity), .double(-0.5), .double(0), .double(1e300)]),
        (.string, [.string(""), .string("a\0b"), .string("Größe 𝄞"), .string(long)]),
        (.data, [.data([]), .data([0]), .data([0, 255])]),
        (
            .date,
            [
                .date(Timestamp(seconds: -62_135_596_800, nanoseconds: 1)),
                .date(Timestamp(seconds: 1_800_000_000, nanoseconds: 999_999_999)),
            ]
        ),
        (
            .objectID,
            [.objectID(ObjectID(high: 0, low: 1)), .objectID(ObjectID(high: .max, low: .max))]
        ),
        (.uuid, [.uuid(UUID128(high: 0, low: 1)), .uuid(UUID128(high: .max, low: 2))]),
    ]

    private static let long = String(repeating: "0123456789", count: 50)

    private static func everything(_ added: [Property]) -> ObjectClass {
        var properties = [Property(name: "id", type: .single(.scalar(.string)), isOptional: true)]
        for (type, _) in values {
            properties += [
                Property(
                    name: type.name, type: .single(.scalar(type)), isOptional: true,
                    isIndexed: type.canBeIndexed),
                Property(name: type.name + "List", type: .list(.scalar(type)), isOptional: true),
                Property(name: type.name + "Set", type: .set(.scalar(type))),
            ]
        }
        return ObjectClass(
            name: "Everything", primaryKey: "id", properties: properties + added)
    }

    private static let added: [[Property]] = [
        [
            Property(
                name: "greeting", type: .single(.scalar(.string)), isIndexed: true,
                defaultValue: .constant(.string("hello")))
        ],
        [
            Property(name: "token", type: .single(.scalar(.uuid)), defaultValue: .uuid),
            Property(name: "count", type: .single(.scalar(.int)), isOptional: true),
        ],
    ]

    private static func object(_ id: Value, _ shift: Int) -> ObjectScript.Operation {
        var content: ObjectContent = ["id": .value(id)]
        for (type, all) in values {
            content[type.name] = .value(shift < 0 ? .null : all[shift % all.count])
            content[type.name + "List"] = .values(shift < 0 ? [] : all + [.null] + all)
            content[type.name + "Set"] = .values(shift < 0 ? [] : all.reversed() + all)
        }
        return .write("Everything", content, key: nil, .create)
    }

    private static func address(_ zip: Bool) -> [ObjectClass] {
        var classes = Shelter.classes
        if zip {
            classes[2].properties.insert(
                Property(
                    name: "zip", type: .single(.scalar(.string)),
                    defaultValue: .constant(.string("00000"))), at: 0)
        }
        return classes
    }

    /// What the files were made by.
    package static let stages: [Stage] = [
        Stage(
            classes: address(false) + [everything([])],
            transactions: [
                [object(.null, -1), object(.string("a"), 0), object(.string(long), 1)],
                [
                    .write(
                        "City", ["id": .value(.int(1)), "name": .value(.string("Ulm"))], key: nil,
                        .create),
                    .write(
                        "City", ["id": .value(.int(-2)), "name": .value(.string("Köln"))], key: nil,
                        .create),
                    .write("Dog", ["name": .value(.string("Rex"))], key: nil, .create),
                    .write("Dog", ["name": .value(.string("Max"))], key: nil, .create),
                    .write("Dog", ["name": .value(.string("Ada"))], key: nil, .create),
                ],
                [
                    .write(
                        "Person",
                        Shelter.person(
                            "ann",
                            [
                                "name": .value(.string("Ann")), "age": .value(.int(40)),
                                "home": .embedded([
                                    "street": .value(.string("Here")),
                                    "city": .link("City", .int(1)),
                                    "inner": .embedded(["city": .link("City", .int(-2))]),
                                ]),
                                "former": .embeddedList([
                                    ["city": .link("City", .int(1))],
                                    ["street": .value(.string("There"))],
                                ]),
                                "dogs": .values([
                                    Identity("Dog", .int(2)).link, Identity("Dog", .int(1)).link,
                                    Identity("Dog", .int(2)).link,
                                ]),
                                "best": .link("Dog", .int(1)), "boss": Shelter.link("bob"),
                                "friends": .values([
                                    Identity("Person", .string("ann")).link,
                                    Identity("Person", .string("bob")).link,
                                ]),
                                "tags": .values([.string("x"), .null, .string(long)]),
                                "scores": .values([.double(3), .double(1)]),
                            ]), key: nil, .create),
                    .write(
                        "Person", Shelter.person("bob", ["boss": Shelter.link("ann")]), key: nil,
                        .create),
                ],
            ]),
        Stage(
            classes: address(true) + [everything(added[0])],
            transactions: [
                [object(.string("b"), 2)],
                [
                    .write(
                        "Person",
                        Shelter.person(
                            "bob", ["home": .embedded(["zip": .value(.string("89073"))])]),
                        key: nil, .merge)
                ],
                [.delete(Identity("Dog", .int(1)))],
            ]),
        Stage(
            classes: address(true) + [everything(added[0] + added[1])],
            transactions: [[object(.string("c"), 3)]]),
    ]

    /// Makes the contents in an empty store.
    package static func make(in store: Store) throws(StoreError) {
        for stage in stages {
            try store.setSchema(stage.classes)
            for transaction in stage.transactions { try store.run(transaction) }
        }
    }

    /// The contents as plain dictionaries.
    package static func reference() throws -> ReferenceObjects {
        var reference = ReferenceObjects()
        for stage in stages {
            reference.setSchema(stage.classes, makesVersion: true)
            for transaction in stage.transactions {
                reference.begin()
                try reference.run(transaction)
                try reference.finish()
            }
        }
        return reference
    }
}
