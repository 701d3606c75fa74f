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
            switch (compiled.storage.shape, compiled.storage.element) {
            case (.single, .link):
                let field = rowClass.field(member, in: row)
                if !field.isNull {
                    body(compiled.number, compiled.classIndex, field.load(UInt64.self))
                }
            case (.list, .link), (.set, .link), (.map, .link):
                rowClass.collection(member, in: row, source).forEach { links, offset, _ in
                    if !links.isNull(offset) {
                        body(compiled.number, compiled.classIndex, links.pointer(offset).storedLink)
                    }
                    return true
                }
            case (.single, .mixed):
                let field = rowClass.field(member, in: row)
                if !field.isNull {
                    forEachLink(in: MixedView(field.text(source)), compiled.number, body)
                }
            case (.list, .mixed), (.set, .mixed), (.map, .mixed):
                rowClass.collection(member, in: row, source).forEach { values, offset, _ in
                    if !values.isNull(offset) {
                        forEachLink(in: MixedView(values.bytes(offset)), compiled.number, body)
                    }
                    return true
                }
            case (.single, .embedded):
                if let inner = rowClass.embedded(member, in: row) {
                    forEachLink(of: classes[compiled.classIndex], in: inner, source, body)
                }
            case (.list, .embedded), (.map, .embedded):
                rowClass.collection(member, in: row, source).forEach { list, offset, _ in
                    if let inner = RowView(list.bytes(offset)) {
                        forEachLink(of: classes[compiled.classIndex], in: inner, source, body)
                    }
                    return true
                }
            default: break
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
