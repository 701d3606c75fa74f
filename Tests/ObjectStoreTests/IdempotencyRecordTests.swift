import HoldfastBytes
import HoldfastObjectModel
@testable import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastStorage
import Testing
import HoldfastTestSupport

@Suite("Idempotency records")
struct IdempotencyRecordTests {
    private func id(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }

    private func keep(_ store: Store, _ number: UInt8, _ payload: [UInt8]) throws {
        let id = id(number)
        try store.write { transaction throws(StoreError) in
            try transaction.idempotency.add(payload, as: id)
        }
    }

    private func entryCount(_ engine: any StorageEngine) throws -> Int {
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        return try snapshot.entries(KeyRange(prefix: StoreKey.recordPrefix)).count
            + snapshot.entries(KeyRange(prefix: StoreKey.recordNumberPrefix)).count
    }

    @Test(
        "a reply is stored with its write, or with none, and is there after the store was opened again",
        arguments: EngineCase.all)
    func storing(engineCase: EngineCase) throws {
        let engine = LastingEngine(try engineCase.open())
        var store = try Store(engine: engine)
        try store.setSchema(Shelter.classes)
        let first = id(1)
        try store.write { transaction throws(StoreError) in
            try ObjectScript.Operation.write("Person", Shelter.person("a"), key: nil, .create)
                .run(transaction)
            try transaction.idempotency.add([1, 2, 3], as: first)
        }
        let version = store.version
        // Nothing else is changed, so that there is no new version to tell of.
        try keep(store, 2, [])
        #expect(store.version == version)
        store.close()
        store = try Store(engine: engine)
        defer { store.close() }
        #expect(try store.idempotencyRecord(id(1))?.payload == [1, 2, 3])
        #expect(try store.idempotencyRecord(id(2))?.payload == [])
        #expect(try store.idempotencyRecord(id(3)) == nil)
        #expect(store.version == version)
        try store.write { transaction throws(StoreError) in
            let found = try transaction.idempotency.record(first)?.payload
            #expect(found == [1, 2, 3])
        }
        #expect(try store.findings() == [])
    }

    @Test("the reply to a write that fails is not kept", arguments: EngineCase.all)
    func failing(engineCase: EngineCase) throws {
        let engine = FaultyEngine(try engineCase.open())
        let store = try Store(engine: engine)
        defer { store.close() }
        let id = id(1)
        #expect(throws: StoreError.self) {
            try store.write { transaction throws(StoreError) in
                try transaction.idempotency.add([1], as: id)
                throw .refused(Refusal())
            }
        }
        #expect(try store.idempotencyRecord(id) == nil)
        engine.failCommit(engine.commitCount + 1, with: .diskFull)
        #expect(throws: StoreError.self) { try keep(store, 1, [1]) }
        #expect(try store.idempotencyRecord(id) == nil)
        engine.failCommit(engine.commitCount + 1, with: .conflict)
        try keep(store, 1, [1])
        #expect(try store.idempotencyRecord(id)?.payload == [1])
        #expect(try store.findings() == [])
    }

    @Test("replies that are too old count for nothing and go with later ones")
    func age() throws {
        var options = StoreOptions()
        options.idempotency.retentionSeconds = 0
        let engine = LastingEngine(try EngineCase.memory.open())
        let store = try Store(engine: engine, options: options)
        for number in 1...9 { try keep(store, UInt8(number), [1]) }
        #expect(try store.idempotencyRecord(id(9)) == nil)
        // Each goes when the next one is kept, and so does the one whose place is taken.
        #expect(try entryCount(engine) <= 2)
        try keep(store, 9, [2])
        #expect(try entryCount(engine) <= 2)
        #expect(try store.findings() == [])
        store.close()
        // What was kept under another limit is judged by the present one.
        let longer = try Store(engine: engine)
        defer { longer.close() }
        try keep(longer, 20, [3])
        #expect(try longer.idempotencyRecord(id(20))?.payload == [3])
        #expect(try longer.findings() == [])
    }

    @Test("all replies together have so much room and not more: the oldest go")
    func room() throws {
        var options = StoreOptions()
        let each = Int(
            IdempotencyRecord.byteCount(ofValue: IdempotencyRecord.headerByteCount + 100))
        options.idempotency.byteCountMax = each * 5
        let engine = LastingEngine(try EngineCase.memory.open())
        let store = try Store(engine: engine, options: options)
        defer { store.close() }
        let payload = [UInt8](repeating: 7, count: 100)
        for number in 1...5 { try keep(store, UInt8(number), payload) }
        #expect(try entryCount(engine) == 10)
        try keep(store, 6, payload)
        #expect(try store.idempotencyRecord(id(1)) == nil)
        for number in 2...6 { #expect(try store.idempotencyRecord(id(UInt8(number))) != nil) }
        // A longer one takes the place of several.
        try keep(store, 7, payload + payload)
        #expect(try store.idempotencyRecord(id(3)) == nil)
        #expect(try store.idempotencyRecord(id(4)) != nil)
        #expect(try store.findings() == [])
        for number in 0..<200 { try keep(store, UInt8(number), payload) }
        #expect(try entryCount(engine) == 10)
        #expect(try store.findings() == [])
    }

    @Test("one reply has so many bytes and not more", arguments: [0, 1])
    func size(above: Int) throws {
        var options = StoreOptions()
        options.idempotency.recordByteCountMax = 1000
        let store = try Store(engine: try EngineCase.memory.open(), options: options)
        defer { store.close() }
        let payload = [UInt8](repeating: 1, count: 1000 + above)
        if above == 0 {
            try keep(store, 1, payload)
            #expect(try store.idempotencyRecord(id(1))?.payload == payload)
        } else {
            #expect { try keep(store, 1, payload) } throws: { error in
                if case StoreError.tooLarge = error { true } else { false }
            }
            #expect(try store.idempotencyRecord(id(1)) == nil)
        }
    }

    @Test(
        "the check finds replies, numbers and counters that do not agree", arguments: EngineCase.all
    )
    func damage(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let store = try Store(engine: engine)
        defer { store.close() }
        try keep(store, 1, [1])
        try keep(store, 2, [2])
        let buffer = ByteBuffer()
        func key(_ write: (ByteBuffer) -> Void) -> [UInt8] {
            buffer.removeAll()
            write(buffer)
            return buffer.array
        }
        let reply = key { StoreKey.appendRecord(id(1), to: $0) }
        let number = key { StoreKey.appendRecordNumber(0, to: $0) }
        for (damage, codes) in [
            ([reply: nil], ["reply-missing", "reply-size-wrong"]),
            ([reply: [1]], ["reply-damaged", "reply-missing", "reply-size-wrong"]),
            ([number: nil], ["reply-number-wrong"]),
            ([number: id(2)], ["reply-missing", "reply-number-wrong"]),
            ([StoreKey.recordCounters: [1]], ["reply-counters-damaged"]),
            ([StoreKey.recordNumberPrefix + [1]: id(2)], ["reply-number-damaged"]),
            ([StoreKey.recordPrefix + [1]: []], ["reply-damaged", "reply-size-wrong"]),
        ] as [([[UInt8]: [UInt8]?], Set<String>)] {
            var back = OwnedBatch()
            let snapshot = try engine.snapshot()
            for key in damage.keys { back.changes[key] = .some(try snapshot.bytes(forKey: key)) }
            snapshot.close()
            var batch = OwnedBatch()
            batch.changes = damage
            try batch.commit(to: engine)
            #expect(Set(try StoreCheck.run(store).findings.map(\.code)) == codes)
            try back.commit(to: engine)
            #expect(try store.findings() == [])
        }
    }
}
