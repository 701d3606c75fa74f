extension FieldSelection {
    /// The same, but that what is chosen of the object behind a to-one link, or of an embedded one, stands
    /// in its place, step by step, each named by its path.
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
        for (step, label) in zip(steps, labels) {
            let inner = step.nested < 0 ? nil : nested[Int(step.nested)]
            guard let inner, Self.leadsToOne(step.kind) else {
                parts.append(
                    Part(kind: step.kind, name: label, member: Int(step.member), nested: inner))
                continue
            }
            for var part in inner.columnParts {
                let name = "\(label).\(part.name)"
                part.name = ""
                parts.append(
                    Part(
                        kind: .through, name: name, member: Int(step.member),
                        nested: FieldSelection(inner.rowClass, [part])))
            }
        }
        return parts
    }
}
