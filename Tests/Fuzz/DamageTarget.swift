import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastStorage
import HoldfastTestSupport

/// A store whose entries are damaged: opening, reading, writing and checking may fail but not trap.
enum DamageTarget {
    static func round(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let script = try ObjectScript(seed: seed) { () throws(StorageError) in
            try EngineCase.memory.open()
        }
        for _ in 0..<20 { try script.takeStep() }
        script.close()
        let engine = script.engine
        let snapshot = try engine.snapshot()
        let sound = try snapshot.entries()
        snapshot.close()
        for _ in 0..<20 {
            let (key, value) = sound[Int.random(in: sound.indices, using: &random)]
            try damaged(key, value, &random).commit(to: engine)
            try use(engine, script, &random)
        }
    }

    private static func damaged(
        _ key: [UInt8], _ value: [UInt8], _ random: inout SeededGenerator
    ) -> OwnedBatch {
        var batch = OwnedBatch()
        var key = key
        var value = value
        if Int.random(in: 0..<5, using: &random) == 0 {
            batch.changes[key] = .some(nil)
            key[Int.random(in: key.indices, using: &random)] = UInt8(
                truncatingIfNeeded: random.next())
        }
        if !value.isEmpty {
            let offset = Int.random(in: value.indices, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: value.removeSubrange(offset...)
            case 1: value[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: value[offset] = 0xFF
            default: value[offset] = UInt8(truncatingIfNeeded: random.next())
            }
        }
        batch.changes[key] = .some(value)
        return batch
    }

    private static func use(
        _ engine: LastingEngine, _ script: ObjectScript, _ random: inout SeededGenerator
    ) throws {
        // A store that can't be opened any more has done what it should.
        guard let store = try? Store(engine: engine) else { return }
        defer { store.close() }
        _ = try? store.findings()
        _ = try? store.contents()
        _ = try? store.changes(after: 0)
        // Of the schema as it is now: a damaged name is another class or property, to which a draft has to fit.
        let classes = store.catalog.schema.classes
        let maker = RandomContent(classes)
        let targets = Set(classes.filter { $0.kind == .object }.map(\.name))
        let known = script.reference.objects.keys.sorted()
            .filter { targets.contains($0.className) }
        for objectClass in classes where objectClass.kind == .object {
            _ = try? store.put(
                objectClass.name, maker.draft(objectClass, known: known, &random), mode: .merge)
        }
        for identity in known.prefix(5) {
            _ = try? store.delete(identity.className, identity.key)
        }
    }
}
