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
            func visit(_ bytes: UnsafeRawBufferPointer) {
                switch compiled.storage.element {
                case .link:
                    body(
                        compiled.number, compiled.classIndex, bytes.loadUnaligned(as: UInt64.self))
                case .embedded:
                    guard let inner = RowView(bytes) else { return }
                    forEachLink(of: classes[compiled.classIndex], in: inner, source, body)
                default: forEachLink(in: MixedView(bytes), compiled.number, body)
                }
            }
            if compiled.storage.shape == .single {
                let field = rowClass.field(member, in: row)
                if !field.isNull { visit(field.bytes(compiled.storage, source)) }
            } else {
                rowClass.collection(member, in: row, source).forEach(within: nil) {
                    values, offset, _ in
                    if !values.isNull(offset) { visit(values.bytes(offset)) }
                    return true
                }
            }
        }
    }

    /// Hands over the links of a `mixed` value, those to classes that the schema has.
    package func forEachLink(
        in value: MixedView, _ propertyNumber: UInt32,
        _ body: (_ propertyNumber: UInt32, _ targetClass: Int, _ targetKey: UInt64) -> Void
    ) {
        value.forEachLink { classNumber, key in
            if let target = classIndexByNumber[classNumber] { body(propertyNumber, target, key) }
        }
    }
}
