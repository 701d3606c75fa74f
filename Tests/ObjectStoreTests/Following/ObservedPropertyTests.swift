import HoldfastObjectModel
@testable import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastTestSupport
import Testing

@Suite("What became of a property")
struct ObservedPropertyTests {
    private static let classes = [
        ObjectClass(
            name: "Item", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "list", type: .list(.scalar(.int)), isOptional: true),
                Property(name: "links", type: .list(.object("Dog"))),
                Property(name: "set", type: .set(.scalar(.string))),
                Property(name: "ties", type: .set(.object("Dog"))),
                Property(name: "map", type: .map(.scalar(.int))),
                Property(name: "pets", type: .map(.object("Dog")), isOptional: true),
                Property(name: "any", type: .single(.scalar(.mixed))),
                Property(name: "best", type: .single(.object("Dog")), isOptional: true),
                Property(name: "note", type: .single(.scalar(.int)), isOptional: true),
            ]),
        ObjectClass(
            name: "Dog", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "age", type: .single(.scalar(.int)), isOptional: true),
            ]),
    ]

    /// An object beside what a client knows of it.
    private struct World {
        let store: Store
        var random: SeededGenerator
        static let item = Identity("Item", .int(1))

        func dog(_ id: Int) -> Value { .link(className: "Dog", key: .int(Int64(id))) }

        mutating func operation(_ content: ObjectContent) -> ObjectScript.Operation {
            func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
            func element(_ name: String) -> Content {
                switch name {
                case "links", "ties": .values([dog(number(1...9))])
                case "set": .values([.string("s\(number(0...40))")])
                case "map": .entries(["k\(number(0...40))": .value(.int(Int64(number(0...9))))])
                case "pets": .entries(["k\(number(0...40))": .value(dog(number(1...9)))])
                default: .values([.int(Int64(number(0...9)))])
                }
            }
            let name =
                ["list", "links", "set", "ties", "map", "pets"].randomElement(using: &random) ?? ""
            let count = content[name]?.elements.count ?? 0
            let isList = name == "list" || name == "links"
            switch number(0...13) {
            case 0:
                return .write(
                    "Dog",
                    [
                        "id": .value(.int(Int64(number(1...9)))),
                        "age": .value(.int(Int64(number(0...99)))),
                    ], key: nil, .merge)
            case 1:
                let id = Int64(number(1...9))
                return .attempt([
                    .delete(Identity("Dog", .int(id))),
                    .write("Dog", ["id": .value(.int(id))], key: nil, .merge),
                ])
            case 2:
                let values = (0..<number(0...12)).map { _ in Value.int(Int64(number(0...9))) }
                return .write(
                    "Item", ["id": .value(.int(1)), "list": .values(values)], key: nil, .merge)
            case 3:
                return .write(
                    "Item",
                    [
                        "id": .value(.int(1)), "note": .value(.int(Int64(number(0...9)))),
                        "best": .value(dog(number(1...9))),
                    ], key: nil, .merge)
            case 4:
                let values = (0..<number(0...12)).map { _ in Value.int(Int64(number(0...9))) }
                let any: Value =
                    switch number(0...2) {
                    case 0: .list(values + [dog(number(1...9))])
                    case 1:
                        .map(
                            Set(values.map { "\($0)" }).sorted().map {
                                Value.MapEntry($0, .int(Int64(number(0...3))))
                            })
                    default: .int(1)
                    }
                return .write(
                    "Item", ["id": .value(.int(1)), "any": .value(any)], key: nil, .merge)
            case 5...7 where isList && count > 0:
                let edit: ElementEdit =
                    Bool.random(using: &random)
                    ? .remove(at: number(0...(count - 1))) : .replace(at: number(0...(count - 1)))
                return .edit(edit, name, of: Self.item, element(name))
            case _ where isList:
                return .edit(.insert(at: number(0...count)), name, of: Self.item, element(name))
            case 5...8 where name == "map" || name == "pets":
                return .attempt([.edit(.removeEntry, name, of: Self.item, element(name))])
            case 5...8: return .attempt([.edit(.removeEqual, name, of: Self.item, element(name))])
            case _ where name == "map" || name == "pets":
                return .edit(.put, name, of: Self.item, element(name))
            default: return .edit(.add, name, of: Self.item, element(name))
            }
        }
    }

    @Test(
        "a client that applies the differences has the property as it is, whatever was done to it",
        arguments: EngineCase.all, [false, true])
    func random(engineCase: EngineCase, isOutOfLine: Bool) throws {
        let seed = SeededGenerator.testSeed(
            "changes of properties on \(engineCase), \(isOutOfLine)")
        var options = StoreOptions()
        if isOutOfLine { options.overflowLimits = .tiny }
        let store = try Shelter.open(engineCase, options: options, classes: Self.classes)
        defer { store.close() }
        var world = World(store: store, random: SeededGenerator(seed: seed))
        for id in 1...9 { try store.put("Dog", ["id": .value(.int(Int64(id)))]) }
        try store.put("Item", ["id": .value(.int(1))])
        let rowClass = store.catalog.rows.classes[0]
        var counts = (told: 0, unknown: 0)
        for step in 0..<SeededGenerator.scaled(300) {
            let before = try store.read()
            defer { before.close() }
            let oldContents = try StoreContents(before)
            let old = try #require(oldContents.objects[World.item])
            for _ in 0..<Int.random(in: 1...4, using: &world.random) {
                let content = try #require(try store.contents().objects[World.item]).content
                try store.run([world.operation(content)])
            }
            let after = try store.read()
            defer { after.close() }
            let newContents = try StoreContents(after)
            let new = try #require(newContents.objects[World.item])
            // A dog that is deleted and made again has another object key.
            func name(_ bytes: UnsafeRawBufferPointer?, _ member: Int) -> String {
                guard rowClass.members[member].storage == FieldStorage(.set, .link),
                    let key = bytes?.baseAddress?.storedLink
                else { return text(bytes) }
                let identity = ObjectIdentity(classIndex: 1, key: key)
                let dog = newContents.identities[identity] ?? oldContents.identities[identity]
                if case .int(let id)? = dog?.key { return "\(id)" }
                return "none"
            }
            let changes = try FoldedChanges(
                after: before.state().version, in: after, notesLists: true)
            for (member, property) in rowClass.definition.properties.enumerated() {
                let difference = try ObservedProperty(rowClass, member: member).difference(
                    of: new.key, changes, from: before, to: after)
                guard let a = old.content[property.name], let b = new.content[property.name] else {
                    continue
                }
                let place = "step \(step) of seed \(seed): \(property.name)"
                switch difference {
                case nil: #expect(a == b, "\(place)")
                case .unknown?:
                    counts.unknown += 1
                case .value?: break
                case .list(let list)?:
                    counts.told += 1
                    #expect(list.applied(to: a.listed, b.listed) == b.listed, "\(place)")
                case .keyed(let keyed)?:
                    counts.told += 1
                    var known = a.keyed
                    for key in keyed.removed { known[name(key, member)] = nil }
                    for key in keyed.inserted + keyed.modified {
                        let key = name(key, member)
                        known[key] = b.keyed[key]
                    }
                    #expect(known == b.keyed, "\(place)")
                }
                if property.name == "links" || property.name == "ties" || property.name == "pets" {
                    checkLinks(difference, b, changes, newContents, place)
                }
            }
        }
        #expect(counts.told > 100 && counts.unknown == 0, "\(counts)")
        #expect(try store.findings() == [])
    }

    /// An element that stayed and whose object was updated is modified.
    private func checkLinks(
        _ difference: PropertyDifference?, _ new: Content, _ changes: FoldedChanges,
        _ contents: StoreContents, _ place: String
    ) {
        let isConcerned = new.elements.contains { element in
            guard case .value(.link(let name, let key)) = element,
                let object = contents.objects[Identity(name, key)]
            else { return false }
            let identity = ObjectIdentity(classIndex: 1, key: object.key)
            return changes[identity]?.kind == .update
        }
        #expect(!isConcerned || difference != nil, "\(place): what it links to")
    }

    /// An element of a set, or a key of a map, as text.
    private func text(_ bytes: UnsafeRawBufferPointer?) -> String {
        bytes.map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    @Test("a large set or map with one change is not read, and one that was replaced can't be told")
    func large() throws {
        let store = try Shelter.open(.memory, classes: Self.classes)
        defer { store.close() }
        let count = KeyedDifference.countMax + 20_000
        let values = (0..<count).map { Value.string("\($0)") }
        try store.put("Item", ["id": .value(.int(1)), "set": .values(values)])
        let rowClass = store.catalog.rows.classes[0]
        let before = try store.read()
        defer { before.close() }
        try store.run([
            .edit(.add, "set", of: World.item, .values([.string("new")])),
            .edit(.removeEqual, "set", of: World.item, .values([.string("77")])),
        ])
        let after = try store.read()
        defer { after.close() }
        let observed = ObservedProperty(rowClass, member: rowClass.names.position(of: "set") ?? 0)
        let changes = try FoldedChanges(after: before.state().version, in: after, notesLists: true)
        let difference = try observed.difference(of: 1, changes, from: before, to: after)
        guard case .keyed(let keyed)? = difference else {
            Issue.record("\(String(describing: difference))")
            return
        }
        #expect(keyed.removed.map { text($0) } == ["77"])
        #expect(keyed.inserted.map { text($0) } == ["new"])
        #expect(keyed.modified.isEmpty)

        try store.put(
            "Item", ["id": .value(.int(1)), "set": .values(values.map { .string("\($0)!") })])
        let last = try store.read()
        defer { last.close() }
        let replaced = try FoldedChanges(after: after.state().version, in: last, notesLists: true)
        guard case .unknown? = try observed.difference(of: 1, replaced, from: after, to: last)
        else {
            Issue.record("more is compared than allowed")
            return
        }
    }

    @Test("a long list is told by its splices alone, and one that was replaced can't be told")
    func longList() throws {
        let store = try Shelter.open(.memory, classes: Self.classes)
        defer { store.close() }
        let count = ObservedProperty.elementCountMax + 5_000
        let values = (0..<count).map { Value.int(Int64($0)) }
        try store.put("Item", ["id": .value(.int(1)), "list": .values(values)])
        let rowClass = store.catalog.rows.classes[0]
        let observed = ObservedProperty(rowClass, member: rowClass.names.position(of: "list") ?? 0)
        func difference(_ operations: [ObjectScript.Operation]) throws -> PropertyDifference? {
            let before = store.version.number
            for operation in operations { try store.run([operation]) }
            return try store.reading { after in
                let changes = try FoldedChanges(after: before, in: after, notesLists: true)
                return try observed.difference(of: 1, changes, from: nil, to: after)
            }
        }
        func edit(_ edit: ElementEdit) -> ObjectScript.Operation {
            .edit(edit, "list", of: World.item, .values([.int(-1)]))
        }
        let told = try difference([
            edit(.insert(at: 0)), edit(.remove(at: 12_000)), edit(.replace(at: 7)),
            edit(.insert(at: nil)),
        ])
        guard case .list(let list)? = told else {
            Issue.record("\(String(describing: told))")
            return
        }
        #expect(list.insertions == [0..<1, count..<(count + 1)])
        #expect(list.deletions == [11_999..<12_000] && list.modifications == [6..<7])
        let written = ObjectScript.Operation.write(
            "Item", ["id": .value(.int(1)), "list": .values(values)], key: nil, .merge)
        guard case .unknown? = try difference([written]) else {
            Issue.record("a replaced list is told")
            return
        }
    }

    @Test("lists and maps inside mixed values are compared where the path leads")
    func insideMixed() throws {
        let store = try Shelter.open(.memory, classes: Self.classes)
        defer { store.close() }
        func write(_ list: [Int64], _ map: [String: Int64]) throws {
            let entries = map.sorted { $0.key < $1.key }.map {
                Value.MapEntry($0.key, .int($0.value))
            }
            let any = Value.map([
                Value.MapEntry("list", .list(list.map { .int($0) })),
                Value.MapEntry("map", .map(entries)),
            ])
            try store.put("Item", ["id": .value(.int(1)), "any": .value(any)])
        }
        try write([1, 2, 3], ["a": 1, "b": 2])
        let before = try store.read()
        defer { before.close() }
        try write([2, 3, 4], ["b": 3, "c": 4])
        let after = try store.read()
        defer { after.close() }
        let rowClass = store.catalog.rows.classes[0]
        let changes = try FoldedChanges(after: before.state().version, in: after, notesLists: true)
        func difference(_ path: String...) throws -> PropertyDifference? {
            try ObservedProperty(
                rowClass, member: rowClass.names.position(of: "any") ?? 0,
                inner: path.map { Array($0.utf8) }
            ).difference(of: 1, changes, from: before, to: after)
        }
        guard case .list(let list)? = try difference("list"),
            case .keyed(let map)? = try difference("map"),
            case .keyed(let whole)? = try difference(),
            case .value? = try difference("map", "b")
        else {
            Issue.record("not told")
            return
        }
        #expect(list.deletions == [0..<1] && list.insertions == [2..<3])
        #expect(map.removed.map { text($0) } == ["a"])
        #expect(map.inserted.map { text($0) } == ["c"])
        #expect(map.modified.map { text($0) } == ["b"])
        #expect(whole.modified.map { text($0) } == ["list", "map"])
        #expect(try difference("other") == nil)
    }
}

extension Content {
    /// The elements of a list, also of one inside a `mixed` value.
    fileprivate var listed: [Content] {
        if case .value(.list(let values)) = self { return values.map { .value($0) } }
        return elements
    }

    /// The elements of a set, or the entries of a map, by what they are known by.
    fileprivate var keyed: [String: Content] {
        switch self {
        case .entries(let entries): return entries
        case .value(.map(let entries)):
            return Dictionary(uniqueKeysWithValues: entries.map { ($0.key, .value($0.value)) })
        default: break
        }
        let named = elements.map { element -> (String, Content) in
            switch element {
            case .value(.string(let text)): (text, element)
            case .value(.link(_, .int(let key))): ("\(key)", element)
            default: ("\(element)", element)
            }
        }
        return Dictionary(uniqueKeysWithValues: named)
    }
}
