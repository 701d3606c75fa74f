import HoldfastQuery
import HoldfastRows

/// Makes the events of changes that a client of a query has missed. One thread at a time uses it.
///
/// The client knows the query's result of some state before the changes, or of any since. It sets objects that enter or are
/// updated, and removes objects that leave or are deleted. It may have received a part of the later changes, without the objects
/// that were deleted or unlinked by that time. So an object that is not a result leaves if it may have been one in between, even
/// if it was not one before or afterwards.
package final class CatchUpEvents {
    private let query: ObservedQuery
    private let transaction: ReadTransaction
    private let matcher: Matcher?
    private let changes: FoldedChanges
    private let since: UInt64
    // Most catch-ups have no departures.
    private lazy var former = PastResults(of: query, changes, since: since, in: transaction)

    /// Makes the events of some changes.
    ///
    /// - Parameters:
    ///   - query: The followed query.
    ///   - changes: The changes since, or since an earlier version.
    ///   - since: The last version at which the client had exactly the result: the version before the changes or an earlier one.
    ///   - transaction: The view by which objects are reported, of the end of the changes or of a later version.
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

    /// The objects that changes may concern, see ``ObservedQuery/candidates(_:in:dependentCountMax:)``, by the objects and links
    /// that their followers saw, or see.
    package func candidates(
        since version: UInt64 = 0, dependentCountMax: Int = .max
    ) -> ObservedCandidates {
        let asksWhatWasSeen = query.visibility != nil && query.dependsOnOthers
        return ObservedCandidates(
            AffectedObjects(
                of: query, seenBy: asksWhatWasSeen ? former : nil, changes, since: version,
                in: transaction.unrestricted, dependentCountMax: dependentCountMax))
    }

    /// Notes the candidates that may match, if an index of their own class finds them cheaply: thousands of streams may come back
    /// at once, each with few results.
    ///
    /// The client sees everything. An object that becomes a result after this view is reported by later changes.
    ///
    /// - Throws: ``StoreError`` if storage fails or time is over.
    package func narrow(
        _ candidates: inout ObservedCandidates, _ limits: QueryLimits
    ) throws(StoreError) {
        guard query.visibility == nil, case .objects(let classIndex) = query.target,
            candidates.areOwn
        else { return }
        var planner = Planner(
            ObjectQuery(classIndex: classIndex, predicate: query.predicate), transaction, limits)
        guard let own = planner.own() else { return candidates.narrow(to: [], of: classIndex) }
        for candidate in own + planner.further(beside: own) where !candidate.source.followsLinks {
            if let keys = try planner.look(at: candidate.source, cost: QueryCost.always) {
                return candidates.narrow(to: keys, of: classIndex)
            }
        }
    }

    /// Takes the next candidates that are not results and leave, without reading them.
    ///
    /// - Returns: Their consecutive positions in the changes; nil if the next candidate has to be asked for.
    package func takeDepartures(
        _ candidates: inout ObservedCandidates, countMax: Int
    ) -> Range<Int>? {
        candidates.isNarrowed
            ? candidates.takeDepartures(former.ownReads, countMax: countMax) : nil
    }

    /// Makes the event of one of ``candidates(since:dependentCountMax:)``, which may be of an earlier view.
    ///
    /// - Returns: Nil if there is nothing to report, or if the object was deleted after the changes, which a later change
    ///   reports.
    package func event(of candidate: ObservedCandidate) -> QueryEvent? {
        let identity = candidate.identity
        if let change = candidate.change, change.kind == .delete {
            return query.isKeyMatch(change.primaryKey)
                ? departure(
                    candidate, departureKind(of: candidate), isSeen: query.visibility == nil) : nil
        }
        // A deleted object has no key any more, and another object of the class does not concern followers of a single object.
        guard let row = query.targetRow(identity, transaction) else {
            guard query.visibility != nil, query.mayLeave(candidate),
                query.targetRow(identity, transaction.unrestricted) != nil
            else { return nil }
            return departure(candidate, .leave, isSeen: false)
        }
        if matcher?.matches(row: row, key: identity.key, source: transaction) ?? true {
            return arrival(candidate)
        }
        return query.mayLeave(candidate) ? departure(candidate, .leave, isSeen: true) : nil
    }

    /// The kind of departure of an object that is not a result any more. For followers that did not see it when it was deleted,
    /// it has left.
    package func departureKind(of candidate: ObservedCandidate) -> QueryEvent.Kind {
        guard let change = candidate.change, change.kind == .delete else { return .leave }
        return query.visibility == nil || former.wasSeenUntilDeleted(candidate.identity)
            ? .delete : .leave
    }

    /// The event of an object that is a result now; nil if nothing visible has changed, and undecided if that is not known.
    private func arrival(_ candidate: ObservedCandidate) -> QueryEvent? {
        var event = candidate.event(candidate.change?.kind == .insert ? .enter : .update)
        guard query.visibility != nil, candidate.change?.kind != .insert else { return event }
        let own = seenChanges(of: candidate)
        event.members = own.sure.union(candidate.reach.members)
        if !own.all.isEmpty { return event }
        event.isUndecided = !candidate.reach.isSure
        return candidate.dependsOnChange ? event : nil
    }

    /// The properties of a candidate that visibly changed, or that lead to a visible change.
    package func seenMembers(of candidate: ObservedCandidate) -> MemberSet {
        seenChanges(of: candidate).sure.union(candidate.reach.members)
    }

    private func seenChanges(of candidate: ObservedCandidate) -> PastResults.VisibleChanges {
        let members = query.counted(candidate.change?.members ?? MemberSet())
        // If all of them are shown as they are stored, the former values need not be found.
        return query.mayAlter(members, of: candidate.identity.classIndex)
            ? former.seenChanges(members, of: candidate.identity)
            : PastResults.VisibleChanges(sure: members)
    }

    /// The departure of an object that is not a result now; nil if it cannot have been one since the changes began. Undecided if
    /// that is not known and its readers may not have seen it.
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
