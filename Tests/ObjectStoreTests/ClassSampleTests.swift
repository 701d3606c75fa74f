import HoldfastObjectModel
@testable import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastTestSupport
import Testing

@Suite("Samples of classes")
struct ClassSampleTests {
    private static func open(_ count: Int64) throws -> Store {
        let thing = ObjectClass(
            name: "Thing", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "text", type: .single(.scalar(.string))),
            ])
        let store = try Shelter.open(.memory, classes: [thing])
        try add(0..<count, to: store)
        return store
    }

    private static func add(
        _ ids: Range<Int64>, to store: Store, text: String = "a"
    ) throws {
        try store.run(
            ids.map {
                .write(
                    "Thing", ["id": .value(.int($0)), "text": .value(.string(text))], key: nil,
                    .merge)
            })
    }

    /// The sample that a plan would have now.
    private static func sample(_ store: Store) throws -> ClassSample? {
        try store.reading { read in
            let rowClass = try #require(read.rows.rowClass(named: "Thing"))
            return read.samples?.sample(
                of: rowClass, objectCount: try read.count(rowClass), commit: read.commit)
        }
    }

    @Test("has rows of all parts of a class, each once", arguments: [1, 300, 1024, 1025, 5000])
    func spread(count: Int64) throws {
        let store = try Self.open(count)
        defer { store.close() }
        store.takeSamples()
        let sample = try #require(try Self.sample(store))
        let keys = sample.entries.map(\.key)
        #expect(sample.objectCount == Int(count))
        #expect(Set(keys).count == keys.count)
        #expect(keys.count == min(Int(count), keys.count) && keys.count <= ClassSample.rowCountMax)
        #expect(keys.count >= min(Int(count), ClassSample.rowCountMax / 2))
        for part in 0..<4 {
            let own = keys.filter { ($0 - 1) * 4 / UInt64(count) == part }
            #expect(count < 4 || abs(own.count - keys.count / 4) <= keys.count / 10 + 1)
        }
    }

    @Test("holds copies of small rows alone, and reads large ones in the view that asks")
    func large() throws {
        let store = try Self.open(300)
        defer { store.close() }
        try Self.add(10..<20, to: store, text: String(repeating: "x", count: 6000))
        store.takeSamples()
        let sample = try #require(try Self.sample(store))
        #expect(sample.entries.filter { $0.offset < 0 }.count == 10)
        try store.delete("Thing", .int(10))
        try store.reading { read in
            let rows = try sample.entries.compactMap { try sample.row($0, in: read) }
            #expect(rows.count == 299)
        }
    }

    @Test("is taken again when the class has twice as many objects, by a thread that ends")
    func renewed() throws {
        let store = try Self.open(300)
        store.takeSamples()
        try Self.add(300..<400, to: store)
        #expect(try Self.sample(store)?.objectCount == 300)
        try Self.add(400..<900, to: store)
        // The old one serves until there is a new one.
        #expect(try Self.sample(store) != nil)
        while try Self.sample(store)?.objectCount != 900 {}
        store.close()
    }

    @Test("is none of rows of another schema")
    func schema() throws {
        let store = try Self.open(300)
        defer { store.close() }
        store.takeSamples()
        #expect(try Self.sample(store) != nil)
        try store.setSchema([
            ObjectClass(
                name: "Thing", primaryKey: "id",
                properties: [
                    Property(name: "id", type: .single(.scalar(.int))),
                    Property(name: "text", type: .single(.scalar(.string))),
                    Property(name: "more", type: .single(.scalar(.int)), isOptional: true),
                ])
        ])
        let sample = try Self.sample(store)
        try store.reading { read in
            #expect(sample == nil || sample?.rowClass === read.rows.rowClass(named: "Thing"))
        }
    }
}
