import Bytes

extension ObjectDraft {
    /// A draft that states of the same object only what leads to no other: single values and
    /// lists and sets of values. Links, embedded objects, nested ones and maps are left out.
    package func plainPart() -> ObjectDraft {
        let plain = ObjectDraft(rowClass, isMerge: isMerge)
        plain.isPart = true
        plain.arena.append(arena.bytes)
        for (member, field) in fields.enumerated() {
            switch field.state {
            case .null, .inline, .heap: plain.restate(member, field)
            case .absent, .kept, .reference, .references, .child, .children, .entries: break
            }
        }
        return plain
    }
}
