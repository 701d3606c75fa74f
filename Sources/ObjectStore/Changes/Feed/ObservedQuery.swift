import HoldfastBytes
import HoldfastQuery
import HoldfastRows
import Synchronization

/// A followed query: on one class with or without a filter, on one object, or on everything. Immutable; safe to use from any
/// thread.
package final class ObservedQuery: Sendable {
    /// The subject that is followed.
    package enum Target: Hashable, Sendable {
        case store
        /// The objects of a class, by position.
        case objects(classIndex: Int)
        /// One object by its primary key, which may come and go.
        case keyed(classIndex: Int, primaryKey: OrderedKey)
        case object(classIndex: Int, key: UInt64)

        /// The class of the objects; nil for the whole store.
        var classIndex: Int? {
            switch self {
            case .store: nil
            case .objects(let index), .keyed(let index, _), .object(let index, _): index
            }
        }

        /// Whether an object may be followed, judging by its class and its object key.
        func mayBe(_ identity: ObjectIdentity) -> Bool {
            if case .object(_, let key) = self, identity.key != key { return false }
            return classIndex.map { $0 == identity.classIndex } ?? true
        }
    }

    /// The subject that is followed.
    package let target: Target
    /// The condition; nil if the query has no condition.
    package let predicate: Predicate?
    /// The visibility of its followers; nil if it hides nothing that the query reads.
    ///
    /// The condition applies to the values that the visibility shows: tested rows and views have to belong to a view with this
    /// visibility.
    package let visibility: Visibility?
    /// Whether the values that the condition reads are shown as they are stored. Then stored objects are tested, after the rule
    /// of the class.
    private let readsStored: Bool
    /// Whether, besides, all properties that the followers know by name are shown as they are stored.
    package let showsStored: Bool
    let filter: DependencyPlan
    let shown: DependencyPlan
    /// Whether every own property of an object counts. If not, only the properties that ``shown`` reads count.
    let countsEverything: Bool
    let schema: RowSchema
    /// The rules that decide about the filter's reads, and about the shown values.
    let deciding: [Visibility.Admission]
    let displaying: [Visibility.Admission]
    /// The reads of the filter, and of the shown values, without the rules' reads; empty if no rules decide.
    let readByFilter: DependencyPlan
    let readByShown: DependencyPlan
    /// The classes of ``readClasses`` on which the query does not depend.
    private let otherReadClasses: Set<Int>
    /// The numbers of the properties that the filter, the shown values and the rules about these read.
    let readProperties: Set<UInt32>
    /// The classes of the objects that the condition and the rules name.
    let namedClasses: Set<Int>
    /// The key that equal filters have in common.
    package let filterKey: ObservedFilter.Key
    private let madeConditions = Mutex<FilterConditions?>(nil)

    /// Makes an observed query.
    ///
    /// - `filterPaths`: The reads of the filter.
    /// - `shownPaths`: The further reads of the shown values.
    /// - `countedPaths`: The further reads that count without being shown.
    /// - `readPaths`: All reads of the shown values, even if they do not count: another shape of them matters.
    /// - `countsEverything`: Whether a change of any property of an object's own concerns the query. If not, only the first
    ///   properties of the paths count.
    /// - `visibility`: The visibility of its followers; nil if they may read everything.
    package init(
        target: Target, predicate: Predicate?, filterPaths: [Dependency],
        shownPaths: [Dependency] = [], countedPaths: [Dependency] = [],
        readPaths: [Dependency] = [], countsEverything: Bool = true, schema: RowSchema,
        visibility: Visibility? = nil
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
        if let visibility, let root = target.classIndex {
            filterPaths = filterPaths.map(visibility.withoutPositions)
            shownPaths = shownPaths.map(visibility.withoutPositions)
            countedPaths = countedPaths.map(visibility.withoutPositions)
            readPaths = readPaths.map(visibility.withoutPositions)
            let deciding = visibility.admissions(toRead: filterPaths, from: root, isWhole: false)
            let displaying = visibility.admissions(
                toRead: shownPaths + countedPaths, from: root, isWhole: countsEverything)
            // Links that count only because everything counts need not be shown.
            let showing = visibility.admissions(
                toRead: shownPaths + readPaths, from: root, isWhole: false)
            for read in (deciding + showing).lazy.flatMap({ $0.dependencies(schema) }) {
                read.addProperties(to: &readProperties, schema)
            }
            let isConcerned =
                visibility.parts[root].isConcerned || !deciding.isEmpty || !displaying.isEmpty
                || !showing.isEmpty
            self.visibility = isConcerned ? visibility : nil
            readsStored =
                deciding.allSatisfy(\.steps.isEmpty)
                && !visibility.alters(anyOf: filterPaths, from: root)
            showsStored =
                readsStored
                && visibility.parts[root].altered.isSubset(of: schema.classes[root].unknown)
            readByFilter = DependencyPlan(filterPaths, schema: schema)
            readByShown = DependencyPlan(shownPaths + countedPaths, schema: schema)
            filterPaths += deciding.flatMap { $0.dependencies(schema) }
            shownPaths += displaying.flatMap { $0.dependencies(schema) }
            (self.deciding, self.displaying) = (deciding, displaying)
        } else {
            self.visibility = visibility
            readsStored = visibility == nil
            showsStored = readsStored
            (deciding, displaying) = ([], [])
            readByFilter = DependencyPlan([], schema: schema)
            readByShown = readByFilter
        }
        self.readProperties = readProperties
        filterKey = ObservedFilter.Key(target, predicate, self.visibility)
        namedClasses = (deciding + displaying).flatMap(\.rules).reduce(
            into: predicate?.namedClasses(schema) ?? []
        ) { $0.formUnion($1.namedClasses(visibility?.schema ?? schema)) }
        filter = DependencyPlan(filterPaths, schema: schema)
        shown = DependencyPlan(shownPaths + countedPaths, schema: schema)
        otherReadClasses = DependencyPlan(readPaths, schema: schema).watches
            .reduce(into: []) { $0.formUnion($1.classes) }
    }

    /// The objects that changes may concern.
    ///
    /// ``CatchUpEvents`` gives the outcome for each, now or in a later state. An object's later changes are
    /// delivered with the changes that contain them.
    ///
    /// - `dependentCountMax`: The maximum number of candidates that only depend on other objects. If there are more, one more is
    ///   delivered. With 0 no such candidates are looked for.
    package func candidates(
        _ changes: FoldedChanges, in transaction: ReadTransaction, dependentCountMax: Int = .max
    ) -> ObservedCandidates {
        ObservedCandidates(
            AffectedObjects(
                of: self, seenBy: nil, changes, since: 0, in: transaction.unrestricted,
                dependentCountMax: dependentCountMax))
    }

    /// Whether a candidate does not count, because only uncounted properties of it have changed.
    func isUncounted(_ candidate: ObservedCandidate) -> Bool {
        !countsEverything && candidate.change?.kind == .update && !candidate.dependsOnChange
            && counted(candidate.members).isEmpty
    }

    /// The properties among an object's properties that count when they change.
    func counted(_ members: MemberSet) -> MemberSet {
        countsEverything ? members : members.intersection(filter.ownMembers.union(shown.ownMembers))
    }

    /// The rules' conditions on an object that sets off a watch by a change. As long as it satisfies the same ones as before, the
    /// change does not concern the query. Nil if the change always concerns it, because the filter or the shown values read the
    /// changed property, or if that is not known.
    func conditions(of watch: LinkedDependency) -> Set<Predicate>? {
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

    /// Whether changes of objects that are not the query's own can concern it.
    var dependsOnOthers: Bool { !filter.watches.isEmpty || !shown.watches.isEmpty }

    /// The classes with changes that can concern the query; nil for all.
    package var classes: Set<Int>? {
        guard let classIndex else { return nil }
        var found: Set<Int> = [classIndex]
        for watch in filter.watches + shown.watches {
            guard let index = watch.classIndex(schema) else { return nil }
            found.insert(index)
        }
        return found
    }

    /// The classes that the query reads, including the classes along its paths; nil for all.
    package var readClasses: Set<Int>? {
        guard let classIndex else { return nil }
        var found = otherReadClasses.union([classIndex])
        for watch in filter.watches + shown.watches { found.formUnion(watch.classes) }
        return found
    }

    /// The class of the objects; nil for the whole store.
    package var classIndex: Int? { target.classIndex }

    /// Makes the event of a candidate, by whether it was, and is, among the results.
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
        case (true, false): return candidate.event(departureKind(of: candidate))
        }
    }

    /// The kind of a result's departure. If several versions are one step, the followers may have lost visibility of the object
    /// before it was deleted. Then it is reported as left, because changes of hidden objects are not reported.
    private func departureKind(of candidate: ObservedCandidate) -> QueryEvent.Kind {
        guard candidate.change?.kind == .delete else { return .leave }
        return visibility != nil && candidate.isOfSeveralVersions && mayLeave(candidate)
            ? .leave : .delete
    }

    /// A matcher of the condition on a state; nil without a condition.
    package func matcher(in transaction: ReadTransaction) -> Matcher? {
        predicate?.makeMatcher(schema, source: transaction)
    }

    /// Matchers of the conditions on an object shown by ``showing``, in order: conditions that can fail come after the rule.
    func makeMatchers() -> [Matcher] {
        let own = predicate?.makeMatcher(schema)
        guard readsStored, let visibility else { return [own].compactMap(\.self) }
        // The rule reads properties that its followers may not know by name.
        return [rule?.makeMatcher(visibility.schema), own].compactMap(\.self)
    }

    /// The rule of the class in the followers' visibility; nil if they may read all of its objects.
    var rule: Predicate? { classIndex.flatMap { visibility?.parts[$0].rule } }

    /// The visibility through which objects are tested; nil if stored objects are tested.
    var showing: Visibility? { readsStored ? nil : visibility }

    /// Prepares each term of the query for following, so that the feed's thread need not do it. Cost: n log n in the terms, once.
    ///
    /// - `budget`: The budget that pays for it. After the budget has failed, nothing is kept.
    package func prepare(within budget: Budget = Budget()) { _ = conditions(within: budget) }

    /// The conditions that find the filter, made at the first use.
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

    private func makeAnchors(within budget: Budget) -> [IndexCondition]? {
        guard let classIndex else { return nil }
        let rowClass = schema.classes[classIndex]
        if case .keyed(_, let key) = target, let member = rowClass.primaryKeyIndex {
            return [
                IndexCondition(
                    place: IndexedPath(steps: [], member: member),
                    condition: .ranges([.value(key.bytes)]))
            ]
        }
        return placed().flatMap { IndexCondition.anchors(of: $0, schema, within: budget) }
    }

    /// The condition on stored objects by which the query is found. Each result satisfies it.
    private func placed() -> Predicate? {
        guard let visibility, let classIndex else { return predicate }
        // A property that may be shown with another value than the stored one, such as null, cannot be used to find it.
        guard let predicate,
            !visibility.alters(anyOf: predicate.dependencies(schema), from: classIndex)
        else { return rule }
        return .conjunction((rule?.conjuncts ?? []) + predicate.conjuncts)
    }

    /// The number of objects that changed themselves after a version in a way that can take them out of the results.
    ///
    /// - `countMax`: The number at which counting stops.
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

    /// Whether a change other than a deletion can take an object out of the results.
    func mayLeave(_ candidate: ObservedCandidate) -> Bool {
        candidate.reach.isOfFilter || !candidate.members.isDisjoint(with: filter.ownMembers)
    }

    /// Whether a deleted object's primary key is the followed one. True if no primary key is followed.
    func isKeyMatch(_ primaryKey: [UInt8]) -> Bool {
        guard case .keyed(let index, let key) = target else { return true }
        return schema.classes[index].orderedKey(ofTagged: primaryKey).map { $0 == key.bytes }
            ?? true
    }

    /// Whether an existing object is followed, regardless of the condition.
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

    /// The row of a followed object, regardless of the condition; nil if the object is not followed or not there.
    func targetRow(_ identity: ObjectIdentity, _ transaction: ReadTransaction) -> RowView? {
        guard target.mayBe(identity),
            let row = transaction.row(classIndex: identity.classIndex, key: identity.key),
            isTarget(row, identity)
        else { return nil }
        return row
    }

    /// Whether an object is there and matches. If the transaction is late afterwards, the answer is not valid.
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
