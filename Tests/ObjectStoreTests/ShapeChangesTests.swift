import HoldfastObjectModel
@testable import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import Testing
import HoldfastTestSupport

@Suite("What the change log says of changes of the schema")
struct ShapeChangesTests {
    /// A change of the schema, and the classes whose shape it changes.
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var renames = SchemaRenames()
        var changed: Set<String>
        /// The properties that are new or renamed, and the renamed classes.
        var properties: Set<String>
        var renamedClasses: Set<String>
        var change: @Sendable (inout [ObjectClass]) -> Void

        init(
            _ name: String, _ changed: Set<String>, properties: Set<String> = [],
            renamedClasses: Set<String> = [], renames: SchemaRenames = SchemaRenames(),
            _ change: @escaping @Sendable (inout [ObjectClass]) -> Void
        ) {
            testDescription = name
            self.changed = changed
            self.properties = properties
            self.renamedClasses = renamedClasses
            self.renames = renames
            self.change = change
        }
    }

    private static let classes =
        Shelter.classes + [
            ObjectClass(
                name: "Note",
                properties: [
                    Property(name: "text", type: .single(.scalar(.string))),
                    Property(name: "about", type: .single(.scalar(.mixed))),
                    Property(
                        name: "kind", type: .single(.scalar(.string)),
                        defaultValue: .constant(.string("a")), cases: [.string("a"), .string("b")]),
                ])
        ]

    private static func renames(_ old: String, _ new: String) -> SchemaRenames {
        SchemaRenames([
            SchemaRenames.Entry(old: SchemaRenames.Name(old), new: SchemaRenames.Name(new))
        ])
    }

    static let cases = [
        Case("an index", []) { $0[3].properties[1].isIndexed = true },
        Case("a full-text index", []) { $0[3].properties[1].searchIndex = .fullText },
        Case("a unique property", []) { $0[3].properties[1].isUnique = true },
        Case("a default", []) { $0[3].properties[1].defaultValue = .constant(.string("d")) },
        Case("what has to be stated", []) { $0[3].properties[1].isRequired = true },
        Case("a rule for deletion", []) { $0[0].properties[6].onDelete = .cascade },
        Case("an unrelated new class", []) {
            $0.append(ObjectClass(name: "More", properties: []))
        },
        Case("a wider enum", []) { $0[4].properties[2].cases?.append(.string("c")) },
        Case("an enum that is none any more", []) { $0[4].properties[2].cases = nil },
        Case("a narrower enum", ["Note"]) { $0[4].properties[2].cases?.removeLast() },
        Case("a new property", [], properties: ["City.more"]) {
            $0[3].properties.append(Property(name: "more", type: .single(.scalar(.int))))
        },
        Case("a dropped property", ["City"]) { $0[3].properties.remove(at: 1) },
        Case("an optional property", ["City"]) { $0[3].properties[1].isOptional = true },
        Case("an enum", ["City"]) { $0[3].properties[1].cases = [.string("Ulm")] },
        Case("another type", ["Note"]) { $0[4].properties[0].type = .list(.scalar(.string)) },
        Case("properties in another order", []) { $0[4].properties.swapAt(0, 1) },
        Case(
            "a renamed property", [], properties: ["City.title"],
            renames: renames("City.name", "City.title")
        ) { $0[3].properties[1].name = "title" },
        Case("a new property of an embedded class", [], properties: ["Address.zip"]) {
            $0[2].properties.append(Property(name: "zip", type: .single(.scalar(.int))))
        },
        Case(
            "another primary key, and what links to it",
            ["City", "Address", "Person", "Note"]
        ) { $0[3].primaryKey = nil },
        Case(
            "a renamed class", [], renamedClasses: ["Hound"], renames: renames("Dog", "Hound")
        ) { classes in
            classes[1].name = "Hound"
            classes[0].properties[5].type = .list(.object("Hound"))
            classes[0].properties[6].type = .single(.object("Hound"))
        },
        Case("a dropped class, and what could link to it", ["Dog", "Person", "Note"]) { classes in
            classes[0].properties.removeSubrange(5...6)
            classes.remove(at: 1)
        },
    ]

    @Test(
        "an entry names the classes whose shape the version changed, and no others",
        arguments: cases)
    func changedClasses(schemaCase: Case) throws {
        let store = try Shelter.open(.memory, classes: Self.classes)
        defer { store.close() }
        let before = store.version.number
        var names: [UInt32: String] = [:]
        var properties: [UInt32: String] = [:]
        func note() {
            for rowClass in store.catalog.rows.classes {
                names[rowClass.number] = rowClass.definition.name
                for (member, property) in zip(rowClass.members, rowClass.definition.properties) {
                    properties[member.number] = "\(rowClass.definition.name).\(property.name)"
                }
            }
        }
        note()
        var classes = Self.classes
        schemaCase.change(&classes)
        try store.setSchema(classes, renames: schemaCase.renames, allowsDataLoss: true)
        note()
        let shapes = try store.changes(after: before).changedShapes
        #expect(Set((shapes.classes ?? []).compactMap { names[$0] }) == schemaCase.changed)
        #expect(Set(shapes.properties.compactMap { properties[$0] }) == schemaCase.properties)
        #expect(
            Set(shapes.renamedClasses.compactMap { names[$0] }) == schemaCase.renamedClasses)
        #expect(shapes.classes != nil && shapes.projections.isEmpty)
        #expect(try store.findings() == [])
    }

    @Test(
        "a projection that is added, changed or dropped is named, with those that show objects by it"
    )
    func changedProjections() throws {
        let name = Projection(
            name: "Name", className: "Person",
            properties: [Projection.Property(name: "name", path: ["name"])])
        let card = Projection(
            name: "Card", className: "Person",
            properties: [Projection.Property(name: "boss", path: ["boss"], projection: "Name")])
        let present = try SchemaChange(
            from: Catalog(),
            to: SchemaProposal(Schema(classes: Self.classes), projections: [name, card])
        ).catalog
        func changed(_ projections: [Projection]) throws -> ShapeChanges {
            try SchemaChange(
                from: present,
                to: SchemaProposal(Schema(classes: Self.classes), projections: projections)
            ).changedShapes
        }
        #expect(try changed([card, name]).isEmpty)
        var other = card
        other.properties[0].name = "chief"
        #expect(try changed([name, other]) == ShapeChanges(projections: ["Card"]))
        other = name
        other.properties[0].path = ["id"]
        #expect(try changed([other, card]) == ShapeChanges(projections: ["Name", "Card"]))
        #expect(try changed([name]) == ShapeChanges(projections: ["Card"]))
        other.name = "Other"
        #expect(try changed([name, card, other]) == ShapeChanges(projections: ["Other"]))
    }
}
