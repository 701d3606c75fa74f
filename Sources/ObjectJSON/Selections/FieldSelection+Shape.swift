import HoldfastQuery
import HoldfastRows

/// The parts of a schema that a selection shows of objects.
package struct ShownShape {
    /// The numbers of the properties that are shown under their own names.
    package private(set) var named: Set<UInt32> = []
    /// The numbers of the properties that are shown, those of embedded objects included.
    package private(set) var properties: Set<UInt32> = []
    /// The numbers of the classes that are shown with everything.
    package private(set) var wholeClasses: Set<UInt32> = []
    /// Whether names of classes are shown, with links in `mixed` values or of owners.
    package private(set) var hasClassNames = false
    /// The numbers of the classes to whose objects all links are counted, whatever properties hold them.
    package private(set) var linkCountClasses: Set<UInt32> = []
    /// The classes of which ``SchemaNames/everything`` is among the parts, by position.
    private var expanded: Set<Int> = []

    /// Finds the parts that a selection shows. Cost: linear in the number of parts.
    ///
    /// - `isNamed`: Whether properties are shown under their own names. A projection does not: of it, only objects that are shown whole count.
    package init(_ selection: FieldSelection, _ names: SchemaNames, isNamed: Bool) {
        add(selection, names, isNamed)
    }

    private mutating func add(_ selection: FieldSelection, _ names: SchemaNames, _ isNamed: Bool) {
        let isNamed = isNamed || selection.showsEverything
        if selection.showsEverything { wholeClasses.insert(selection.rowClass.number) }
        for index in selection.paths.flatMap(\.linkCountClasses) {
            linkCountClasses.insert(names.schema.classes[index].number)
        }
        for step in selection.steps {
            switch step.kind {
            case .id, .version: continue
            case .owner:
                hasClassNames = true
                for owner in step.nested < 0 ? [] : selection.owners[Int(step.nested)] {
                    add(owner, names, isNamed)
                }
            // A calculated value does not depend on the names of the properties that it is calculated from.
            case .calculated: continue
            default:
                let compiled = selection.rowClass.members[Int(step.member)]
                properties.insert(compiled.number)
                if isNamed { named.insert(compiled.number) }
                if compiled.storage.element == .mixed { hasClassNames = true }
                if step.nested >= 0 {
                    add(selection.nested[Int(step.nested)], names, isNamed)
                } else if step.kind.expands || compiled.storage.element == .embedded,
                    compiled.classIndex >= 0, expanded.insert(compiled.classIndex).inserted
                {
                    add(names.everything[compiled.classIndex], names, true)
                }
            }
        }
    }
}
