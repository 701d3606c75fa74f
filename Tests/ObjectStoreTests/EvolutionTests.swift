import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import Testing
import HoldfastTestSupport

@Suite("Random changes of the schema")
struct EvolutionTests {
    @Test(
        "a store holds after any change what plain dictionaries do, and refuses just what loses data",
        arguments: [(EngineCase.memory, false), (.memory, true), (.lmdb, true)])
    func evolution(engineCase: EngineCase, isStaged: Bool) throws {
        let seed = SeededGenerator.testSeed(
            "evolution on \(engineCase), in slices: \(isStaged)")
        for round in 0..<UInt64(SeededGenerator.scaled(4)) {
            try evolve(engineCase, isStaged, seed &+ round)
        }
    }

    private func evolve(_ engineCase: EngineCase, _ isStaged: Bool, _ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var schemas = RandomSchema()
        var classes = schemas.make(&random)
        var options = StoreOptions()
        if isStaged {
            options.migrationObjectCountMax = 0
            options.migrationSliceCount = 3
            options.overflowLimits = .tiny
        }
        let store = try Store(engine: try engineCase.open(), options: options)
        defer { store.close() }
        try store.setSchema(classes)
        for step in 0..<12 {
            try write(20, classes, store, &random)
            let evolution = RandomEvolution(classes, &schemas, &random)
            let (next, renames) = (evolution.classes, evolution.renames)
            guard Schema(classes: next).faults().isEmpty else { continue }
            let before = try store.contents().objects
            let expected = EvolvedContents(
                before.mapValues(\.content), from: classes, to: next, renames)
            let place: Comment = "step \(step) of seed \(seed)"
            try expectWhole(store, "before \(place)")
            do throws(StoreError) {
                try store.setSchema(next, renames: renames)
                #expect(!expected.isLossy, place)
            } catch {
                guard case .lossyMigration = error else {
                    Issue.record("\(error), \(place)")
                    return
                }
                #expect(expected.isLossy, "\(error), \(place)")
                #expect(try store.contents().objects == before, place)
                try expectWhole(store, place)
                if Bool.random(using: &random) { continue }
                try store.setSchema(next, renames: renames, allowsDataLoss: true)
            }
            classes = next
            let found = try store.contents().objects
            #expect(Set(found.keys) == Set(expected.objects.keys), place)
            for (identity, object) in found {
                guard let wanted = expected.objects[identity] else { continue }
                guard Content.match(object.content, wanted) else {
                    for (name, value) in object.content
                    where !(wanted[name].map { value.matches($0) } ?? false) {
                        Issue.record(
                            "\(identity), \(place): \(name) is \(value), not \(String(describing: wanted[name]))"
                        )
                    }
                    return
                }
            }
            try expectWhole(store, place)
            if Bool.random(using: &random) {
                try store.awaitCleanUp()
                try expectWhole(store, place)
            }
        }
    }

    private func expectWhole(_ store: Store, _ place: Comment) throws {
        let findings = try store.findings()
        try #require(findings.isEmpty, "\(findings), \(place)")
    }

    private func write(
        _ count: Int, _ classes: [ObjectClass], _ store: Store, _ random: inout SeededGenerator
    ) throws {
        let maker = RandomContent(classes)
        let objects = classes.filter { $0.kind == .object }
        guard !objects.isEmpty else { return }
        var known: [Identity] = []
        for round in 0..<count {
            if round % 5 == 0 { known = try store.contents().objects.keys.sorted() }
            let objectClass = objects[Int.random(in: objects.indices, using: &random)]
            let draft = maker.draft(objectClass, known: known, &random)
            do throws(StoreError) {
                try store.run([.write(objectClass.name, draft, key: nil, .merge)])
            } catch {
                // A nested object may be one that can't be made; such a write is not this test's concern.
                continue
            }
        }
    }
}
