import HoldfastBytes
import HoldfastQuery
import HoldfastRows
import Synchronization

/// A query whose changes are followed: on one class with or without a filter, on one object, or on
/// everything. Immutable; safe to use from any thread.
package final class ObservedQuery: Sendable {
    /// The subject that is followed.
    package enum Target: Hashable, Sendable {
        /// Every object of the store.
        case store
        /// The objects of a class, by position.
        case objects(classIndex: Int)
        /// One object by its primary key, which may come and go.
        case keyed(classIndex: Int, primaryKey: OrderedKey)
        /// One object by its object key.
        case object(classIndex: Int, key: UInt64)

        /// The class of the objects; nil for the whole store.
        var classIndex: Int? {
            switch self {
            case .store: nil
            case .objects(let index), .keyed(let index, _), .object(let index, _): index
            }
        }

        /// Whether an object may be meant, as far as its class and its object key tell.
        func mayBe(_ identity: ObjectIdentity) -> Bool {
            if case .object(_, let key) = self, identity.key != key { return false }
            return classIndex.map { $0 == identity.classIndex } ?? true
        }
    }

    /// The subject that is followed.
    package let target: Target
    /// The condition; nil for none.
    package let predicate: Predicate?
    /// The sight of its followers; nil where nothing that it reads is hidden from them.
    ///
    /// The condition is one on what the sight shows: rows and views that are asked about are to be of a view that shows it.
    package let sight: Sight?
    /// Whether what the condition reads is seen as it is stored, so that it is asked of that, behind the rule of the class.
    private let readsStored: Bool
    /// Whether, besides, all properties of the objects that the followers have names of are seen as they are stored.
    package let showsStored: Bool
    /// The reads of the filter.
    let filter: WatchPlan
    /// The reads of what is shown of the objects.
    let shown: WatchPlan
    /// Whether every own property of an object counts; else those alone that ``shown`` reads.
    let countsEverything: Bool
    let schema: RowSchema
    /// The rules that decide about what the filter reads, and about what is shown.
    let deciding: [Sight.Admission]
    let displaying: [Sight.Admission]
    /// The reads of the filter, and of what is shown, without those of rules; none where no rules decide.
    let readByFilter: WatchPlan
    let readByShown: WatchPlan
    /// The classes of ``readClasses`` beyond those that it depends on.
    private let otherReadClasses: Set<Int>
    /// The numbers of the properties that the filter, what is shown, and the rules that decide about these read.
    let readProperties: Set<UInt32>
    /// The classes of the objects that the condition and the rules name.
    let namedClasses: Set<Int>
    /// The key that its filter has in common with equal ones.
    package let filterKey: ObservedFilter.Key
    private let madeConditions = Mutex<FilterConditions?>(nil)

    /// Makes an observed query.
    ///
    /// - `filterPaths`: The reads of the filter.
    /// - `shownPaths`: What is shown of the objects reads beyond them.
    /// - `countedPaths`: The reads beyond them that count without being shown.
    /// - `readPaths`: All reads of what is shown of the objects, also if they do not count: another shape of them matters.
    /// - `countsEverything`: Whether a change of any property of an object's own concerns the query; else only
    ///   those count that a path begins with.
    /// - `sight`: What its followers may read; nil for everything.
    package init(
        target: Target, predicate: Predicate?, filterPaths: [Dependency],
        shownPaths: [Dependency] = [], countedPaths: [Dependency] = [],
        readPaths: [Dependency] = [], countsEverything: Bool = true, schema: RowSchema,
        sight: Sight? = nil
    ) {
        self.target = target
        self.predicate = predicate
        self.schema = schema
        self.countsEverything = countsEverything
        var (filterPaths, shownPaths, readPaths) = (filterPaths, shownPaths, readPaths)
        var countedPaths = countedPaths
        var readProperties: Set<UInt32> = []
        for read in [filterPaths, shownPaths, readPaths].joined() {
            read.addProperties(to: &readProperties, schema)
        }
        if let sight, let root = target.classIndex {
            filterPaths = filterPaths.map(sight.withoutPositions)
            shownPaths = shownPaths.map(sight.withoutPositions)
            countedPaths = countedPaths.map(sight.withoutPositions)
            readPaths = readPaths.map(sight.withoutPositions)
            let deciding = sight.admissions(toRead: filterPaths, from: root, isWhole: false)
            let displaying = sight.admissions(
                toRead: shownPaths + countedPaths, from: root, isWhole: countsEverything)
            // The links that count because everything does need not be shown.
            let showing = sight.admissions(
                toRead: shownPaths + readPaths, from: root, isWhole: false)
            for read in (deciding + showing).lazy.flatMap({ $0.dependencies(schema) }) {
                read.addProperties(to: &readProperties, schema)
            }
            let isConcerned =
                sight.parts[root].isConcerned || !deciding.isEmpty || !displaying.isEmpty
                || !showing.isEmpty
            self.sight = isConcerned ? sight : nil
            readsStored =
                deciding.allSatisfy(\.steps.isEmpty)
                && !sight.alters(anyOf: filterPaths, from: root)
            showsStored =
                readsStored
                && sight.parts[root].altered.isSubset(of: schema.classes[root].unknown)
            readByFilter = WatchPlan(filterPaths, schema: schema)
            readByShown = WatchPlan(shownPaths + countedPaths, schema: schema)
            filterPaths += deciding.flatMap { $0.dependencies(schema) }
            shownPaths += displaying.flatMap { $0.dependencies(schema) }
            (self.deciding, self.displaying) = (deciding, displaying)
        } else {
            self.sight = sight
            readsStored = sight == nil
            showsStored = readsStored
            (deciding, displaying) = ([], [])
            readByFilter = WatchPlan([], schema: schema)
            readByShown = readByFilter
        }
        self.readProperties = readProperties
        filterKey = ObservedFilter.Key(target, predicate, self.sight)
        namedClasses = (deciding + displaying).flatMap(\.rules).reduce(
            into: predicate?.namedClasses(schema) ?? []
        ) { $0.formUnion($1.namedClasses(sight?.schema ?? schema)) }
        filter = WatchPlan(filterPaths, schema: schema)
        shown = WatchPlan(shownPaths + countedPaths, schema: schema)
        otherReadClasses = WatchPlan(readPaths, schema: schema).watches
            .reduce(into: []) { $0.formUnion($1.classes) }
    }

    /// The objects that changes may concern.
    ///
    /// The outcome for each is asked for with ``MissedEvents``, now or in a later state: what happens
    /// to it after the changes is in later ones, and delivered then.
    ///
    /// - `dependentCountMax`: The most candidates that only depend on other objects; where there are more, one more is
    ///   delivered. With 0 none are looked for.
    package func candidates(
        _ changes: FoldedChanges, in transaction: ReadTransaction, dependentCountMax: Int = .max
    ) -> ObservedCandidates {
        ObservedCandidates(
            ReachedObjects(
                of: self, seenBy: nil, changes, since: 0, in: transaction.unrestricted,
                dependentCountMax: dependentCountMax))
    }

    /// Whether a candidate is none, as only properties of it have changed that do not count.
    func isUncounted(_ candidate: ObservedCandidate) -> Bool {
        !countsEverything && candidate.change?.kind == .update && !candidate.dependsOnChange
            && counted(candidate.members).isEmpty
    }

    /// Those of an object's properties whose changes count.
    func counted(_ members: MemberSet) -> MemberSet {
        countsEverything
            ? members : members.intersection(filter.ownMembers.union(shown.ownMembers))
    }

    /// The conditions that rules have on an object which sets off a watch by a change: as long as it satisfies the same of them as before, the
    /// change is none of the query's. Nil where it is one anyway, as the filter or what is shown reads what has changed, and where that is not
    /// known.
    func conditions(of watch: Watch) -> Set<Predicate>? {
        guard !deciding.isEmpty || !displaying.isEmpty,
            case .property(let classIndex, let member) = watch.trigger,
            schema.classes[classIndex].definition.kind != .embedded,
            watch.steps.allSatisfy({ $0.kind == .link || $0.kind == .links }),
            !readByFilter.watches.contains(watch), !readByShown.watches.contains(watch)
        else { return nil }
        var found: Set<Predicate> = []
        for admission in deciding + displaying where watch.steps.starts(with: admission.steps) {
            let steps = Array(watch.steps[admission.steps.count...])
            for rule in admission.rules {
                guard let own = rule.conditions(reading: member, behind: steps, schema) else {
                    return nil
                }
                found.formUnion(own)
            }
        }
        return found
    }

    /// Whether changes of other objects than the query's own can concern it.
    var dependsOnOthers: Bool { !filter.watches.isEmpty || !shown.watches.isEmpty }

    /// The classes whose changes can concern the query; nil for all.
    package var classes: Set<Int>? {
        guard let classIndex else { return nil }
        var found: Set<Int> = [classIndex]
        for watch in filter.watches + shown.watches {
            guard let index = watch.classIndex(schema) else { return nil }
            found.insert(index)
        }
        return found
    }

    /// The classes that the query reads, those on the way included; nil for all.
    package var readClasses: Set<Int>? {
        guard let classIndex else { return nil }
        var found = otherReadClasses.union([classIndex])
        for watch in filter.watches + shown.watches { found.formUnion(watch.classes) }
        return found
    }

    /// The class of the objects; nil for the whole store.
    package var classIndex: Int? { target.classIndex }

    /// Makes the event of a candidate for a query, by whether it was, and is, among the results.
    package func event(of candidate: ObservedCandidate, was: Bool, is isNow: Bool) -> QueryEvent? {
        switch (was, isNow) {
        case (false, false): return nil
        case (false, true): return candidate.event(.enter)
        case (true, true):
            let isTold =
                countsEverything
                ? !candidate.members.isEmpty || candidate.dependsOnChange
                : candidate.reach.isOfShown
                    || candidate.change.map { !$0.members.isDisjoint(with: shown.ownMembers) }
                        ?? false
            return isTold ? candidate.event(.update) : nil
        case (true, false):
            return candidate.event(departureKind(of: candidate))
        }
    }

    /// How a result is gone: where several versions are one step, those who may have lost sight of it before it was deleted are told that
    /// it has left, for what happens out of sight is told to nobody.
    private func departureKind(of candidate: ObservedCandidate) -> QueryEvent.Kind {
        guard candidate.change?.kind == .delete else { return .leave }
        return sight != nil && candidate.isOfSeveralVersions && mayLeave(candidate)
            ? .leave : .delete
    }

    /// A matcher of the condition on a state; nil for none.
    package func matcher(in transaction: ReadTransaction) -> Matcher? {
        predicate?.makeMatcher(schema, source: transaction)
    }

    /// Matchers of what an object has to satisfy that is shown by ``showing``, in their order: what can fail is behind the rule.
    func makeMatchers() -> [Matcher] {
        let own = predicate?.makeMatcher(schema)
        guard readsStored, let sight else { return [own].compactMap(\.self) }
        // The rule reads what its followers may have no name of.
        return [rule?.makeMatcher(sight.schema), own].compactMap(\.self)
    }

    /// The rule of the class by the followers' sight; nil where they may read all of its objects.
    var rule: Predicate? { classIndex.flatMap { sight?.parts[$0].rule } }

    /// The sight that objects are shown by before they are tested; nil where what is stored is tested.
    var showing: Sight? { readsStored ? nil : sight }

    /// Prepares each of the query's terms for following, so that the feed's thread need not do it. Cost: n log n in
    /// the terms, once.
    ///
    /// - `budget`: The budget that pays for it. After the budget has failed, nothing is kept.
    package func prepare(within budget: Budget = Budget()) { _ = conditions(within: budget) }

    /// The conditions that find the filter, made when they are first asked for.
    var conditions: FilterConditions { conditions(within: Budget()) }

    private func conditions(within budget: Budget) -> FilterConditions {
        madeConditions.withLock { made in
            let conditions = made ?? FilterConditions(makeAnchors(within: budget))
            if budget.failure == nil { made = conditions }
            return conditions
        }
    }

    /// Whether it reads other objects along more paths than the feed walks back for one query.
    package var isWide: Bool { filter.watches.count + shown.watches.count > Self.watchCountMax }
    private static let watchCountMax = 256

    private func makeAnchors(within budget: Budget) -> [Anchor]? {
        guard let classIndex else { return nil }
        let rowClass = schema.classes[classIndex]
        if case .keyed(_, let key) = target, let member = rowClass.primaryKeyIndex {
            return [
                Anchor(
                    place: ValuePlace(steps: [], member: member),
                    condition: .ranges([.value(key.bytes)]))
            ]
        }
        return placed().flatMap { Anchor.anchors(of: $0, schema, within: budget) }
    }

    /// The condition on stored objects that the query is found by, which each of its results satisfies.
    private func placed() -> Predicate? {
        guard let sight, let classIndex else { return predicate }
        // What may be shown otherwise than it is stored, such as null, does not find it.
        guard let predicate, !sight.alters(anyOf: predicate.dependencies(schema), from: classIndex)
        else { return rule }
        return .conjunction((rule?.conjuncts ?? []) + predicate.conjuncts)
    }

    /// How many objects changed by themselves after a version in a way that can take them out of the results.
    ///
    /// - `countMax`: Counts no further.
    package func leaveCount(
        _ changes: FoldedChanges, since version: UInt64, countMax: Int = .max
    ) -> Int {
        var count = 0
        for (identity, change) in zip(changes.order, changes.outcomes)
        where target.mayBe(identity) && change.version > version
            && FoldedChanges.Change.mayLeave(
                change.kind, change.members, reading: filter.ownMembers)
        {
            count += 1
            if count == countMax { break }
        }
        return count
    }

    /// Whether something has changed that can take an object out of the results, but for its deletion.
    func mayLeave(_ candidate: ObservedCandidate) -> Bool {
        candidate.reach.isOfFilter
            || !candidate.members.isDisjoint(with: filter.ownMembers)
    }

    /// Whether a deleted object's primary key is the one that is followed, if one is.
    func isKeyMatch(_ primaryKey: [UInt8]) -> Bool {
        guard case .keyed(let index, let key) = target else { return true }
        return schema.classes[index].orderedKey(ofTagged: primaryKey).map { $0 == key.bytes }
            ?? true
    }

    /// Whether an object that is there is one of those that are followed, whatever the condition.
    func isTarget(_ row: RowView, _ identity: ObjectIdentity) -> Bool {
        switch target {
        case .store: return !schema.classes[identity.classIndex].isAsymmetric
        case .objects, .object: return target.mayBe(identity)
        case .keyed(let index, let key):
            guard index == identity.classIndex, let member = schema.classes[index].primaryKeyIndex
            else { return false }
            let own = ByteBuffer(capacity: 64)
            OrderedKey.append(
                schema.classes[index].field(member, in: row),
                schema.classes[index].members[member].storage.element, to: own)
            return key.bytes.withUnsafeBytes { compareKeys($0, own.bytes) == 0 }
        }
    }

    /// The row of an object that is followed, whatever the condition; nil when it is another, or not there.
    func targetRow(
        _ identity: ObjectIdentity, _ transaction: ReadTransaction
    ) -> RowView? {
        guard target.mayBe(identity),
            let row = transaction.row(classIndex: identity.classIndex, key: identity.key),
            isTarget(row, identity)
        else { return nil }
        return row
    }

    /// Whether an object is there and matches; a transaction that is late afterwards does not know.
    ///
    /// - `matcher`: From ``matcher(in:)`` with the same transaction.
    package func isMatch(
        _ identity: ObjectIdentity, in transaction: ReadTransaction, _ matcher: Matcher?
    ) -> Bool {
        targetRow(identity, transaction).map {
            matcher?.matches(row: $0, key: identity.key, source: transaction) ?? true
        } ?? false
    }
}
