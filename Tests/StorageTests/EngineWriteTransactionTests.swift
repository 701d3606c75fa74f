import HoldfastStorage
import Testing
import HoldfastTestSupport

@Suite("Write transactions of every engine")
struct EngineWriteTransactionTests {
    @Test(
        "a write transaction reads what it applied, and nobody else does",
        arguments: EngineCase.all)
    func ownChanges(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let base = try OwnedBatch([[1]: [1], [2]: [2], [3]: [3]]).commit(to: engine)
        let transaction = try engine.beginWrite(base: base)
        #expect(transaction.commit == base)
        try OwnedBatch([[2]: [22], [1, 5]: [4], [9, 1]: [7]]).apply(to: transaction)
        try OwnedBatch(removing: [[3]]).apply(to: transaction)
        #expect(try transaction.contents() == [[1]: [1], [1, 5]: [4], [2]: [22], [9, 1]: [7]])
        #expect(try transaction.bytes(forKeys: [[3], [2]]) == [nil, [22]])
        #expect(try transaction.entries(reversed: true, countMax: 1).map(\.key) == [[9, 1]])

        let before = try engine.snapshot()
        #expect(try before.contents() == [[1]: [1], [2]: [2], [3]: [3]])
        #expect(try transaction.commitAll() == base + 1)
        #expect(try before.contents() == [[1]: [1], [2]: [2], [3]: [3]])
        before.close()
        let after = try engine.snapshot()
        #expect(try after.contents() == [[1]: [1], [1, 5]: [4], [2]: [22], [9, 1]: [7]])
        #expect(after.commit == base + 1)
        after.close()
    }

    @Test("another thread reads one while its own waits", arguments: EngineCase.all)
    func readElsewhere(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let base = try OwnedBatch([[1]: [1]]).commit(to: engine)
        let transaction = try engine.beginWrite(base: base)
        let lent = Lent(transaction: transaction)
        for value in UInt8(0)..<20 {
            let many = (0..<UInt8(200)).map { ([7, $0], [value]) }
            try OwnedBatch(Dictionary(uniqueKeysWithValues: many)).apply(to: transaction)
            let found = try StartedThread { Result { try lent.transaction.contents() } }.result()
            #expect(try found.get().count == 201 && found.get()[[7, 9]] == [value])
        }
        #expect(try transaction.commitAll() == base + 1)
    }

    /// A transaction on its way to another thread; one thread at a time uses it.
    private struct Lent: @unchecked Sendable {
        // Unchecked: the thread that hands it over waits.
        let transaction: any StorageWriteTransaction
    }

    @Test("closing a write transaction leaves no trace", arguments: EngineCase.all)
    func rollback(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let base = try OwnedBatch([[1]: [1]]).commit(to: engine)
        let transaction = try engine.beginWrite(base: base)
        try OwnedBatch([[1]: [2], [2]: [3]]).apply(to: transaction)
        transaction.close()
        transaction.close()
        #expect(throws: StorageError(.closed, operation: "apply")) {
            try OwnedBatch([[1]: [2]]).apply(to: transaction)
        }
        #expect(throws: StorageError(.closed, operation: "commit")) { try transaction.commitAll() }
        let snapshot = try engine.snapshot()
        #expect(try snapshot.contents() == [[1]: [1]])
        #expect(snapshot.commit == base)
        snapshot.close()
    }

    @Test("one that is let go is rolled back and the next can begin", arguments: EngineCase.all)
    func letGo(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let base = try OwnedBatch([[1]: [1]]).commit(to: engine)
        for _ in 0..<3 {
            let transaction = try engine.beginWrite(base: base)
            try OwnedBatch([[1]: [2]]).apply(to: transaction)
        }
        #expect(try OwnedBatch([[1]: [3]]).commit(to: engine, base: base) == base + 1)
    }

    @Test("after an error it can only be closed", arguments: EngineCase.all)
    func failure(engineCase: EngineCase) throws {
        let engine = try engineCase.open(valueByteCountMax: 100)
        let base = try OwnedBatch([[1]: [1]]).commit(to: engine)
        let transaction = try engine.beginWrite(base: base)
        try OwnedBatch([[1]: [2]]).apply(to: transaction)
        #expect(throws: StorageError(.valueTooLong, operation: "commit")) {
            let tooLong = [UInt8](repeating: 0, count: 101)
            try OwnedBatch([[0]: [0], [5]: tooLong]).apply(to: transaction)
        }
        #expect(throws: StorageError(.closed, operation: "get")) {
            try transaction.bytes(forKey: [1])
        }
        #expect(throws: StorageError(.closed, operation: "commit")) { try transaction.commitAll() }
        transaction.close()
        let snapshot = try engine.snapshot()
        #expect(try snapshot.contents() == [[1]: [1]])
        snapshot.close()
    }

    @Test("one that changed nothing makes no commit", arguments: EngineCase.all)
    func nothing(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let base = try OwnedBatch([[1]: [1]]).commit(to: engine)
        let transaction = try engine.beginWrite(base: base)
        try OwnedBatch(removing: [[7]]).apply(to: transaction)
        #expect(try transaction.commitAll() == base)
    }

    @Test(
        "a commit waits for the open write transaction, and then conflicts",
        arguments: EngineCase.all)
    func exclusion(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let base = try OwnedBatch([[1]: [1]]).commit(to: engine)
        let transaction = try engine.beginWrite(base: base)
        try OwnedBatch([[1]: [2]]).apply(to: transaction)
        let waiting = try StartedThread { () -> StorageError? in
            do throws(StorageError) {
                try OwnedBatch([[1]: [3]]).commit(to: engine, base: base)
                return nil
            } catch {
                return error
            }
        }
        #expect(try transaction.commitAll() == base + 1)
        #expect(waiting.result() == StorageError(.conflict, operation: "commit"))
        let snapshot = try engine.snapshot()
        #expect(try snapshot.contents() == [[1]: [2]])
        snapshot.close()
    }

    @Test("many batches make one commit", arguments: EngineCase.all)
    func manyBatches(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let base = try OwnedBatch([[0]: [0]]).commit(to: engine)
        var model = ModelStore([[0]: [0]])
        let transaction = try engine.beginWrite(base: base)
        for step in 0..<100 {
            let keys = (0..<40).map { [UInt8(1 + $0), UInt8(step), UInt8($0)] }
            var batch = OwnedBatch()
            for key in keys { batch.changes[key] = key + [UInt8](repeating: 1, count: 100) }
            try batch.apply(to: transaction)
            model.apply(batch)
        }
        #expect(try transaction.commitAll() == base + 1)
        let snapshot = try engine.snapshot()
        #expect(try snapshot.contents() == model.entries)
        snapshot.close()
    }
}
