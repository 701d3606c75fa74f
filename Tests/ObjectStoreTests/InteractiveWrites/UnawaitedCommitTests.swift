import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastTestSupport
import HoldfastThreads
import Testing

@Suite("Commits that are not waited for")
struct UnawaitedCommitTests {
    private func open(_ engineCase: EngineCase) throws -> Store {
        let store = try Store(engine: try engineCase.open())
        try store.setSchema(Shelter.classes)
        return store
    }

    private func put(_ id: String) -> ObjectScript.Operation {
        .write("Person", Shelter.person(id), key: nil, .merge)
    }

    @Test("tell when they are durable", arguments: EngineCase.all)
    func tells(engineCase: EngineCase) throws {
        let store = try open(engineCase)
        defer { store.close() }
        let turn = try store.beginInteractiveWrite()
        try put("a").run(turn.transaction)
        let isDone = Monitor(false)
        try turn.commit { isDone.update { $0 = true } }
        #expect(try turn.awaitCommit() == 2)
        isDone.wait { $0 ? () : nil }
        #expect(throws: StoreError.self) { try turn.commit {} }
        #expect(try store.contents().objects.count == 1)
    }

    @Test("observers of commits are told until they end that")
    func observers() throws {
        let store = try open(.memory)
        defer { store.close() }
        let versions = Monitor<[UInt64]>([])
        let number = store.publisher.observe { version in
            versions.update { $0.append(version) }
        }
        let first = try store.beginInteractiveWrite()
        try put("a").run(first.transaction)
        _ = try first.commit()
        store.publisher.endObservation(number)
        let second = try store.beginInteractiveWrite()
        try put("b").run(second.transaction)
        _ = try second.commit()
        #expect(versions.withLock { $0 } == [2])
    }
}
