import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import Testing
import HoldfastTestSupport

/// What becomes of the values of one property when the property changes.
struct PropertyMigration: Sendable, CustomTestStringConvertible {
    /// A stored value and what it becomes; lost when that takes `allowDataLoss`.
    struct Case: Sendable {
        var stored: Content
        var after: Content
        var isLost = false

        static func kept(_ stored: Content, _ after: Content) -> Case {
            Case(stored: stored, after: after)
        }

        static func lost(_ stored: Content, _ after: Content) -> Case {
            Case(stored: stored, after: after, isLost: true)
        }
    }

    var testDescription: String
    var before: Property
    var after: Property
    var cases: [Case]

    init(_ name: String, _ before: Property, _ after: Property, _ cases: [Case]) {
        testDescription = name
        self.before = before
        self.after = after
        self.cases = cases
    }

    static func single(
        _ scalar: ScalarType, optional: Bool = false, indexed: Bool = false,
        _ defaultValue: Value? = nil, cases: [Value]? = nil
    ) -> Property {
        Property(
            name: "p", type: .single(.scalar(scalar)), isOptional: optional, isIndexed: indexed,
            defaultValue: defaultValue.map { .constant($0) }, cases: cases)
    }

    static func list(_ scalar: ScalarType, optional: Bool = false) -> Property {
        Property(name: "p", type: .list(.scalar(scalar)), isOptional: optional)
    }

    static func set(_ scalar: ScalarType) -> Property {
        Property(name: "p", type: .set(.scalar(scalar)))
    }

    static func int(_ value: Int64) -> Content { .value(.int(value)) }
    static func text(_ value: String) -> Content { .value(.string(value)) }

    static let big: Int64 = 1 << 53

    static let all: [PropertyMigration] = [
        PropertyMigration(
            "wider int", single(.int8, indexed: true), single(.int32, indexed: true),
            [.kept(int(-128), int(-128)), .kept(int(127), int(127))]),
        PropertyMigration(
            "narrower int, required", single(.int, indexed: true),
            single(.int8, indexed: true, .int(5)),
            [
                .kept(int(127), int(127)), .kept(int(-128), int(-128)), .lost(int(128), int(5)),
                .lost(int(-129), int(5)),
            ]),
        PropertyMigration(
            "narrower int, optional", single(.int, optional: true), single(.int8, optional: true),
            [.kept(.null, .null), .kept(int(1), int(1)), .lost(int(1000), .null)]),
        PropertyMigration(
            "int to double", single(.int, indexed: true), single(.double, indexed: true),
            [
                .kept(int(-3), .value(.double(-3))),
                .kept(int(big), .value(.double(9_007_199_254_740_992))),
                .lost(int(big + 1), .value(.double(9_007_199_254_740_992))),
            ]),
        PropertyMigration(
            "int to decimal", single(.int), single(.decimal128),
            [.kept(int(.max), .value(.decimal(Decimal128(.max))))]),
        PropertyMigration(
            "int to string", single(.int, indexed: true), single(.string, indexed: true),
            [.kept(int(-7), text("-7")), .kept(int(.min), text("-9223372036854775808"))]),
        PropertyMigration(
            "string to int", single(.string, optional: true, indexed: true),
            single(.int, optional: true, indexed: true),
            [
                .kept(text("12"), int(12)), .kept(.null, .null), .lost(text("12x"), .null),
                .lost(text(""), .null),
            ]),
        PropertyMigration(
            "string to uuid", single(.string, optional: true), single(.uuid, optional: true),
            [
                .kept(
                    text("00000000-0000-0001-0000-000000000002"),
                    .value(.uuid(UUID128(high: 1, low: 2)))), .lost(text("x"), .null),
            ]),
        PropertyMigration(
            "uuid to string", single(.uuid), single(.string),
            [
                .kept(
                    .value(.uuid(UUID128(high: 1, low: 2))),
                    text("00000000-0000-0001-0000-000000000002"))
            ]),
        PropertyMigration(
            "objectId to string", single(.objectID), single(.string),
            [.kept(.value(.objectID(ObjectID(high: 1, low: 2))), text("000000000000000100000002"))]),
        PropertyMigration(
            "double to int", single(.double), single(.int, .int(-1)),
            [
                .kept(.value(.double(4)), int(4)), .lost(.value(.double(4.5)), int(-1)),
                .lost(.value(.double(.infinity)), int(-1)),
            ]),
        PropertyMigration(
            "double to float", single(.double), single(.float),
            [
                .kept(.value(.double(0.5)), .value(.float(0.5))),
                .lost(.value(.double(0.1)), .value(.float(0.1))),
                .lost(.value(.double(1e300)), .value(.float(0))),
            ]),
        PropertyMigration(
            "float to double", single(.float), single(.double),
            [.kept(.value(.float(0.5)), .value(.double(0.5)))]),
        PropertyMigration(
            "bool to int", single(.bool), single(.int),
            [.kept(.value(.bool(true)), int(1)), .kept(.value(.bool(false)), int(0))]),
        PropertyMigration(
            "int to bool", single(.int), single(.bool),
            [.kept(int(1), .value(.bool(true))), .lost(int(2), .value(.bool(false)))]),
        PropertyMigration(
            "string to data", single(.string), single(.data),
            [.kept(text("é"), .value(.data([0xC3, 0xA9])))]),
        PropertyMigration(
            "data to string", single(.data), single(.string),
            [.kept(.value(.data([0x61])), text("a")), .lost(.value(.data([0xFF])), text(""))]),
        PropertyMigration(
            "date to int", single(.date, optional: true), single(.int, optional: true),
            [
                .lost(.value(.date(Timestamp(seconds: 1, nanoseconds: 0))), .null),
                .kept(.null, .null),
            ]),
        PropertyMigration(
            "optional", single(.string, indexed: true),
            single(.string, optional: true, indexed: true),
            [.kept(text("a"), text("a"))]),
        PropertyMigration(
            "required", single(.string, optional: true, indexed: true),
            single(.string, indexed: true, .string("d")),
            [.kept(text("a"), text("a")), .lost(.null, text("d"))]),
        PropertyMigration(
            "required and another type", single(.int, optional: true),
            single(.string, .string("d")),
            [.kept(int(1), text("1")), .lost(.null, text("d"))]),
        PropertyMigration(
            "an enum", single(.string, indexed: true),
            single(.string, indexed: true, cases: [.string("a"), .string("b")]),
            [.kept(text("b"), text("b")), .lost(text("c"), text("a"))]),
        PropertyMigration(
            "an enum of another type", single(.string),
            single(.int, .int(2), cases: [.int(1), .int(2)]),
            [.kept(text("1"), int(1)), .lost(text("3"), int(2)), .lost(text("x"), int(2))]),
        PropertyMigration(
            "a smaller enum, optional",
            single(.int, optional: true, cases: [.int(1), .int(2)]),
            single(.int, optional: true, cases: [.int(1)]),
            [.kept(int(1), int(1)), .kept(.null, .null), .lost(int(2), .null)]),
        PropertyMigration(
            "no enum", single(.int, cases: [.int(1), .int(2)]), single(.int),
            [.kept(int(2), int(2))]),
        PropertyMigration(
            "single to list", single(.int, optional: true), list(.int),
            [.kept(int(1), .values([.int(1)])), .kept(.null, .values([]))]),
        PropertyMigration(
            "list to single", list(.int), single(.int, optional: true),
            [
                .kept(.values([.int(1)]), int(1)), .kept(.values([]), .null),
                .lost(.values([.int(1), .int(2)]), int(1)),
            ]),
        PropertyMigration(
            "list to set of another type", list(.int), set(.string),
            [
                .kept(
                    .values([.int(2), .int(10)]), .values([.string("10"), .string("2")])),
                .lost(.values([.int(2), .int(2)]), .values([.string("2")])),
            ]),
        PropertyMigration(
            "set to list", set(.int), list(.int),
            [.kept(.values([.int(1), .int(3)]), .values([.int(1), .int(3)]))]),
        PropertyMigration(
            "required elements", list(.int, optional: true), list(.int),
            [
                .kept(.values([.int(1)]), .values([.int(1)])),
                .lost(.values([.null, .int(1)]), .values([.int(0), .int(1)])),
            ]),
        PropertyMigration(
            "elements of another type", list(.string, optional: true), list(.int, optional: true),
            [
                .kept(.values([.string("1"), .null]), .values([.int(1), .null])),
                .lost(.values([.string("x")]), .values([.null])),
            ]),
        PropertyMigration(
            "map of another type",
            Property(name: "p", type: .map(.scalar(.int))),
            Property(name: "p", type: .map(.scalar(.string))),
            [
                .kept(
                    .entries(["a": int(1), "b": int(2)]),
                    .entries(["a": text("1"), "b": text("2")])),
                .kept(.entries([:]), .entries([:])),
            ]),
        PropertyMigration(
            "map to list",
            Property(name: "p", type: .map(.scalar(.int))), list(.int),
            [.kept(.entries([:]), .values([])), .lost(.entries(["a": int(1)]), .values([]))]),
        PropertyMigration(
            "dropped", single(.int, optional: true, indexed: true),
            Property(name: "q", type: .single(.scalar(.string))),
            [.kept(.null, .null), .lost(int(1), .null)]),
        PropertyMigration(
            "link to list", Property(name: "p", type: .single(.object("Note")), isOptional: true),
            Property(name: "p", type: .list(.object("Note"))),
            [
                .kept(.null, .values([])),
                .kept(.link("Note", .int(1)), .values([.link(className: "Note", key: .int(1))])),
            ]),
        PropertyMigration(
            "list of links to link", Property(name: "p", type: .list(.object("Note"))),
            Property(name: "p", type: .single(.object("Note")), isOptional: true),
            [
                .kept(.values([.link(className: "Note", key: .int(1))]), .link("Note", .int(1))),
                .lost(
                    .values([
                        .link(className: "Note", key: .int(1)),
                        .link(className: "Note", key: .int(2)),
                    ]), .link("Note", .int(1))),
            ]),
        PropertyMigration(
            "list of links to set", Property(name: "p", type: .list(.object("Note"))),
            Property(name: "p", type: .set(.object("Note"))),
            [
                .kept(
                    .values([.link(className: "Note", key: .int(1))]),
                    .values([.link(className: "Note", key: .int(1))])),
                .lost(
                    .values([
                        .link(className: "Note", key: .int(1)),
                        .link(className: "Note", key: .int(1)),
                    ]), .values([.link(className: "Note", key: .int(1))])),
            ]),
        PropertyMigration(
            "link to another class",
            Property(name: "p", type: .single(.object("Note")), isOptional: true),
            Property(name: "p", type: .single(.object("Other")), isOptional: true),
            [.kept(.null, .null), .lost(.link("Note", .int(1)), .null)]),
        PropertyMigration(
            "embedded to list",
            Property(name: "p", type: .single(.object("Part")), isOptional: true),
            Property(name: "p", type: .list(.object("Part"))),
            [
                .kept(.null, .embeddedList([])),
                .kept(
                    .embedded(["n": int(4), "link": .link("Note", .int(1))]),
                    .embeddedList([["n": int(4), "link": .link("Note", .int(1))]])),
            ]),
        PropertyMigration(
            "list of embedded to embedded", Property(name: "p", type: .list(.object("Part"))),
            Property(name: "p", type: .single(.object("Part")), isOptional: true),
            [
                .kept(
                    .embeddedList([["n": int(4), "link": .null]]),
                    .embedded(["n": int(4), "link": .null])),
                .lost(
                    .embeddedList([
                        ["n": int(4), "link": .link("Note", .int(1))],
                        ["n": int(5), "link": .link("Note", .int(2))],
                    ]), .embedded(["n": int(4), "link": .link("Note", .int(1))])),
            ]),
    ]
}

@Suite("Changes of one property")
struct MigrationTableTests {
    private static func classes(_ property: Property) -> [ObjectClass] {
        [
            ObjectClass(
                name: "Note", primaryKey: "id",
                properties: [
                    Property(name: "id", type: .single(.scalar(.int))), property,
                    Property(name: "beside", type: .single(.scalar(.string)), isIndexed: true),
                ]),
            ObjectClass(
                name: "Part", kind: .embedded,
                properties: [
                    Property(name: "n", type: .single(.scalar(.int))),
                    Property(name: "link", type: .single(.object("Note")), isOptional: true),
                ]),
            ObjectClass(name: "Other", properties: []),
        ]
    }

    private func fill(_ store: Store, _ contents: [Content]) throws {
        for (index, content) in contents.enumerated() {
            try store.put(
                "Note",
                [
                    "id": .value(.int(Int64(index + 1))), "p": content,
                    "beside": .value(.string("b\(index)")),
                ])
        }
    }

    private func expect(_ store: Store, _ migration: PropertyMigration, _ contents: [Content])
        throws
    {
        let found = try store.contents().objects
        for (index, content) in contents.enumerated() {
            let id = Int64(index + 1)
            let note = try #require(found[Identity("Note", .int(id))])
            #expect(note.content["beside"] == .value(.string("b\(index)")))
            if migration.after.name == "p" {
                #expect(note.content["p"] == content, "\(migration.testDescription)")
            } else {
                #expect(note.content["p"] == nil)
            }
        }
        try store.awaitCleanUp()
        #expect(try store.findings() == [], "\(migration.testDescription)")
    }

    @Test(
        "what fits is kept, what would be lost is refused with counts, and lost when that is allowed",
        arguments: [(EngineCase.memory, false), (.memory, true), (.lmdb, true)])
    func properties(engineCase: EngineCase, isStaged: Bool) throws {
        for migration in PropertyMigration.all {
            try check(migration, engineCase, isStaged)
        }
    }

    private func open(_ engineCase: EngineCase, _ isStaged: Bool) throws -> Store {
        var options = StoreOptions()
        if isStaged {
            options.migrationObjectCountMax = 0
            options.migrationSliceCount = 2
            options.overflowLimits = .tiny
        }
        return try Store(engine: try engineCase.open(), options: options)
    }

    private func check(
        _ migration: PropertyMigration, _ engineCase: EngineCase, _ isStaged: Bool
    ) throws {
        let before = Self.classes(migration.before)
        let after = Self.classes(migration.after)
        let kept = migration.cases.filter { !$0.isLost }
        for cases in [[], kept, kept + kept + kept] {
            let store = try open(engineCase, isStaged)
            defer { store.close() }
            try store.setSchema(before)
            // Links lead to objects that are there.
            let contents =
                cases.isEmpty ? [] : cases.map(\.stored) + [kept[0].stored, kept[0].stored]
            let expected = cases.isEmpty ? [] : cases.map(\.after) + [kept[0].after, kept[0].after]
            try fill(store, contents)
            let versions = try store.contents().objects.mapValues(\.version)
            do {
                try store.setSchema(after)
            } catch {
                Issue.record("\(migration.testDescription): \(error)")
                continue
            }
            #expect(try store.contents().objects.mapValues(\.version) == versions)
            try expect(store, migration, expected)
        }
        let lostCount = migration.cases.filter(\.isLost).count
        guard lostCount > 0 else { return }
        let store = try open(engineCase, isStaged)
        defer { store.close() }
        try store.setSchema(before)
        let all = kept + kept + migration.cases.filter(\.isLost)
        try fill(store, all.map(\.stored))
        let contents = try store.contents().objects
        #expect("\(migration.testDescription)") { try store.setSchema(after) } throws: { error in
            guard case StoreError.lossyMigration(let faults) = error else { return false }
            let counts = faults.map { fault in
                fault.detail.split(separator: " ").compactMap { Int($0) }.first ?? 0
            }
            return counts.reduce(0, +) == lostCount
        }
        #expect(try store.contents().objects == contents)
        #expect(try store.findings() == [])
        let steps = try store.previewSchema(SchemaProposal(Schema(classes: after)))
        #expect(steps.filter(\.isLossy).map(\.objectCount).reduce(0, +) == lostCount)
        do {
            try store.setSchema(after, allowsDataLoss: true)
        } catch {
            Issue.record("\(migration.testDescription): \(error)")
        }
        try expect(store, migration, all.map(\.after))
    }
}
