import HoldfastQuery
import HoldfastRows

extension ObservedQuery {
    /// Whether it takes the past of an object to know that it may have been a result which is none now.
    package var asksOfDepartures: Bool { predicate != nil || rule != nil }

    /// Whether a part of the condition reads nothing but the primary key, which stays.
    func readsKeyAlone(_ part: Predicate) -> Bool {
        guard let key = classIndex.flatMap({ schema.classes[$0].primaryKeyIndex }) else {
            return false
        }
        return part.dependencies(schema).allSatisfy { $0.path.isEmpty && $0.member == key }
    }

    /// Whether nothing has changed that is shown of an object, which was shown before as it is now.
    ///
    /// - `row`: As it is shown.
    func isUnseen(_ candidate: ObservedCandidate, _ row: RowView) -> Bool {
        guard sight != nil, row.hidesProperties, candidate.change?.kind == .update,
            !candidate.dependsOnChange, candidate.members.isDisjoint(with: filter.ownMembers),
            candidate.members.isDisjoint(with: shown.ownMembers)
        else { return false }
        return areHidden(candidate.members, of: candidate.identity.classIndex, in: row)
    }

    /// Whether it is not known that something has changed which is shown of an object: what has is of others alone that are hidden, or
    /// were on the way.
    ///
    /// - `row`: As it is shown.
    func mayBeUnseen(_ candidate: ObservedCandidate, _ row: RowView) -> Bool {
        guard sight != nil, candidate.shownDependsOnChange, !candidate.shownChangeIsSeen,
            !candidate.filterDependsOnChange
        else { return false }
        guard let change = candidate.change else { return true }
        return change.kind == .update
            && areHidden(change.members, of: candidate.identity.classIndex, in: row)
    }

    private func areHidden(_ members: MemberSet, of classIndex: Int, in row: RowView) -> Bool {
        let rowClass = schema.classes[classIndex]
        return rowClass.members.indices.allSatisfy {
            !members.contains($0) || rowClass.hides($0, in: row)
        }
    }
}
