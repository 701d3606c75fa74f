import HoldfastQuery
import HoldfastRows

/// Makes the events of changes that a client of a query has missed. One thread at a time uses it.
///
/// The client knows the query's result of some state before the changes, or of any since: it sets what enters or is updated, and removes what
/// leaves or is deleted. It may have been told a part of what followed, and not of what was gone, or unlinked, when it was told, so an object that
/// is not among the results leaves wherever it may have been one in between, though it was none before, or was none any more.
package final class MissedEvents {
    private let query: ObservedQuery
    private let transaction: ReadTransaction
    private let matcher: Matcher?
    private let changes: FoldedChanges
    private let since: UInt64
    // Most catch-ups have no departures.
    private lazy var former = FormerResults(of: query, changes, since: since, in: transaction)

    /// Makes what tells of some changes.
    ///
    /// - Parameters:
    ///   - query: The query that is followed.
    ///   - changes: What happened since, or since an earlier version.
    ///   - since: The last version whose result the client held exactly, which is that before the changes or an earlier one.
    ///   - transaction: The view that objects are told of, of the end of the changes or of a later version.
    package init(
        of query: ObservedQuery, _ changes: FoldedChanges, since: UInt64,
        in transaction: ReadTransaction
    ) {
        self.query = query
        self.changes = changes
        self.since = since
        self.transaction = transaction
        matcher = query.matcher(in: transaction)
    }

    /// The objects that changes may concern, see ``ObservedQuery/candidates(_:in:dependentCountMax:)``: by what their
    /// followers saw, or see.
    package func candidates(
        since version: UInt64 = 0, dependentCountMax: Int = .max
    ) -> ObservedCandidates {
        let asksWhatWasSeen = query.sight != nil && query.dependsOnOthers
        return ObservedCandidates(
            ReachedObjects(
                of: query, seenBy: asksWhatWasSeen ? former : nil, changes, since: version,
                in: transaction.unrestricted, dependentCountMax: dependentCountMax))
    }

    /// Has candidates know which of them may match, where an index of their own class finds these for little: thousands of streams may come back
    /// at once, each with few results.
    ///
    /// The client sees everything. What becomes a result after this view is told by later changes.
    ///
    /// - Throws: ``StoreError`` when storage fails, or time is over.
    package func narrow(
        _ candidates: inout ObservedCandidates, _ limits: QueryLimits
    ) throws(StoreError) {
        guard query.sight == nil, case .objects(let classIndex) = query.target, candidates.areOwn
        else { return }
        var planner = Planner(
            ObjectQuery(classIndex: classIndex, predicate: query.predicate), transaction, limits)
        guard let own = planner.own() else { return candidates.narrow(to: [], of: classIndex) }
        for candidate in own + planner.further(beside: own)
        where !candidate.source.followsLinks {
            if let keys = try planner.look(at: candidate.source, cost: QueryCost.always) {
                return candidates.narrow(to: keys, of: classIndex)
            }
        }
    }

    /// Takes the next of the candidates that are no results and leave, without a look at them.
    ///
    /// - Returns: Their positions in the changes, which follow each other; nil where the next has to be asked for.
    package func takeDepartures(
        _ candidates: inout ObservedCandidates, countMax: Int
    ) -> Range<Int>? {
        candidates.isNarrowed
            ? candidates.takeDepartures(former.ownReads, countMax: countMax) : nil
    }

    /// Makes the event of one of ``candidates(since:dependentCountMax:)``, which may be of an earlier view.
    ///
    /// - Returns: Nil when it means nothing, or when the object was deleted after the changes, which a
    ///   later change delivers.
    package func event(of candidate: ObservedCandidate) -> QueryEvent? {
        let identity = candidate.identity
        if let change = candidate.change, change.kind == .delete {
            return query.isKeyMatch(change.primaryKey)
                ? departure(candidate, departureKind(of: candidate), isSeen: query.sight == nil)
                : nil
        }
        // A deleted one has no key to be named by any more, and a different object of the class is no concern
        // of those who follow one.
        guard let row = query.targetRow(identity, transaction) else {
            guard query.sight != nil, query.mayLeave(candidate),
                query.targetRow(identity, transaction.unrestricted) != nil
            else { return nil }
            return departure(candidate, .leave, isSeen: false)
        }
        if matcher?.matches(row: row, key: identity.key, source: transaction) ?? true {
            return arrival(candidate)
        }
        return query.mayLeave(candidate) ? departure(candidate, .leave, isSeen: true) : nil
    }

    /// How an object is gone that is no result any more: who did not see it when it was deleted learns that it has left.
    package func departureKind(of candidate: ObservedCandidate) -> QueryEvent.Kind {
        guard let change = candidate.change, change.kind == .delete else { return .leave }
        return query.sight == nil || former.wasSeenUntilDeleted(candidate.identity)
            ? .delete : .leave
    }

    /// The event of an object that is a result now: nil where nothing has changed that its readers see, and undecided where that is not known.
    private func arrival(_ candidate: ObservedCandidate) -> QueryEvent? {
        var event = candidate.event(candidate.change?.kind == .insert ? .enter : .update)
        guard query.sight != nil, candidate.change?.kind != .insert else { return event }
        let own = seenChanges(of: candidate)
        event.members = own.sure.union(candidate.reach.members)
        if !own.all.isEmpty { return event }
        event.isUndecided = !candidate.reach.isSure
        return candidate.dependsOnChange ? event : nil
    }

    /// The properties of a candidate that are seen to have changed, or through which something is.
    package func seenMembers(of candidate: ObservedCandidate) -> MemberSet {
        seenChanges(of: candidate).sure.union(candidate.reach.members)
    }

    private func seenChanges(of candidate: ObservedCandidate) -> FormerResults.SeenChanges {
        let members = query.counted(candidate.change?.members ?? MemberSet())
        // Where all of them are seen as they are stored, what was seen need not be found.
        return query.mayAlter(members, of: candidate.identity.classIndex)
            ? former.seenChanges(members, of: candidate.identity)
            : FormerResults.SeenChanges(sure: members)
    }

    /// The departure of an object that is no result now: nil where it can't have been one since the changes began, and undecided where
    /// that is not known of one that its readers may not have seen.
    private func departure(
        _ candidate: ObservedCandidate, _ kind: QueryEvent.Kind, isSeen: Bool
    ) -> QueryEvent? {
        let wasResult = former.wasResult(candidate, isSeen: isSeen)
        if wasResult == .no { return nil }
        var event = candidate.event(kind)
        event.isUndecided = wasResult == .unknown
        return event
    }
}
