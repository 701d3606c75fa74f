import HoldfastQuery
import HoldfastRows

extension ObservedQuery {
    /// The classes with changes that are needed to find former results: the classes with changes that can concern the query, and
    /// the classes of the objects that conditions name, which may have been deleted since; nil for all.
    package var pastClasses: Set<Int>? { classes?.union(namedClasses) }

    /// Whether the past of an object has to be known to decide whether it was a result and is not any more.
    package var asksOfDepartures: Bool { predicate != nil || rule != nil }

    /// Whether some changes include a schema change that gave another shape to a part that the query reads. The query does not
    /// know the properties that are shown without deciding.
    package func readsChangedShape(in changes: FoldedChanges) -> Bool {
        let shapes = changes.changedShapes
        if shapes.isEmpty { return false }
        guard let read = readClasses else { return !shapes.leavesWholeObjects }
        return shapes.changes(anyOf: readProperties, schema)
            || read.contains { index in
                let rowClass = schema.classes[index]
                return shapes.classes.contains(rowClass.number)
                    || shapes.freedClassNames.contains(rowClass.definition.name)
            } || countsLinks(toAnyOf: shapes.unlinkedClasses)
    }

    /// Whether the filter or a rule counts all links to objects of one of some classes, given by number.
    private func countsLinks(toAnyOf numbers: Set<UInt32>) -> Bool {
        if numbers.isEmpty { return false }
        let conditions = [predicate].compactMap(\.self) + (deciding + displaying).flatMap(\.rules)
        return conditions.lazy.flatMap(\.linkCountClasses)
            .contains { numbers.contains(schema.classes[$0].number) }
    }

    /// Whether some of an object's properties may be shown with other values than the stored ones.
    func mayAlter(_ members: MemberSet, of classIndex: Int) -> Bool {
        visibility.map { !$0.parts[classIndex].altered.isDisjoint(with: members) } ?? false
    }

    /// Whether a part of the condition reads only the primary key, which never changes.
    func readsKeyAlone(_ part: Predicate) -> Bool {
        guard let key = classIndex.flatMap({ schema.classes[$0].primaryKeyIndex }) else {
            return false
        }
        return part.dependencies(schema).allSatisfy { $0.path.isEmpty && $0.member == key }
    }
}
