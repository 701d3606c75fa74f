import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import Synchronization
import Testing
import HoldfastTestSupport
import HoldfastThreads

@Suite("The change feed")
struct ChangeFeedTests {
    /// A follower that keeps a copy of the query's result and notes what does not fit.
    private final class Follower: FeedChannel {
        struct State {
            var objects: [UInt64: [UInt8]] = [:]
            var faults: [String] = []
            var version: UInt64 = 0
            var eventCount = 0
            var invalidationCount = 0
        }

        let query: ObservedQuery
        let state = Monitor(State())

        init(_ query: ObservedQuery) { self.query = query }

        func begin(_ position: ChangeFeed.Position, _ predicate: Predicate?, _ classIndex: Int) {
            let transaction = position.transaction
            let matcher = predicate?.makeMatcher(transaction.rows, source: transaction)
            state.withLock { state in
                state.version = position.version
                do throws(StoreError) {
                    try transaction.scan(transaction.rows.classes[classIndex]) { key, row in
                        if matcher?.matches(row: row, key: key, source: transaction) ?? true {
                            state.objects[key] = Array(row.bytes)
                        }
                        return true
                    }
                } catch {
                    state.faults.append("\(error)")
                }
            }
        }

        func publish(
            _ events: [QueryEvent], from start: UInt64, to version: UInt64, _ step: ChangeStep
        ) {
            state.withLock { state in
                if version <= state.version { state.faults.append("version \(version) again") }
                if events.isEmpty { state.faults.append("told of nothing") }
                state.version = version
                state.eventCount += events.count
                for event in events {
                    let key = event.identity.key
                    let isKnown = state.objects[key] != nil
                    if isKnown == (event.kind == .enter) {
                        state.faults.append("\(event.kind) of \(key) at \(version)")
                    }
                    switch event.kind {
                    case .enter, .update:
                        let row = step.after.row(classIndex: event.identity.classIndex, key: key)
                        state.objects[key] = row.map { Array($0.bytes) }
                    case .leave, .delete: state.objects[key] = nil
                    }
                }
            }
        }

        func invalidate(isSlow: Bool) {
            if isSlow { Issue.record("a query took seconds") }
            state.update { $0.invalidationCount += 1 }
        }
    }

    private func follow(
        _ feed: ChangeFeed, _ schema: RowSchema, _ className: String, _ text: String
    ) throws -> (Follower, Predicate) {
        let classIndex = try #require(schema.classIndex[className])
        let follower = Follower(try ObservedQuery(text, of: className, schema))
        let predicate = try #require(follower.query.predicate)
        let isTaken = feed.perform { position in
            follower.begin(position, predicate, classIndex)
            position.feed.add(follower)
        }
        #expect(isTaken)
        return (follower, predicate)
    }

    /// Waits until the feed has told of everything that was committed, and returns its version.
    private func settle(_ feed: ChangeFeed) -> UInt64 {
        let version = Monitor<UInt64?>(nil)
        feed.perform { position in
            version.update { $0 = position.version }
        }
        return version.wait { $0 }
    }

    /// Filters of which some concern each commit, and filters that are found by values alone.
    private static let followed: [[(String, String)]] = [
        [
            ("Person", "age > 0"), ("Person", "TRUEPREDICATE"), ("Person", "boss.age > 0"),
            ("Person", "home.city.name == 'a'"), ("Person", "ANY staff.name == 'a'"),
            ("Dog", "ANY packs.age > 0"), ("City", "name != 'a'"), ("City", "addresses.@count > 1"),
        ],
        [
            ("Person", "age == 1"), ("Person", "age BETWEEN {-9, -2}"), ("Person", "name == 'a'"),
            ("City", "name == 'b'"), ("Dog", "name == 'a'"),
        ],
        [
            ("Person", "home.city.name == 'a'"), ("Person", "boss.age == 1"),
            ("City", "name == 'b'"),
        ],
    ]

    @Test(
        "under several writers each follower ends with exactly its query's result",
        arguments: EngineCase.all, [0, 1, 2])
    func replay(engineCase: EngineCase, filters: Int) throws {
        let seed = SeededGenerator.testSeed("change feed on \(engineCase)")
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        for number in 0..<4 {
            try store.put("City", ["id": .value(.int(Int64(number)))])
            try store.put("Dog", [:], mode: .create)
        }
        let feed = ChangeFeed(store: store, tickMilliseconds: 5)
        let schema = store.catalog.rows
        let followed = Self.followed[filters]
        let followers = try followed.map { try follow(feed, schema, $0.0, $0.1) }
        let rounds = SeededGenerator.scaled(60)
        try runThreads(4) { thread in
            var random = SeededGenerator(seed: seed &+ UInt64(thread))
            let maker = RandomContent(Shelter.classes)
            let known =
                (0..<4).map { Identity("City", .int($0)) }
                + (1...4).map { Identity("Dog", .int($0)) }
                + ["", "a", "b"].map { Identity("Person", .string($0)) }
            func randomOperation() -> ObjectScript.Operation {
                let objectClass = Shelter.classes[
                    [0, 0, 0, 1, 3][Int.random(in: 0..<5, using: &random)]]
                if objectClass.name == "Person", Int.random(in: 0..<5, using: &random) == 0 {
                    return .delete(known[Int.random(in: 8..<11, using: &random)])
                }
                let key: Value? =
                    objectClass.name == "Dog" ? .int(Int64.random(in: 1...4, using: &random)) : nil
                return .write(
                    objectClass.name,
                    maker.draft(objectClass, known: known, share: 40, depth: 2, &random), key: key,
                    .merge)
            }
            for _ in 0..<rounds {
                let count = [1, 1, 2, 3][Int.random(in: 0..<4, using: &random)]
                // Dangling links and missing objects are part of the load.
                _ = try? store.run((0..<count).map { _ in randomOperation() })
            }
        }
        // Random values may match no filter, so these match one of each list.
        try store.put("Person", Shelter.person("certain", ["age": .value(.int(1))]))
        try store.put("City", ["id": .value(.int(99)), "name": .value(.string("b"))])
        #expect(settle(feed) == store.version.number)
        feed.stop()
        try store.reading { transaction in
            for ((follower, predicate), (className, text)) in zip(followers, followed) {
                let rowClass = try #require(transaction.rows.rowClass(named: className))
                let matcher = predicate.makeMatcher(transaction.rows, source: transaction)
                var expected: [UInt64: [UInt8]] = [:]
                try transaction.scan(rowClass) { key, row in
                    if matcher.matches(row: row, key: key, source: transaction) {
                        expected[key] = Array(row.bytes)
                    }
                    return true
                }
                let state = follower.state.withLock { $0 }
                #expect(state.objects == expected, "\(text), seed \(seed)")
                #expect(state.faults == [], "\(text), seed \(seed)")
            }
        }
        #expect(followers.contains { $0.0.state.withLock { $0.eventCount > 0 } })
        #expect(try store.findings() == [])
    }

    @Test(
        "a change of the schema ends every channel once, and channels of the new one can begin",
        arguments: EngineCase.all)
    func schemaChange(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase)
        defer { store.close() }
        let feed = ChangeFeed(store: store, tickMilliseconds: 5)
        defer { feed.stop() }
        let (old, _) = try follow(feed, store.catalog.rows, "Person", "age > 0")
        _ = settle(feed)
        _ = try store.setSchema(Shelter.classes.reversed())
        #expect(old.state.wait { $0.invalidationCount > 0 ? $0.invalidationCount : nil } == 1)
        let (new, _) = try follow(feed, store.catalog.rows, "Person", "age > 0")
        _ = settle(feed)
        try store.put("Person", Shelter.person("a", ["age": .value(.int(1))]))
        _ = settle(feed)
        #expect(new.state.withLock { $0.eventCount } == 1)
        #expect(old.state.withLock { $0.eventCount } == 0)
        let isRemoved = feed.perform { $0.feed.remove(new) }
        #expect(isRemoved)
        _ = settle(feed)
        try store.put("Person", Shelter.person("b", ["age": .value(.int(1))]))
        _ = settle(feed)
        #expect(new.state.withLock { $0.eventCount } == 1)
    }

    @Test(
        "a feed that the log was trimmed past tells its channels to begin anew, and runs what waits"
    )
    func expired() throws {
        var options = StoreOptions()
        options.retentionSeconds = -5
        let store = try Shelter.open(.memory, options: options)
        defer { store.close() }
        let feed = ChangeFeed(store: store, tickMilliseconds: 5)
        defer { feed.stop() }
        let (follower, _) = try follow(feed, store.catalog.rows, "Person", "age > 0")
        _ = settle(feed)
        let isReached = Monitor(false)
        let mayGo = Monitor(false)
        feed.perform { _ in
            isReached.update { $0 = true }
            mayGo.wait { $0 ? () : nil }
        }
        isReached.wait { $0 ? () : nil }
        for id in ["a", "b", "c"] { try store.put("Person", Shelter.person(id)) }
        let ran = Monitor(false)
        feed.perform { _ in
            ran.update { $0 = true }
        }
        mayGo.update { $0 = true }
        #expect(follower.state.wait { $0.invalidationCount > 0 ? $0.invalidationCount : nil } == 1)
        ran.wait { $0 ? () : nil }
        #expect(settle(feed) == store.version.number)
    }

    @Test("an object that matches after commits that concern no follower is reported once")
    func quiet() throws {
        let store = try Shelter.open(.memory)
        defer { store.close() }
        let feed = ChangeFeed(store: store)
        defer { feed.stop() }
        let (follower, _) = try follow(feed, store.catalog.rows, "Person", "age == 7")
        _ = settle(feed)
        for age: Int64 in 1...3 {
            try store.put("Person", Shelter.person("a", ["age": .value(.int(age))]))
            #expect(settle(feed) == store.version.number)
        }
        try store.put("Person", Shelter.person("a", ["age": .value(.int(7))]))
        try store.put("Person", Shelter.person("b", ["age": .value(.int(3))]))
        #expect(settle(feed) == store.version.number)
        let state = follower.state.withLock { $0 }
        #expect(state.faults == [])
        #expect(state.eventCount == 1)
        #expect(state.objects.count == 1)
    }

    @Test("a commit does not wait for all of many actions that take long")
    func longActions() throws {
        let store = try Shelter.open(.memory)
        defer { store.close() }
        let feed = ChangeFeed(store: store)
        defer { feed.stop() }
        let (follower, _) = try follow(feed, store.catalog.rows, "Person", "age > 0")
        _ = settle(feed)
        let hasBegun = Monitor(false)
        let isCommitted = Monitor(false)
        feed.perform { _ in
            hasBegun.update { $0 = true }
            isCommitted.wait { $0 ? () : nil }
        }
        hasBegun.wait { $0 ? () : nil }
        // The actions arrive together, and each uses more than the time that is left to actions before the next step.
        let counts = Monitor<[Int]>([])
        for _ in 0..<3 {
            feed.perform { _ in
                counts.update { $0.append(follower.state.withLock { $0.eventCount }) }
                let start = threadNanoseconds()
                while threadNanoseconds() &- start < 60_000_000 {}
            }
        }
        try store.put("Person", Shelter.person("a", ["age": .value(.int(1))]))
        isCommitted.update { $0 = true }
        let seen = counts.wait { $0.count == 3 ? $0 : nil }
        #expect(seen.last == 1)
    }

    @Test("a stopped feed takes no more actions, and has run those it took")
    func stopping() throws {
        let store = try Shelter.open(.memory)
        defer { store.close() }
        let feed = ChangeFeed(store: store)
        let count = Atomic(0)
        for _ in 0..<10 { feed.perform { _ in count.wrappingAdd(1, ordering: .relaxed) } }
        feed.stop()
        #expect(count.load(ordering: .relaxed) == 10)
        let isTaken = feed.perform { _ in }
        #expect(!isTaken)
    }
}
