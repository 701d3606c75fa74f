import HoldfastBytes
import HoldfastObjectModel
@testable import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastStorage
import Synchronization
import Testing
import HoldfastTestSupport

/// Shops of which each has the same point twice: with an index and without one.
@Suite("indexes of points")
struct PointIndexTests {
    private static func classes(
        _ kind: SearchIndexKind? = .geo, coordinates: String = "coordinates",
        note: ScalarType = .string, extra: [Property] = []
    ) -> [ObjectClass] {
        let place = Property(
            name: "place", type: .single(.object("Point")), isOptional: true, searchIndex: kind)
        let added =
            coordinates == "coordinates"
            ? [] : [Property(name: "coordinates", type: .list(.scalar(.double)))]
        return [
            ObjectClass(
                name: "Shop", primaryKey: "id",
                properties: [
                    Property(name: "id", type: .single(.scalar(.int))),
                    Property(name: "n", type: .single(.scalar(.int)), isIndexed: true),
                    place,
                    Property(name: "twin", type: .single(.object("Point")), isOptional: true),
                ] + extra),
            ObjectClass(
                name: "Point", kind: .embedded,
                properties: [
                    Property(
                        name: "type", type: .single(.scalar(.string)),
                        defaultValue: .constant(.string("Point"))),
                    Property(name: coordinates, type: .list(.scalar(.double))),
                    Property(name: "note", type: .single(.scalar(note))),
                ] + added),
        ]
    }

    private static var staged: StoreOptions {
        var options = StoreOptions()
        options.migrationObjectCountMax = 0
        options.migrationSliceCount = 7
        return options
    }

    private static func point(_ coordinates: [Double], type: String = "Point") -> Content {
        .embedded([
            "type": .value(.string(type)),
            "coordinates": .values(coordinates.map { .double($0) }),
        ])
    }

    /// A point that is mostly on the Earth, near few centres, or null.
    private static func randomPoint(_ random: inout SeededGenerator) -> Content {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return .null
        case 1: return point([.nan, 1])
        case 2: return point([200, 1])
        case 3: return point([1])
        case 4: return point([1, 1], type: "Polygon")
        case 5: return point([1, 1, 70], type: "pOiNt")
        default:
            let place = randomPlace(&random)
            return point([place.longitude, place.latitude])
        }
    }

    private static let centers = [
        Place(0, 0), Place(180, 0), Place(13.4, 52.5), Place(-70, -33), Place(0, 90),
        Place(30, -90), Place(-179.9, 65),
    ]

    private static func randomPlace(_ random: inout SeededGenerator) -> Place {
        if Int.random(in: 0..<4, using: &random) == 0 { return .random(&random) }
        return centers[Int.random(in: centers.indices, using: &random)].moved(
            .random(in: 0...0.3, using: &random), bearing: .random(in: 0...6.28, using: &random))
    }

    private static func randomRegion(_ random: inout SeededGenerator) -> String {
        func text(_ place: Place) -> String { "[\(place.longitude), \(place.latitude)]" }
        let center = randomPlace(&random)
        let size = [0.001, 0.05, 0.3, 1.5][Int.random(in: 0..<4, using: &random)]
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return "geoCircle(\(text(center)), \(2 * size))"
        case 1:
            let other = center.moved(size, bearing: .random(in: 0...6.28, using: &random))
            return "geoBox(\(text(center)), \(text(other)))"
        default:
            let count = Int.random(in: 3...12, using: &random)
            var ring = (0..<count).map { index in
                center.moved(
                    size * .random(in: 0.4...1, using: &random),
                    bearing: Double(index) / Double(count) * 2 * .pi)
            }
            ring.append(ring[0])
            return "geoPolygon({\(ring.map(text).joined(separator: ", "))})"
        }
    }

    private static func write(_ store: Store, _ id: Int64, _ point: Content, n: Int64 = 0) throws {
        try store.put(
            "Shop", ["id": .value(.int(id)), "n": .value(.int(n)), "place": point, "twin": point],
            mode: .replace)
    }

    /// The objects that a filter finds, and how.
    private static func find(
        _ filter: String, _ transaction: ReadTransaction
    ) throws -> (keys: Set<UInt64>, plan: Plan) {
        let query = try CompiledQuery.compile(
            text: filter, rootClass: 0, schema: transaction.rows)
        let execution = try QueryExecution(
            ObjectQuery(classIndex: 0, predicate: query.predicate, sort: query.sort),
            in: transaction)
        var keys: [UInt64] = []
        try execution.run(limit: 1_000_000) { key, _ in
            keys.append(key)
            return true
        }
        #expect(Set(keys).count == keys.count)
        return (Set(keys), execution.plan)
    }

    /// Compares random queries on the indexed point with the same on the other; returns how many used an
    /// index of the point.
    private static func compare(
        _ store: Store, _ count: Int, _ random: inout SeededGenerator
    ) throws -> Int {
        try store.reading { transaction in
            var indexed = 0
            for _ in 0..<count {
                let (a, b) = (randomRegion(&random), randomRegion(&random))
                let n = Int.random(in: 0...9, using: &random)
                let template = [
                    "@ geoWithin \(a)", "@ geoWithin \(a)", "@ geoWithin \(a) AND n > \(n)",
                    "@ geoWithin \(a) AND @ geoWithin \(b)", "@ geoWithin \(a) OR @ geoWithin \(b)",
                    "@ geoWithin \(a) OR n == \(n)", "NOT @ geoWithin \(a)",
                    "@ geoWithin \(a) AND NOT @ geoWithin \(b)", "n > \(n) AND @ geoWithin \(a)",
                ][Int.random(in: 0..<9, using: &random)]
                // A region that makes no sense does so twice.
                guard
                    let found = try? find(template.replacing("@", with: "place"), transaction)
                else { continue }
                let expected = try find(template.replacing("@", with: "twin"), transaction)
                #expect(found.keys == expected.keys, "\(template)")
                switch found.plan.source {
                case nil, .index: break
                default: indexed += 1
                }
            }
            return indexed
        }
    }

    /// How many entries the index of the point has.
    private static func entryCount(_ engine: any StorageEngine, _ store: Store) throws -> Int {
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        let buffer = ByteBuffer()
        guard let index = store.catalog.rows.classes[0].searchIndexes.first else { return 0 }
        StoreKey.appendIndexPrefix(index.number, to: buffer)
        return try snapshot.entries(KeyRange(prefix: buffer.array)).count
    }

    @Test("the index finds what a scan finds, whatever was written", arguments: EngineCase.all)
    func randomised(engineCase: EngineCase) throws {
        let seed = SeededGenerator.testSeed("points on \(engineCase)")
        var random = SeededGenerator(seed: seed)
        let engine = try engineCase.open()
        let store = try Store(engine: engine)
        defer { store.close() }
        try store.setSchema(Self.classes())
        var indexed = 0
        for round in 0..<SeededGenerator.scaled(6) {
            for _ in 0..<60 {
                let id = Int64.random(in: 1...150, using: &random)
                switch Int.random(in: 0..<8, using: &random) {
                case 0: _ = try? store.delete("Shop", .int(id))
                case 1:
                    // The point stays, or comes to be null.
                    try store.put("Shop", ["id": .value(.int(id)), "n": .value(.int(7))])
                default:
                    try Self.write(
                        store, id, Self.randomPoint(&random),
                        n: .random(in: 0...9, using: &random))
                }
            }
            #expect(try store.findings() == [], "round \(round)")
            indexed += try Self.compare(store, 60, &random)
        }
        #expect(indexed > 100)
        #expect(try Self.entryCount(engine, store) > 0)
    }

    @Test("null and what is no point on the Earth has no entry", arguments: EngineCase.all)
    func entries(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let store = try Store(engine: engine)
        defer { store.close() }
        try store.setSchema(Self.classes())
        for (point, count) in [
            (Content.null, 0), (Self.point([]), 0), (Self.point([1]), 0), (Self.point([1, 2]), 1),
            (Self.point([1, 2, 3, 4]), 1), (Self.point([.nan, 2]), 0), (Self.point([1, .nan]), 0),
            (Self.point([.infinity, 2]), 0), (Self.point([180, 90]), 1),
            (Self.point([180.1, 0]), 0), (Self.point([0, -90.1]), 0),
            (Self.point([1, 2], type: "POINT"), 1), (Self.point([1, 2], type: "Points"), 0),
            (Self.point([1, 2], type: ""), 0), (Self.point([-180, -90, .nan]), 1),
        ] {
            try Self.write(store, 1, point)
            #expect(try Self.entryCount(engine, store) == count, "\(point)")
            #expect(try store.findings() == [])
        }
        try store.delete("Shop", .int(1))
        #expect(try Self.entryCount(engine, store) == 0)
        #expect(try store.findings() == [])
    }

    @Test("out-of-line coordinates are indexed and found as others")
    func overflow() throws {
        var options = StoreOptions()
        options.overflowLimits = .tiny
        let engine = try EngineCase.memory.open()
        let store = try Store(engine: engine, options: options)
        defer { store.close() }
        try store.setSchema(Self.classes())
        let many = [1.0, 2] + (0..<3000).map { Double($0) }
        for id in 1...10 { try Self.write(store, Int64(id), Self.point(id < 6 ? many : [50, 50])) }
        #expect(try Self.entryCount(engine, store) == 10)
        #expect(try store.findings() == [])
        try store.reading { transaction in
            for property in ["place", "twin"] {
                let found = try Self.find(
                    "\(property) geoWithin geoBox([0,0],[3,3])", transaction)
                #expect(found.keys.count == 5)
            }
        }
        for id in 1...5 { try Self.write(store, Int64(id), Self.point([50, 50])) }
        #expect(try Self.entryCount(engine, store) == 10)
        #expect(try store.findings() == [])
    }

    @Test("missing, extra and wrong entries are found by the check")
    func check() throws {
        let engine = try EngineCase.memory.open()
        let store = try Store(engine: engine)
        defer { store.close() }
        try store.setSchema(Self.classes())
        try Self.write(store, 1, Self.point([13.4, 52.5]))
        try Self.write(store, 2, .null)
        let buffer = ByteBuffer()
        let index = try #require(store.catalog.rows.classes[0].searchIndexes.first)
        StoreKey.appendIndexPrefix(index.number, to: buffer)
        let prefix = buffer.array
        let snapshot = try engine.snapshot()
        let right = try #require(try snapshot.entries(KeyRange(prefix: prefix)).first?.key)
        snapshot.close()
        var wrong = right
        wrong[prefix.count] ^= 1
        let ofNull = Array(right.dropLast()) + [2]
        for (damage, codes) in [
            ([right: nil], ["index-entry-missing"]), ([wrong: []], ["index-entry-wrong"]),
            ([ofNull: []], ["index-entry-wrong"]),
            ([Array(right.dropLast()) + [9]: []], ["index-entry-without-row"]),
        ] as [([[UInt8]: [UInt8]?], Set<String>)] {
            var batch = OwnedBatch()
            var back = OwnedBatch()
            for (key, value) in damage {
                batch.changes[key] = .some(value)
                back.changes[key] = .some(value == nil ? [] : nil)
            }
            try batch.commit(to: engine)
            #expect(Set(try StoreCheck.run(store).findings.map(\.code)) == codes)
            try back.commit(to: engine)
        }
        #expect(try store.findings() == [])
    }

    @Test("an index is built of what is there, and goes again", arguments: EngineCase.all)
    func building(engineCase: EngineCase) throws {
        let seed = SeededGenerator.testSeed("building an index of points on \(engineCase)")
        var random = SeededGenerator(seed: seed)
        for options in [StoreOptions(), Self.staged] {
            let engine = try engineCase.open()
            let store = try Store(engine: engine, options: options)
            defer { store.close() }
            try store.setSchema(Self.classes(nil))
            for id in 1...80 { try Self.write(store, Int64(id), Self.randomPoint(&random)) }
            #expect(try Self.entryCount(engine, store) == 0)
            try store.setSchema(Self.classes())
            try store.awaitCleanUp()
            #expect(try store.findings() == [])
            let count = try Self.entryCount(engine, store)
            #expect((30..<80).contains(count))
            #expect(try Self.compare(store, 60, &random) > 10)
            // The same schema again, and one that changes something else.
            try store.setSchema(Self.classes())
            try store.setSchema(
                Self.classes(extra: [Property(name: "more", type: .single(.scalar(.int)))]))
            #expect(try Self.entryCount(engine, store) == count)
            try store.setSchema(Self.classes(nil), allowsDataLoss: true)
            try store.awaitCleanUp()
            #expect(try Self.entryCount(engine, store) == 0)
            #expect(try store.findings() == [])
        }
    }

    @Test("when a point's class takes its coordinates from elsewhere, the index follows")
    func changedPoints() throws {
        let seed = SeededGenerator.testSeed("changed points")
        var random = SeededGenerator(seed: seed)
        for options in [StoreOptions(), Self.staged] {
            let engine = try EngineCase.memory.open()
            let store = try Store(engine: engine, options: options)
            defer { store.close() }
            try store.setSchema(Self.classes())
            for id in 1...40 { try Self.write(store, Int64(id), Self.randomPoint(&random)) }
            let before = try Self.entryCount(engine, store)
            #expect(before > 10)
            // The coordinates go by another name, and new ones, which are empty, by theirs.
            let renames = SchemaRenames([
                .init(old: .init("Point", "coordinates"), new: .init("Point", "former"))
            ])
            try store.setSchema(Self.classes(coordinates: "former"), renames: renames)
            try store.awaitCleanUp()
            #expect(try Self.entryCount(engine, store) == 0)
            #expect(try store.findings() == [])
            #expect(try Self.compare(store, 20, &random) >= 0)
            // And back again.
            let back = SchemaRenames([
                .init(old: .init("Point", "former"), new: .init("Point", "coordinates"))
            ])
            try store.setSchema(Self.classes(), renames: back, allowsDataLoss: true)
            try store.awaitCleanUp()
            #expect(try Self.entryCount(engine, store) == before)
            #expect(try store.findings() == [])
            _ = try Self.compare(store, 20, &random)
            // A change of the class beside the point rewrites the rows and keeps the entries.
            try store.setSchema(Self.classes(note: .data), allowsDataLoss: true)
            try store.awaitCleanUp()
            #expect(try Self.entryCount(engine, store) == before)
            #expect(try store.findings() == [])
        }
    }

    @Test("writes beside a migration keep the index that is being built", arguments: EngineCase.all)
    func beside(engineCase: EngineCase) throws {
        let seed = SeededGenerator.testSeed("points beside a migration on \(engineCase)")
        var random = SeededGenerator(seed: seed)
        let store = try Store(engine: try engineCase.open(), options: Self.staged)
        defer { store.close() }
        try store.setSchema(Self.classes(nil))
        for id in 1...200 { try Self.write(store, Int64(id), Self.randomPoint(&random)) }
        let isDone = Atomic(false)
        try runThreads(2) { thread in
            if thread == 0 {
                defer { isDone.store(true, ordering: .releasing) }
                try store.setSchema(Self.classes())
                try store.setSchema(Self.classes(nil))
                try store.setSchema(Self.classes())
                return
            }
            var random = SeededGenerator(seed: seed + 1)
            for _ in 0..<400 where !isDone.load(ordering: .acquiring) {
                let id = Int64.random(in: 1...250, using: &random)
                if Int.random(in: 0..<4, using: &random) == 0 {
                    _ = try? store.delete("Shop", .int(id))
                } else {
                    try Self.write(store, id, Self.randomPoint(&random))
                }
            }
        }
        try store.awaitCleanUp()
        #expect(try store.findings() == [])
        #expect(try Self.compare(store, 60, &random) > 10)
    }

    @Test("a store that is opened again has the index and its kind", arguments: EngineCase.all)
    func opening(engineCase: EngineCase) throws {
        let engine = LastingEngine(try engineCase.open())
        let first = try Store(engine: engine)
        try first.setSchema(Self.classes())
        try Self.write(first, 1, Self.point([13.4, 52.5]))
        first.close()
        let second = try Store(engine: engine)
        defer { second.close() }
        #expect(second.catalog.schema.classes == Self.classes())
        #expect(try second.findings() == [])
        try second.reading { transaction in
            let found = try Self.find("place geoWithin geoCircle([13,52], 0.1)", transaction)
            #expect(found.keys == [1])
            #expect(found.plan.source != nil)
        }
    }
}
