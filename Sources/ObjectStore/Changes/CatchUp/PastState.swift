import HoldfastRows

/// The state of an object before a version, as far as the change log keeps it.
struct PastState: Sendable {
    /// The version that changed or deleted it.
    let version: UInt64
    /// The values, by position, see ``PastValue/tagged``.
    let values: [(member: Int, tagged: [UInt8])]
}

extension FoldedChanges.Change {
    /// Notes an object's state before a version.
    ///
    /// - `members`: The properties that the version changed.
    mutating func notePast(
        _ record: ChangeRecord, _ members: MemberSet, _ version: UInt64, _ schema: RowSchema
    ) {
        let values = record.former.compactMap { value in
            schema.memberByNumber[value.property].map { ($0.member, value.tagged) }
        }
        forgotten.formUnion(members.subtracting(MemberSet(values.map(\.0))))
        if record.former.isEmpty, record.kind != .delete { return }
        former.append(PastState(version: version, values: values))
    }
    /// Drops the noted values of some properties.
    mutating func forgetPast(_ members: MemberSet) {
        for position in former.indices {
            let known = former[position].values
            let kept = known.filter { !members.contains($0.member) }
            if kept.count == known.count { continue }
            forgotten.formUnion(members.intersection(MemberSet(known.map(\.member))))
            former[position] = PastState(version: former[position].version, values: kept)
        }
    }
}
