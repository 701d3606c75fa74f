extension RowSchema {
    /// Hands every link of a row to `body`, those of embedded objects too, a target as often as it stands
    /// there.
    ///
    /// - `only`: Looks only at these top-level properties; nil for all.
    /// - `body`: Gets the property that holds the link and the target's class, as positions, and the
    ///   target's key.
    package func forEachLink(
        of rowClass: RowClass, in row: RowView, only: MemberSet? = nil,
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
                let links = rowClass.collection(member, in: row)
                for index in 0..<links.count where !links.isNull(index) {
                    body(compiled.number, compiled.classIndex, links.pointer(index).storedLink)
                }
            case (.single, .embedded):
                if let inner = rowClass.embedded(member, in: row) {
                    forEachLink(of: classes[compiled.classIndex], in: inner, only: nil, body)
                }
            case (.list, .embedded), (.map, .embedded):
                let list = rowClass.collection(member, in: row)
                for index in 0..<list.count {
                    guard let inner = RowView(list.bytes(index)) else { continue }
                    forEachLink(of: classes[compiled.classIndex], in: inner, only: nil, body)
                }
            default: break
            }
        }
    }
}
