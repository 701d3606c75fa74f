import HoldfastBytes
import Glibc
import HoldfastObjectModel
@testable import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastStorage
import Testing
import HoldfastTestSupport

@Suite("The change log")
struct ChangeLogTests {
    private func state(_ store: Store) throws -> StoreState {
        try store.reading { try $0.state() }
    }

    @Test(
        "entries beyond the kept bytes go, the first kept version is known, and older cursors expire",
        arguments: EngineCase.all)
    func trimBySize(engineCase: EngineCase) throws {
        var options = StoreOptions()
        options.retentionByteCount = 200
        let store = try Shelter.open(engineCase, options: options)
        defer { store.close() }
        for number in 0..<100 { try store.put("City", ["id": .value(.int(Int64(number)))]) }
        let state = try state(store)
        #expect(state.version == 101)
        #expect(state.logFirst > 60 && state.logFirst <= 101)
        #expect(state.logByteCount <= 260)
        #expect(try store.findings() == [])
        _ = try store.changes(after: state.logFirst - 1)
        #expect(try store.changes(after: 101).isEmpty)
        #expect { try store.changes(after: state.logFirst - 2) } throws: { error in
            if case FoldedChanges.Gap.expired = error { true } else { false }
        }
        for future in [102, UInt64.max] {
            #expect { try store.changes(after: future) } throws: { error in
                if case FoldedChanges.Gap.future = error { true } else { false }
            }
        }
    }

    @Test("an entry that was kept goes when it has become too old", arguments: EngineCase.all)
    func growsOld(engineCase: EngineCase) throws {
        var options = StoreOptions()
        options.retentionSeconds = 1
        let store = try Shelter.open(engineCase, options: options)
        defer { store.close() }
        var isTrimmed = false
        for number in 0..<60 where !isTrimmed {
            usleep(100_000)
            try store.put("City", ["id": .value(.int(Int64(number)))])
            isTrimmed = try state(store).logFirst > 3
        }
        #expect(isTrimmed)
        #expect(try store.findings() == [])
    }

    @Test(
        "entries that are too old go, but the last commit's always stay", arguments: EngineCase.all)
    func trimByAge(engineCase: EngineCase) throws {
        var options = StoreOptions()
        // Entries count as too old a little before they are written.
        options.retentionSeconds = -5
        let store = try Shelter.open(engineCase, options: options)
        defer { store.close() }
        for number in 0..<10 {
            try store.put("City", ["id": .value(.int(Int64(number)))])
            #expect(try state(store).logFirst == store.version.number)
            #expect(try store.changes(after: store.version.number - 1).order.count == 1)
        }
        #expect(try store.findings() == [])
    }

    @Test(
        "changes are folded by object: what was inserted stays so, deletions win, properties add up",
        arguments: EngineCase.all)
    func folding(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        let start = try store.put("Person", Shelter.person("old"))
        try store.put("Person", Shelter.person("gone"))
        let middle = store.version.number
        try store.put("Person", Shelter.person("new"))
        try store.put("Person", Shelter.person("new", ["age": .value(.int(1))]))
        try store.put("Person", Shelter.person("old", ["age": .value(.int(1))]))
        let last = try store.put("Person", Shelter.person("old", ["name": .value(.string("n"))]))
        try store.delete("Person", .string("gone"))
        let people = store.catalog.rows.classes[0]
        let folded = try store.changes(after: middle)
        #expect(folded.through == store.version.number && !folded.changesSchema)
        let kinds = folded.order.compactMap { folded[$0]?.kind }
        #expect(kinds == [.insert, .update, .delete])
        let update = try #require(folded[folded.order[1]])
        #expect(
            people.members.indices.filter { update.members.contains($0) }
                == [people.names.position(of: "name"), people.names.position(of: "age")])
        #expect(update.version == last)
        #expect(folded[folded.order[2]]?.primaryKey == [1] + Array("gone".utf8))
        #expect(try store.changes(after: start - 1).order.count == 3)

        // Pages end behind a version.
        try store.reading { transaction in
            let page = try FoldedChanges(after: middle, in: transaction, objectCountMax: 1)
            #expect(page.through == middle + 1 && page.order.count == 1)
            // Also where nothing that was read is wanted.
            let none = try FoldedChanges(
                after: middle, in: transaction, recordCountMax: 4, classes: [])
            #expect(none.through == middle + 2 && none.isEmpty)
        }
        var classes = Shelter.classes + [ObjectClass(name: "More", properties: [])]
        try store.setSchema(classes)
        // Clients have no objects of a new class.
        #expect(try !store.changes(after: middle).changesSchema)
        classes[3].properties.append(Property(name: "more", type: .single(.scalar(.int))))
        try store.setSchema(classes)
        #expect(try store.changes(after: middle).changesSchema)
    }

    private func inserted(_ classNumber: UInt32, _ keys: Range<UInt64>) -> [ChangeRecord] {
        keys.map {
            ChangeRecord(
                kind: .insert, classNumber: classNumber, key: $0, properties: [], primaryKey: [])
        }
    }

    private func updated(_ properties: [UInt32], _ keys: Range<UInt64>) -> [ChangeRecord] {
        keys.map {
            ChangeRecord(
                kind: .update, classNumber: 2, key: $0, properties: properties, primaryKey: [])
        }
    }

    @Test("objects whose keys follow each other take no more than one of them")
    func runs() throws {
        var changes = inserted(1, 5..<200_000) + inserted(2, 200_000..<200_010)
        changes += inserted(2, 200_011..<200_013) + updated([7, 9], 1..<1000)
        changes += updated([7], 1000..<2000) + inserted(1, (.max - 1)..<UInt64.max)
        let entry = ChangeLogEntry(milliseconds: 1, changes: changes, lostLinks: [])
        let buffer = ByteBuffer()
        entry.append(to: buffer)
        #expect(buffer.count < 100)
        let read = try #require(ChangeLogEntry(buffer.bytes)).changes
        #expect(read.count == changes.count)
        for (read, change) in zip(read, changes) {
            guard read.kind == change.kind, read.key == change.key,
                read.classNumber == change.classNumber, read.properties == change.properties
            else {
                Issue.record("\(read) for \(change)")
                return
            }
        }
    }

    @Test("a transaction is not refused for what it did to lists: they count as replaced then")
    func largeLists() throws {
        let store = try Store(engine: try EngineCase.memory.open(valueByteCountMax: 1_000))
        defer { store.close() }
        let id = Property(name: "id", type: .single(.scalar(.int)))
        let list = Property(name: "list", type: .list(.scalar(.int)))
        try store.setSchema([ObjectClass(name: "Item", primaryKey: "id", properties: [id, list])])
        let zeros = Content.values(Array(repeating: .int(0), count: 60))
        let ids: ClosedRange<Int64> = 1...12
        try store.run(
            ids.map {
                .write("Item", ["id": .value(.int($0)), "list": zeros], key: nil, .create)
            })
        func edits(of ids: ClosedRange<Int64>) -> [ObjectScript.Operation] {
            ids.flatMap { id in
                stride(from: Int(id % 2), to: 60, by: 2).map { index in
                    .edit(
                        .replace(at: index), "list", of: Identity("Item", .int(id)),
                        .values([.int(1)]))
                }
            }
        }
        func listEdits(after version: UInt64) throws -> [ListEdits?] {
            try store.reading { transaction in
                let changes = try FoldedChanges(after: version, in: transaction, notesLists: true)
                return changes.order.map { changes.edits(ofList: 1, of: $0) }
            }
        }
        var version = try store.run(edits(of: 1...1)) - 1
        #expect(try listEdits(after: version).map { $0?.splices.count } == [30])
        version = try store.run(edits(of: 2...12)) - 1
        let large = try listEdits(after: version)
        #expect(large.count == 11 && large.allSatisfy { $0?.isReplaced ?? false })
        #expect(try store.findings() == [])
    }

    @Test("an entry without changed shapes is read, and one of an unknown kind is refused")
    func earlierEntries() throws {
        let buffer = ByteBuffer()
        ChangeLogEntry(milliseconds: 1, changes: inserted(1, 1..<3), lostLinks: []).append(
            to: buffer)
        var bytes = buffer.array
        #expect(bytes.last == 0)
        let none = try #require(bytes.withUnsafeBytes { ChangeLogEntry($0) })
        #expect(none.changedShapes.isEmpty)
        bytes[bytes.count - 1] = 1
        #expect(bytes.withUnsafeBytes { ChangeLogEntry($0) } == nil)
    }

    @Test("an update of no list takes no more bytes, and nor does a list that was replaced")
    func listsCost() {
        func byteCount(_ record: ChangeRecord) -> Int {
            let buffer = ByteBuffer()
            ChangeLogEntry(milliseconds: 1, changes: [record], lostLinks: []).append(to: buffer)
            return buffer.count
        }
        let plain = ChangeRecord(
            kind: .update, classNumber: 1, key: 1, properties: [2], primaryKey: [])
        // Time, counts and the schema's byte; the kind, class, key, number of properties and property.
        #expect(byteCount(plain) == 11 + 5)
        var edited = plain
        var edits = ListEdits()
        edits.append(ListSplice(2, removed: 0, inserted: 1))
        edited.lists = [ListChange(property: 2, edits: edits)]
        #expect(byteCount(edited) == byteCount(plain) + 6)
    }

    @Test("an entry is read back as it was written, and no cut or changed one crashes the reader")
    func coding() throws {
        var edited = ChangeRecord(
            kind: .update, classNumber: 1, key: 900, properties: [8, 9, 10], primaryKey: [])
        var edits = ListEdits()
        edits.append(ListSplice(3, removed: 1, inserted: 1))
        edits.append(ListSplice(1_000_000, removed: 0, inserted: 70))
        edited.lists = [
            ListChange(property: 9, edits: edits), ListChange(property: 10, edits: edits),
        ]
        let entry = ChangeLogEntry(
            milliseconds: 1_800_000_000_123,
            changes: inserted(3, 2..<300) + updated([1, 2], 7..<10) + [
                ChangeRecord(kind: .insert, classNumber: 1, key: 1, properties: [], primaryKey: []),
                ChangeRecord(
                    kind: .update, classNumber: 300, key: .max, properties: [1, 200, .max],
                    primaryKey: []),
                ChangeRecord(
                    kind: .delete, classNumber: .max, key: 1 << 40, properties: [],
                    primaryKey: [1, 0, 255]),
                edited,
            ], lostLinks: [LostLink(classNumber: 2, key: 3, propertyNumber: 4)],
            changedShapes: ShapeChanges(
                classes: [3, 300], projections: ["Card", "Größe"], properties: [7, 700],
                renamedProperties: [8], renamedClasses: [9], reducedClasses: [10],
                unlinkedClasses: [11, 1100], rewrittenClasses: [12],
                freedNames: [3: ["name", "größe"], 400: ["n"]], freedClassNames: ["Dog"]))
        let buffer = ByteBuffer()
        entry.append(to: buffer)
        let read = try #require(ChangeLogEntry(buffer.bytes))
        #expect(read.milliseconds == entry.milliseconds)
        #expect(read.changedShapes == entry.changedShapes)
        #expect(read.lostLinks == entry.lostLinks)
        #expect(String(describing: read.changes) == String(describing: entry.changes))
        for count in 0..<buffer.count {
            let cut = UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count])
            #expect(ChangeLogEntry(cut) == nil)
        }
        var random = SeededGenerator(seed: SeededGenerator.testSeed("damaged change log entries"))
        for _ in 0..<SeededGenerator.scaled(5000) {
            var bytes = buffer.array
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8(
                    truncatingIfNeeded: random.next())
            }
            bytes.withUnsafeBytes { _ = ChangeLogEntry($0) }
        }
    }
}
