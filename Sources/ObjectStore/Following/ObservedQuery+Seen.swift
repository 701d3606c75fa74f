import HoldfastRows

extension ObservedQuery {
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
