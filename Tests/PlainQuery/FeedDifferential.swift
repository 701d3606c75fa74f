import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport

/// Random rules, and random queries that are followed under them and without any, on a store that changes: what the index of subscriptions finds
/// that enters and leaves, and what the change log tells of who was away, is compared with what each query finds on the views that its sight
/// shows before and after.
package struct FeedDifferential: Differential {
    /// What was compared.
    package struct Counts: DifferentialCounts, Sendable {
        /// The queries, by how many steps each was followed.
        package var queries = 0
        /// The objects that entered, those that left, and those that stayed.
        package var entered = 0, left = 0, stayed = 0
        /// The catch-ups that told everything, and those that could not.
        package var missed = 0, undecided = 0

        /// Makes counts of nothing.
        package init() {}

        /// Adds other counts.
        package mutating func add(_ other: Counts) {
            queries += other.queries
            entered += other.entered
            left += other.left
            stayed += other.stayed
            missed += other.missed
            undecided += other.undecided
        }
    }

    /// A query that is followed.
    private struct Followed {
        let channel: SilentChannel
        let visibility: Visibility?
        let text: String

        /// The keys that it finds on a view of everything, by its sight; nil where an evaluation was given up.
        func keys(_ whole: StoreView) throws -> Set<UInt64>? {
            let view = whole.restricted(to: visibility)
            let query = channel.query
            guard let classIndex = query.classIndex else { return nil }
            let matcher = query.matcher(in: view)
            var keys: Set<UInt64> = []
            try view.scan(view.rows.classes[classIndex]) { key, row in
                if matcher?.matches(row: row, key: key, source: view) ?? true { keys.insert(key) }
                return true
            }
            return view.isLate ? nil : keys
        }
    }

    /// What was compared so far.
    package private(set) var counts = Counts()
    /// The first difference, with all that is needed to see it; nil for none.
    package private(set) var difference: String?
    private let seed: UInt64
    private let store: Store
    private var filler: PlainFiller
    private var random: SeededGenerator

    /// Makes a store and fills it.
    ///
    /// - `seed`: Says it all: the schema, the objects, the rules, the queries and the changes.
    package init(seed: UInt64) throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        let classes = PlainSchema.make(&random)
        store = try Store(engine: try EngineCase.memory.open())
        try store.setSchema(classes)
        filler = PlainFiller(classes, seed: random.next())
        try filler.fill(store)
        // With less the log decides on fewer of the objects that have gone.
        if Int.random(in: 0..<4, using: &random) > 0 { logPastValues() }
    }

    private func logPastValues() {
        let rows = store.catalog.rows
        let all = rows.classes.flatMap { rowClass in
            rowClass.members.indices.map {
                Dependency(classIndex: rowClass.index, member: $0, path: [], firstMember: $0)
            }
        }
        store.logPastValues(of: LoggedProperties(all, of: rows))
    }

    /// Ends the store.
    package func close() { store.close() }

    /// Follows so many queries under each of so many rules for some steps, until one differs.
    package mutating func run(visibilityCount: Int, queryCount: Int, stepCount: Int) throws {
        let index = SubscriptionIndex(
            store.catalog.rows, allowance: FeedAllowance(milliseconds: 3_600_000))
        let followed = try follow(index, visibilityCount, queryCount)
        var last = try store.read()
        defer { last.close() }
        // A view of one version finds the same as another.
        var keysAtLast = try followed.map { try $0.keys(last) }
        var keysBefore = keysAtLast
        for _ in 0..<stepCount where difference == nil {
            let before = try store.read()
            defer { before.close() }
            try filler.change(store)
            let after = try store.read()
            defer { after.close() }
            let changes = try FoldedChanges(after: before.state().version, in: after)
            let findings = index.findings(
                of: ChangeStep(before: before, after: after, changes: changes), within: 3_600_000)
            let left = findings.deferred + findings.slow
            let keys = try followed.map { try $0.keys(after) }
            for (index, one) in followed.enumerated()
            where difference == nil && !left.contains(where: { $0 === one.channel }) {
                guard let was = keysBefore[index], let now = keys[index] else { continue }
                let events = findings.told.filter { $0.channel === one.channel }.flatMap(\.events)
                compare(one, events, was, now)
            }
            for (index, one) in followed.enumerated() where difference == nil {
                guard let was = keysAtLast[index], let now = keys[index] else { continue }
                try compareMissed(one, last, after, was, now)
            }
            keysBefore = keys
            if Int.random(in: 0..<2, using: &random) == 0 {
                last.close()
                last = try store.read()
                keysAtLast = keys
            }
        }
    }

    /// Compares what the change log tells who knew the result of an earlier state.
    private mutating func compareMissed(
        _ followed: Followed, _ before: StoreView, _ after: StoreView, _ was: Set<UInt64>,
        _ now: Set<UInt64>
    ) throws {
        let query = followed.channel.query
        let view = after.restricted(to: followed.visibility)
        let since = try before.state().version
        let changes = try FoldedChanges(after: since, in: view, classes: query.pastClasses)
        let missed = CatchUpEvents(of: query, changes, since: since, in: view)
        let all = missed.candidates()
        var narrowed = all
        try missed.narrow(&narrowed, QueryLimits())
        for candidates in [all, narrowed] where difference == nil {
            guard let held = take(missed, candidates, changes, holding: was) else {
                counts.undecided += 1
                return
            }
            if view.isLate { return }
            counts.missed += 1
            if held == now { continue }
            difference =
                "seed \(seed), since \(since): \(followed.text)\n  before \(was.sorted()), after \(now.sorted()); "
                + "held then \(held.sorted())"
        }
    }

    /// What a client holds that held some objects, and is told what it missed; nil where that is not decided.
    private func take(
        _ missed: CatchUpEvents, _ candidates: ObservedCandidates, _ changes: FoldedChanges,
        holding was: Set<UInt64>
    ) -> Set<UInt64>? {
        var (held, candidates) = (was, candidates)
        while true {
            if let run = missed.takeDepartures(&candidates, countMax: 3) {
                held.subtract(changes.order[run].map(\.key))
                continue
            }
            guard let candidate = candidates.next() else { return held }
            guard let event = missed.event(of: candidate) else { continue }
            if event.isUndecided { return nil }
            switch event.kind {
            case .enter, .update: held.insert(event.identity.key)
            case .leave, .delete: held.remove(event.identity.key)
            }
        }
    }

    private mutating func follow(
        _ index: SubscriptionIndex, _ visibilityCount: Int, _ queryCount: Int
    ) throws -> [Followed] {
        let read = try store.read()
        defer { read.close() }
        let world = try PlainWorld(read)
        var followed: [Followed] = []
        for number in 0..<visibilityCount {
            // The first sees everything.
            let plain = number == 0 ? nil : PlainVisibility(world, read, &random)
            let visibility = plain?.visibility(in: read)
            var maker = PlainQueryMaker(plain?.part(of: world) ?? world, seed: random.next())
            for _ in 0..<queryCount {
                let query = maker.make()
                var printer = PlainPrinter()
                let own = PlainQuery(className: query.className, predicate: query.predicate)
                let text = printer.text(own)
                guard let rowClass = read.rows.rowClass(named: query.className),
                    let predicate = PlainVisibility.compile(query.predicate, query.className, read)
                else { continue }
                let channel = SilentChannel(
                    ObservedQuery(
                        target: .objects(classIndex: rowClass.index), predicate: predicate,
                        filterPaths: predicate.dependencies(read.rows), schema: read.rows,
                        visibility: visibility))
                index.add(channel)
                followed.append(
                    Followed(
                        channel: channel, visibility: visibility,
                        text: "\(query.className): \(text) \(printer.arguments.map(\.value.brief))"
                            + "\n  \(plain?.text ?? "everything")"))
            }
        }
        counts.queries += followed.count
        return followed
    }

    private mutating func compare(
        _ followed: Followed, _ events: [QueryEvent], _ was: Set<UInt64>, _ now: Set<UInt64>
    ) {
        let entered = Set(events.filter { $0.kind == .enter }.map(\.identity.key))
        let left = Set(
            events.filter { $0.kind == .leave || $0.kind == .delete }.map(\.identity.key))
        let updated = Set(events.filter { $0.kind == .update }.map(\.identity.key))
        counts.entered += entered.count
        counts.left += left.count
        counts.stayed += was.intersection(now).count
        if entered == now.subtracting(was), left == was.subtracting(now),
            updated.isSubset(of: was.intersection(now))
        {
            return
        }
        difference =
            "seed \(seed): \(followed.text)\n  before \(was.sorted()), after \(now.sorted()); "
            + "entered \(entered.sorted()), left \(left.sorted()), updated \(updated.sorted())"
    }
}
