import ObjectStore
import ObjectSupport
import Testing
import TestSupport

@Suite("Random operations on a store and on plain dictionaries")
struct ObjectModelScriptTests {
    @Test(
        "a store holds what a dictionary would, after every transaction, schema and reopening",
        arguments: EngineCase.all, [false, true])
    func script(engineCase: EngineCase, keepsOutside: Bool) throws {
        let seed = SeededGenerator.testSeed(
            "object script on \(engineCase)" + (keepsOutside ? ", values outside rows" : ""))
        var options = StoreOptions()
        if keepsOutside { options.outsideLimits = .tiny }
        for round in 0..<UInt64(SeededGenerator.scaled(6)) {
            let engine = LastingEngine(try engineCase.open())
            let script = try ObjectScript(seed: seed &+ round) { () throws(StoreError) in
                try Store(engine: engine, options: options)
            }
            for _ in 0..<150 {
                try script.takeStep()
                if !script.differences.isEmpty { break }
            }
            let report = try StoreCheck.run(script.store)
            #expect(script.differences.isEmpty, "round \(round) of seed \(seed)")
            #expect(report.findings.isEmpty, "round \(round) of seed \(seed)")
            #expect(script.counts.committed > 20 && script.counts.failed > 5)
            script.close()
        }
    }
}
