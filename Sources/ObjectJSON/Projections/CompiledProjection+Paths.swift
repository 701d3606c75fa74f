import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

extension CompiledProjection {
    /// Returns the dependencies of the projection: every property that its ways read.
    ///
    /// - `names`: The properties that count; nil for all.
    package func paths(_ schema: RowSchema, of names: [String]? = nil) -> [Dependency] {
        var paths: [Dependency] = []
        for property in properties where names?.contains(property.name) ?? true {
            Self.addPaths(of: property, behind: [], nil, schema, to: &paths)
        }
        return paths
    }

    /// Whether one of some projections, by their names, is this one or shows a part of it.
    package func isShown(byAny projections: Set<String>) -> Bool {
        projections.contains(definition.name)
            || properties.contains { $0.projection?.isShown(byAny: projections) ?? false }
    }

    /// - `firstMember`: The property that `steps` begin with, if there are any.
    private static func addPaths(
        of property: Property, behind steps: [PathStep], _ firstMember: Int?,
        _ schema: RowSchema, to paths: inout [Dependency]
    ) {
        var steps = steps
        let firstMember = firstMember ?? property.firstMember
        for step in property.steps {
            paths.append(
                Dependency(
                    classIndex: step.classIndex, member: step.member, path: steps,
                    firstMember: firstMember))
            steps.append(PathStep(along: step.member, of: schema.classes[step.classIndex]))
        }
        if let calculation = property.calculation {
            // From the object that has the last property.
            let way = Array(steps.dropLast())
            paths += calculation.dependencies(schema).map {
                Dependency(
                    classIndex: $0.classIndex, member: $0.member, path: way + $0.path,
                    firstMember: firstMember)
            }
        }
        if let last = steps.last, last.kind == .inverse, property.calculation == nil {
            // Who has the link may not be seen, or not with it.
            paths.append(
                Dependency(
                    classIndex: last.toClass, member: last.member, path: steps,
                    firstMember: firstMember))
            // An inverse link shows embedded objects as they are.
            let origin = schema.classes[last.toClass]
            let showsAll = property.projection == nil && origin.definition.kind == .embedded
            for (member, compiled) in origin.members.enumerated()
            where showsAll && compiled.storage.shape != .none {
                paths.append(
                    Dependency(
                        classIndex: last.toClass, member: member, path: steps,
                        firstMember: firstMember))
            }
        }
        for inner in property.projection?.properties ?? [] {
            addPaths(of: inner, behind: steps, firstMember, schema, to: &paths)
        }
    }
}
