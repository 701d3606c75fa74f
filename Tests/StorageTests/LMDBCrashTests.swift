import HoldfastStorage
import HoldfastStorageLMDB
import Testing
import HoldfastTestSupport

@Suite("LMDB stores of killed processes")
struct LMDBCrashTests {
    @Test("every acknowledged commit of a killed process is there, and none by half")
    func killed() throws {
        let seed = SeededGenerator.testSeed("killed processes")
        var random = SeededGenerator(seed: seed)
        let directory = TemporaryDirectory()
        let probe = ChildProcess.path(ofProduct: "HoldfastStorageProbe")
        var model = ModelStore()
        var modelStep: UInt64 = 0
        for round in 1...SeededGenerator.scaled(6) {
            // Every other one is at a checkpoint of many transactions nearly all the time.
            let child = ChildProcess(
                probe, ["commit", directory.path],
                environment: round % 2 == 0
                    ? ["HOLDFAST_CHECKPOINT_MS": "0", "HOLDFAST_CHECKPOINT_CHANGES": "3"] : [:])
            try #require(child.readLine() == "ready")
            var acknowledged = modelStep
            for _ in 0..<Int.random(in: 1..<120, using: &random) {
                acknowledged = try #require(Self.step(child.readLine()))
            }
            child.kill()
            #expect(child.wait() == -9)
            while let line = child.readLine() {
                acknowledged = try #require(Self.step(line))
            }

            let engine = try LMDBEngine(
                LMDBOptions(
                    directory: directory.path, mapByteCount: LMDBOptions.embeddedMapByteCount))
            let snapshot = try engine.snapshot()
            let step = try CommitScript.lastStep(in: snapshot)
            // The last commit may have been made, and its acknowledgement not.
            #expect(step == acknowledged || step == acknowledged + 1, "seed \(seed)")
            while modelStep < step {
                modelStep += 1
                model.apply(CommitScript.changes(ofStep: modelStep))
            }
            #expect(
                try snapshot.contents() == model.entries, "seed \(seed), round \(round)")
            snapshot.close()
            engine.close()
        }
    }

    private static func step(_ line: String?) -> UInt64? {
        line.flatMap { $0.hasPrefix("done ") ? UInt64($0.dropFirst(5)) : nil }
    }
}
