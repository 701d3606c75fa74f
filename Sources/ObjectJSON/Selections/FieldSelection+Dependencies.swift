import HoldfastQuery
import HoldfastRows

extension FieldSelection {
    /// Finds the properties that are read to show an object, its own and properties of objects shown in it.
    ///
    /// Cost: one dependency for each property that is shown, and the steps that lead to it.
    package func dependencies(_ names: SchemaNames) -> [Dependency] {
        var found: [Dependency] = []
        addDependencies(behind: [], nil, names, to: &found)
        return found
    }

    /// - `firstMember`: The property that `way` begins with, if there is one.
    private func addDependencies(
        behind way: [PathStep], _ firstMember: Int?, _ names: SchemaNames,
        to found: inout [Dependency]
    ) {
        for step in steps {
            let first = firstMember ?? (step.member < 0 ? nil : Int(step.member))
            switch step.kind {
            case .id: continue
            case .version:
                // That of the object itself comes with each of its changes.
                guard !way.isEmpty else { continue }
                names.everything[rowClass.index]
                    .addDependencies(behind: way, first, names, to: &found)
            case .owner:
                // The way to an embedded object leads to its owner, too.
                for owner in step.nested < 0 ? [] : owners[Int(step.nested)] {
                    owner.addDependencies(behind: way, first, names, to: &found)
                }
            case .calculated:
                found += paths[Int(step.nested)].dependencies(names.schema).map {
                    $0.behind(way, firstMember: first)
                }
            default: addDependencies(of: step, behind: way, first, names, to: &found)
            }
        }
    }

    /// Adds a property, with the shown properties of the objects that it holds.
    private func addDependencies(
        of step: Step, behind way: [PathStep], _ firstMember: Int?, _ names: SchemaNames,
        to found: inout [Dependency]
    ) {
        let member = Int(step.member)
        var read = Dependency(
            classIndex: rowClass.index, member: member, path: way, firstMember: firstMember)
        guard rowClass.members[member].classIndex >= 0 else { return found.append(read) }
        let last = PathStep(along: member, of: rowClass)
        let next = way + [last]
        if rowClass.members[member].originProperty >= 0 {
            // The holder of the link may be hidden, or its link.
            read = Dependency(
                classIndex: last.toClass, member: last.member, path: next, firstMember: firstMember)
        }
        found.append(read)
        if step.nested >= 0 {
            nested[Int(step.nested)].addDependencies(behind: next, firstMember, names, to: &found)
        } else if step.kind.expands {
            names.everything[rowClass.members[member].classIndex]
                .addDependencies(behind: next, firstMember, names, to: &found)
        }
    }
}

extension FieldSelection.Step.Kind {
    /// Whether objects stand in the place of their keys.
    var expands: Bool {
        switch self {
        case .expandedLink, .expandedLinks, .expandedLinkMap, .expandedOrigins: true
        default: false
        }
    }
}

extension FieldSelection {
    /// The same selection, but chosen properties behind a to-one link, or in an embedded object, stand
    /// in its place, step by step, each named by its path. The link itself stands before them if it is named as well.
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

/// The parts of a schema that a selection shows of objects.
package struct ShownShape {
    /// The numbers of the properties that are shown under their own names.
    package private(set) var named: Set<UInt32> = []
    /// The numbers of the shown properties, including properties of embedded objects.
    package private(set) var properties: Set<UInt32> = []
    /// The numbers of the classes that are shown with everything.
    package private(set) var wholeClasses: Set<UInt32> = []
    /// Whether names of classes are shown, with links in `mixed` values or of owners.
    package private(set) var hasClassNames = false
    /// The numbers of the classes for whose objects links are counted through every property.
    package private(set) var linkCountClasses: Set<UInt32> = []
    /// The classes of which ``SchemaNames/everything`` is among the parts, by position.
    private var expanded: Set<Int> = []

    /// Finds the parts that a selection shows. Cost: linear in the number of parts.
    ///
    /// - `isNamed`: Whether properties are shown under their own names. A projection does not: of it, only objects that are
    ///   shown whole count.
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
