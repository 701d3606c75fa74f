import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import Testing
import HoldfastTestSupport

@Suite("Creating, merging, replacing")
struct WriteModeTests {
    private func content(_ store: Store, _ id: String) throws -> ObjectContent? {
        try store.contents().objects[Identity("Person", .string(id))]?.content
    }

    @Test(
        "an absent object is created by every mode that may, and refused by the others",
        arguments: EngineCase.all)
    func absent(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        for mode in WriteMode.allCases {
            let draft = Shelter.person("of \(mode)", ["name": .value(.string("x"))])
            if mode == .update || mode == .replaceExisting {
                #expect { try store.put("Person", draft, mode: mode) } throws: { error in
                    if case StoreError.objectNotFound = error { true } else { false }
                }
                #expect(try content(store, "of \(mode)") == nil)
            } else {
                try store.put("Person", draft, mode: mode)
                #expect(try content(store, "of \(mode)")?["name"] == .value(.string("x")))
            }
        }
        #expect(try store.findings() == [])
    }

    @Test(
        "of a present object a merge keeps what is not stated, and a replacement does not",
        arguments: EngineCase.all)
    func present(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        let first = Shelter.person("a", ["name": .value(.string("old")), "age": .value(.int(7))])
        let second = Shelter.person("a", ["name": .value(.string("new"))])
        for mode in WriteMode.allCases {
            try store.put("Person", first, mode: .replace)
            let before = store.version.number
            if mode == .create {
                #expect { try store.put("Person", second, mode: mode) } throws: { error in
                    if case StoreError.duplicateKey("Person") = error { true } else { false }
                }
            } else {
                try store.put("Person", second, mode: mode)
            }
            let found = try #require(try content(store, "a"))
            let stays = mode == .create || mode == .ignore
            let keeps = stays || mode == .merge || mode == .update
            #expect(found["name"] == .value(.string(stays ? "old" : "new")), "\(mode)")
            #expect(found["age"] == .value(keeps ? .int(7) : .null), "\(mode)")
            #expect(store.version.number == (stays ? before : before + 1), "\(mode)")
        }
        #expect(try store.findings() == [])
    }

    @Test(
        "a write that changes nothing makes no version and no entry in the change log",
        arguments: EngineCase.all)
    func unchanged(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        let full = Shelter.person(
            "a",
            [
                "name": .value(.string("n")), "age": .value(.int(1)),
                "home": .embedded(["street": .value(.string("s"))]),
                "scores": .values([.double(2), .double(1), .double(2)]),
                "friends": .values([Identity("Person", .string("a")).link]),
            ])
        let version = try store.put("Person", full, mode: .create)
        for mode in [WriteMode.merge, .replace, .update, .replaceExisting, .ignore] {
            #expect(try store.put("Person", full, mode: mode) == version)
        }
        try store.put("Person", Shelter.person("a", ["age": .value(.int(2))]))
        let back = try store.put("Person", full, mode: .replace)
        #expect(back == version + 2)
        #expect(try store.changes(after: version).order.count == 1)
        #expect(store.version.number == back)
    }

    @Test(
        "a write without the primary key is refused by name, one without a key for a class without is not",
        arguments: EngineCase.all)
    func missingKey(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        #expect { try store.put("Person", ["name": .value(.string("x"))]) } throws: { error in
            if case StoreError.missingKey("Person", "id") = error { true } else { false }
        }
        try store.put("Dog", ["name": .value(.string("Rex"))], mode: .create)
        try store.put("Dog", ["name": .value(.string("Max"))], key: .int(1), mode: .update)
        #expect { try store.put("Dog", [:], key: .int(2), mode: .merge) } throws: { error in
            if case StoreError.objectNotFound = error { true } else { false }
        }
        #expect(
            try store.contents().objects[Identity("Dog", .int(1))]?.content
                == ["name": .value(.string("Max"))])
    }

    @Test(
        "preconditions compare versions, and a failed one hands back the object and changes nothing",
        arguments: EngineCase.all)
    func preconditions(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        let version = try store.put("Person", Shelter.person("a"), mode: .create)
        func write(_ id: String, _ precondition: Precondition) throws {
            try store.write { transaction throws(StoreError) in
                let rows = transaction.catalog.rows
                let draft = ObjectDraft(
                    Shelter.person(id, ["age": .value(.int(9))]), rows.classes[0], rows)
                _ = try transaction.write(draft, mode: .merge, precondition: precondition)
            }
        }
        let old = StoreVersion(epoch: store.epoch, number: version - 1)
        let present = StoreVersion(epoch: store.epoch, number: version)
        let foreign = StoreVersion(epoch: store.epoch ^ 1, number: version)
        let failing: [(String, Precondition)] = [
            ("a", .absent), ("a", .matches([old, foreign])), ("a", .matches([])), ("b", .exists),
            ("b", .matches([present])),
        ]
        for (id, precondition) in failing {
            #expect { try write(id, precondition) } throws: { error in
                guard case StoreError.preconditionFailed(let current) = error else { return false }
                return (current != nil) == (id == "a")
            }
        }
        #expect(store.version.number == version)
        try write("a", .matches([old, present]))
        try write("a", .exists)
        try write("b", .absent)
        #expect(try store.contents().objects.count == 2)
    }
}
