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

    /// A store with room for the given number of replies of a hundred bytes.
    private func store(roomFor count: Int, _ engine: any StorageEngine) throws -> Store {
        var options = StoreOptions()
        options.idempotency.byteCountMax = byteCount * count
        return try Store(engine: engine, options: options)
    }

    private var byteCount: Int {
        Int(IdempotencyRecord.byteCount(ofValue: IdempotencyRecord.headerByteCount + 100))
    }
    private let payload = [UInt8](repeating: 7, count: 100)

    private func keep(_ store: Store, _ number: UInt8, of owner: IdempotencyOwner) throws {
        let (id, payload) = (id(number), payload)
        try store.write { transaction throws(StoreError) in
            try transaction.idempotency.add(payload, as: id, of: owner)
        }
    }

    /// The room that a reply is refused for, and the seconds until there is some; nil if it is not refused.
    private func refusal(
        _ body: () throws -> Void
    ) throws -> (room: IdempotencyRoom, seconds: Int)? {
        do { try body() } catch StoreError.noIdempotencyRoom(let room, let seconds) {
            #expect((1...86_400).contains(seconds))
            return (room, seconds)
        }
        return nil
    }

    @Test(
        "all replies together have so much room and not more: none goes before its time, and new ones are refused"
    )
    func room() throws {
        let engine = LastingEngine(try EngineCase.memory.open())
        let store = try store(roomFor: 5, engine)
        for number in 1...5 { try keep(store, UInt8(number), payload) }
        #expect(try entryCount(engine) == 10)
        for number in 6...9 {
            #expect(try refusal { try keep(store, UInt8(number), payload) }?.room == .store)
        }
        for number in 1...5 { #expect(try store.idempotencyRecord(id(UInt8(number))) != nil) }
        #expect(try entryCount(engine) == 10)
        #expect(try store.findings() == [])
        store.close()
        // Expired records make room; for a longer reply, as many are removed as it needs.
        var options = StoreOptions()
        options.idempotency.byteCountMax = byteCount * 5
        options.idempotency.retentionSeconds = 0
        let later = try Store(engine: engine, options: options)
        defer { later.close() }
        for number in 0..<200 { try keep(later, UInt8(number), payload + payload) }
        #expect(try entryCount(engine) <= 6)
        #expect(try later.findings() == [])
    }

    @Test("a principal has a share of the room: one that fills its own leaves the others theirs")
    func shares() throws {
        let engine = LastingEngine(try EngineCase.memory.open())
        let store = try store(roomFor: 64, engine)
        defer { store.close() }
        let (ann, bob) = (
            IdempotencyOwner(number: 7, isUser: true), IdempotencyOwner(number: 8, isUser: true)
        )
        let token = IdempotencyOwner(number: 9, isUser: false)
        for number in 0..<4 { try keep(store, UInt8(number), of: ann) }
        #expect(try refusal { try keep(store, 4, of: ann) }?.room == .principal)
        for number in 10..<14 { try keep(store, UInt8(number), of: bob) }
        for number in 20..<52 { try keep(store, UInt8(number), of: token) }
        #expect(try refusal { try keep(store, 52, of: token) }?.room == .principal)
        for number in [0, 3, 10, 13, 20, 51] {
            #expect(try store.idempotencyRecord(id(UInt8(number))) != nil)
        }
        let other = IdempotencyOwner(number: 10, isUser: false)
        for number in 60..<84 { try keep(store, UInt8(number), of: other) }
        #expect(try refusal { try keep(store, 84, of: other) }?.room == .store)
        #expect(try store.findings() == [])
    }

    @Test("users together have half of the room, so that tokens of the store keep the other half")
    func roomOfUsers() throws {
        let engine = LastingEngine(try EngineCase.memory.open())
        let store = try store(roomFor: 64, engine)
        defer { store.close() }
        func user(_ number: Int) -> IdempotencyOwner {
            IdempotencyOwner(number: UInt64(100 + number), isUser: true)
        }
        for number in 0..<32 { try keep(store, UInt8(number), of: user(number / 4)) }
        #expect(try refusal { try keep(store, 32, of: user(8)) }?.room == .users)
        let token = IdempotencyOwner(number: 9, isUser: false)
        for number in 40..<72 { try keep(store, UInt8(number), of: token) }
        #expect(try refusal { try keep(store, 72, of: token) }?.room == .principal)
        for number in 0..<32 { #expect(try store.idempotencyRecord(id(UInt8(number))) != nil) }
        #expect(try store.findings() == [])
    }

    @Test("a refusal says when the oldest reply expires that makes room for its principal")
    func timeOfRoom() throws {
        let engine = LastingEngine(try EngineCase.memory.open())
        var store = try store(roomFor: 64, engine)
        func user(_ number: UInt64) -> IdempotencyOwner {
            IdempotencyOwner(number: number, isUser: true)
        }
        let (ann, bob) = (user(7), user(8))
        let token = IdempotencyOwner(number: 9, isUser: false)
        // The number of a reply, its principal, and the hours that it has been stored for.
        var stored: [(number: UInt8, owner: IdempotencyOwner, hours: Int64)] = [
            (0, token, 20), (1, ann, 10),
        ]
        for number in 2..<40 {
            let owner = number < 5 ? ann : number < 8 ? bob : number == 8 ? user(10) : token
            stored.append((UInt8(number), owner, 0))
        }
        for reply in stored { try keep(store, reply.number, of: reply.owner) }
        store.close()
        let now = Timestamp.now().seconds
        var batch = OwnedBatch()
        let buffer = ByteBuffer()
        for reply in stored {
            buffer.removeAll()
            StoreKey.appendRecord(id(reply.number), to: buffer)
            let key = buffer.array
            buffer.removeAll()
            IdempotencyRecord(
                number: UInt64(reply.number), seconds: now - reply.hours * 3600, payload: payload
            ).append(to: buffer)
            batch.changes[key] = buffer.array
        }
        try batch.commit(to: engine)
        func hours(_ roomCount: Int, _ number: UInt8, of owner: IdempotencyOwner) throws -> Int? {
            store = try self.store(roomFor: roomCount, engine)
            defer { store.close() }
            return try refusal { try keep(store, number, of: owner) }.map {
                ($0.seconds + 60) / 3600
            }
        }
        #expect(try hours(64, 100, of: ann) == 14)
        #expect(try hours(64, 100, of: token) == 4)
        // In less room, that of all users is full as well as the store's, and then the store's alone.
        #expect(try hours(16, 100, of: user(6)) == 14)
        #expect(try hours(40, 100, of: IdempotencyOwner(number: 5, isUser: false)) == 4)
        #expect(try hours(64, 100, of: bob) == nil)
        store = try self.store(roomFor: 64, engine)
        defer { store.close() }
        #expect(try store.findings() == [])
    }

    @Test("what goes makes room in its principal's share, also in a store that was opened again")
    func sharesInTime() throws {
        let engine = LastingEngine(try EngineCase.memory.open())
        let ann = IdempotencyOwner(number: 7, isUser: true)
        var store = try store(roomFor: 64, engine)
        for number in 0..<4 { try keep(store, UInt8(number), of: ann) }
        store.close()
        store = try self.store(roomFor: 64, engine)
        #expect(try refusal { try keep(store, 4, of: ann) }?.room == .principal)
        store.close()
        var options = StoreOptions()
        options.idempotency.byteCountMax = byteCount * 64
        options.idempotency.retentionSeconds = 0
        store = try Store(engine: engine, options: options)
        defer { store.close() }
        for number in 0..<200 { try keep(store, UInt8(number), of: ann) }
        #expect(try entryCount(engine) <= 2)
        #expect(try store.findings() == [])
    }

    @Test("records of a store of before are read, and go, though they are of no principal")
    func formerRecords() throws {
        let engine = LastingEngine(try EngineCase.memory.open())
        var store = try store(roomFor: 64, engine)
        try keep(store, 1, payload)
        try keep(store, 2, of: IdempotencyOwner(number: 7, isUser: true))
        store.close()
        // The entry of a record's number had only the record's identifier.
        let buffer = ByteBuffer()
        StoreKey.appendRecordNumber(1, to: buffer)
        let number = buffer.array
        buffer.removeAll()
        var batch = OwnedBatch()
        batch.changes = [number: id(2)]
        for share in [7, IdempotencyOwner.users] {
            buffer.removeAll()
            StoreKey.appendRecordShare(share, to: buffer)
            batch.changes[buffer.array] = .some(nil)
            buffer.removeAll()
            StoreKey.appendRecordOrder(share, 1, to: buffer)
            batch.changes[buffer.array] = .some(nil)
        }
        try batch.commit(to: engine)
        store = try self.store(roomFor: 64, engine)
        #expect(try store.findings() == [])
        #expect(try store.idempotencyRecord(id(2))?.payload == payload)
        store.close()
        var options = StoreOptions()
        options.idempotency.retentionSeconds = 0
        store = try Store(engine: engine, options: options)
        defer { store.close() }
        try keep(store, 3, of: IdempotencyOwner(number: 7, isUser: true))
        #expect(try entryCount(engine) == 2)
        #expect(try store.findings() == [])
    }

    @Test(
        "where there is no room records without an owner make way for those of principals, not for others without one"
    )
    func unownedRecords() throws {
        let engine = LastingEngine(try EngineCase.memory.open())
        let store = try store(roomFor: 8, engine)
        defer { store.close() }
        for number in 0..<8 { try keep(store, UInt8(number), payload) }
        #expect(try refusal { try keep(store, 8, payload) }?.room == .store)
        let token = IdempotencyOwner(number: 7, isUser: false)
        for number in 8..<12 { try keep(store, UInt8(number), of: token) }
        #expect(try store.idempotencyRecord(id(3)) == nil)
        #expect(try store.idempotencyRecord(id(4)) != nil)
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
