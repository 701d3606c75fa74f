import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport
import Testing

@Suite("Who is told of a step")
struct SubscriptionIndexTests {
    private static let classes = [
        ObjectClass(
            name: "Person", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "age", type: .single(.scalar(.int))),
                Property(name: "home", type: .single(.object("City")), isOptional: true),
                Property(name: "friends", type: .list(.object("Person"))),
            ]),
        ObjectClass(
            name: "City", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "size", type: .single(.scalar(.int))),
            ]),
    ]

    /// Cities with inhabitants, and the channels of some queries about these.
    private struct World {
        let store: Store
        let index: SubscriptionIndex
        let channels: [String: SilentChannel]

        init(
            cityCount: Int, inhabitantCount: Int, _ filters: [String],
            allowance: FeedAllowance = FeedAllowance(milliseconds: 3_600_000)
        ) throws {
            store = try Shelter.open(.memory, classes: SubscriptionIndexTests.classes)
            var number = 0
            for city in 0..<cityCount {
                var operations = [World.city(city, size: 1)]
                for _ in 0..<inhabitantCount {
                    operations.append(World.person(number, age: 1, home: city))
                    number += 1
                }
                try store.run(operations)
            }
            let schema = store.catalog.rows
            index = SubscriptionIndex(schema, allowance: allowance)
            var channels: [String: SilentChannel] = [:]
            for filter in filters {
                let channel = SilentChannel(try ObservedQuery(filter, of: "Person", schema))
                channels[filter] = channel
                index.add(channel)
            }
            self.channels = channels
        }

        static func city(_ id: Int, size: Int) -> ObjectScript.Operation {
            .write(
                "City", ["id": .value(.int(Int64(id))), "size": .value(.int(Int64(size)))],
                key: nil,
                .merge)
        }

        static func person(_ id: Int, age: Int, home: Int) -> ObjectScript.Operation {
            .write(
                "Person",
                [
                    "id": .value(.int(Int64(id))), "age": .value(.int(Int64(age))),
                    "home": .value(.link(className: "City", key: .int(Int64(home)))),
                ], key: nil, .merge)
        }

        /// What a transaction means.
        func findings(
            _ operations: [ObjectScript.Operation], within milliseconds: UInt64,
            unplacedWithin unplacedMilliseconds: UInt64 = 3_600_000
        ) throws -> SubscriptionIndex.Findings {
            let before = try store.read()
            defer { before.close() }
            try store.run(operations)
            let after = try store.read()
            defer { after.close() }
            let step = ChangeStep(
                before: before, after: after,
                changes: try FoldedChanges(after: before.state().version, in: after))
            return index.findings(
                of: step, within: milliseconds, unplacedWithin: unplacedMilliseconds)
        }

        /// The filters that a transaction concerns: with how many events, to be caught up, and too slow.
        func told(
            _ operations: [ObjectScript.Operation], within milliseconds: UInt64,
            unplacedWithin unplacedMilliseconds: UInt64 = 3_600_000
        ) throws -> (told: [String: Int], deferred: Set<String>, slow: Set<String>) {
            let findings = try findings(
                operations, within: milliseconds, unplacedWithin: unplacedMilliseconds)
            func filter(_ channel: any FeedChannel) -> String {
                channels.first { $0.value === channel }?.key ?? "?"
            }
            return (
                Dictionary(
                    uniqueKeysWithValues: findings.told.map {
                        (filter($0.channel), $0.events.count)
                    }
                ), Set(findings.deferred.map(filter)), Set(findings.slow.map(filter))
            )
        }
    }

    /// The friends of a person.
    private static func friends(_ id: Int, _ keys: Range<Int>) -> ObjectScript.Operation {
        .write(
            "Person",
            [
                "id": .value(.int(Int64(id))), "age": .value(.int(2)),
                "friends": .values(
                    keys.map { .link(className: "Person", key: .int(Int64($0))) }),
            ], key: nil, .merge)
    }

    @Test("a filter that uses up its allowance is left out of a step, and others are told")
    func allowance() throws {
        // Each look at the clock takes a millisecond.
        var time: UInt64 = 0
        let allowance = FeedAllowance(milliseconds: 5) {
            time += 1_000_000
            return time
        }
        let long = "ANY friends.age == 7"
        let world = try World(
            cityCount: 1, inhabitantCount: 20_000, [long, "age == 2"], allowance: allowance)
        let found = try world.told([Self.friends(3, 0..<20_000)], within: 3_600_000)
        #expect(found.told == ["age == 2": 1])
        #expect(found.slow == [long])
        #expect(found.deferred == [])
        // Of some twenty questions no more were asked than the allowance has milliseconds, beside the beginnings and ends of both.
        #expect(time <= 12_000_000)
        let next = try world.told([World.person(5, age: 7, home: 0)], within: 3_600_000)
        #expect(next.told == [:])
    }

    @Test("a filter of many terms is told of what its terms find alone")
    func manyTerms() throws {
        let many = (0..<200).map { "age == \(10 + 2 * $0)" }.joined(separator: " OR ")
        let texts = "age == 1 OR (" + many + ")"
        let world = try World(cityCount: 1, inhabitantCount: 10, [many, texts, "age == 2"])
        func told(_ age: Int) throws -> [String: Int] {
            try world.told([World.person(3, age: age, home: 0)], within: 3_600_000).told
        }
        #expect(try told(11) == [texts: 1])
        #expect(try told(12) == [many: 1, texts: 1])
        #expect(try told(13) == [many: 1, texts: 1])
        #expect(try told(15) == [:])
        for channel in world.channels.values { world.index.remove(channel) }
        #expect(try told(12) == [:])
    }

    @Test("a channel whose filter workers test is told that objects of its classes have changed")
    func untested() throws {
        let world = try World(cityCount: 2, inhabitantCount: 2, ["age == 2"])
        let schema = world.store.catalog.rows
        let own = SilentChannel(
            try ObservedQuery("age == 9", of: "Person", schema), isUntested: true)
        let linked = SilentChannel(
            try ObservedQuery("home.size == 9", of: "Person", schema), isUntested: true)
        for channel in [own, linked] { world.index.add(channel) }
        func touched(_ operations: [ObjectScript.Operation]) throws -> [Bool] {
            let touched = try world.findings(operations, within: 3_600_000).touched
            return [own, linked].map { channel in touched.contains { $0 === channel } }
        }
        #expect(try touched([World.person(1, age: 3, home: 1)]) == [true, true])
        #expect(try touched([World.city(1, size: 7)]) == [false, true])
        world.index.remove(linked)
        #expect(try touched([World.city(1, size: 8)]) == [false, false])
    }

    @Test("nobody is told of a step that takes too long, and all catch up with it")
    func late() throws {
        let filters = ["age > 0", "age == 2", "age < 0 AND home.size == 7"]
        let world = try World(cityCount: 1, inhabitantCount: 3_000, filters)
        let operations = (0..<3_000).map { World.person($0, age: 2, home: 0) }
        let late = try world.told(operations, within: 0)
        #expect(late.told == [:])
        #expect(late.deferred == Set(filters))
        // The next one is told again.
        let next = try world.told([World.person(7, age: 3, home: 0)], within: 3_600_000)
        #expect(next.told == ["age > 0": 1, "age == 2": 1])
        #expect(next.deferred == [] && next.slow == [])
    }

    @Test("filters that no condition finds hold up nobody but each other")
    func unplaced() throws {
        let world = try World(
            cityCount: 1, inhabitantCount: 3_000, ["age == 2", "age + 1 != 2", "age + 1 != 4"])
        let operations = (0..<3_000).map { World.person($0, age: 2, home: 0) }
        let late = try world.told(operations, within: 3_600_000, unplacedWithin: 0)
        #expect(late.told == ["age == 2": 3_000])
        #expect(late.deferred == ["age + 1 != 2", "age + 1 != 4"] && late.slow == [])
        // The next one is told to all.
        let next = try world.told([World.person(7, age: 3, home: 0)], within: 3_600_000)
        #expect(next.told == ["age == 2": 1, "age + 1 != 2": 1, "age + 1 != 4": 1])
        #expect(next.deferred == [] && next.slow == [])
    }

    @Test(
        "who is concerned by a step through more objects than it tests is left out of it and catches up"
    )
    func wide() throws {
        let world = try World(
            cityCount: 25, inhabitantCount: 900, ["home.size > 0", "home.size == 7", "age == 1"])
        let one = try world.told([World.city(3, size: 2)], within: 3_600_000)
        #expect(one.told == ["home.size > 0": 900])
        #expect(one.deferred == [])
        let all = try world.told(
            (0..<25).map { World.city($0, size: 3) } + [World.person(0, age: 1, home: 1)],
            within: 3_600_000)
        #expect(all.told == ["age == 1": 1])
        #expect(all.deferred == ["home.size > 0"])
    }
}
