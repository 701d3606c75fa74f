import HoldfastRows

// What those who may not read everything are told of objects that they do not see.
extension ObservedQuery {
    /// Whether nothing has changed that is shown of an object, which was shown before as it is now.
    ///
    /// - `row`: As it is shown.
    func isUnseen(_ candidate: ObservedCandidate, _ row: RowView) -> Bool {
        guard sight != nil, row.hidesProperties, candidate.change?.kind == .update,
            !candidate.dependsOnChange, candidate.members.isDisjoint(with: filter.ownMembers),
            candidate.members.isDisjoint(with: shown.ownMembers)
        else { return false }
        let rowClass = schema.classes[candidate.identity.classIndex]
        return rowClass.members.indices.allSatisfy {
            !candidate.members.contains($0) || rowClass.hides($0, in: row)
        }
    }

    /// The departure of an object that is not seen now: nil where its readers can't have seen it since the changes began, and
    /// undecided where that is not known.
    func named(
        _ event: QueryEvent, _ candidate: ObservedCandidate, in transaction: ReadTransaction
    ) -> QueryEvent? {
        guard let sight else { return event }
        var event = event
        switch sight.wasSeen(candidate, filter, in: transaction) {
        case true?: break
        case false?: return nil
        case nil: event.isUndecided = true
        }
        return event
    }
}

extension Sight {
    /// Whether an object that is not seen now may have been since some changes began; nil where that is not known.
    ///
    /// - `reads`: What decides about it.
    func wasSeen(
        _ candidate: ObservedCandidate, _ reads: WatchPlan, in transaction: ReadTransaction
    ) -> Bool? {
        guard let rule = parts[candidate.identity.classIndex].rule else { return true }
        if rule == .constant(false) { return false }
        guard let change = candidate.change else { return nil }
        // What the rule reads is what it was, so that the object was hidden before as it is now.
        if change.kind != .delete, !candidate.filterDependsOnChange,
            candidate.members.isDisjoint(with: reads.ownMembers)
        {
            return false
        }
        return nil
    }
}
