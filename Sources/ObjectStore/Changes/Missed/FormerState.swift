import HoldfastRows

/// The state of an object before a version, as far as the change log keeps it.
struct FormerState: Sendable {
    /// The version that changed or deleted it.
    let version: UInt64
    /// The values, by position, see ``FormerValue/tagged``.
    let values: [(member: Int, tagged: [UInt8])]
}

extension FoldedChanges.Change {
    /// Notes an object's state before a version.
    ///
    /// - `members`: The properties that the version changed.
    mutating func noteFormer(
        _ record: ChangeRecord, _ members: MemberSet, _ version: UInt64, _ schema: RowSchema
    ) {
        let values = record.former.compactMap { value in
            schema.memberByNumber[value.property].map { ($0.member, value.tagged) }
        }
        forgotten.formUnion(members.subtracting(MemberSet(values.map(\.0))))
        if record.former.isEmpty, record.kind != .delete { return }
        former.append(FormerState(version: version, values: values))
    }
    /// Drops the noted values of some properties.
    mutating func forgetFormer(_ members: MemberSet) {
        for position in former.indices {
            let known = former[position].values
            let kept = known.filter { !members.contains($0.member) }
            if kept.count == known.count { continue }
            forgotten.formUnion(members.intersection(MemberSet(known.map(\.member))))
            former[position] = FormerState(version: former[position].version, values: kept)
        }
    }
}
