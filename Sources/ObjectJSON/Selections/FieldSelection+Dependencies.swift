import HoldfastQuery
import HoldfastRows

extension FieldSelection {
    /// Finds the properties that are read to show an object: its own, and those of the objects that are shown in it.
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
            default:
                addDependencies(of: step, behind: way, first, names, to: &found)
            }
        }
    }

    /// Adds a property, and what is shown of the objects that it holds.
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
            // Who has the link may not be seen, or not with it.
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
