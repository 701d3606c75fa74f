import ObjectStore
import Query
import Rows

extension CompiledProjection {
    /// What decides about what the projection shows: every property that its ways read.
    package func paths(_ schema: RowSchema) -> [Dependency] {
        var paths: [Dependency] = []
        addPaths(behind: [], nil, schema, to: &paths)
        return paths
    }

    /// Whether one of some projections, by their names, is this one or shows a part of it.
    package func isShown(byAny projections: Set<String>) -> Bool {
        projections.contains(definition.name)
            || properties.contains { $0.projection?.isShown(byAny: projections) ?? false }
    }

    /// - `firstMember`: The property that `steps` begin with, if there are any.
    private func addPaths(
        behind steps: [PathStep], _ firstMember: Int?, _ schema: RowSchema,
        to paths: inout [Dependency]
    ) {
        for property in properties {
            var steps = steps
            let firstMember = firstMember ?? property.firstMember
            for step in property.steps {
                paths.append(
                    Dependency(
                        classIndex: step.classIndex, member: step.member, path: steps,
                        firstMember: firstMember))
                steps.append(Self.forward(step, schema))
            }
            property.projection?.addPaths(behind: steps, firstMember, schema, to: &paths)
        }
    }

    /// A step of a way as the step of a path.
    private static func forward(_ step: Step, _ schema: RowSchema) -> PathStep {
        let shown = schema.classes[step.classIndex].members[step.member]
        guard shown.originProperty >= 0 else {
            return PathStep(along: step.member, of: schema.classes[step.classIndex])
        }
        return PathStep(
            kind: .inverse, fromClass: step.classIndex, toClass: shown.classIndex,
            member: shown.originProperty)
    }
}
