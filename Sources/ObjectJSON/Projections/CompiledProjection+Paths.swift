import ObjectStore
import Query
import Rows

extension CompiledProjection {
    /// What decides about what the projection shows: every property that its ways read.
    package func paths(_ schema: RowSchema) -> [Dependency] {
        var paths: [Dependency] = []
        addPaths(behind: [], schema, to: &paths)
        return paths
    }

    private func addPaths(
        behind steps: [PathStep], _ schema: RowSchema, to paths: inout [Dependency]
    ) {
        for property in properties {
            var steps = steps
            for step in property.steps {
                paths.append(
                    Dependency(classIndex: step.classIndex, member: step.member, path: steps))
                steps.append(Self.forward(step, schema))
            }
            property.projection?.addPaths(behind: steps, schema, to: &paths)
        }
    }

    /// A step of a way as the step of a path.
    private static func forward(_ step: Step, _ schema: RowSchema) -> PathStep {
        PathStep(along: step.member, of: schema.classes[step.classIndex])
    }
}
