import HoldfastObjectModel
import HoldfastRows

extension ShapeChanges {
    /// Finds the shapes that differ between a stored schema and the one that follows it.
    ///
    /// A property changes with the identity of the objects that it links to: links are read as the keys of their targets.
    init(_ comparison: SchemaComparison, to catalog: Catalog) {
        self.init()
        let present = comparison.present.rows.classes
        var isRenamed = Array(repeating: false, count: present.count)
        for step in comparison.steps {
            guard let source = step.source else { continue }
            let number = step.member(in: catalog.rows)
            switch step.operation {
            case .renameClass: renamedClasses.insert(present[source].number)
            case .renameProperty: if let number { renamedProperties.insert(number) }
            case .changeEnum where step.isWiderEnum(than: comparison, in: catalog.schema): break
            default: if step.operation.changesValues, let number { properties.insert(number) }
            }
            if step.changesKeys(in: catalog.schema) { classes.insert(present[source].number) }
            if step.changesLinks(to: present[source], in: catalog.schema) {
                isRenamed[source] = true
            }
        }
        for rowClass in present { compare(rowClass, comparison, catalog.rows, linksTo: isRenamed) }
        freedClassNames = Set(
            present.filter {
                let namesake = catalog.rows.classIndex[$0.definition.name]
                return namesake == nil || namesake != comparison.newClasses[$0.index]
            }.map(\.definition.name))
        projections = Self.changedProjections(
            comparison.present.projections.map {
                comparison.renames.renamed($0, in: comparison.present.schema)
            }, catalog.projections)
    }

    /// Compares the properties of a stored class with their later form.
    ///
    /// - `isRenamed`: By class, whether links to its objects look different.
    private mutating func compare(
        _ rowClass: RowClass, _ comparison: SchemaComparison, _ schema: RowSchema,
        linksTo isRenamed: [Bool]
    ) {
        let new = comparison.newClasses[rowClass.index].map { schema.classes[$0] }
        let matches: [SchemaComparison.MemberMatch?] =
            new.map { comparison.members[$0.index] } ?? []
        var kept: [Int: Int] = [:]
        for (member, match) in matches.enumerated() {
            if let match { kept[match.old] = member }
        }
        for (position, member) in rowClass.members.enumerated() {
            let target = kept[position]
            let isConverted = target.map { matches[$0]?.conversion != nil } ?? true
            if isConverted { unlink(member, present: comparison.present.rows.classes) }
            guard let new else { continue }
            let definition = rowClass.definition.properties[position]
            for name in [definition.name, definition.mapTo].compactMap(\.self)
            where target == nil || new.member(named: name) != target {
                freedNames[rowClass.number, default: []].insert(name)
            }
            guard let target else {
                reducedClasses.insert(rowClass.number)
                continue
            }
            let showsOthers =
                switch member.storage.element {
                case .mixed: isRenamed.contains(true)
                case .link: member.classIndex >= 0 && isRenamed[member.classIndex]
                default: false
                }
            if isConverted || showsOthers { properties.insert(new.members[target].number) }
        }
        if let new, rowClass.definition.kind == .embedded,
            !new.layouts.contains(where: { $0.number == rowClass.layout.number })
        {
            rewrittenClasses.insert(rowClass.number)
        }
    }

    /// Notes that links of a property may have gone.
    private mutating func unlink(_ member: RowClass.Member, present: [RowClass]) {
        switch (member.storage.shape, member.storage.element) {
        case (.none, _): break
        case (_, .mixed): unlinkedClasses.formUnion(present.map(\.number))
        case (_, .link): unlinkedClasses.insert(present[member.classIndex].number)
        default: break
        }
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
            }) { changed.insert(projection.name) }
        }
        return changed
    }
}

extension SchemaStep.Operation {
    /// Whether the property that it is about is new, or may have other values after it.
    fileprivate var changesValues: Bool {
        switch self {
        case .addProperty, .changeType, .makeOptional, .makeRequired, .changeEnum, .dropLinks: true
        case .addClass, .dropClass, .renameClass, .changeKind, .changePrimaryKey, .dropProperty,
            .renameProperty, .setSchemaVersion, .changeDefault, .addIndex, .dropIndex, .addUnique,
            .dropUnique, .addRequired, .dropRequired, .changeOnDelete, .changeMapTo:
            false
        }
    }
}

extension SchemaStep {
    /// Whether objects of the class are gone, or have other keys, after it.
    fileprivate func changesKeys(in schema: Schema) -> Bool {
        switch operation {
        case .dropClass, .changeKind, .changePrimaryKey: true
        case .changeType, .makeOptional, .makeRequired, .changeEnum:
            className.flatMap { schema.objectClass(named: $0) }?.primaryKey.isSame(as: property)
                ?? false
        default: false
        }
    }

    /// Whether links to objects of the class look different after it.
    fileprivate func changesLinks(to present: RowClass, in schema: Schema) -> Bool {
        // Beside a key that is null a link shows the name.
        if operation == .renameClass, let key = present.primaryKeyIndex {
            return present.definition.properties[key].isOptional
        }
        return changesKeys(in: schema)
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
        else { return true }
        let old = comparison.present.rows.classes[source].definition
        let name = comparison.renames.oldName(ofProperty: property, inNew: new.name)
        return cases.containsAll(of: old.properties.first { $0.name.isSame(as: name) }?.cases)
    }
}
