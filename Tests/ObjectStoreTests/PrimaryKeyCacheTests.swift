import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastTestSupport
import Testing

@Suite("Objects that were looked up before")
struct PrimaryKeyCacheTests {
    private static let keyCount: Int64 = 200

    private static func find(
        _ key: Int64, _ transaction: ReadTransaction, _ cache: PrimaryKeyCache?
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
        _ key: Int64, _ transaction: ReadTransaction, _ cache: PrimaryKeyCache?
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
        "what a cache remembers leads to the row of each snapshot, however rows have moved, gone or come back",
        arguments: EngineCase.all, [4, 12])
    func everySnapshot(engineCase: EngineCase, entryCountLog2: Int) throws {
        var random = SeededGenerator(seed: 11)
        let store = try Store(engine: try engineCase.open())
        defer { store.close() }
        try store.setSchema(Self.schema)
        // Small enough for keys to push each other out, or large enough to keep all.
        let cache = PrimaryKeyCache(entryCountLog2: entryCountLog2)
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
                        }
                    }
                }
            }
        }
    }
}
