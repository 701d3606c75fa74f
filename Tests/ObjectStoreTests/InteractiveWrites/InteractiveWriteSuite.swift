import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastTestSupport

/// What suites of turns share: a store of people, whose engine can be told to fail.
protocol InteractiveWriteSuite {}

extension InteractiveWriteSuite {
    func open(
        _ engineCase: EngineCase, _ options: StoreOptions = StoreOptions()
    ) throws -> (FaultyEngine, Store) {
        let engine = FaultyEngine(try engineCase.open())
        let store = try Store(engine: engine, options: options)
        try store.setSchema(Shelter.classes)
        return (engine, store)
    }

    func put(_ id: String, _ more: ObjectContent = [:]) -> ObjectScript.Operation {
        .write("Person", Shelter.person(id, more), key: nil, .merge)
    }

    func write(_ operation: ObjectScript.Operation) -> AwaitedWrite {
        AwaitedWrite { transaction throws(StoreError) in try operation.run(transaction) }
    }

    func ids(_ store: Store) throws -> [String] {
        try store.contents().objects.keys.map { "\($0.key)" }.sorted()
    }
}
