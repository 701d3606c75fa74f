import Bytes
import Query
import Rows

/// A query whose changes are followed: on one class with or without a filter, on one object, or on
/// everything. Immutable; safe to use from any thread.
package struct ObservedQuery: Sendable {
    /// What is followed.
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

    /// What is followed.
    package let target: Target
    /// The condition; nil for none.
    package let predicate: Predicate?
    private let dependencies: DependencyPaths?
    /// The objects' own properties that count; nil for all.
    private let counted: MemberSet?
    private let schema: RowSchema

    /// Makes an observed query.
    ///
    /// - `paths`: What the filter, and what is shown of the objects, reads beyond the object.
    /// - `countsPathsAlone`: Whether a change of an object's own property that no path begins with does
    ///   not concern the query.
    package init(
        target: Target, predicate: Predicate?, paths: [Dependency],
        countsPathsAlone: Bool = false,
        schema: RowSchema
    ) {
        self.target = target
        self.predicate = predicate
        self.schema = schema
        let plan = target.classIndex.map { DependencyPaths(rootClass: $0, paths, schema: schema) }
        dependencies = plan.flatMap { $0.isEmpty ? nil : $0 }
        counted = countsPathsAlone ? plan?.ownMembers : nil
    }

    /// The objects that changes may concern: those that changed themselves in the order of the change
    /// log, then those that are only reached along links in the order of their keys.
    ///
    /// What became of each is asked for with ``event(of:in:_:)``, now or in a later state: what happens
    /// to it after the changes is in later ones, and delivered then.
    ///
    /// - `dependentCountMax`: The most candidates that only depend on other objects; where there are more, one more is delivered.
    package func candidates(
        _ changes: FoldedChanges, in transaction: ReadTransaction, dependentCountMax: Int = .max
    ) -> [ObservedCandidate] {
        var found: [ObservedCandidate] = []
        var positions: [ObjectIdentity: Int] = [:]
        for identity in changes.order where target.mayBe(identity) {
            if target == .store, schema.classes[identity.classIndex].isAsymmetric { continue }
            let change = changes.changes[identity]
            if dependencies != nil { positions[identity] = found.count }
            found.append(
                ObservedCandidate(
                    identity: identity, members: change?.members ?? MemberSet(), change: change,
                    dependsOnChange: false, through: changes.through))
        }
        guard let dependencies, let classIndex else {
            dropUncounted(&found)
            return found
        }
        let ownCount = found.count
        dependencies.forEachCandidate(changes, in: transaction) { key, member in
            let identity = ObjectIdentity(classIndex: classIndex, key: key)
            let position = positions[identity] ?? found.count
            if position == found.count {
                positions[identity] = position
                found.append(
                    ObservedCandidate(
                        identity: identity, members: MemberSet(), change: nil,
                        dependsOnChange: true,
                        through: changes.through))
            }
            found[position].dependsOnChange = true
            if let member { found[position].members.insert(member) }
            return found.count - ownCount <= dependentCountMax
        }
        found[ownCount...].sort { $0.identity.key < $1.identity.key }
        dropUncounted(&found)
        return found
    }

    /// Forgets objects of which only properties have changed that do not count.
    private func dropUncounted(_ found: inout [ObservedCandidate]) {
        guard let counted else { return }
        found.removeAll {
            $0.change?.kind == .update && !$0.dependsOnChange
                && $0.members.isDisjoint(with: counted)
        }
    }

    /// The classes whose changes can concern the query; nil for all.
    package var classes: Set<Int>? {
        guard let classIndex else { return nil }
        guard let dependencies else { return [classIndex] }
        return dependencies.classes(schema).map { $0.union([classIndex]) }
    }

    /// The class of the objects; nil for the whole store.
    package var classIndex: Int? { target.classIndex }

    /// The only class whose changes concern the query; nil when there are several.
    var singleClass: Int? { dependencies == nil ? classIndex : nil }

    /// What changes between two states mean to the query, exactly.
    ///
    /// - `changes`: The change log from `before` to `after`.
    package func events(_ changes: FoldedChanges, before: ReadTransaction, after: ReadTransaction)
        -> [QueryEvent]
    {
        let candidates = candidates(changes, in: after)
        if candidates.isEmpty { return [] }
        let earlier = matcher(in: before)
        let later = matcher(in: after)
        var events: [QueryEvent] = []
        for candidate in candidates {
            let was = isMatch(candidate.identity, in: before, earlier)
            let now = isMatch(candidate.identity, in: after, later)
            switch (was, now) {
            case (false, false): break
            case (false, true): events.append(candidate.event(.enter))
            case (true, true):
                if !candidate.members.isEmpty || candidate.dependsOnChange {
                    events.append(candidate.event(.update))
                }
            case (true, false):
                events.append(candidate.event(candidate.change?.kind == .delete ? .delete : .leave))
            }
        }
        return events
    }

    /// A matcher of the condition on a state; nil for none.
    package func matcher(in transaction: ReadTransaction) -> Matcher? {
        let matcher = predicate.map { $0.makeMatcher(schema, source: transaction) }
        matcher?.limit(until: transaction.deadlineMilliseconds)
        return matcher
    }

    /// What a candidate means to a client that knows the query's result of before the changes: set what
    /// enters or is updated, remove what leaves or is deleted.
    ///
    /// - `matcher`: From ``matcher(in:)`` with the same transaction.
    /// - Returns: Nil when it means nothing, or when the object was deleted after the changes, which a
    ///   later change delivers.
    package func event(
        of candidate: ObservedCandidate, in transaction: ReadTransaction, _ matcher: Matcher?
    ) -> QueryEvent? {
        let identity = candidate.identity
        if let change = candidate.change, change.kind == .delete {
            return isKeyMatch(change.primaryKey) ? candidate.event(.delete) : nil
        }
        if isMatch(identity, in: transaction, matcher) {
            return candidate.event(candidate.change?.kind == .insert ? .enter : .update)
        }
        // A new one was never among the results. A deleted one has no key to be named by any more, and a
        // different object of the class is no concern of those who follow one.
        guard candidate.change?.kind != .insert, isTarget(identity, transaction),
            transaction.row(classIndex: identity.classIndex, key: identity.key) != nil
        else { return nil }
        return candidate.event(.leave)
    }

    /// Whether a deleted object's primary key is the one that is followed, if one is.
    private func isKeyMatch(_ primaryKey: [UInt8]) -> Bool {
        guard case .keyed(let index, let key) = target,
            let member = schema.classes[index].primaryKeyIndex
        else { return true }
        let encoded = ByteBuffer(capacity: 64)
        primaryKey.withUnsafeBytes { bytes in
            guard bytes.first == 1 else { return OrderedKey.appendNull(to: encoded) }
            OrderedKey.append(
                stored: UnsafeRawBufferPointer(rebasing: bytes.dropFirst()),
                element: schema.classes[index].members[member].storage.element, to: encoded)
        }
        return encoded.array == key.bytes
    }

    private func isTarget(_ identity: ObjectIdentity, _ transaction: ReadTransaction) -> Bool {
        guard target.mayBe(identity) else { return false }
        guard case .keyed(let index, let primaryKey) = target else { return true }
        return transaction.objectKey(classIndex: index, primaryKey: primaryKey) == identity.key
    }

    /// Whether an object is there and matches; a transaction that is late afterwards does not know.
    ///
    /// - `matcher`: From ``matcher(in:)`` with the same transaction.
    package func isMatch(
        _ identity: ObjectIdentity, in transaction: ReadTransaction, _ matcher: Matcher?
    ) -> Bool {
        guard isTarget(identity, transaction),
            let row = transaction.row(classIndex: identity.classIndex, key: identity.key)
        else { return false }
        guard let matcher else { return true }
        let isMatch = matcher.matches(row: row, key: identity.key, source: transaction)
        // Like links without end, a regular expression can take too long.
        if let failure = matcher.failure { transaction.giveUp(failure) }
        return isMatch
    }
}
