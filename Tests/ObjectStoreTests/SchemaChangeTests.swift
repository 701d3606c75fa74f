import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastStorage
import Synchronization
import Testing
import HoldfastTestSupport

@Suite("Changes of the schema")
struct SchemaChangeTests {
    private static func property(
        _ name: String, _ type: ScalarType, isOptional: Bool = false, isIndexed: Bool = false,
        _ defaultValue: DefaultValue? = nil
    ) -> Property {
        Property(
            name: name, type: .single(.scalar(type)), isOptional: isOptional, isIndexed: isIndexed,
            defaultValue: defaultValue)
    }

    private static func note(_ properties: [Property]) -> ObjectClass {
        ObjectClass(
            name: "Note", primaryKey: "id", properties: [property("id", .int)] + properties)
    }

    private func open(_ engineCase: EngineCase) throws -> Store {
        let store = try Store(engine: try engineCase.open())
        try store.setSchema([Self.note([Self.property("text", .string)])])
        for id in 1...3 {
            try store.put(
                "Note", ["id": .value(.int(Int64(id))), "text": .value(.string("t\(id)"))])
        }
        return store
    }

    private func note(_ store: Store, _ id: Int64) throws -> ObjectContent {
        try #require(try store.contents().objects[Identity("Note", .int(id))]?.content)
    }

    @Test(
        "existing objects read an added property's default, first case, null or zero value, without a new version",
        arguments: EngineCase.all)
    func addedProperties(engineCase: EngineCase) throws {
        let store = try open(engineCase)
        defer { store.close() }
        let versions = try store.contents().objects.mapValues(\.version)
        let before = Timestamp.now()
        let version = try store.setSchema([
            Self.note([
                Self.property("declared", .string, .constant(.string("d"))),
                Self.property("text", .string),
                Self.property("null", .int, isOptional: true),
                Self.property("zero", .int), Self.property("uuid", .uuid),
                Self.property("date", .date), Self.property("now", .date, .now),
                Property(name: "list", type: .list(.scalar(.int))),
                Property(name: "set", type: .set(.object("Note"))),
                Property(name: "link", type: .single(.object("Note")), isOptional: true),
                Property(
                    name: "number", type: .single(.scalar(.int)), cases: [.int(3), .int(1)]),
                Property(
                    name: "enum", type: .single(.scalar(.string)), isIndexed: true,
                    cases: [.string("red"), .string("green")]),
            ])
        ])
        #expect(version == 5 && store.catalog.schema.revision == 2)
        #expect(try store.contents().objects.mapValues(\.version) == versions)
        let content = try note(store, 2)
        guard case .value(.date(let now))? = content["now"] else {
            Issue.record("no time")
            return
        }
        #expect(now >= before && now <= Timestamp.now())
        #expect(
            content == [
                "id": .value(.int(2)), "text": .value(.string("t2")),
                "declared": .value(.string("d")), "null": .null, "zero": .value(.int(0)),
                "uuid": .value(.uuid(UUID128(high: 0, low: 0))),
                "date": .value(.date(Timestamp(seconds: 0, nanoseconds: 0))),
                "now": .value(.date(now)), "list": .values([]), "set": .values([]), "link": .null,
                "number": .value(.int(3)), "enum": .value(.string("red")),
            ])
        #expect(try store.findings() == [])

        // A later default is not taken back, and a rewritten row keeps what it read.
        try store.put("Note", ["id": .value(.int(1)), "zero": .value(.int(4))])
        var changed = store.catalog.schema.classes
        changed[0].properties[1].defaultValue = .constant(.string("later"))
        try store.setSchema(changed)
        try store.put("Note", ["id": .value(.int(9))])
        #expect(try note(store, 1)["declared"] == .value(.string("d")))
        #expect(try note(store, 2)["declared"] == .value(.string("d")))
        #expect(try note(store, 9)["declared"] == .value(.string("later")))
        #expect(try note(store, 1)["now"] == .value(.date(now)))
        #expect(try store.findings() == [])
    }

    @Test(
        "a declared random default is written to every existing object, each its own, and stays",
        arguments: EngineCase.all)
    func randomDefaults(engineCase: EngineCase) throws {
        let store = try open(engineCase)
        defer { store.close() }
        try store.setSchema([
            Self.note([
                Self.property("text", .string), Self.property("u", .uuid, isIndexed: true, .uuid),
                Self.property("o", .objectID, isOptional: true, .objectID),
            ])
        ])
        let first = try store.contents().objects
        #expect(Set(first.values.map { $0.content["u"] }).count == 3)
        #expect(Set(first.values.map { $0.content["o"] }).count == 3)
        #expect(first.values.allSatisfy { $0.version <= 4 })
        #expect(try store.contents().objects == first)
        #expect(try store.findings() == [])
    }

    @Test(
        "an added index holds the existing objects, a dropped one leaves nothing, and it can come back",
        arguments: EngineCase.all)
    func indexes(engineCase: EngineCase) throws {
        let store = try open(engineCase)
        defer { store.close() }
        for (isIndexed, count) in [(true, 3), (false, 0), (true, 3)] {
            try store.setSchema([
                Self.note([
                    Self.property("text", .string, isIndexed: isIndexed),
                    Self.property("n", .int, isOptional: true, isIndexed: isIndexed),
                ])
            ])
            let report = try StoreCheck.run(store)
            #expect(report.findings == [] && report.indexEntryCount == 2 * count)
        }
    }

    @Test(
        "added classes and inverse links work at once, with links that were there before",
        arguments: EngineCase.all)
    func addedClasses(engineCase: EngineCase) throws {
        let store = try Store(engine: try engineCase.open())
        defer { store.close() }
        let link = Property(name: "next", type: .single(.object("Node")), isOptional: true)
        try store.setSchema([ObjectClass(name: "Node", properties: [link])])
        try store.put("Node", [:], mode: .create)
        try store.put("Node", ["next": .link("Node", .int(1))], mode: .create)
        let back = Property(
            name: "previous", type: .linkingObjects(className: "Node", property: "next"))
        try store.setSchema([
            ObjectClass(
                name: "Other", properties: [Property(name: "node", type: .list(.object("Node")))]),
            ObjectClass(name: "Node", properties: [back, link]),
        ])
        try store.put("Other", ["node": .values([Identity("Node", .int(1)).link])], mode: .create)
        let count = try store.reading { $0.incomingLinkCount(classIndex: 1, key: 1) }
        #expect(count == 2)
        #expect(try store.findings() == [])
    }

    @Test(
        "the same schema again makes no version, and its order alone makes one",
        arguments: EngineCase.all)
    func unchanged(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        #expect(try store.setSchema(Shelter.classes) == 1)
        #expect(store.catalog.schema.revision == 1)
        #expect(try store.setSchema(Shelter.classes.reversed()) == 2)
        #expect(store.catalog.schema.revision == 2)
        try store.put("Person", Shelter.person("a", ["name": .value(.string("x"))]))
        #expect(try store.setSchema(Shelter.classes) == 4)
        #expect(
            try store.contents().objects[Identity("Person", .string("a"))]?.content["name"]
                == .value(.string("x")))
        #expect(try store.findings() == [])
    }

    @Test(
        "a change that is not performed lists every reason and leaves the store as it was",
        arguments: EngineCase.all)
    func refusals(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        var classes = Shelter.classes
        classes[2].kind = .object
        #expect { try store.setSchema(classes) } throws: { error in
            guard case StoreError.unsupportedMigration(let faults) = error else { return false }
            return faults.map(\.className) == ["Address"]
        }
        #expect { try store.setSchema([ObjectClass(name: "1", properties: [])]) } throws: { error in
            if case StoreError.invalidSchema(let faults) = error {
                faults.count == 1
            } else {
                false
            }
        }
        #expect(store.version.number == 1 && store.catalog.schema.classes == Shelter.classes)
        #expect(try store.findings() == [])
    }

    @Test(
        "a failed commit of a schema leaves the old one, for readers and for later writes",
        arguments: EngineCase.all)
    func failedCommit(engineCase: EngineCase) throws {
        let engine = FaultyEngine(try engineCase.open())
        let store = try Store(engine: engine)
        defer { store.close() }
        try store.setSchema(Shelter.classes)
        for code in [StorageError.Code.diskFull, .io] {
            engine.failCommit(engine.commitCount + 1, with: code)
            #expect { try store.setSchema(Shelter.classes.reversed()) } throws: { error in
                if case StoreError.storage(let error) = error { error.code == code } else { false }
            }
            #expect(store.catalog.schema.classes == Shelter.classes)
            #expect(try store.reading { $0.catalog.schema.classes } == Shelter.classes)
            try store.put("Person", Shelter.person("a\(code)"))
        }
        engine.failCommit(engine.commitCount + 1, with: .conflict)
        try store.setSchema(Shelter.classes.reversed())
        #expect(store.catalog.schema.revision == 2)
        #expect(try store.contents().objects.count == 2)
        #expect(try store.findings() == [])
    }

    @Test(
        "every view has the schema of its own version, while the schema changes under it",
        arguments: EngineCase.all)
    func concurrentReaders(engineCase: EngineCase) throws {
        let store = try Store(engine: try engineCase.open())
        defer { store.close() }
        try store.setSchema([Self.note([])])
        for id in 1...20 { try store.put("Note", ["id": .value(.int(Int64(id)))]) }
        let isDone = Atomic(false)
        let rounds = SeededGenerator.scaled(25)
        try runThreads(3) { thread in
            if thread == 0 {
                defer { isDone.store(true, ordering: .releasing) }
                var properties: [Property] = []
                for round in 0..<rounds {
                    let name = "p\(round)"
                    properties.append(
                        Self.property(name, .int, .constant(.int(Int64(round)))))
                    if round % 3 == 0 { properties.reverse() }
                    try store.setSchema([Self.note(properties)])
                    let id = Content.value(.int(Int64(round % 20 + 1)))
                    try store.put("Note", ["id": id, name: .value(.int(Int64(round)))])
                }
                return
            }
            while !isDone.load(ordering: .acquiring) {
                try store.reading { transaction in
                    let state = try transaction.state()
                    let contents = try StoreContents(transaction)
                    #expect(contents.objects.count == 20 || state.version < 21)
                    let names = Set(
                        transaction.catalog.schema.classes[0].properties.map(\.name))
                    for object in contents.objects.values {
                        #expect(object.version <= state.version)
                        #expect(Set(object.content.keys) == names)
                        for name in names where name != "id" {
                            let number = Int64(name.dropFirst()) ?? -1
                            #expect(object.content[name] == .value(.int(number)))
                        }
                    }
                }
            }
        }
        #expect(store.catalog.schema.revision == UInt64(rounds) + 1)
        #expect(try store.findings() == [])
    }

    @Test("a schema that is set again changes nothing, also with a default that is no number")
    func schemaSetAgain() throws {
        let store = try Store(engine: try EngineCase.memory.open())
        defer { store.close() }
        let classes = [
            Self.note([
                Self.property("double", .double, .constant(.double(.nan))),
                Self.property("float", .float, .constant(.float(-.nan))),
            ])
        ]
        try store.setSchema(classes)
        let version = store.version.number
        try store.setSchema(classes)
        #expect(store.version.number == version)
        #expect(store.catalog.schema.revision == 1)
        var others = classes
        others[0].properties[1].defaultValue = .constant(.double(0))
        try store.setSchema(others)
        #expect(store.catalog.schema.revision == 2)
    }

    @Test(
        "an identical write to an object with embedded ones of an older layout changes nothing",
        arguments: EngineCase.all)
    func olderEmbedded(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        let home = Content.embedded([
            "street": .value(.string("s")), "inner": .embedded(["street": .value(.string("i"))]),
        ])
        let draft = Shelter.person(
            "a", ["home": home, "former": .embeddedList([["street": .value(.string("f"))]])])
        let version = try store.put("Person", draft)
        var classes = Shelter.classes
        classes[2].properties.append(Self.property("zip", .string, .constant(.string("z"))))
        try store.setSchema(classes)
        let current = store.version.number
        #expect(try store.put("Person", draft, mode: .replace) == current)
        let object = try #require(try store.contents().objects[Identity("Person", .string("a"))])
        #expect(object.version == version)
        guard case .embedded(let read)? = object.content["home"] else {
            Issue.record("no home")
            return
        }
        #expect(read["zip"] == .value(.string("z")))
        let other = Content.embedded(["zip": .value(.string("y"))])
        #expect(try store.put("Person", Shelter.person("a", ["home": other])) == current + 1)
        #expect(try store.findings() == [])
    }

    @Test(
        "a collection that becomes small takes lost properties' values out of a row of an older layout",
        arguments: EngineCase.all, [false, true])
    func shrunkCollection(engineCase: EngineCase, keepsMore: Bool) throws {
        var options = StoreOptions()
        options.overflowLimits = .tiny
        let store = try Store(engine: try engineCase.open(), options: options)
        defer { store.close() }
        let text = Self.property("text", .string)
        let kept = [
            Self.property("title", .string), Property(name: "list", type: .list(.scalar(.string))),
        ]
        try store.setSchema([Self.note(kept + [text])])
        let title = Content.value(.string(keepsMore ? "longer than six bytes" : "short"))
        let elements = (1...4).map { Value.string("element \($0) of the list") }
        try store.put(
            "Note",
            [
                "id": .value(.int(1)), "title": title, "list": .values(elements),
                "text": .value(.string("an out-of-line text")),
            ])
        try store.setSchema([Self.note(kept)], allowsDataLoss: true)
        for count in (0..<elements.count).reversed() {
            try store.run([
                .edit(.remove(at: count), "list", of: Identity("Note", .int(1)), nil)
            ])
            #expect(try store.findings() == [], "\(count) elements")
            let content = try note(store, 1)
            #expect(content["title"] == title)
            #expect(content["list"] == .values(Array(elements[..<count])))
        }
    }
}
