import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastStorage
import Testing
import HoldfastTestSupport

@Suite("Views that their owner keeps")
struct OwnViewTests {
    private static func people(_ view: ReadTransaction) throws -> [UInt64: [UInt8]] {
        var rows: [UInt64: [UInt8]] = [:]
        try view.scan(view.rows.classes[0]) { key, row in
            rows[key] = Array(row.bytes)
            return true
        }
        #expect(try view.count(view.rows.classes[0]) == rows.count)
        return rows
    }

    private static func put(_ number: Int, age: Int = 0) -> ObjectScript.Operation {
        .write(
            "Person", Shelter.person("p\(number)", ["age": .value(.int(Int64(age)))]), key: nil,
            .merge)
    }

    @Test(
        "a view sees its commit however long it is open, on whatever thread",
        arguments: EngineCase.all)
    func lasting(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        try store.run((0..<30).map { Self.put($0) })
        let view = try StartedThread { Result { Held(try store.openView()) } }.result().get().view
        let before = try Self.people(view)
        for round in 1..<40 { try store.run([Self.put(round, age: round), Self.put(100 + round)]) }
        try store.setSchema(
            Shelter.classes + [ObjectClass(name: "New", properties: [])])
        let held = Held(view)
        let after = try StartedThread { Result { try Self.people(held.view) } }.result().get()
        #expect(after == before && before.count == 30)
        #expect(view.rows.classes.count == Shelter.classes.count)
        view.close()
        #expect(throws: StoreError.self) { try view.count(view.rows.classes[0]) }
    }

    @Test(
        "the version of a view is pinned though others came since, and is read by several threads",
        arguments: EngineCase.all)
    func pinning(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        try store.run((0..<600).map { Self.put($0) })
        let view = try store.openView()
        let before = try Self.people(view)
        let people = view.rows.classes[0]
        let row = try #require(try view.find(people, key: 7))
        let bytes = Array(row.bytes)
        try store.run((300..<900).map { Self.put($0, age: 1) })
        let pinned = try view.pin()
        #expect(pinned.version.number == 2)
        #expect(Array(row.bytes) == bytes, "a row from before the pin stays")
        let again = try view.pin()
        try runThreads(4) { thread in
            for _ in 0..<5 {
                let version = thread.isMultiple(of: 2) ? pinned : again
                let held = version.holdRead()
                defer { held.close() }
                try held.withRead { view throws(StoreError) in
                    guard let found = try? Self.people(view) else { throw .objectNotFound }
                    #expect(found == before)
                }
            }
        }
        #expect(try Self.people(view) == before)
        view.close()
        try pinned.withRead { view throws(StoreError) in
            let found = try view.find(people, key: 7)
            #expect(found.map { Array($0.bytes) } == bytes)
        }
        #expect(throws: StoreError.self) { try view.pin() }
        let fresh = try store.openView()
        defer { fresh.close() }
        #expect(try Self.people(fresh).count == 900)
    }

    @Test(
        "a view inside a turn sees each change at once, in rows, look-ups and counts",
        arguments: EngineCase.all)
    func inside(engineCase: EngineCase) throws {
        let seed = SeededGenerator.testSeed("views of turns on \(engineCase)")
        var random = SeededGenerator(seed: seed)
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        try store.run((0..<20).map { Self.put($0) })
        var present = Set(0..<20)
        for round in 0..<6 {
            let turn = try store.beginInteractiveWrite()
            let view = turn.transaction.openView()
            let people = view.rows.classes[0]
            var model = present
            var handed: [(row: RowView, bytes: [UInt8])] = []
            for step in 0..<40 {
                let number = Int.random(in: 0..<40, using: &random)
                if model.contains(number), Bool.random(using: &random) {
                    let identity = Identity("Person", .string("p\(number)"))
                    try ObjectScript.Operation.delete(identity).run(turn.transaction)
                    model.remove(number)
                } else {
                    try Self.put(number, age: step).run(turn.transaction)
                    model.insert(number)
                }
                #expect(try view.count(people) == model.count, "seed \(seed)")
                if step.isMultiple(of: 8) {
                    #expect(try Self.people(view).count == model.count, "seed \(seed)")
                }
                let id = try #require(OrderedKey(.string("p\(number)")))
                let found = try id.bytes.withUnsafeBytes {
                    try view.find(people, primaryKey: $0)
                }
                #expect((found != nil) == model.contains(number), "seed \(seed)")
                if let found { handed.append((found.row, Array(found.row.bytes))) }
            }
            #expect(handed.allSatisfy { Array($0.row.bytes) == $0.bytes })
            #expect(try view.state().version == turn.transaction.baseVersion)
            #expect {
                try view.pin()
            } throws: {
                if case StoreError.uncommitted = $0 { true } else { false }
            }
            if round.isMultiple(of: 2) {
                _ = try turn.commit()
                present = model
            } else {
                turn.cancel()
            }
            #expect(throws: StoreError.self) { try view.count(people) }
            #expect(throws: StoreError.self) { try view.find(people, key: 1) }
            #expect(throws: StoreError.self) { try view.scan(people) { _, _ in true } }
            let after = try store.openView()
            defer { after.close() }
            #expect(try Self.people(after).count == present.count, "seed \(seed)")
        }
        #expect(try store.findings() == [])
    }

    @Test("a part of a turn that fails is gone from the counts of its view")
    func attempts() throws {
        let store = try Shelter.open(.memory)
        defer { store.close() }
        let turn = try store.beginInteractiveWrite()
        let view = turn.transaction.openView()
        try Self.put(1).run(turn.transaction)
        #expect(throws: StoreError.self) {
            try turn.transaction.attempt { () throws(StoreError) in
                try Self.put(2).run(turn.transaction)
                throw .objectNotFound
            }
        }
        #expect(try view.count(view.rows.classes[0]) == 1)
        _ = try turn.commit()
    }
}

/// A view on its way to another thread; one thread at a time uses it.
private struct Held: @unchecked Sendable {
    // Unchecked: the thread that hands it over is done with it.
    let view: ReadTransaction

    init(_ view: ReadTransaction) { self.view = view }
}
