import HoldfastObjectModel
import HoldfastObjectSupport
import Testing
import HoldfastTestSupport

@testable import HoldfastObjectStore

@Suite("Migrations of classes, keys and names")
struct MigrationTests {
    private static func int(_ name: String, indexed: Bool = false) -> Property {
        Property(name: name, type: .single(.scalar(.int)), isIndexed: indexed)
    }

    private static func text(_ name: String, indexed: Bool = false) -> Property {
        Property(name: name, type: .single(.scalar(.string)), isIndexed: indexed)
    }

    /// Persons with dogs, and cities that nobody links to.
    private static let classes = [
        ObjectClass(
            name: "Person", primaryKey: "id",
            properties: [
                int("id"), text("full", indexed: true),
                Property(name: "dogs", type: .list(.object("Dog"))),
                Property(name: "home", type: .single(.object("Address")), isOptional: true),
            ]),
        ObjectClass(
            name: "Dog", primaryKey: "name",
            properties: [
                text("name"),
                Property(
                    name: "owners", type: .linkingObjects(className: "Person", property: "dogs")),
            ]),
        ObjectClass(
            name: "Address", kind: .embedded,
            properties: [
                text("street"),
                Property(name: "guest", type: .single(.object("Dog")), isOptional: true),
            ]),
        ObjectClass(name: "City", properties: [text("name", indexed: true)]),
    ]

    private static func entry(_ old: String, _ new: String) -> SchemaRenames.Entry {
        SchemaRenames.Entry(old: SchemaRenames.Name(old), new: SchemaRenames.Name(new))
    }

    private func open(_ engineCase: EngineCase, _ isStaged: Bool = false) throws -> Store {
        var options = StoreOptions()
        if isStaged {
            options.migrationObjectCountMax = 0
            options.migrationSliceCount = 2
        }
        let store = try Store(engine: try engineCase.open(), options: options)
        try store.setSchema(Self.classes)
        for name in ["rex", "ada"] { try store.put("Dog", ["name": .value(.string(name))]) }
        let dogs = ["rex", "ada"].map { Value.link(className: "Dog", key: .string($0)) }
        for id in 1...5 {
            try store.put(
                "Person",
                [
                    "id": .value(.int(Int64(id))), "full": .value(.string("p\(id)")),
                    "dogs": .values(Array(dogs.prefix(id % 3))),
                    "home": .embedded([
                        "street": .value(.string("s")), "guest": .value(dogs[id % 2]),
                    ]),
                ])
        }
        for name in ["Paris", "Rome"] {
            try store.put("City", ["name": .value(.string(name))], mode: .create)
        }
        return store
    }

    @Test("renamed classes and properties keep everything", arguments: EngineCase.all)
    func renames(engineCase: EngineCase) throws {
        let store = try open(engineCase)
        defer { store.close() }
        let before = try store.contents().objects
        var classes = Self.classes
        classes[0].name = "Human"
        classes[0].properties[1].name = "name"
        classes[0].properties[3].name = "address"
        classes[1].properties[1].type = .linkingObjects(className: "Human", property: "dogs")
        classes[2].name = "Place"
        classes[0].properties[3].type = .single(.object("Place"))
        let renames = SchemaRenames([
            Self.entry("Person", "Human"), Self.entry("Person.full", "Human.name"),
            Self.entry("Person.home", "Human.address"), Self.entry("Address", "Place"),
        ])
        let steps = try store.previewSchema(
            SchemaProposal(Schema(classes: classes), renames: renames))
        #expect(
            steps.map(\.operation) == [
                .renameClass, .renameProperty, .renameProperty, .renameClass,
            ])
        #expect(steps.allSatisfy { !$0.isLossy })
        try store.setSchema(classes, renames: renames)
        let after = try store.contents().objects
        #expect(after.count == before.count)
        for (identity, object) in before where identity.className == "Person" {
            let found = after[Identity("Human", identity.key)]
            #expect(found?.version == object.version)
            #expect(found?.content["name"] == object.content["full"])
            #expect(found?.content["address"] == object.content["home"])
        }
        #expect(try store.findings() == [])
        #expect(store.migrationProgress == nil)
    }

    @Test("renamings that lead nowhere are refused, each with its reason")
    func wrongRenames() throws {
        let store = try open(.memory)
        defer { store.close() }
        var classes = Self.classes
        classes[3].name = "Town"
        for (entries, detail) in [
            ([Self.entry("Cty", "Town")], "has no class 'Cty'"),
            ([Self.entry("City", "Village")], "has no class 'Village'"),
            (
                [Self.entry("City.nam", "Town.name"), Self.entry("City", "Town")],
                "no property 'nam'"
            ),
            (
                [Self.entry("City.name", "Town.nam"), Self.entry("City", "Town")],
                "no property 'nam'"
            ),
            ([Self.entry("City.name", "Town.name")], "stays in its class"),
            ([Self.entry("City", "Town.name")], "A class is renamed to a class"),
            ([Self.entry("City", "Town"), Self.entry("Dog", "Town")], "Two names become 'Town'"),
            ([Self.entry("City", "Town"), Self.entry("City", "Dog")], "renamed twice"),
        ] {
            #expect("\(detail)") {
                try store.setSchema(classes, renames: SchemaRenames(entries))
            } throws: { error in
                guard case StoreError.invalidRenames(let faults) = error else { return false }
                return faults.contains { $0.detail.contains(detail) }
            }
        }
        #expect(store.catalog.schema.revision == 1)
    }

    @Test("two names change places")
    func swap() throws {
        let store = try open(.memory)
        defer { store.close() }
        var classes = Self.classes
        classes[3] = ObjectClass(name: "City", properties: [Self.text("a"), Self.text("b")])
        try store.setSchema(
            classes, renames: SchemaRenames([Self.entry("City.name", "City.a")]))
        try store.put("City", ["b": .value(.string("x"))], key: .int(1), mode: .update)
        classes[3].properties.swapAt(0, 1)
        try store.setSchema(
            classes,
            renames: SchemaRenames([
                Self.entry("City.a", "City.b"), Self.entry("City.b", "City.a"),
            ]))
        let city = try #require(try store.contents().objects[Identity("City", .int(1))])
        #expect(city.content == ["a": .value(.string("x")), "b": .value(.string("Paris"))])
        #expect(try store.findings() == [])
    }

    @Test("two names of one type change places, although the schema stays the same")
    func swapInPlace() throws {
        let store = try Store(engine: try EngineCase.memory.open())
        defer { store.close() }
        let classes = ["A", "B"].map {
            ObjectClass(name: $0, properties: [Self.text("a"), Self.text("b")])
        }
        try store.setSchema(classes)
        try store.put("A", ["a": .value(.string("x")), "b": .value(.string("y"))])
        let before = store.catalog.schema.revision
        try store.setSchema(
            classes,
            renames: SchemaRenames([
                Self.entry("A", "B"), Self.entry("B", "A"),
                Self.entry("A.a", "B.b"), Self.entry("A.b", "B.a"),
            ]))
        #expect(store.catalog.schema.revision == before + 1)
        let objects = try store.contents().objects
        #expect(objects.count == 1)
        #expect(
            objects[Identity("B", .int(1))]?.content
                == ["a": .value(.string("y")), "b": .value(.string("x"))])
        #expect(try store.findings() == [])
    }

    @Test(
        "a dropped class goes with its objects, entries and links, and leaves nothing",
        arguments: EngineCase.all)
    func dropped(engineCase: EngineCase) throws {
        let store = try open(engineCase)
        defer { store.close() }
        let classes = [Self.classes[1], Self.classes[2]].map { objectClass in
            var objectClass = objectClass
            objectClass.properties.removeAll { $0.name == "owners" }
            return objectClass
        }
        #expect { try store.setSchema(classes) } throws: { error in
            guard case StoreError.lossyMigration(let faults) = error else { return false }
            return faults.map(\.className) == ["Person", "City"]
                && faults[0].detail.contains("5 objects") && faults[1].detail.contains("2 objects")
        }
        try store.setSchema(classes, allowsDataLoss: true)
        #expect(try store.contents().objects.count == 2)
        #expect(try store.reading { $0.incomingLinkCount(classIndex: 0, key: 1) } == 0)
        #expect(try store.findings() == [])
        try store.awaitCleanUp()
        let report = try StoreCheck.run(store)
        #expect(report.findings == [] && report.inverseLinkCount == 0)
        #expect(report.indexEntryCount == 0)
        // A class of the same name begins anew.
        try store.setSchema(Self.classes)
        #expect(try store.contents().objects.count == 2)
        try store.put("Person", ["id": .value(.int(1))])
        #expect(try store.findings() == [])
    }

    @Test(
        "embedded objects that go take their links along, and the others of their class keep theirs",
        arguments: EngineCase.all, [false, true])
    func lostEmbedded(engineCase: EngineCase, isStaged: Bool) throws {
        let store = try open(engineCase, isStaged)
        defer { store.close() }
        var classes = Self.classes
        classes[0].properties.append(Property(name: "former", type: .list(.object("Address"))))
        try store.setSchema(classes)
        let guest = Content.link("Dog", .string("rex"))
        try store.put(
            "Person",
            [
                "id": .value(.int(1)),
                "former": .embeddedList([["guest": guest], ["guest": guest]]),
                "home": .embedded(["guest": guest]),
            ], mode: .replace)
        classes[0].properties.removeAll { $0.name == "home" }
        try store.setSchema(classes, allowsDataLoss: true)
        #expect(try store.reading { $0.incomingLinkCount(classIndex: 1, key: 1) } >= 2)
        #expect(try store.findings() == [])
        try store.awaitCleanUp()
        #expect(try store.findings() == [])
    }

    @Test(
        "primary keys are added, changed and dropped, and links follow the objects",
        arguments: EngineCase.all, [false, true])
    func primaryKeys(engineCase: EngineCase, isStaged: Bool) throws {
        let store = try open(engineCase, isStaged)
        defer { store.close() }
        var classes = Self.classes
        // Another property.
        classes[0].primaryKey = "full"
        try store.setSchema(classes)
        let named = try store.contents().objects
        #expect(named[Identity("Person", .string("p3"))]?.content["id"] == .value(.int(3)))
        try store.put("Person", ["full": .value(.string("p3")), "id": .value(.int(30))])
        #expect(try store.contents().objects.count == named.count)
        // Another type of it.
        classes[0].primaryKey = "id"
        classes[0].properties[0].type = .single(.scalar(.string))
        try store.setSchema(classes)
        #expect(
            try store.contents().objects[Identity("Person", .string("30"))]?.content["full"]
                == .value(.string("p3")))
        #expect(try store.findings() == [])
        // None, and a random one.
        classes[0].primaryKey = nil
        classes[3].primaryKey = "_id"
        classes[3].properties.append(Property(name: "_id", type: .single(.scalar(.uuid))))
        try store.setSchema(classes)
        let cities = try store.contents().objects.filter { $0.key.className == "City" }
        #expect(cities.count == 2)
        #expect(
            Set(cities.values.map { $0.content["name"] }) == [
                .value(.string("Paris")), .value(.string("Rome")),
            ])
        try store.awaitCleanUp()
        #expect(try store.findings() == [])
    }

    @Test(
        "keys that objects would share are refused with examples, whatever is allowed",
        arguments: EngineCase.all, [false, true])
    func duplicates(engineCase: EngineCase, isStaged: Bool) throws {
        let store = try open(engineCase, isStaged)
        defer { store.close() }
        for id in 6...9 {
            try store.put(
                "Person", ["id": .value(.int(Int64(id))), "full": .value(.string("same"))])
        }
        let before = try store.contents().objects
        var classes = Self.classes
        classes[0].primaryKey = "full"
        for allowsDataLoss in [false, true] {
            #expect {
                try store.setSchema(classes, allowsDataLoss: allowsDataLoss)
            } throws: { error in
                guard case StoreError.duplicateKeys(let faults) = error else { return false }
                return faults.count == 1 && faults[0].property == "full"
                    && faults[0].detail.contains("3 objects have")
                    && faults[0].detail.contains("'same'")
            }
        }
        #expect(throws: StoreError.self) {
            try store.previewSchema(SchemaProposal(Schema(classes: classes)))
        }
        #expect(try store.contents().objects == before)
        try store.awaitCleanUp()
        #expect(try store.findings() == [])
        // A value that does not convert is no key.
        classes[0].primaryKey = "full"
        classes[0].properties[1].type = .single(.scalar(.int))
        #expect { try store.setSchema(classes, allowsDataLoss: true) } throws: { error in
            if case StoreError.lossyMigration = error { true } else { false }
        }
        #expect(try store.contents().objects == before)
    }

    @Test(
        "an index that was dropped and comes back before its entries are gone is whole",
        arguments: EngineCase.all)
    func indexAgain(engineCase: EngineCase) throws {
        let store = try open(engineCase)
        defer { store.close() }
        for _ in 0..<5 {
            for isIndexed in [false, true] {
                var classes = Self.classes
                classes[0].properties[1].isIndexed = isIndexed
                try store.setSchema(classes)
                #expect(try store.findings() == [])
            }
        }
        try store.awaitCleanUp()
        let report = try StoreCheck.run(store)
        #expect(report.findings == [] && report.indexEntryCount == 7)
    }

    @Test("random defaults reach embedded objects that were there", arguments: EngineCase.all)
    func embeddedDefaults(engineCase: EngineCase) throws {
        let store = try open(engineCase)
        defer { store.close() }
        var classes = Self.classes
        classes[2].properties.append(
            Property(name: "tag", type: .single(.scalar(.uuid)), defaultValue: .uuid))
        try store.setSchema(classes)
        let tags = try store.contents().objects.compactMap { _, object -> Content? in
            guard case .embedded(let home)? = object.content["home"] else { return nil }
            return home["tag"]
        }
        #expect(tags.count == 5 && Set(tags).count == 5)
        #expect(try store.findings() == [])
    }

    @Test("projections follow renamed properties, and those that would break are named")
    func projections() throws {
        let store = try open(.memory)
        defer { store.close() }
        let card = Projection(
            name: "Card", className: "Person",
            properties: [
                Projection.Property(name: "name", path: ["full"]),
                Projection.Property(name: "street", path: ["home", "street"]),
            ])
        let change = try SchemaChange(
            from: store.catalog,
            to: SchemaProposal(store.catalog.schema, projections: [card]))
        var classes = Self.classes
        classes[0].properties[1].name = "name"
        classes[2].properties[0].name = "road"
        let renames = SchemaRenames([
            Self.entry("Person.full", "Person.name"), Self.entry("Address.street", "Address.road"),
        ])
        let next = try SchemaChange(
            from: change.catalog, to: SchemaProposal(Schema(classes: classes), renames: renames))
        #expect(
            next.catalog.projections.first?.properties.map(\.pathText) == ["name", "home.road"])
        #expect {
            try SchemaChange(
                from: change.catalog, to: SchemaProposal(Schema(classes: classes)))
        } throws: { error in
            if case StoreError.brokenProjections = error { true } else { false }
        }
    }
}
