import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import Synchronization
import Testing
import HoldfastTestSupport

@Suite("What a transaction sees of itself")
struct TransactionViewTests {
    @Test(
        "in the middle of a transaction is what others see after it, whatever it has changed",
        arguments: EngineCase.all)
    func view(engineCase: EngineCase) throws {
        let seed = SeededGenerator.testSeed("transaction views on \(engineCase)")
        var random = SeededGenerator(seed: seed)
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        for round in 0..<SeededGenerator.scaled(20) {
            let operations = (0..<60).map { _ in ViewDump.operation(&random) }
            let seen = Mutex<[String]>([])
            try store.write { transaction throws(StoreError) in
                for operation in operations {
                    do throws(StoreError) {
                        try transaction.attempt { () throws(StoreError) in
                            try operation.run(transaction)
                        }
                    } catch {
                        // What is not there can't be deleted, and leaves nothing behind.
                        guard case .objectNotFound = error else { throw error }
                    }
                }
                let view = try transaction.view()
                let lines = (try? ViewDump.lines(of: view)) ?? ["failed"]
                seen.withLock { $0 = lines }
            }
            let after = try store.reading { try ViewDump.lines(of: $0) }
            #expect(seen.withLock { $0 } == after, "round \(round) of seed \(seed)")
            #expect(after.count > 20)
        }
        #expect(try store.findings() == [])
    }

    @Test(
        "links to named objects lead there, whichever is written first", arguments: EngineCase.all)
    func named(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        try store.write { transaction throws(StoreError) in
            let rows = transaction.catalog.rows
            let dogs = rows.classes[1]
            let key = try transaction.reserveKey(dogs)
            transaction.named = [
                .objectKey(key), .primaryKey(OrderedKey(.string("b"))?.bytes ?? []),
            ]
            for (name, boss) in [("a", 1), ("b", 1)] {
                let draft = ObjectDraft(
                    Shelter.person(name), rows.classes[0], rows)
                draft.addReference(
                    rows.classes[0].names.position(of: "best") ?? 0, element: nil, named: 0)
                draft.setReference(rows.classes[0].names.position(of: "best") ?? 0)
                draft.addReference(
                    rows.classes[0].names.position(of: "boss") ?? 0, element: nil, named: boss)
                draft.setReference(rows.classes[0].names.position(of: "boss") ?? 0)
                _ = try transaction.write(draft, mode: .create)
            }
            _ = try transaction.create(
                ObjectDraft(["name": .value(.string("Rex"))], dogs, rows), reservedKey: key)
        }
        let contents = try store.contents()
        for name in ["a", "b"] {
            let person = try #require(contents.objects[Identity("Person", .string(name))]).content
            #expect(person["best"] == .link("Dog", .int(1)))
            #expect(person["boss"] == Shelter.link("b"))
        }
        #expect(try store.findings() == [])
    }

    @Test("a reserved key that nothing is created under makes links to it dangle")
    func unusedReservation() throws {
        let store = try Shelter.open(.memory)
        defer { store.close() }
        #expect {
            try store.write { transaction throws(StoreError) in
                let rows = transaction.catalog.rows
                transaction.named = [.objectKey(try transaction.reserveKey(rows.classes[1]))]
                let draft = ObjectDraft(Shelter.person("a"), rows.classes[0], rows)
                let best = rows.classes[0].names.position(of: "best") ?? 0
                draft.addReference(best, element: nil, named: 0)
                draft.setReference(best)
                _ = try transaction.write(draft, mode: .create)
            }
        } throws: { error in
            if case StoreError.danglingLinks(let links) = error {
                links.map(\.path) == [[.property("best")]]
            } else {
                false
            }
        }
        #expect(try store.contents().objects.isEmpty)
        #expect(try store.findings() == [])
    }
}
