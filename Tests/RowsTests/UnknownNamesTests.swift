import HoldfastObjectModel
import HoldfastRows
import HoldfastTestSupport
import Testing

@Suite("A schema without names")
struct UnknownNamesTests {
    private static func schema() throws -> RowSchema {
        func link(_ name: String, _ target: String) -> Property {
            Property(name: name, type: .single(.object(target)), isOptional: true)
        }
        return try RowFixture.schemas([
            [
                ObjectClass(
                    name: "Task", primaryKey: "id",
                    properties: [
                        Property(name: "id", type: .single(.scalar(.int))),
                        Property(name: "title", type: .single(.scalar(.string)), mapTo: "name"),
                        link("record", "Record"), link("place", "Place"),
                        Property(
                            name: "back", type: .linkingObjects(className: "Task", property: "next")
                        ),
                        link("next", "Task"),
                    ], uniqueGroups: [["id", "title"]]),
                ObjectClass(
                    name: "Record", properties: [link("seal", "Seal"), link("task", "Task")]),
                ObjectClass(name: "Seal", kind: .embedded, properties: [link("record", "Record")]),
                ObjectClass(name: "Place", kind: .embedded, properties: [link("record", "Record")]),
            ]
        ])[0]
    }

    private static func position(_ name: String, _ table: NameTable, next: Int = 0) -> Int? {
        Array(name.utf8).withUnsafeBytes { table.position(of: $0, next: next) }
    }

    private static func part(
        _ whole: RowSchema, classes: Set<Int> = [], _ members: [Int: [Int]] = [:]
    ) -> RowSchema {
        let properties = members.mapValues { positions in
            var set = MemberSet()
            for position in positions { set.insert(position) }
            return set
        }
        return RowSchema(
            whole, without: UnknownNames(classes: classes, properties: properties, of: whole))
    }

    @Test("finds nothing by a name that is unknown, nor by the empty name in its place")
    func properties() throws {
        let whole = try Self.schema()
        let part = Self.part(whole, [0: [1]])
        let rowClass = part.classes[0]
        #expect(rowClass.member(named: "title") == nil && rowClass.member(named: "name") == nil)
        for name in ["title", ""] {
            for next in 0..<3 {
                #expect(Self.position(name, rowClass.names, next: next) == nil)
            }
        }
        #expect(Self.position("record", rowClass.names, next: 1) == 2)
        #expect(rowClass.knownNames == ["id", "record", "place", "back", "next"])
        #expect(part.definition.classes[0].properties.map(\.name) == rowClass.knownNames)
        #expect(part.definition.classes[0].uniqueGroups.isEmpty)
        #expect(whole.classes[0].member(named: "name") == 1)
    }

    @Test("has the positions of the whole, and is told apart from it by its names alone")
    func identity() throws {
        let whole = try Self.schema()
        let part = Self.part(whole, [0: [1]])
        #expect(part.identity == whole.identity && part.classes[0].whole === whole.classes[0])
        #expect(part.classes[1] === whole.classes[1])
        #expect(part.classes[0].members.map(\.number) == whole.classes[0].members.map(\.number))
        #expect(try Self.schema().identity != whole.identity)
    }

    @Test("lacks with a class what leads there, and what nothing else holds")
    func classes() throws {
        let whole = try Self.schema()
        let part = Self.part(whole, classes: [1])
        #expect(part.definition.classes.map(\.name) == ["Task", "Place"])
        #expect(part.rowClass(named: "Record") == nil && part.rowClass(named: "Seal") == nil)
        #expect(part.classes[0].knownNames == ["id", "title", "place", "back", "next"])
        #expect(part.classes[3].knownNames.isEmpty)
        #expect(part.knownClasses.map(\.definition.name) == ["Task", "Place"])
    }

    @Test("lacks with a link the inverse links that show it")
    func inverseLinks() throws {
        let whole = try Self.schema()
        let part = Self.part(whole, [0: [5]])
        #expect(part.classes[0].knownNames == ["id", "title", "record", "place"])
    }
}
