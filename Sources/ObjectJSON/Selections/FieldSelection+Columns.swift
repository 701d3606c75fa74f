extension FieldSelection {
    /// The same, but that what is chosen of the object behind a to-one link, or of an embedded one, stands
    /// in its place, step by step, each named by its path; the link itself stands before them where it is named as well.
    package var withPathsAsColumns: FieldSelection {
        let hasPaths = steps.contains { $0.nested >= 0 && Self.leadsToOne($0.kind) }
        return hasPaths ? FieldSelection(rowClass, columnParts) : self
    }

    private static func leadsToOne(_ kind: Step.Kind) -> Bool {
        kind == .expandedLink || kind == .embedded
    }

    private var columnParts: [Part] {
        var parts: [Part] = []
        // As deep as paths have steps, which are limited.
        for position in steps.indices {
            let part = part(at: position)
            guard let inner = part.paths ?? part.nested, Self.leadsToOne(part.kind) else {
                parts.append(part)
                continue
            }
            if part.paths != nil {
                parts.append(Part(kind: .link, name: part.name, member: part.member))
            }
            for var column in inner.columnParts {
                let name = "\(part.name).\(column.name)"
                column.name = ""
                parts.append(
                    Part(
                        kind: .through, name: name, member: part.member,
                        nested: FieldSelection(inner.rowClass, [column])))
            }
        }
        return parts
    }
}
