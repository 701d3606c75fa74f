extension RowSchema {
    /// Hands every link of a row to `body`, those of embedded objects too, a target as often as it stands
    /// there.
    ///
    /// - `only`: Looks only at these top-level properties; nil for all.
    /// - `source`: Reads out-of-line collections.
    /// - `body`: Gets the property that holds the link and the target's class, as positions, and the
    ///   target's key.
    package func forEachLink(
        of rowClass: RowClass, in row: RowView, only: MemberSet? = nil,
        _ source: any OverflowSource,
        _ body: (_ propertyNumber: UInt32, _ targetClass: Int, _ targetKey: UInt64) -> Void
    ) {
        for member in rowClass.linkingMembers {
            if let only, !only.contains(member) { continue }
            let compiled = rowClass.members[member]
            if compiled.storage.shape == .single {
                let field = rowClass.field(member, in: row)
                if field.isNull { continue }
                forEachLink(of: compiled, in: field.bytes(compiled.storage, source), source, body)
            } else {
                rowClass.collection(member, in: row, source).forEach(within: nil) {
                    values, offset, _ in
                    if !values.isNull(offset) {
                        forEachLink(of: compiled, in: values.bytes(offset), source, body)
                    }
                    return true
                }
            }
        }
    }

    /// Hands over the links of a value of a property, or of one of its elements.
    ///
    /// - `bytes`: As they are stored; not null.
    package func forEachLink(
        of member: RowClass.Member, in bytes: UnsafeRawBufferPointer, _ source: any OverflowSource,
        _ body: (_ propertyNumber: UInt32, _ targetClass: Int, _ targetKey: UInt64) -> Void
    ) {
        switch member.storage.element {
        case .link: body(member.number, member.classIndex, bytes.loadUnaligned(as: UInt64.self))
        case .embedded:
            guard let inner = RowView(bytes) else { return }
            forEachLink(of: classes[member.classIndex], in: inner, source, body)
        default:
            // Those to classes that the schema has.
            MixedView(bytes).forEachLink { classNumber, key in
                if let target = classIndexByNumber[classNumber] { body(member.number, target, key) }
            }
        }
    }
}
