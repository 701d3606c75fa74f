import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastTestSupport
import Testing

/// The time of a step, shared by the clients whose streams the step concerns.
@Suite("The time of a step")
struct StepBudgetTests {
    private static let personCount = 1_200
    private let store: Store
    private let index: SubscriptionIndex

    init() throws {
        let id = Property(name: "id", type: .single(.scalar(.int)))
        let age = Property(name: "age", type: .single(.scalar(.int)))
        store = try Shelter.open(
            .memory,
            classes: ["Person", "City"].map {
                ObjectClass(name: $0, primaryKey: "id", properties: [id, age])
            })
        index = SubscriptionIndex(
            store.catalog.rows, allowance: FeedAllowance(milliseconds: 3_600_000))
    }

    private func follow(
        _ filter: String, of className: String = "Person", client: Int, wantsEvents: Bool = true
    ) throws -> SilentChannel {
        let channel = SilentChannel(
            try ObservedQuery(filter, of: className, store.catalog.rows), client: client,
            wantsEvents: wantsEvents)
        index.add(channel)
        return channel
    }

    /// The findings of a step that changes all persons and a city.
    private func findings(
        _ budget: StepBudget = StepBudget(microseconds: 3_600_000_000)
    ) throws -> SubscriptionIndex.Findings {
        func write(_ className: String, _ id: Int, age: Int) -> ObjectScript.Operation {
            .write(
                className, ["id": .value(.int(Int64(id))), "age": .value(.int(Int64(age)))],
                key: nil, .merge)
        }
        let operations = { age in
            (0..<Self.personCount).map { write("Person", $0, age: age) }
                + [write("City", 1, age: age)]
        }
        try store.run(operations(1))
        let before = try store.read()
        defer { before.close() }
        try store.run(operations(2))
        let after = try store.read()
        defer { after.close() }
        let step = ChangeStep(
            before: before, after: after,
            changes: try FoldedChanges(after: before.state().version, in: after))
        return index.findings(of: step, within: 3_600_000, budget)
    }

    /// A clock that advances by a microsecond with each reading.
    private func budget(microseconds: UInt64) -> StepBudget {
        var time: UInt64 = 0
        return StepBudget(microseconds: microseconds, lookMicroseconds: 0) {
            time += 1_000
            return time
        }
    }

    private func count(_ channel: SilentChannel, in findings: SubscriptionIndex.Findings) -> Int? {
        findings.told.first { $0.channel === channel }?.events.count
    }

    @Test("streams of a client that uses more than its share leave it, and others' are told")
    func shares() throws {
        let many = try (0..<20).map { try follow("age > \(-$0 - 1)", client: 1) }
        let one = try follow("age >= 0", client: 2)
        // The clock is read once for each test and once for each object.
        let found = try findings(budget(microseconds: 5_000))
        #expect(count(one, in: found) == Self.personCount)
        #expect(found.told.count == 1 && found.slow.isEmpty)
        #expect(found.deferred.count == many.count)
        #expect(many.allSatisfy { channel in found.deferred.contains { $0 === channel } })
        // All channels get the events of a step if there is time for it.
        let all = try findings()
        #expect((many + [one]).allSatisfy { count($0, in: all) == Self.personCount })
        #expect(all.deferred.isEmpty)
    }

    @Test("when it is over, streams of other classes have been told")
    func otherClasses() throws {
        let persons = try (0..<20).map { try follow("age > \(-$0 - 1)", client: $0) }
        let city = try follow("age > 0", of: "City", client: 1)
        let found = try findings(budget(microseconds: 200))
        #expect(count(city, in: found) == 1)
        #expect(found.told.count == 1)
        #expect(found.deferred.count == persons.count)
    }

    @Test("filters that no condition finds are tested within it, too")
    func unplaced() throws {
        let persons = try (0..<20).map { try follow("age + 1 != \(-$0)", client: $0) }
        let city = try follow("age > 0", of: "City", client: 1)
        let found = try findings(budget(microseconds: 3_000))
        #expect(count(city, in: found) == 1)
        #expect(found.told.count == 1)
        // A filter whose thread waited for its core takes long, and leaves the step as a slow one.
        #expect(found.deferred.count + found.slow.count == persons.count)
    }

    @Test("a filter whose channels only ask whether there is an event is tested until there is one")
    func settled() throws {
        let asking = try follow("age > 0", client: 1, wantsEvents: false)
        let all = try follow("age >= 0", client: 1)
        let found = try findings()
        #expect(count(asking, in: found) == 1)
        #expect(count(all, in: found) == Self.personCount)
    }

    @Test("none is told where there is no time at all")
    func nothing() throws {
        let city = try follow("age > 0", of: "City", client: 1)
        let found = try findings(StepBudget(microseconds: 0))
        #expect(found.told.isEmpty)
        #expect(found.deferred.count == 1 && found.deferred.first === city)
    }
}
