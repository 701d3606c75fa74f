import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import Testing
import HoldfastTestSupport

@Suite("Defaults")
struct DefaultTests {
    private static func property(
        _ name: String, _ type: ScalarType, _ value: DefaultValue?, isOptional: Bool = false
    ) -> Property {
        Property(
            name: name, type: .single(.scalar(type)), isOptional: isOptional, defaultValue: value)
    }

    private static let constants: [(ScalarType, Value)] = [
        (.bool, .bool(true)), (.int, .int(-5)), (.double, .double(0.5)), (.string, .string("é\0")),
        (.data, .data([0, 255])), (.date, .date(Timestamp(seconds: -1, nanoseconds: 5))),
        (.objectID, .objectID(ObjectID(high: 1, low: 2))), (.uuid, .uuid(UUID128(high: 3, low: 4))),
    ]

    @Test(
        "a new object has the declared constants, and the types' own zero values without them",
        arguments: EngineCase.all)
    func constants(engineCase: EngineCase) throws {
        let store = try Store(engine: try engineCase.open())
        defer { store.close() }
        var properties: [Property] = []
        for (type, value) in Self.constants {
            properties.append(Self.property("\(type)", type, .constant(value)))
            properties.append(Self.property("\(type)?", type, .constant(value), isOptional: true))
            properties.append(Self.property("null\(type)", type, nil, isOptional: true))
            properties.append(
                Self.property("declared null\(type)", type, .constant(.null), isOptional: true))
        }
        for index in properties.indices {
            properties[index].name = properties[index].name.replacing("?", with: " optional")
        }
        try store.setSchema([ObjectClass(name: "All", properties: properties)])
        try store.put("All", [:], mode: .create)
        let content = try #require(
            try store.contents().objects[Identity("All", .int(1))]?.content)
        for (type, value) in Self.constants {
            #expect(content["\(type)"] == .value(value))
            #expect(content["\(type) optional"] == .value(value))
            #expect(content["null\(type)"] == .null)
            #expect(content["declared null\(type)"] == .null)
        }
    }

    @Test(
        "required properties without a default start as false, 0, empty, now, and fresh identifiers",
        arguments: EngineCase.all)
    func zeroValues(engineCase: EngineCase) throws {
        let store = try Store(engine: try engineCase.open())
        defer { store.close() }
        try store.setSchema([
            ObjectClass(
                name: "All",
                properties: ScalarType.allCases.map { Self.property("\($0)", $0, nil) }
                    + [
                        Property(name: "list", type: .list(.scalar(.int))),
                        Property(name: "set", type: .set(.scalar(.string))),
                        Property(name: "link", type: .single(.object("All")), isOptional: true),
                        Property(name: "links", type: .list(.object("All"))),
                    ])
        ])
        let before = Timestamp.now()
        try store.put("All", [:], mode: .create)
        try store.put("All", [:], mode: .create)
        let after = Timestamp.now()
        let objects = try store.contents().objects
        let first = try #require(objects[Identity("All", .int(1))]?.content)
        let second = try #require(objects[Identity("All", .int(2))]?.content)
        #expect(first["bool"] == .value(.bool(false)))
        #expect(first["int"] == .value(.int(0)))
        #expect(first["double"] == .value(.double(0)))
        #expect(first["string"] == .value(.string("")))
        #expect(first["data"] == .value(.data([])))
        #expect(first["list"] == .values([]) && first["set"] == .values([]))
        #expect(first["link"] == .null && first["links"] == .values([]))
        guard case .value(.date(let date))? = first["date"] else {
            Issue.record("no date")
            return
        }
        #expect(date >= before && date <= after)
        #expect(first["uuid"] != second["uuid"] && first["objectID"] != second["objectID"])
    }

    @Test("a value of every type may be all that a row has", arguments: EngineCase.all)
    func alone(engineCase: EngineCase) throws {
        let store = try Store(engine: try engineCase.open())
        defer { store.close() }
        try store.setSchema(
            ScalarType.allCases.map {
                ObjectClass(name: "Only \($0)", properties: [Self.property("value", $0, nil)])
            })
        var random = SeededGenerator(seed: 1)
        for scalar in ScalarType.allCases {
            let value = Content.value(RandomContent.scalar(scalar, &random))
            try store.put("Only \(scalar)", ["value": value], mode: .create)
            #expect(
                try store.contents().objects[Identity("Only \(scalar)", .int(1))]?.content
                    == ["value": value])
        }
        #expect(try store.findings() == [])
    }

    @Test(
        "declared random defaults differ from object to object, and $now is the transaction's time",
        arguments: EngineCase.all)
    func generated(engineCase: EngineCase) throws {
        let store = try Store(engine: try engineCase.open())
        defer { store.close() }
        try store.setSchema([
            ObjectClass(
                name: "All",
                properties: [
                    Self.property("uuid", .uuid, .uuid, isOptional: true),
                    Self.property("objectId", .objectID, .objectID, isOptional: true),
                    Self.property("date", .date, .now, isOptional: true),
                ])
        ])
        try store.run([
            .write("All", [:], key: nil, .create), .write("All", [:], key: nil, .create),
        ])
        let objects = try store.contents().objects
        let first = try #require(objects[Identity("All", .int(1))]?.content)
        let second = try #require(objects[Identity("All", .int(2))]?.content)
        #expect(first["date"] == second["date"] && first["date"] != .null)
        #expect(first["uuid"] != second["uuid"] && first["uuid"] != .null)
        #expect(first["objectId"] != second["objectId"] && first["objectId"] != .null)
    }

    @Test(
        "the user is a default that lasts, and counts as none for an object that no user creates",
        arguments: EngineCase.all)
    func users(engineCase: EngineCase) throws {
        let engine = LastingEngine(try engineCase.open())
        let classes = [
            ObjectClass(
                name: "All",
                properties: [
                    Self.property("text", .string, .user),
                    Self.property("optional", .string, .user, isOptional: true),
                    Self.property("int", .int, .user),
                ])
        ]
        var store = try Store(engine: engine)
        try store.setSchema(classes)
        store.close()
        store = try Store(engine: engine)
        defer { store.close() }
        #expect(store.catalog.schema.classes == classes)
        try store.put("All", [:], mode: .create)
        #expect(
            try store.contents().objects[Identity("All", .int(1))]?.content
                == ["text": .value(.string("")), "optional": .null, "int": .value(.int(0))])
        #expect(try store.findings() == [])
    }
}
