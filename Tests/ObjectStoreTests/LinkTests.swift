import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastStorage
import Testing
import HoldfastTestSupport
import HoldfastThreads

@Suite("Links")
struct LinkTests {
    private func origins(
        _ store: Store, of target: Identity, _ className: String, _ property: String
    ) throws -> [Identity] {
        try store.reading { transaction in
            let contents = try StoreContents(transaction)
            let rows = transaction.rows
            let targetIndex = try #require(rows.classIndex[target.className])
            let originIndex = try #require(rows.classIndex[className])
            let member = try #require(rows.classes[originIndex].names.position(of: property))
            let key = try #require(contents.objects[target]?.key)
            var found: [Identity] = []
            transaction.forEachOrigin(
                ofClass: targetIndex, key: key, originClass: originIndex, member: member
            ) { classIndex, key in
                if let name = contents.identities[ObjectIdentity(classIndex: classIndex, key: key)]
                {
                    found.append(name)
                }
                return true
            }
            try transaction.checkFailure()
            return found
        }
    }

    private let rex = Identity("Dog", .int(1))
    private let ann = Identity("Person", .string("ann"))

    @Test(
        "to-one links, lists and sets are found from their targets, a target as often as it is linked",
        arguments: EngineCase.all)
    func inverse(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        try store.put("Dog", ["name": .value(.string("Rex"))], mode: .create)
        try store.put(
            "Person",
            Shelter.person(
                "ann",
                [
                    "best": .value(rex.link), "dogs": .values([rex.link, rex.link]),
                    "friends": .values([ann.link, ann.link]), "boss": .value(ann.link),
                ]))
        #expect(try origins(store, of: rex, "Person", "best") == [ann])
        #expect(try origins(store, of: rex, "Person", "dogs") == [ann, ann])
        #expect(try origins(store, of: ann, "Person", "friends") == [ann])
        #expect(try origins(store, of: ann, "Person", "boss") == [ann])
        try store.put(
            "Person",
            Shelter.person("ann", ["best": .null, "dogs": .values([rex.link]), "boss": .null]))
        #expect(try origins(store, of: rex, "Person", "best") == [])
        #expect(try origins(store, of: rex, "Person", "dogs") == [ann])
        #expect(try origins(store, of: ann, "Person", "boss") == [])
        #expect(try store.findings() == [])
    }

    @Test(
        "links inside embedded objects are found from their targets, with the owner as origin",
        arguments: EngineCase.all)
    func embedded(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        try store.put("City", ["id": .value(.int(1))], mode: .create)
        let city = Identity("City", .int(1))
        let address = Content.embedded([
            "city": .value(city.link), "inner": .embedded(["city": .value(city.link)]),
        ])
        try store.put(
            "Person",
            Shelter.person(
                "ann", ["home": address, "former": .embeddedList([["city": .value(city.link)]])]))
        #expect(try origins(store, of: city, "Address", "city") == [ann, ann, ann])
        try store.put("Person", Shelter.person("ann", ["home": .null]))
        #expect(try origins(store, of: city, "Address", "city") == [ann])
        #expect(try store.findings() == [])
        let version = store.version.number
        try store.delete("City", .int(1))
        let person = try #require(try store.contents().objects[ann])
        #expect(person.version == version + 1)
        #expect(
            person.content["former"]
                == .embeddedList([["street": .null, "city": .null, "inner": .null]]))
        #expect(try store.findings() == [])
    }

    @Test(
        "within a mixed value lead to no embedded object, which has no row of its own",
        arguments: EngineCase.all)
    func mixedTargets(engineCase: EngineCase) throws {
        let note = ObjectClass(
            name: "Note", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "any", type: .single(.scalar(.mixed))),
                Property(name: "all", type: .list(.scalar(.mixed))),
            ])
        let store = try Shelter.open(engineCase, classes: Shelter.classes + [note])
        defer { store.close() }
        let link = Value.link(className: "Address", key: .int(1))
        let contents: [ObjectContent] = [
            ["any": .value(link)], ["any": .value(.list([.int(1), link]))],
            ["all": .values([.int(1), link])],
        ]
        for var content in contents {
            content["id"] = .value(.int(1))
            let error = #expect(throws: StoreError.self) { try store.put("Note", content) }
            guard case .unknownClass("Address") = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        #expect(try store.findings() == [] && store.contents().objects.isEmpty)
    }

    @Test(
        "deleting a target nulls links and takes list and set elements away, as a change of the holder",
        arguments: EngineCase.all)
    func nullify(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        try store.put("Dog", [:], mode: .create)
        try store.put("Dog", [:], mode: .create)
        let max = Identity("Dog", .int(2))
        try store.put("Person", Shelter.person("bob"))
        let before = try store.put(
            "Person",
            Shelter.person(
                "ann",
                [
                    "best": .value(rex.link), "dogs": .values([rex.link, max.link, rex.link]),
                    "boss": Shelter.link("bob"),
                ]))
        let version = try store.delete("Dog", rex.key)
        #expect(version == before + 1)
        let object = try #require(try store.contents().objects[ann])
        #expect(object.content["best"] == .null)
        #expect(object.content["dogs"] == .values([max.link]))
        #expect(object.version == version)
        let changes = try store.changes(after: before)
        let people = store.catalog.rows.classes[0]
        let change = try #require(
            changes[ObjectIdentity(classIndex: 0, key: object.key)])
        #expect(change.kind == .update && change.version == version)
        #expect(
            people.members.indices.filter { change.members.contains($0) }
                == [people.names.position(of: "dogs"), people.names.position(of: "best")])
        #expect(changes.order.count == 2)
        #expect(try store.findings() == [])

        // An object that held links goes: its targets are told.
        let last = store.version.number
        try store.delete("Person", .string("ann"))
        let lost = try store.changes(after: last).lostLinks
        #expect(
            Set(lost.map(\.propertyNumber))
                == Set([people.members[5].number, people.members[8].number]))
        #expect(try store.findings() == [])
    }

    @Test(
        "links forward and in circles hold within one transaction, whatever the order",
        arguments: EngineCase.all)
    func forward(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        let version = try store.run([
            .write("Person", Shelter.person("a", ["boss": Shelter.link("b")]), key: nil, .create),
            .write("Person", Shelter.person("b", ["boss": Shelter.link("c")]), key: nil, .create),
            .write(
                "Person",
                Shelter.person(
                    "c", ["boss": Shelter.link("a"), "friends": .values([ann.link])]),
                key: nil, .create),
            .write("Person", Shelter.person("ann"), key: nil, .merge),
        ])
        #expect(version == 2)
        let objects = try store.contents().objects
        #expect(objects.count == 4)
        #expect(objects.values.allSatisfy { $0.version == 2 })
        #expect(
            objects[Identity("Person", .string("c"))]?.content["boss"] == Shelter.link("a"))
        #expect(try store.changes(after: 1).order.count == 4)
        #expect(try store.findings() == [])
    }

    @Test(
        "a link to nothing fails the transaction with its place, and leaves nothing behind",
        arguments: EngineCase.all)
    func dangling(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        try store.put("Person", Shelter.person("ann"))
        let before = try store.contents().objects
        let city = Identity("City", .int(4))
        #expect {
            try store.write { transaction throws(StoreError) in
                let rows = transaction.catalog.rows
                _ = try transaction.write(
                    ObjectDraft(
                        Shelter.person("b", ["boss": Shelter.link("ann")]), rows.classes[0], rows),
                    mode: .create, source: 3)
                _ = try transaction.write(
                    ObjectDraft(
                        Shelter.person(
                            "ann",
                            [
                                "friends": .values([
                                    ann.link, Identity("Person", .string("x")).link,
                                ]),
                                "former": .embeddedList([
                                    [:], ["inner": .embedded(["city": .value(city.link)])],
                                ]),
                            ]), rows.classes[0], rows), mode: .merge, source: 5)
            }
        } throws: { error in
            guard case StoreError.danglingLinks(let links) = error else { return false }
            let places = links.map { ($0.targetClass, $0.source, $0.path) }
                .sorted { $0.0 < $1.0 }
            guard places.count == 2 else { return false }
            return places[0]
                == (
                    "City", 5,
                    [.property("former"), .element(1), .property("inner"), .property("city")]
                )
                && places[1] == ("Person", 5, [.property("friends"), .element(1)])
        }
        #expect(try store.contents().objects == before)
        #expect(try store.findings() == [])
        // The key that was awaited has not become an object.
        try store.put("Person", Shelter.person("x"), mode: .create)
        #expect(try store.findings() == [])
    }

    @Test(
        "a link by object key dangles unless the object is there when the transaction ends",
        arguments: EngineCase.all)
    func byObjectKey(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        #expect(throws: StoreError.self) {
            try store.put("Person", Shelter.person("ann", ["best": .value(rex.link)]))
        }
        #expect(throws: StoreError.self) {
            try store.put("Person", Shelter.person("ann", ["best": .link("Dog", .int(-1))]))
        }
        try store.run([
            .write("Person", Shelter.person("ann", ["best": .value(rex.link)]), key: nil, .merge),
            .write("Dog", [:], key: nil, .create),
        ])
        #expect(try origins(store, of: rex, "Person", "best") == [ann])
        #expect(try store.findings() == [])
    }

    @Test(
        "an object deleted and made again in one transaction is a new one, and links do not follow",
        arguments: EngineCase.all)
    func replacedTarget(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        try store.put("Person", Shelter.person("ann", ["boss": Shelter.link("ann")]))
        try store.put("Person", Shelter.person("bob", ["boss": Shelter.link("ann")]))
        let key = try store.contents().objects[ann]?.key
        try store.run([
            .delete(ann), .write("Person", Shelter.person("ann"), key: nil, .create),
        ])
        let objects = try store.contents().objects
        #expect(objects[ann]?.key != key)
        #expect(objects[Identity("Person", .string("bob"))]?.content["boss"] == .null)
        let changes = try store.changes(after: store.version.number - 1)
        #expect(changes.outcomes.map(\.kind).map(\.rawValue).sorted() == [1, 2, 3])
        #expect(try store.findings() == [])
    }

    @Test("links that one object holds very often are followed until the time is over")
    func manyLinksOfOne() throws {
        let engine = try EngineCase.memory.open()
        let store = try Store(engine: engine)
        defer { store.close() }
        try store.setSchema(Shelter.classes)
        try store.put("Dog", ["name": .value(.string("Rex"))], mode: .create)
        try store.put(
            "Person", Shelter.person("ann", ["dogs": .values([Identity("Dog", .int(1)).link])]))
        // The store says that it is four billion links.
        let snapshot = try engine.snapshot()
        let entry = try snapshot.entries().first { $0.0.count == 29 && $0.1 == [1, 0, 0, 0] }
        snapshot.close()
        let key = try #require(entry?.0)
        try OwnedBatch([key: [255, 255, 255, 255]]).commit(to: engine)
        let other = try Store(engine: engine)
        defer { other.close() }
        try other.reading { transaction in
            let rowClass = try #require(transaction.rows.rowClass(named: "Dog"))
            for text in ["packs.@count == 1", "packs == obj('Person', 'bob')"] {
                let query = ObjectQuery(
                    classIndex: rowClass.index,
                    predicate: try CompiledQuery.compile(
                        text: text, rootClass: rowClass.index, schema: transaction.rows
                    ).predicate)
                let limits = QueryLimits(deadlineMilliseconds: monotonicMilliseconds() + 20)
                transaction.beginFollowing(until: limits.deadlineMilliseconds)
                let execution = QueryExecution(
                    query, plan: .scan(query), in: transaction, limits: limits)
                #expect(throws: StoreError.self, "\(text)") {
                    try execution.run(limit: .max) { _, _ in true }
                }
            }
        }
    }
}
