import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastStorage
import Testing
import HoldfastTestSupport

@Suite("Random operations on a store and on plain dictionaries")
struct ObjectModelScriptTests {
    /// How many operations each kind of store takes: ten times as many make 100,000 with all of them.
    private static let operationCount = 2_500
    private static let stepCount = 150

    @Test(
        "a store of a random schema holds what a dictionary would, after every transaction, migration, reopening and restoration",
        arguments: EngineCase.all, [false, true])
    func script(engineCase: EngineCase, isOutOfLine: Bool) throws {
        let counts = try run(engineCase, isOutOfLine: isOutOfLine, isHandedOver: false)
        #expect(counts.rooms == 0)
    }

    @Test(
        "so does one whose transactions are turns that have nothing in memory between two operations",
        arguments: EngineCase.all, [false, true])
    func interactive(engineCase: EngineCase, isOutOfLine: Bool) throws {
        let counts = try run(engineCase, isOutOfLine: isOutOfLine, isHandedOver: true)
        #expect(counts.rooms > 500)
    }

    private func run(
        _ engineCase: EngineCase, isOutOfLine: Bool, isHandedOver: Bool
    ) throws -> ObjectScript.Counts {
        let seed = SeededGenerator.testSeed(
            "object model on \(engineCase)" + (isOutOfLine ? ", out-of-line values" : ""))
        var counts = ObjectScript.Counts()
        var round: UInt64 = 0
        while counts.operations < SeededGenerator.scaled(Self.operationCount) {
            let options = ObjectScript.options(
                isOutOfLine: isOutOfLine, isStaged: round % 2 == 0, isParted: round / 2 % 2 == 0,
                isHandedOver: isHandedOver)
            let script = try ObjectScript(seed: seed &+ round, options: options) {
                () throws(StorageError) in try engineCase.open()
            }
            defer { script.close() }
            for _ in 0..<Self.stepCount where script.differences.isEmpty { try script.takeStep() }
            guard script.differences.isEmpty else {
                Issue.record(
                    "round \(round) of seed \(seed): \(script.differences); \(script.lastText)"
                )
                return counts
            }
            let report = try StoreCheck.run(script.store)
            #expect(report.findings.isEmpty, "round \(round) of seed \(seed)")
            counts.add(script.counts)
            round += 1
        }
        print("object model on \(engineCase), \(round) schemas: \(counts)")
        #expect(counts.committed > 100 && counts.failed > 50 && counts.unchanged > 0)
        #expect(counts.migrations > 5 && counts.refusals > 0 && counts.beside > 0)
        #expect(counts.reopenings > 0 && counts.restorations > 0)
        #expect(counts.queries > 100 && counts.inverseLinks > 100)
        return counts
    }
}
