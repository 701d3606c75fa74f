import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport
import Testing

@Suite("Keys that begin alike")
struct LongKeyTests {
    private static let word = ObjectClass(
        name: "Word", primaryKey: "id",
        properties: [
            Property(name: "id", type: .single(.scalar(.int))),
            Property(name: "text", type: .single(.scalar(.string)), isIndexed: true),
        ])

    /// Texts that are equal for long, end at any place, or have zeros where others end.
    private static func text(_ random: inout SeededGenerator) -> String {
        let length = [0, 3, 9, 10, 11, 25, 26, 27, 41, 60].randomElement(using: &random) ?? 0
        let endings = ["", "\0", "\0\0", "\0x", "x", "\u{1}", "y\0"]
        return String(repeating: "a", count: length) + (endings.randomElement(using: &random) ?? "")
            + (Bool.random(using: &random) ? "\(Int.random(in: 0..<30, using: &random))" : "")
    }

    @Test("are committed in order, however often they are changed", arguments: EngineCase.all)
    func order(engineCase: EngineCase) throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("long keys on \(engineCase)"))
        let store = try Shelter.open(engineCase, classes: [Self.word])
        defer { store.close() }
        var expected: [Int64: String] = [:]
        for _ in 0..<3 {
            var operations: [ObjectScript.Operation] = []
            for _ in 0..<1500 {
                let id = Int64.random(in: 0..<900, using: &random)
                let text = Self.text(&random)
                expected[id] = text
                operations.append(
                    .write(
                        "Word", ["id": .value(.int(id)), "text": .value(.string(text))], key: nil,
                        .merge))
            }
            let batch = operations
            try store.write { transaction throws(StoreError) in
                for operation in batch { try operation.run(transaction) }
            }
            let found: [String] = try store.reading { read in
                let rowClass = try #require(read.rows.rowClass(named: "Word"))
                let sort = try SortKey.parse(
                    list: "text", clause: "sort", root: .objects(classIndex: rowClass.index),
                    schema: read.rows)
                var texts: [String] = []
                let query = ObjectQuery(classIndex: rowClass.index, sort: sort)
                try QueryExecution(query, in: read).run(limit: .max) { _, row in
                    let text = rowClass.field(1, in: row).text(read)
                    texts.append(String(decoding: text, as: UTF8.self))
                    return true
                }
                return texts
            }
            let sorted = expected.values.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            #expect(found == sorted)
            #expect(try StoreCheck.run(store).findings.isEmpty)
        }
    }
}
