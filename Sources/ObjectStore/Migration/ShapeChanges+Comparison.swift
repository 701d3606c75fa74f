import HoldfastObjectModel
import HoldfastRows

extension ShapeChanges {
    /// Finds the shapes that differ between a stored schema and the one that follows it.
    ///
    /// A class has changed with what it embeds, and with the identity of what it links to: links are read as the
    /// names and keys of their targets.
    init(_ comparison: SchemaComparison, to catalog: Catalog) {
        let present = comparison.present.rows.classes
        var changed = Array(repeating: false, count: present.count)
        var renamed = Array(repeating: false, count: present.count)
        var numbers: Set<UInt32> = []
        for step in comparison.steps where step.operation.changesShape {
            guard let source = step.source else {
                let index = step.className.flatMap { catalog.rows.classIndex[$0] }
                if let index { numbers.insert(catalog.rows.classes[index].number) }
                continue
            }
            changed[source] = true
            renamed[source] = renamed[source] || step.changesIdentity(in: catalog.schema)
        }
        for (new, matches) in comparison.members.enumerated() {
            // Properties that change places are the same, but are told in another order.
            let positions = matches.compactMap { $0?.old }
            if let old = comparison.oldClasses[new], positions != positions.sorted() {
                changed[old] = true
            }
        }
        for rowClass in present {
            let isConcerned = rowClass.members.contains { member in
                switch member.storage.element {
                case .mixed: renamed.contains(true)
                case .link: member.classIndex >= 0 && renamed[member.classIndex]
                default: false
                }
            }
            if isConcerned { changed[rowClass.index] = true }
        }
        changed = RowConverter.spread(changed) { present[$0].members }
        for rowClass in present where changed[rowClass.index] { numbers.insert(rowClass.number) }
        self.init(
            classes: numbers,
            projections: Self.changedProjections(
                comparison.present.projections, catalog.projections))
    }

    private static func changedProjections(_ old: [Projection], _ new: [Projection]) -> Set<String>
    {
        var changed = Set(old.filter { !new.contains($0) }.map(\.name))
        changed.formUnion(new.filter { !old.contains($0) }.map(\.name))
        var count = -1
        while count != changed.count {
            count = changed.count
            for projection in new
            where projection.properties.contains(where: {
                $0.projection.map(changed.contains) ?? false
            }) {
                changed.insert(projection.name)
            }
        }
        return changed
    }
}

extension SchemaStep.Operation {
    /// Whether objects look different after it.
    fileprivate var changesShape: Bool {
        switch self {
        case .addClass, .dropClass, .renameClass, .changeKind, .changePrimaryKey, .addProperty,
            .dropProperty, .renameProperty, .changeType, .makeOptional, .makeRequired, .changeEnum,
            .dropLinks:
            true
        case .setSchemaVersion, .changeDefault, .addIndex, .dropIndex, .addUnique, .dropUnique,
            .addRequired, .dropRequired, .changeOnDelete, .changeMapTo:
            false
        }
    }
}

extension SchemaStep {
    /// Whether links to objects of the class look different after it.
    fileprivate func changesIdentity(in schema: Schema) -> Bool {
        switch operation {
        case .dropClass, .renameClass, .changeKind, .changePrimaryKey: true
        case .changeType:
            className.flatMap { schema.objectClass(named: $0) }?.primaryKey == property
        default: false
        }
    }
}
