import HoldfastRows

/// The parts of a schema that what is shown of objects consists of.
package struct ShownShape {
    /// The numbers of the properties whose values are shown.
    package private(set) var properties: Set<UInt32> = []
    /// Whether names of classes are shown, with links in `mixed` values or of owners.
    package private(set) var hasClassNames = false
    /// The classes of which everything is shown.
    private var whole: Set<Int> = []

    /// Finds what a selection shows. Cost: linear in that.
    ///
    /// - `isNamed`: Whether it shows properties under their own names, as a projection does not: of that only objects count that are shown whole.
    package init(_ selection: FieldSelection, _ names: SchemaNames, isNamed: Bool) {
        add(selection, names, isNamed)
    }

    private mutating func add(_ selection: FieldSelection, _ names: SchemaNames, _ isNamed: Bool) {
        for step in selection.steps {
            switch step.kind {
            case .id, .version: continue
            case .owner:
                hasClassNames = true
                for owner in step.nested < 0 ? [] : selection.owners[Int(step.nested)] {
                    add(owner, names, isNamed)
                }
            // What it calculates of has the same values by any name.
            case .calculated: continue
            default:
                let compiled = selection.rowClass.members[Int(step.member)]
                if isNamed { properties.insert(compiled.number) }
                if compiled.storage.element == .mixed { hasClassNames = true }
                if step.nested >= 0 {
                    add(selection.nested[Int(step.nested)], names, isNamed)
                } else if step.kind.expands || compiled.storage.element == .embedded,
                    compiled.classIndex >= 0, whole.insert(compiled.classIndex).inserted
                {
                    add(names.everything[compiled.classIndex], names, true)
                }
            }
        }
    }
}
