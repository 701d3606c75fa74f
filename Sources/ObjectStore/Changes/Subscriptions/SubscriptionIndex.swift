import HoldfastBytes
import HoldfastQuery
import HoldfastRows
import HoldfastThreads

/// The followed queries, found by the changes: the cost of a commit depends on the queries that it concerns, however many there
/// are.
///
/// A filter is added under a condition that all its matches satisfy (``IndexCondition``), and is found by the value that a
/// changed object had or has at the condition's place: equality by a hash, ranges by an interval tree, texts by groups of three
/// characters. A filter without such a condition is tested with each change of its class. If a filter reads other objects, a
/// change of these is first compared with the condition. Only if that finds a filter is the path walked back, once for all. On
/// the feed's thread.
///
/// Benchmark rows: `filters`, `filters-flat-out`.
package final class SubscriptionIndex {
    let schema: RowSchema
    private(set) var filters: [ObservedFilter?] = []
    private var freeOwners: [Int32] = []
    private var ownerByKey: [ObservedFilter.Key: Int32] = [:]
    /// The filters by class; the filters of the whole store are under nil.
    private(set) var classes: [Int?: ClassFilters] = [:]
    let watches: DependencyTable
    private let earlier = PathValue()
    let later = PathValue()
    let scratch = ByteBuffer(capacity: 256)
    /// The number of tested objects.
    private var objectNumber = 0

    /// The filters of one class.
    final class ClassFilters {
        /// The conditions that find filters, by the places of their values.
        var places: [IndexedPath: ConditionIndex] = [:]
        /// The filters on one object, by its key.
        var objects: [UInt64: Set<Int32>] = [:]
        /// The filters that are tested with every change of the class, by owner.
        var unplaced: Set<Int32> = []
    }

    /// The filters with an evaluation that was given up in the present step.
    private var givenUp: Set<Int32> = []
    /// The allowance of one filter in a step.
    private let allowance: FeedAllowance
    private var stepNumber = 0
    /// The channels with filters that workers test, each with the classes with changes that can concern it; nil for all.
    private(set) var untested: [(channel: any FeedChannel, classes: Set<Int>?)] = []

    /// The number of filters that rules decide about. Without any, objects that set off watches are not tested.
    private(set) var ruledCount = 0
    /// The number of filters, and of channels with filters of their own.
    var count: Int { ownerByKey.count + untested.count }
    /// The number of channels that need the edits of lists.
    private var listReaderCount = 0

    /// Whether a channel needs the edits of lists.
    var readsLists: Bool { listReaderCount > 0 }

    /// Makes an empty index for the queries of a schema.
    package init(_ schema: RowSchema, allowance: FeedAllowance = FeedAllowance()) {
        self.schema = schema
        self.allowance = allowance
        watches = DependencyTable(schema)
    }

    var channels: [any FeedChannel] {
        filters.flatMap { $0?.followers.map(\.channel) ?? [] } + untested.map(\.channel)
    }

    // MARK: Entering

    /// The number of a filter's channels up to which it is prepared with each of them.
    private static let preparedCountMax = 4

    package func add(_ channel: any FeedChannel) {
        if channel.readsLists { listReaderCount += 1 }
        if channel.isUntested { return untested.append((channel, channel.query.classes)) }
        let query = channel.query
        let filter = ownerByKey[query.filterKey].flatMap { filters[Int($0)] } ?? enter(query)
        let shown = query.classIndex.map { root in
            query.shown.watches.map { watches.add($0, root, nil) }
        }
        filter.add(channel, shown: shown ?? [])
        // If very many channels follow the same filter, a step prepares it once for all of them.
        if filter.followers.count <= Self.preparedCountMax { filter.prepare(watches) }
    }

    private func enter(_ query: ObservedQuery) -> ObservedFilter {
        let owner = freeOwners.popLast() ?? Int32(filters.count)
        if Int(owner) == filters.count { filters.append(nil) }
        let places = query.conditions.valuePlaces
        let positions = query.classIndex.map { root in
            query.filter.watches.map { watches.add($0, root, places) }
        }
        let filter = ObservedFilter(query, owner: owner, watches: positions ?? [])
        filters[Int(owner)] = filter
        ownerByKey[query.filterKey] = owner
        if query.visibility != nil { ruledCount += 1 }
        place(filter)
        return filter
    }

    private func place(_ filter: ObservedFilter) {
        let (owner, root) = (filter.owner, filter.query.classIndex)
        let own = classes[root] ?? ClassFilters()
        classes[root] = own
        func filters(at place: IndexedPath) -> ConditionIndex {
            let filters = own.places[place] ?? ConditionIndex()
            own.places[place] = filters
            return filters
        }
        let conditions = filter.query.conditions
        if case .object(_, let key) = filter.query.target {
            own.objects[key, default: []].insert(owner)
        } else if let tables = conditions.tables {
            for (place, table) in tables { filters(at: place).add(table, owner) }
        } else if let anchors = conditions.anchors {
            for anchor in anchors { filters(at: anchor.place).add(anchor.condition, owner) }
        } else {
            own.unplaced.insert(owner)
        }
    }

    private func displace(_ filter: ObservedFilter) {
        let (owner, root) = (filter.owner, filter.query.classIndex)
        guard let own = classes[root] else { return }
        let conditions = filter.query.conditions
        if case .object(_, let key) = filter.query.target {
            own.objects[key]?.remove(owner)
            if own.objects[key]?.isEmpty == true { own.objects[key] = nil }
        } else if let tables = conditions.tables {
            for place in tables.keys { own.places[place]?.remove(allOf: owner) }
        } else if let anchors = conditions.anchors {
            for anchor in anchors { own.places[anchor.place]?.remove(anchor.condition, owner) }
        } else {
            own.unplaced.remove(owner)
        }
        for place in conditions.valuePlaces ?? [] where own.places[place]?.isEmpty == true {
            own.places[place] = nil
        }
        if own.places.isEmpty, own.objects.isEmpty, own.unplaced.isEmpty { classes[root] = nil }
    }

    package func remove(_ channel: any FeedChannel) {
        if channel.isUntested {
            guard let index = untested.firstIndex(where: { $0.channel === channel }) else { return }
            untested.remove(at: index)
            if channel.readsLists { listReaderCount -= 1 }
            return
        }
        let key = channel.query.filterKey
        guard let owner = ownerByKey[key], let filter = filters[Int(owner)],
            let index = filter.followers.firstIndex(where: { $0.channel === channel })
        else { return }
        for position in filter.followers[index].shown { watches.remove(position, nil) }
        filter.removeFollower(at: index)
        if channel.readsLists { listReaderCount -= 1 }
        guard filter.followers.isEmpty else { return }
        let places = filter.query.conditions.valuePlaces
        for position in filter.watches { watches.remove(position, places) }
        displace(filter)
        filters[Int(owner)] = nil
        freeOwners.append(owner)
        ownerByKey[key] = nil
        if filter.query.visibility != nil { ruledCount -= 1 }
    }

    // MARK: Steps

    /// Finds the channels that a step concerns, with its events for them: first by the filters that a condition or a watch finds,
    /// then by the filters that are tested with each change of their class, so that the first do not wait for them.
    ///
    /// Each filter has its allowance. A filter that needs more is left out of the step, and its followers catch up. The same goes
    /// for filters of clients that need more than their share of the step's budget.
    ///
    /// - `milliseconds`: The time for all filters of the first kind. In a view that has run out of time, objects seem to be gone.
    ///   Then no channel of the kind gets events, and all that the step may concern are deferred.
    /// - `unplacedMilliseconds`: The same for the second kind.
    /// - `budget`: The time for both.
    /// - `body`: Takes the findings of each kind; may remove channels.
    package func forEachFindings(
        of step: ChangeStep, within milliseconds: UInt64,
        unplacedWithin unplacedMilliseconds: UInt64, _ budget: StepBudget,
        _ body: (Findings) -> Void
    ) {
        if count == 0 { return }
        stepNumber += 1
        let order = Self.order(of: step.changes)
        var reached: [ObjectIdentity: [DependencyTable.AffectedPaths]] = [:]
        let placed = findings(of: step, order, within: milliseconds, budget, arePlaced: true) {
            findings in
            findings.touched = touched(by: step.changes)
            var testCount = 0
            reached = watches.reached(step) { place, root, value in
                classes[root]?.places[place]?.mayFind(value, scratch) ?? false
            } owners: { position, identity in
                owners(at: position, concernedBy: identity, step, &testCount)
            }
            findings.deferred = followersOfWideWatches(step)
            return reached
        }
        body(placed)
        if classes.values.allSatisfy(\.unplaced.isEmpty) { return }
        body(
            findings(of: step, order, within: unplacedMilliseconds, budget, arePlaced: false) {
                _ in reached
            })
    }

    /// - `begin`: Finds the objects that are reached along links, within the same time.
    private func findings(
        of step: ChangeStep, _ order: [ObjectIdentity], within milliseconds: UInt64,
        _ budget: StepBudget, arePlaced: Bool,
        _ begin: (inout Findings) -> [ObjectIdentity: [DependencyTable.AffectedPaths]]
    ) -> Findings {
        let deadline = monotonicMilliseconds() + milliseconds
        step.limit(until: deadline, allowance)
        defer { step.limit(until: .max) }
        givenUp = []
        var findings = Findings()
        var reached = begin(&findings)
        var concerned: [ObservedFilter] = []
        /// The classes of objects that were not tested with all filters.
        var untestedClasses: Set<Int> = []
        func test(_ identity: ObjectIdentity, _ found: [DependencyTable.AffectedPaths]) {
            if !budget.isOver, !step.isLate {
                self.test(
                    identity, reached: found, step, budget, arePlaced: arePlaced, &concerned,
                    until: deadline)
                budget.note(Self.objectNanoseconds)
            }
            if budget.isOver { untestedClasses.insert(identity.classIndex) }
        }
        for identity in order { test(identity, reached.removeValue(forKey: identity) ?? []) }
        for (identity, found) in reached.sorted(by: { $0.key.key < $1.key.key }) {
            test(identity, found)
        }
        if step.isLate {
            let changed = Self.classes(of: step.changes, schema)
            findings.deferred += channels(arePlaced: arePlaced) { filter in
                filter.query.classes.map { !$0.isDisjoint(with: changed) } ?? true
            }
        } else if !untestedClasses.isEmpty {
            findings.deferred += channels(arePlaced: arePlaced) { filter in
                filter.query.classIndex.map { untestedClasses.contains($0) } ?? true
            }
        }
        for filter in givenUp.lazy.compactMap({ self.filters[Int($0)] }) {
            let channels = filter.followers.map(\.channel)
            if filter.isExpensive {
                findings.slow += channels
            } else {
                findings.deferred += channels
            }
        }
        var others = Set(findings.slow.map { ObjectIdentifier($0) })
        findings.deferred.removeAll { !others.insert(ObjectIdentifier($0)).inserted }
        for filter in concerned {
            for (channel, events) in filter.takeEvents()
            where !others.contains(ObjectIdentifier(channel)) {
                findings.told.append((channel, events))
            }
        }
        return findings
    }

    /// The approximate time for reading a changed object.
    private static let objectNanoseconds: UInt64 = 1_000

    /// The channels of the filters that a condition or a watch finds, or of the filters that are tested with each change of their
    /// class.
    private func channels(
        arePlaced: Bool, where isWanted: (ObservedFilter) -> Bool
    ) -> [any FeedChannel] {
        var found: [any FeedChannel] = []
        for case let filter? in filters where isUnplaced(filter) != arePlaced && isWanted(filter) {
            found += filter.followers.map(\.channel)
        }
        return found
    }

    /// Whether a filter is tested with each change of its class.
    private func isUnplaced(_ filter: ObservedFilter) -> Bool {
        classes[filter.query.classIndex]?.unplaced.contains(filter.owner) ?? false
    }

    /// The channels with untested filters that some changes may concern.
    private func touched(by changes: FoldedChanges) -> [any FeedChannel] {
        if untested.isEmpty { return [] }
        let changed = Self.classes(of: changes, schema)
        return untested.lazy.filter { one in
            one.classes.map { !$0.isDisjoint(with: changed) } ?? !changed.isEmpty
        }.map(\.channel)
    }

    /// Tests an object with the filters that it may concern.
    ///
    /// - `reached`: The paths by which it was reached.
    /// - `arePlaced`: Whether the filters that a condition or a watch finds are tested, or the filters that every change of their
    ///   class tests.
    private func test(
        _ identity: ObjectIdentity, reached: [DependencyTable.AffectedPaths], _ step: ChangeStep,
        _ budget: StepBudget, arePlaced: Bool,
        _ concerned: inout [ObservedFilter], until deadline: UInt64
    ) {
        let own = classes[identity.classIndex]
        let ofStore = classes[nil]?.unplaced ?? []
        if arePlaced ? own == nil : own?.unplaced.isEmpty ?? true && ofStore.isEmpty { return }
        let object = step.object(identity)
        objectNumber += 1
        func take(_ owner: Int32) {
            guard let filter = filters[Int(owner)], filter.lastObject != objectNumber,
                !givenUp.contains(owner), !budget.isOver, !filter.isSettled
            else { return }
            filter.lastObject = objectNumber
            guard object.change != nil || filter.isReached(by: reached) else { return }
            if !budget.excluded.isEmpty, budget.refuses(filter.client) {
                givenUp.insert(owner)
                return
            }
            var isConcerned = false
            let isDone = filter.test(step, stepNumber, within: allowance, budget, until: deadline) {
                isConcerned = filter.take(object, step, reached: reached, watches)
            }
            if isConcerned { concerned.append(filter) }
            if isDone { return }
            givenUp.insert(owner)
            // The end of one test does not concern the next, unless the time for all is over.
            if monotonicMilliseconds() < deadline { step.limit(until: deadline, allowance) }
        }
        guard arePlaced else {
            if let own {
                // Of very many filters, few may be concerned.
                let concerned = object.change == nil ? reached.map(\.owners) : [nil]
                if concerned.allSatisfy({ $0 != nil }) {
                    for owners in concerned {
                        for owner in owners ?? [] where own.unplaced.contains(owner) { take(owner) }
                    }
                } else {
                    own.unplaced.forEach(take)
                }
            }
            return ofStore.forEach(take)
        }
        if let own {
            func takeAll(of conditions: ConditionIndex, at value: PathValue) {
                conditions.forEach(at: value, scratch) {
                    take($0)
                    return true
                }
            }
            for (place, conditions) in own.places {
                later.read(place, from: object.after, identity.classIndex, in: step.after)
                takeAll(of: conditions, at: later)
                if reached.isEmpty, object.isSame(at: place) { continue }
                earlier.read(place, from: object.before, identity.classIndex, in: step.before)
                if !earlier.equals(later) { takeAll(of: conditions, at: earlier) }
            }
            own.objects[identity.key]?.forEach(take)
        }
    }
}
