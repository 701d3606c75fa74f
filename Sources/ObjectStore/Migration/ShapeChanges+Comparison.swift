import HoldfastObjectModel
import HoldfastRows

extension ShapeChanges {
    /// Finds the shapes that differ between a stored schema and the one that follows it.
    ///
    /// A class has changed with what it embeds, and with the identity of what it links to: links are read as the
    /// keys of their targets.
    init(_ comparison: SchemaComparison, to catalog: Catalog) {
        let present = comparison.present.rows.classes
        self.init()
        var changed = Array(repeating: false, count: present.count)
        var renamed = Array(repeating: false, count: present.count)
        for step in comparison.steps {
            guard let source = step.source else { continue }
            switch step.operation {
            case .addProperty, .renameProperty:
                let number = step.member(in: catalog.rows)
                if let number { properties.insert(number) }
            case .renameClass: renamedClasses.insert(present[source].number)
            case .changeEnum:
                changed[source] =
                    changed[source] || !step.isWiderEnum(than: comparison, in: catalog.schema)
            default: changed[source] = changed[source] || step.operation.changesShape
            }
            renamed[source] =
                renamed[source] || step.changesIdentity(of: present[source], in: catalog.schema)
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
        classes = Set(present.filter { changed[$0.index] }.map(\.number))
        projections = Self.changedProjections(
            comparison.present.projections.map {
                comparison.renames.renamed($0, in: comparison.present.schema)
            }, catalog.projections)
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
    /// Whether objects have other values after it, or are others.
    fileprivate var changesShape: Bool {
        switch self {
        case .dropClass, .changeKind, .changePrimaryKey, .dropProperty, .changeType, .makeOptional,
            .makeRequired, .changeEnum, .dropLinks:
            true
        case .addClass, .renameClass, .addProperty, .renameProperty, .setSchemaVersion,
            .changeDefault, .addIndex, .dropIndex, .addUnique, .dropUnique, .addRequired,
            .dropRequired, .changeOnDelete, .changeMapTo:
            false
        }
    }
}

extension SchemaStep {
    /// Whether links to objects of the class look different after it.
    fileprivate func changesIdentity(of present: RowClass, in schema: Schema) -> Bool {
        switch operation {
        case .dropClass, .changeKind, .changePrimaryKey: true
        // Beside a key that is null a link shows the name.
        case .renameClass:
            present.primaryKeyIndex.map { present.definition.properties[$0].isOptional } ?? false
        case .changeType:
            className.flatMap { schema.objectClass(named: $0) }?.primaryKey == property
        default: false
        }
    }

    /// The number of its property in a schema that follows.
    fileprivate func member(in schema: RowSchema) -> UInt32? {
        guard let rowClass = className.flatMap({ schema.rowClass(named: $0) }),
            let member = property.flatMap({ rowClass.definition.propertyIndex(named: $0) })
        else { return nil }
        return rowClass.members[member].number
    }

    /// Whether the property still allows every value that it allowed before, so that no stored value changes.
    fileprivate func isWiderEnum(than comparison: SchemaComparison, in schema: Schema) -> Bool {
        guard let source, let property,
            let new = className.flatMap({ schema.objectClass(named: $0) })
        else { return false }
        guard let cases = new.properties.first(where: { $0.name.isSame(as: property) })?.cases
        else {
            return true
        }
        let old = comparison.present.rows.classes[source].definition
        let name = comparison.renames.oldName(ofProperty: property, inNew: new.name)
        return cases.containsAll(of: old.properties.first { $0.name.isSame(as: name) }?.cases)
    }
}
