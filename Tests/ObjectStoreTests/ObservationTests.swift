import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import Synchronization
import Testing
import HoldfastTestSupport

@Suite("Observed queries")
struct ObservationTests {
    static let filters: [(className: String, text: String)] = [
        ("Person", "TRUEPREDICATE"), ("Person", "age > 0"), ("Person", "name BEGINSWITH 'a'"),
        ("Person", "best.name == 'a'"), ("Person", "best == NULL"), ("Person", "boss.age >= 0"),
        ("Person", "boss.boss.name == 'b'"), ("Person", "ANY dogs.name == 'a'"),
        ("Person", "dogs.@count > 1"), ("Person", "ANY friends.age < 0"),
        ("Person", "ALL friends.age > 0"), ("Person", "NONE friends.boss.name == 'a'"),
        ("Person", "ANY staff.age > 0"), ("Person", "staff.@count == 0"),
        ("Person", "ANY staff.staff.name == 'a'"), ("Person", "ANY boss.staff.age > 0"),
        ("Person", "best.lovers.@count > 1"), ("Person", "home.street == 'a'"),
        ("Person", "home.city.name == 'a'"), ("Person", "ANY former.city.name == ''"),
        ("Person", "home.inner.city.name != 'b'"), ("Person", "home.city.addresses.@count > 1"),
        ("Person", "boss.home.city.name == 'a'"), ("Person", "dogs[0].name == 'a'"),
        ("Person", "boss == $0"), ("Person", "boss != $0"), ("Person", "$0 IN friends"),
        ("Dog", "ANY packs.name == 'a'"), ("Dog", "ANY lovers.boss.age > 0"),
        ("Dog", "packs.@count > 0"), ("Dog", "@links.@count > 1"),
        ("Dog", "@links.Person.best.@count > 0"), ("Dog", "ANY packs.dogs.name == 'b'"),
        ("Dog", "ANY packs.home.city.name == 'a'"), ("Dog", "ANY packs.former.street == 'a'"),
        ("Person", "ANY pets.name == 'a'"), ("Person", "pets['a'].name == 'a'"),
        ("Person", "ANY pets.keepers.age > 0"), ("Person", "pets['b'].@count == 1"),
        ("Person", "ANY pets.@keys == 'zz'"), ("Person", "ANY places.street == 'a'"),
        ("Person", "places['a'].city.name == 'a'"), ("Person", "ANY places.inner.city.name == ''"),
        ("Person", "ANY marks.@values > 0"), ("Person", "marks.ab == NULL"),
        ("Dog", "ANY keepers.pets['a'].name == 'b'"), ("Dog", "keepers.@count > 1"),
        ("City", "addresses.@count > 0"), ("City", "name == 'a' OR addresses.@count == 2"),
    ]

    /// A query with what is needed to evaluate it by brute force.
    private struct Observed {
        var text: String
        var query: ObservedQuery
        var classIndex: Int
        var predicate: Predicate
        var dependencies: [Dependency]

        init(_ filter: (className: String, text: String), _ schema: RowSchema) throws {
            text = filter.text
            classIndex = try #require(schema.classIndex[filter.className])
            predicate = try CompiledQuery.compile(
                text: filter.text,
                arguments: [QueryArgument(.link(className: "Person", key: .string("a")))],
                rootClass: classIndex, schema: schema
            ).predicate
            dependencies = predicate.dependencies(schema)
            query = ObservedQuery(
                target: .objects(classIndex: classIndex), predicate: predicate,
                filterPaths: dependencies,
                schema: schema)
        }

        func matches(_ transaction: ReadTransaction) throws -> Set<UInt64> {
            let matcher = predicate.makeMatcher(transaction.rows, source: transaction)
            var keys: Set<UInt64> = []
            try transaction.scan(transaction.rows.classes[classIndex]) { key, row in
                if matcher.matches(row: row, key: key, source: transaction) { keys.insert(key) }
                return true
            }
            try transaction.checkFailure()
            return keys
        }
    }

    /// A view of a store with its contents, and the result of each query.
    private struct Moment {
        var transaction: StoreView
        var contents: StoreContents
        var trace: PathTrace
        var version: UInt64

        init(_ store: Store) throws {
            transaction = try store.read()
            contents = try StoreContents(transaction)
            trace = PathTrace(contents, transaction.rows)
            version = try transaction.state().version
        }
    }

    private func operations(
        _ known: [Identity], _ random: inout SeededGenerator
    ) -> [ObjectScript.Operation] {
        let maker = RandomContent(Shelter.withMaps)
        let objects = Shelter.withMaps.filter { $0.kind == .object }
        return (0..<Int.random(in: 1...3, using: &random)).map { _ in
            if !known.isEmpty, Int.random(in: 0..<6, using: &random) < (known.count > 18 ? 3 : 1) {
                return .attempt([.delete(known[Int.random(in: known.indices, using: &random)])])
            }
            let objectClass = objects[Int.random(in: objects.indices, using: &random)]
            var key: Value?
            let own = known.filter { $0.className == objectClass.name }
            if objectClass.primaryKey == nil, own.count > 3 {
                key = own[Int.random(in: own.indices, using: &random)].key
            }
            let share = [15, 40, 80][Int.random(in: 0..<3, using: &random)]
            return .attempt([
                .write(
                    objectClass.name,
                    maker.draft(objectClass, known: known, share: share, depth: 2, &random),
                    key: key, .merge)
            ])
        }
    }

    @Test(
        "events are the difference of the results, and folded ones lead to the newer result",
        arguments: EngineCase.all)
    func events(engineCase: EngineCase) throws {
        let seed = SeededGenerator.testSeed("observation on \(engineCase)")
        var random = SeededGenerator(seed: seed)
        for round in 0..<SeededGenerator.scaled(3) {
            let store = try Shelter.open(engineCase, classes: Shelter.withMaps)
            defer { store.close() }
            let queries = try Self.filters.map { try Observed($0, store.catalog.rows) }
            let index = SubscriptionIndex(
                store.catalog.rows, allowance: FeedAllowance(milliseconds: 3_600_000))
            var channels = queries.map { SilentChannel($0.query) }
            for channel in channels { index.add(channel) }
            var before = try Moment(store)
            defer { before.transaction.close() }
            for step in 0..<60 {
                // Whoever comes and goes changes nothing for the others.
                let leaving = Int.random(in: channels.indices, using: &random)
                index.remove(channels[leaving])
                channels[leaving] = SilentChannel(queries[leaving].query)
                index.add(channels[leaving])
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let known = try store.contents().objects.keys.sorted()
                    _ = try? store.run(operations(known, &random))
                }
                let after = try Moment(store)
                let changes = try FoldedChanges(after: before.version, in: after.transaction)
                let findings = index.findings(
                    of: ChangeStep(
                        before: before.transaction, after: after.transaction, changes: changes),
                    within: 3_600_000)
                #expect(findings.deferred.isEmpty && findings.slow.isEmpty)
                for (observed, channel) in zip(queries, channels) {
                    let place = "'\(observed.text)', step \(step) of round \(round), seed \(seed)"
                    let events = findings.told.filter { $0.channel === channel }.flatMap(\.events)
                    try compare(observed, events, (before, after), changes, place)
                }
                before.transaction.close()
                before = after
            }
        }
    }

    private func compare(
        _ observed: Observed, _ events: [QueryEvent], _ moments: (before: Moment, after: Moment),
        _ changes: FoldedChanges, _ place: String
    ) throws {
        let (before, after) = moments
        let was = try observed.matches(before.transaction)
        let now = try observed.matches(after.transaction)
        var kinds: [UInt64: QueryEvent.Kind] = [:]
        for event in events {
            #expect(event.identity.classIndex == observed.classIndex)
            #expect(kinds.updateValue(event.kind, forKey: event.identity.key) == nil, "\(place)")
            #expect(event.version > before.version && event.version <= after.version)
        }
        for key in was.union(now).union(kinds.keys) {
            let identity = ObjectIdentity(classIndex: observed.classIndex, key: key)
            switch (was.contains(key), now.contains(key)) {
            case (false, false): #expect(kinds[key] == nil, "\(place)")
            case (false, true): #expect(kinds[key] == .enter, "\(place)")
            case (true, false):
                let isGone = after.contents.identities[identity] == nil
                #expect(kinds[key] == (isGone ? .delete : .leave), "\(place)")
            case (true, true):
                guard let name = after.contents.identities[identity] else { continue }
                let old = before.trace.entries(of: name, observed.dependencies)
                let new = after.trace.entries(of: name, observed.dependencies)
                let isChanged =
                    before.contents.objects[name]?.content != after.contents.objects[name]?.content
                    || old != new
                if isChanged { #expect(kinds[key] == .update, "\(place)") }
                // A link back that came and went between the two states is told as well.
                let hasLosses =
                    !changes.lostLinks.isEmpty
                    && observed.dependencies.contains { $0.path.contains { $0.kind == .inverse } }
                let mayChange =
                    changes[identity] != nil
                    || old.union(new).contains { changes[$0.owner] != nil } || old != new
                if !mayChange, !hasLosses {
                    #expect(kinds[key] == nil, "\(place)")
                }
            }
        }

        // A client that sets and removes has the newer result, with every object as it is now.
        var client: [UInt64: ObjectContent] = [:]
        func content(_ key: UInt64, _ moment: Moment) -> ObjectContent? {
            moment.contents.identities[ObjectIdentity(classIndex: observed.classIndex, key: key)]
                .flatMap { moment.contents.objects[$0]?.content }
        }
        for key in was { client[key] = content(key, before) }
        for event in folded(
            observed.query, changes, since: before.version, after.transaction)
        {
            switch event.kind {
            case .enter, .update:
                client[event.identity.key] = content(event.identity.key, after)
            case .leave, .delete: client[event.identity.key] = nil
            }
        }
        #expect(Set(client.keys) == now, "\(place)")
        for (key, known) in client { #expect(known == content(key, after), "\(place)") }
    }

    /// What folded changes mean to a client that knows the result of before.
    private func folded(
        _ query: ObservedQuery, _ changes: FoldedChanges, since version: UInt64,
        _ transaction: StoreView
    ) -> [QueryEvent] {
        let missed = CatchUpEvents(of: query, changes, since: version, in: transaction)
        return query.candidates(changes, in: transaction).compactMap { missed.event(of: $0) }
    }

    @Test("one object is followed by its key as it comes and goes", arguments: EngineCase.all)
    func keyed(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase, classes: Shelter.withMaps)
        defer { store.close() }
        let key = try #require(OrderedKey(.string("a")))
        let query = ObservedQuery(
            target: .keyed(classIndex: 0, primaryKey: key), predicate: nil, filterPaths: [],
            schema: store.catalog.rows)
        func events(_ steps: [ObjectScript.Operation]) throws -> (live: [String], folded: [String])
        {
            let before = try store.read()
            defer { before.close() }
            let version = try before.state().version
            for step in steps { try store.run([step]) }
            let after = try store.read()
            defer { after.close() }
            let changes = try FoldedChanges(after: version, in: after)
            return (
                query.events(changes, before: before, after: after).map(\.kind.rawValue),
                folded(query, changes, since: version, after).map(\.kind.rawValue)
            )
        }
        func put(_ id: String, _ age: Int64) -> ObjectScript.Operation {
            .write("Person", Shelter.person(id, ["age": .value(.int(age))]), key: nil, .merge)
        }
        let a = Identity("Person", .string("a"))
        #expect(try events([put("b", 1)]) == ([], []))
        #expect(try events([put("a", 1)]) == (["enter"], ["enter"]))
        #expect(try events([put("a", 2), put("b", 2)]) == (["update"], ["update"]))
        #expect(try events([put("a", 2)]) == ([], []))
        #expect(
            try events([.delete(a), put("a", 3)]) == (["delete", "enter"], ["delete", "enter"]))
        #expect(try events([.delete(Identity("Person", .string("b")))]) == ([], []))
        #expect(try events([.delete(a)]) == (["delete"], ["delete"]))
        #expect(try events([put("a", 3), .delete(a)]).live == [])
    }

    @Test("the whole store is followed with every object of every class", arguments: EngineCase.all)
    func wholeStore(engineCase: EngineCase) throws {
        let store = try Shelter.open(engineCase, classes: Shelter.withMaps)
        defer { store.close() }
        try store.put("Dog", [:], mode: .create)
        let query = ObservedQuery(
            target: .store, predicate: nil, filterPaths: [], schema: store.catalog.rows)
        let before = try store.read()
        defer { before.close() }
        try store.run([
            .write(
                "Person", Shelter.person("a", ["best": .link("Dog", .int(1))]), key: nil, .create),
            .write("City", ["id": .value(.int(1))], key: nil, .create),
        ])
        try store.delete("Dog", .int(1))
        let after = try store.read()
        defer { after.close() }
        let changes = try FoldedChanges(after: before.state().version, in: after)
        let live = query.events(changes, before: before, after: after)
        #expect(live.map { $0.kind } == [.enter, .enter, .delete])
        #expect(live.map { $0.identity.classIndex } == [0, 3, 1])
    }
}
