import HoldfastStorage
import Testing
import HoldfastTestSupport

@Suite("The contract of the storage port")
struct EngineContractTests {
    @Test("random operations do what a dictionary does", arguments: EngineCase.all)
    func randomOperations(engineCase: EngineCase) throws {
        let seed = SeededGenerator.testSeed("random operations on \(engineCase)")
        let engine = try engineCase.open()
        var contract = try StorageContract(engine, seed: seed)
        try contract.run(SeededGenerator.scaled(1000))
    }

    @Test(
        "an engine that fails as told changes nothing then, and works before and after",
        arguments: EngineCase.all)
    func faults(engineCase: EngineCase) throws {
        let engine = FaultyEngine(try engineCase.open())
        engine.failCommit(2, with: .diskFull)
        engine.failCommit(3, with: .conflict)
        engine.failCommit(5, with: .io)
        let base = try OwnedBatch([[1]: [1]]).commit(to: engine)
        for code in [StorageError.Code.diskFull, .conflict] {
            do throws(StorageError) {
                try OwnedBatch([[1]: [2]]).commit(to: engine, base: base)
                Issue.record("the commit was made")
            } catch {
                #expect(error.code == code)
            }
        }
        try OwnedBatch([[2]: [2]]).commit(to: engine, base: base)
        let transaction = try engine.beginWrite(base: base + 1)
        try OwnedBatch([[3]: [3]]).apply(to: transaction)
        #expect(throws: StorageError.self) { try transaction.commitAll() }
        try OwnedBatch([[4]: [4]]).commit(to: engine, base: base + 1)
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        #expect(try snapshot.contents() == [[1]: [1], [2]: [2], [4]: [4]])
        #expect(engine.commitCount == 6)
    }
}
