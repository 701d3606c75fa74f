import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import Testing
import HoldfastTestSupport

@Suite("Drafts with objects in them")
struct NestedDraftTests {
    private func person(_ store: Store, _ id: String) throws -> ObjectContent? {
        try store.contents().objects[Identity("Person", .string(id))]?.content
    }

    @Test(
        "an embedded object is merged in a merge and replaced in a replacement",
        arguments: EngineCase.all)
    func embedded(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        let street = { (name: String) in Content.value(.string(name)) }
        try store.put(
            "Person",
            Shelter.person(
                "a",
                [
                    "home": .embedded([
                        "street": street("s"), "inner": .embedded(["street": street("i")]),
                    ])
                ]))
        try store.put(
            "Person",
            Shelter.person("a", ["home": .embedded(["inner": .embedded([:])])]), mode: .merge)
        #expect(
            try person(store, "a")?["home"]
                == .embedded([
                    "street": street("s"), "city": .null,
                    "inner": .embedded(["street": street("i"), "city": .null, "inner": .null]),
                ]))
        try store.put(
            "Person", Shelter.person("a", ["home": .embedded(["inner": .embedded([:])])]),
            mode: .replace)
        #expect(
            try person(store, "a")?["home"]
                == .embedded([
                    "street": .null, "city": .null,
                    "inner": .embedded(["street": .null, "city": .null, "inner": .null]),
                ]))
        try store.put("Person", Shelter.person("a", ["home": .null]))
        #expect(try person(store, "a")?["home"] == .null)
    }

    @Test(
        "a nested object is merged into the one it names, and one without a key is made each time",
        arguments: EngineCase.all)
    func nested(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        try store.put("Person", Shelter.person("b", ["age": .value(.int(3))]))
        let draft = Shelter.person(
            "a",
            [
                "boss": .nested(Shelter.person("b", ["name": .value(.string("Bob"))])),
                "dogs": .nestedList([
                    .nested(["name": .value(.string("one"))]),
                    .nested(["name": .value(.string("two"))]),
                ]),
            ])
        try store.put("Person", draft)
        #expect(try person(store, "b")?["name"] == .value(.string("Bob")))
        #expect(try person(store, "b")?["age"] == .value(.int(3)))
        #expect(
            try person(store, "a")?["dogs"]
                == .values([Identity("Dog", .int(1)).link, Identity("Dog", .int(2)).link]))
        try store.put("Person", draft)
        #expect(try store.reading { try $0.count($0.rows.classes[1]) } == 4)
        #expect(try store.findings() == [])
    }

    @Test(
        "a nested object may lead back to the outer one, by name or in full, and it is counted once",
        arguments: EngineCase.all)
    func cycles(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        let byName = Shelter.person(
            "a", ["boss": .nested(Shelter.person("b", ["boss": Shelter.link("a")]))])
        try store.put("Person", byName, mode: .create)
        #expect(try person(store, "b")?["boss"] == Shelter.link("a"))
        #expect(try store.findings() == [])

        let again = Shelter.person("c", ["age": .value(.int(1)), "name": .value(.string("inner"))])
        let inFull = Shelter.person(
            "c",
            [
                "age": .value(.int(2)),
                "boss": .nested(Shelter.person("d", ["boss": .nested(again)])),
            ])
        let version = try store.put("Person", inFull, mode: .create)
        #expect(try person(store, "c")?["age"] == .value(.int(2)))
        #expect(try person(store, "c")?["name"] == .value(.string("")))
        #expect(try person(store, "d")?["boss"] == Shelter.link("c"))
        #expect(try store.reading { try $0.count($0.rows.classes[0]) } == 4)
        let changes = try store.changes(after: version - 1)
        #expect(changes.outcomes.allSatisfy { $0.kind == .insert })
        #expect(try store.findings() == [])

        // The same of objects that are there already.
        try store.put("Person", inFull, mode: .merge)
        #expect(try person(store, "c")?["age"] == .value(.int(2)))
        #expect(try store.findings() == [])
    }

    @Test("a failing nested object takes the outer one with it", arguments: EngineCase.all)
    func failingInside(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        let nested = Content.nested(["name": .value(.string("no key"))])
        #expect(throws: StoreError.self) {
            try store.put("Person", Shelter.person("a", ["boss": nested]), mode: .create)
        }
        #expect(try store.contents().objects.isEmpty)
        #expect(store.version.number == 1)
        #expect(try store.findings() == [])
    }

    @Test(
        "deleting an owner takes its embedded objects with it, and their links from the targets",
        arguments: EngineCase.all)
    func cascade(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        try store.put("City", ["id": .value(.int(1))])
        let city = Content.link("City", .int(1))
        try store.put(
            "Person",
            Shelter.person(
                "a",
                ["home": .embedded(["city": city]), "former": .embeddedList([["city": city]])]))
        let incoming = { try store.reading { $0.incomingLinkCount(classIndex: 3, key: 1) } }
        #expect(try incoming() == 2)
        try store.delete("Person", .string("a"))
        #expect(try incoming() == 0)
        #expect(try store.contents().objects.count == 1)
        #expect(try store.findings() == [])
    }

    @Test(
        "a transaction ends at its limit of operations, nested ones counted",
        arguments: EngineCase.all)
    func operationLimit(engineCase: EngineCase) throws {
        var options = StoreOptions()
        options.operationCountMax = 3
        let store = try Shelter.open(engineCase, options: options)
        defer { store.close() }
        func draft(_ dogs: Int) -> ObjectContent {
            Shelter.person("a", ["dogs": .nestedList((0..<dogs).map { _ in .nested([:]) })])
        }
        try store.put("Person", draft(2))
        #expect { try store.put("Person", draft(3)) } throws: { error in
            if case StoreError.tooManyOperations(limit: 3) = error { true } else { false }
        }
        #expect(try store.contents().objects.count == 3)
    }
}
