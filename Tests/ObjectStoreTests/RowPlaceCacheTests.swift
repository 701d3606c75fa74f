import ObjectModel
import ObjectStore
import ObjectSupport
import Rows
import StorageLMDB
import TestSupport
import Testing

@Suite("Objects that were looked up before")
struct RowPlaceCacheTests {
    private static let keyCount: Int64 = 200

    private static func find(
        _ key: Int64, _ transaction: ReadTransaction, _ cache: RowPlaceCache?
    ) throws -> (key: UInt64, row: RowView)? {
        let rowClass = transaction.rows.classes[0]
        let encoded = try #require(OrderedKey(.int(key))).bytes
        return try encoded.withUnsafeBytes { bytes in
            if let cache {
                try transaction.find(rowClass, primaryKey: bytes, cache: cache)
            } else {
                try transaction.find(rowClass, primaryKey: bytes)
            }
        }
    }

    private static func value(
        _ key: Int64, _ transaction: ReadTransaction, _ cache: RowPlaceCache?
    ) throws -> Int64? {
        try find(key, transaction, cache).map {
            transaction.rows.classes[0].field(1, in: $0.row).load(Int64.self)
        }
    }

    private static let schema = [
        ObjectClass(
            name: "K", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "n", type: .single(.scalar(.int))),
                Property(name: "text", type: .single(.scalar(.string))),
            ])
    ]

    @Test(
        "what a cache remembers leads to the row after more states of the tree than it tells apart")
    func manyStates() throws {
        let directory = TemporaryDirectory()
        let engine = try LMDBEngine(
            LMDBOptions(directory: directory.path, mapByteCount: 64 << 20, durability: .relaxed))
        let store = try Store(engine: engine)
        defer { store.close() }
        try store.setSchema(Self.schema)
        let cache = RowPlaceCache(entryCountLog2: 10)
        // Key 31 shows the cache each new state. Each other key is read every 31st round, when the generation has the
        // number again that its entry was kept under.
        for round in Int64(0)..<100 {
            try store.run(
                (Int64(0)...31).map { key in
                    let text = String(repeating: "x", count: Int((round + key) % 9) * 40)
                    return .write(
                        "K",
                        [
                            "id": .value(.int(key)), "n": .value(.int(round)),
                            "text": .value(.string(text)),
                        ], key: nil, .merge)
                })
            try engine.checkpoint()
            for key in [31, round % 31] {
                #expect(try store.reading { try Self.value(key, $0, cache) } == round)
            }
        }
    }

    @Test(
        "what a cache remembers leads to the row of each snapshot, however rows have moved, gone or come back",
        arguments: EngineCase.all, [4, 12])
    func everySnapshot(engineCase: EngineCase, entryCountLog2: Int) throws {
        var random = SeededGenerator(seed: 11)
        let store = try Store(engine: try engineCase.open())
        defer { store.close() }
        try store.setSchema(Self.schema)
        // Small enough for keys to push each other out, or large enough to keep all.
        let cache = RowPlaceCache(entryCountLog2: entryCountLog2)
        // Those of objects that were deleted since are among them.
        var objectKeys: Set<UInt64> = []
        for round in 0..<6 {
            for key in 0..<Self.keyCount {
                switch Int.random(in: 0..<4, using: &random) {
                case 0 where round > 0:
                    let isThere = try store.reading { try Self.value(key, $0, nil) != nil }
                    if isThere { try store.delete("K", .int(key)) }
                case 1: break
                default:
                    let text = String(
                        repeating: "x", count: Int.random(in: 0..<400, using: &random))
                    try store.put(
                        "K",
                        [
                            "id": .value(.int(key)), "text": .value(.string(text)),
                            "n": .value(.int(Int64.random(in: 0..<1000, using: &random))),
                        ], mode: .merge)
                }
            }
            let older = try store.read()
            defer { older.close() }
            try store.put(
                "K", ["id": .value(.int(0)), "n": .value(.int(-1)), "text": .value(.string(""))],
                mode: .merge)
            try store.reading { newer in
                for _ in 0..<2 {
                    for key in 0..<Self.keyCount {
                        for read in [older, newer] {
                            let cached = try Self.value(key, read, cache)
                            let expected = try Self.value(key, read, nil)
                            #expect(cached == expected, "round \(round) key \(key)")
                            if let found = try Self.find(key, read, nil) {
                                objectKeys.insert(found.key)
                            }
                        }
                    }
                    for key in objectKeys {
                        for read in [older, newer] {
                            let rowClass = read.rows.classes[0]
                            let cached = try read.find(rowClass, key: key, cache: cache)
                            let expected = try read.find(rowClass, key: key)
                            #expect(
                                cached.map { Array($0.bytes) } == expected.map { Array($0.bytes) },
                                "round \(round) object key \(key)")
                        }
                    }
                }
            }
        }
    }
}
