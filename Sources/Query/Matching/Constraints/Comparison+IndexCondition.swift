import HoldfastObjectModel
import HoldfastRows

extension Comparison {
    /// Returns the ranges in which the value at the end of the comparison's path lies for every match, null where a link on the
    /// way is null; nil where the path may lead to several values, or nothing is known of them.
    package func placedRanges(
        _ schema: RowSchema
    ) -> (place: IndexedPath, ranges: [OrderedKeyRange])? {
        guard let compared = ComparedPath(self), compared.quantifier == nil,
            case .objects = compared.path.root, compared.path.isToOne,
            case .value(let member) = compared.path.terminal
        else { return nil }
        if case .link(let target) = compared.path.type {
            return linkedRanges(compared, member, schema.classes[target], schema)
        }
        let rest = compared.behind(compared.path.steps.count)
        return Predicate.comparison(rest).constraints.first.map {
            (IndexedPath(steps: compared.path.steps, member: $0.member), $0.ranges)
        }
    }

    /// Returns the ranges of the primary keys of the objects that a link is compared with.
    private func linkedRanges(
        _ compared: ComparedPath, _ member: Int, _ target: RowClass, _ schema: RowSchema
    ) -> (place: IndexedPath, ranges: [OrderedKeyRange])? {
        guard compared.relation.comparison == .equal,
            compared.listQuantifier == nil || compared.listQuantifier == .any,
            let primaryKey = target.primaryKeyIndex
        else { return nil }
        var ranges: [OrderedKeyRange] = []
        for constant in compared.constants {
            switch constant {
            case .null: ranges.append(.null)
            case .link(_, let key):
                guard let key = OrderedKey(key) else { return nil }
                ranges.append(.value(key.bytes))
            default: return nil
            }
        }
        let link = PathStep(along: member, of: schema.classes[compared.path.lastClass])
        return (
            IndexedPath(steps: compared.path.steps + [link], member: primaryKey),
            OrderedKeyRange.union(ranges)
        )
    }

    /// A text of ASCII characters in lower case that stands, but for case, in the string at the end of the
    /// comparison's path for every match; nil without a text of three characters or more.
    package var placedText: (place: IndexedPath, text: [UInt8])? {
        guard let compared = ComparedPath(self), compared.quantifier == nil,
            compared.listQuantifier == nil, !compared.constantIsLeft,
            !compared.relation.ignoresAccents, case .objects = compared.path.root,
            compared.path.isToOne, case .value(let member) = compared.path.terminal,
            case .scalar(.string) = compared.path.type,
            case .string(let text) = compared.constants[0]
        else { return nil }
        let isPattern = compared.relation.comparison == .like
        switch compared.relation.comparison {
        case .equal, .beginsWith, .endsWith, .contains, .like: break
        default: return nil
        }
        let runs = text.utf8.split { byte in
            byte >= 0x80 || isPattern && (byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?"))
        }
        guard let longest = runs.max(by: { $0.count < $1.count }), longest.count >= 3 else {
            return nil
        }
        return (
            IndexedPath(steps: compared.path.steps, member: member),
            longest.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
        )
    }
}

/// The end of a path to one value: links and embedded objects to follow, one after the other, then a property.
package struct IndexedPath: Hashable, Sendable {
    /// Steps along to-one links and into embedded objects.
    package var steps: [PathStep]
    /// The property, by position in the class where the steps end: a single plain value.
    package var member: Int

    /// Makes the end of a path.
    package init(steps: [PathStep], member: Int) {
        self.steps = steps
        self.member = member
    }
}
