import HoldfastBytes
import HoldfastObjectModel
import HoldfastObjectSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastObjectStore

@Suite("Projections in the catalog")
struct ProjectionCatalogTests {
    private static let classes = [
        ObjectClass(
            name: "Person",
            properties: [
                Property(name: "name", type: .single(.scalar(.string))),
                Property(name: "friends", type: .list(.object("Person"))),
            ])
    ]

    private func catalog(_ projections: [Projection]) throws -> Catalog {
        try SchemaChange(
            from: Catalog(),
            to: SchemaProposal(Schema(classes: Self.classes), projections: projections)
        ).catalog
    }

    private func record(_ catalog: Catalog) -> [UInt8] {
        let buffer = ByteBuffer()
        catalog.append(to: buffer)
        return buffer.array
    }

    private let card = Projection(
        name: "Card", className: "Person",
        properties: [
            Projection.Property(name: "first", path: ["name"]),
            Projection.Property(name: "names", path: ["friends", "name"]),
            Projection.Property(name: "all", path: ["friends"], projection: "Names"),
        ])
    private let names = Projection(
        name: "Names", className: "Person",
        properties: [Projection.Property(name: "name", path: ["name"])])

    @Test("they follow the classes, and a catalog without any has nothing there")
    func roundTrip() throws {
        let plain = record(try catalog([]))
        let full = record(try catalog([names, card]))
        #expect(full.starts(with: plain))
        let read = try #require(full.withUnsafeBytes { Catalog($0) })
        #expect(read.projections == [names, card])
        #expect(record(read) == full)
        for count in plain.count + 1..<full.count {
            #expect(full[..<count].withUnsafeBytes { Catalog($0) } == nil)
        }
        // A count of none would be another form of the same catalog.
        #expect((plain + [0, 0, 0, 0]).withUnsafeBytes { Catalog($0) } == nil)
    }

    @Test("those that do not hold in the schema are refused, written or read")
    func broken() throws {
        #expect(throws: StoreError.self) { try catalog([card]) }
        var bytes = record(try catalog([names, card]))
        // The last text is the name of the projection in the last property.
        bytes[bytes.count - 1] ^= 1
        #expect(bytes.withUnsafeBytes { Catalog($0) } == nil)
    }

    @Test("a change of them alone is a new revision, and the same ones are none")
    func revisions() throws {
        let first = try catalog([names])
        let schema = SchemaProposal(Schema(classes: Self.classes))
        let both = SchemaProposal(schema.schema, projections: [names, card])
        let second = try SchemaChange(from: first, to: both)
        #expect(second.isChange)
        #expect(second.catalog.schema.revision == first.schema.revision + 1)
        let same = try SchemaChange(from: second.catalog, to: schema)
        #expect(!same.isChange)
        #expect(same.catalog.projections == [names, card])
    }
}
