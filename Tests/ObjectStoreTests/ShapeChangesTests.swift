import HoldfastObjectModel
@testable import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import Testing
import HoldfastTestSupport

@Suite("What the change log says of changes of the schema")
struct ShapeChangesTests {
    /// A change of the schema, and the parts whose shape it changes.
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var renames = SchemaRenames()
        /// The parts by names of ``parts``, with the names of classes and properties.
        var expected: [String: Set<String>]
        var change: @Sendable (inout [ObjectClass]) -> Void

        init(
            _ name: String, _ expected: [String: Set<String>] = [:],
            renames: SchemaRenames = SchemaRenames(),
            _ change: @escaping @Sendable (inout [ObjectClass]) -> Void
        ) {
            testDescription = name
            self.expected = expected
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
        Case("an index") { $0[3].properties[1].isIndexed = true },
        Case("a full-text index") { $0[3].properties[1].searchIndex = .fullText },
        Case("a unique property") { $0[3].properties[1].isUnique = true },
        Case("a default") { $0[3].properties[1].defaultValue = .constant(.string("d")) },
        Case("what has to be stated") { $0[3].properties[1].isRequired = true },
        Case("a rule for deletion") { $0[0].properties[6].onDelete = .cascade },
        Case("an unrelated new class") { $0.append(ObjectClass(name: "More", properties: [])) },
        Case("a second name") { $0[3].properties[1].mapTo = "title" },
        Case("a wider enum") { $0[4].properties[2].cases?.append(.string("c")) },
        Case("an enum that is none any more") { $0[4].properties[2].cases = nil },
        Case("a narrower enum", ["changed": ["Note.kind"]]) {
            $0[4].properties[2].cases?.removeLast()
        },
        Case("a new property", ["changed": ["City.more"]]) {
            $0[3].properties.append(Property(name: "more", type: .single(.scalar(.int))))
        },
        Case("a dropped property", ["reduced": ["City"], "freed": ["City.name"]]) {
            $0[3].properties.remove(at: 1)
        },
        Case(
            "a dropped link",
            [
                "reduced": ["Person", "Dog"], "unlinked": ["Dog"],
                "freed": ["Person.best", "Dog.lovers"],
            ]
        ) { classes in
            classes[0].properties.remove(at: 6)
            classes[1].properties.removeLast()
        },
        Case("an optional property", ["changed": ["City.name"]]) {
            $0[3].properties[1].isOptional = true
        },
        Case("an enum", ["changed": ["City.name"]]) {
            $0[3].properties[1].cases = [.string("Ulm")]
        },
        Case("another type", ["changed": ["Note.text"]]) {
            $0[4].properties[0].type = .list(.scalar(.string))
        },
        Case("properties in another order") { $0[4].properties.swapAt(0, 1) },
        Case(
            "a renamed property", ["renamed": ["City.title"], "freed": ["City.name"]],
            renames: renames("City.name", "City.title")
        ) { $0[3].properties[1].name = "title" },
        Case(
            "a renamed property whose name another one takes",
            ["renamed": ["City.title"], "changed": ["City.name"], "freed": ["City.name"]],
            renames: renames("City.name", "City.title")
        ) {
            $0[3].properties[1].name = "title"
            $0[3].properties.append(Property(name: "name", type: .single(.scalar(.string))))
        },
        Case("a new property of an embedded class", ["changed": ["Address.zip"]]) {
            $0[2].properties.append(Property(name: "zip", type: .single(.scalar(.int))))
        },
        Case(
            "a dropped property of an embedded class",
            ["reduced": ["Address"], "rewritten": ["Address"], "freed": ["Address.street"]]
        ) { $0[2].properties.removeFirst() },
        Case(
            "embedded objects that are lost, with the links in them",
            [
                "reduced": ["Person"], "changed": ["Address.city"], "unlinked": ["City"],
                "rewritten": ["Address"], "freed": ["Person.home"],
            ]
        ) { $0[0].properties.remove(at: 3) },
        Case(
            "another primary key, and what links to it",
            ["classes": ["City"], "changed": ["Address.city", "Note.about"]]
        ) { $0[3].primaryKey = nil },
        Case(
            "another type of a primary key, and what links to it",
            ["classes": ["City"], "changed": ["City.id", "Address.city", "Note.about"]]
        ) { $0[3].properties[0].type = .single(.scalar(.string)) },
        Case(
            "a renamed class", ["renamedClasses": ["Hound"], "freedClasses": ["Dog"]],
            renames: renames("Dog", "Hound")
        ) { classes in
            classes[1].name = "Hound"
            classes[0].properties[5].type = .list(.object("Hound"))
            classes[0].properties[6].type = .single(.object("Hound"))
        },
        Case(
            "a dropped class, and what could link to it",
            [
                "classes": ["Dog"], "reduced": ["Person"], "changed": ["Note.about"],
                "unlinked": ["Dog"], "freed": ["Person.dogs", "Person.best"],
                "freedClasses": ["Dog"],
            ]
        ) { classes in
            classes[0].properties.removeSubrange(5...6)
            classes.remove(at: 1)
        },
    ]

    @Test(
        "an entry names the parts whose shape the version changed, and no others",
        arguments: cases)
    func changedParts(schemaCase: Case) throws {
        let store = try Shelter.open(.memory, classes: Self.classes)
        defer { store.close() }
        let before = store.version.number
        var classes: [UInt32: String] = [:]
        var properties: [UInt32: String] = [:]
        func note() {
            for rowClass in store.catalog.rows.classes {
                classes[rowClass.number] = rowClass.definition.name
                for (member, property) in zip(rowClass.members, rowClass.definition.properties) {
                    properties[member.number] = "\(rowClass.definition.name).\(property.name)"
                }
            }
        }
        note()
        var changed = Self.classes
        schemaCase.change(&changed)
        try store.setSchema(changed, renames: schemaCase.renames, allowsDataLoss: true)
        note()
        let shapes = try store.changes(after: before).changedShapes
        func names(_ numbers: Set<UInt32>, _ names: [UInt32: String]) -> Set<String> {
            Set(numbers.map { names[$0] ?? "?" })
        }
        let parts = [
            "classes": names(shapes.classes, classes),
            "changed": names(shapes.properties, properties),
            "renamed": names(shapes.renamedProperties, properties),
            "renamedClasses": names(shapes.renamedClasses, classes),
            "reduced": names(shapes.reducedClasses, classes),
            "unlinked": names(shapes.unlinkedClasses, classes),
            "rewritten": names(shapes.rewrittenClasses, classes),
            "freed": Set(
                shapes.freedNames.flatMap { number, names in
                    names.map { "\(classes[number] ?? "?").\($0)" }
                }),
            "freedClasses": shapes.freedClassNames,
        ]
        #expect(parts.filter { !$0.value.isEmpty } == schemaCase.expected)
        #expect(shapes.projections.isEmpty)
        #expect(shapes.isEmpty == schemaCase.expected.isEmpty)
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
