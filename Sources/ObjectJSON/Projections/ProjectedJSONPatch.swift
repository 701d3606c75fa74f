import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// A JSON patch in the names of a projection: patches of the objects that its paths lead to, one after the other.
///
/// Made from the body only. The targets of links are found when the patch is applied, when each operation
/// sees the result of the earlier ones.
package struct ProjectedJSONPatch: Sendable {
    /// Operations, one after the other in the body, that are about one object.
    package struct Run: Sendable {
        /// The links that lead there from the object that the request names.
        package let links: [Link]
        package let rowClass: RowClass
        /// The operations on it.
        package let patch: JSONPatch
    }

    /// A link on a path.
    package struct Link: Sendable, Equatable {
        /// The class of the object that holds it.
        package let classIndex: Int
        /// The embedded objects in which it lies, from the outside in, and the link itself.
        package let members: [Int]
    }

    package let runs: [Run]

    /// The end of a projected path.
    struct Destination {
        var links: [Link] = []
        /// The class of the object behind the links.
        var root: RowClass
        /// The embedded objects on the way from it.
        var owners: [Int] = []
        /// The class of the object that the way has come to, which may be embedded.
        var rowClass: RowClass
        /// The path from ``root``.
        var steps: [String] = []
        /// Whether another projection shows the object there.
        var isShown = false

        init(_ rowClass: RowClass) {
            root = rowClass
            self.rowClass = rowClass
        }

        /// Goes on behind a property that holds one object.
        mutating func descend(_ member: Int, _ schema: RowSchema) {
            let compiled = rowClass.members[member]
            let target = schema.classes[compiled.classIndex]
            if compiled.storage.element == .link {
                links.append(Link(classIndex: root.index, members: owners + [member]))
                root = target
                owners = []
                steps = []
            } else {
                owners.append(member)
                steps.append(rowClass.definition.properties[member].name)
            }
            rowClass = target
        }
    }

    /// Reads a patch.
    ///
    /// - `member`: The property of `rowClass` that holds the projected objects; nil if the projection shows the
    ///   objects of `rowClass` itself.
    /// - Throws: ``RequestFault`` with every fault that does not depend on stored objects.
    package init(
        _ json: JSONValue, of rowClass: RowClass, behind member: Int?,
        _ projection: CompiledProjection, _ context: ObjectReadingContext
    ) throws(RequestFault) {
        let steps = try JSONPatch.steps(json, countMax: context.operationCountMax)
        var start = Destination(rowClass)
        if let member { start.descend(member, context.names.schema) }
        var resolver = ProjectedPathResolver(projection, start, context.names)
        var groups: [(destination: Destination, first: Int, steps: [JSONPatchStep])] = []
        for (index, step) in steps.enumerated() {
            guard let (destination, translated) = resolver.translated(step, index) else { continue }
            if let last = groups.last, last.destination.links == destination.links,
                last.first + last.steps.count == index
            {
                groups[groups.count - 1].steps.append(translated)
            } else {
                groups.append((destination, index, [translated]))
            }
        }
        var faults = resolver.faults
        var hasRepeatedName = false
        var runs: [Run] = []
        for group in groups {
            var compiler = JSONPatchCompiler(group.destination.root, context.names, context.reader)
            do throws(RequestFault) {
                let operations = try compiler.compile(group.steps, firstIndex: group.first)
                runs.append(
                    Run(
                        links: group.destination.links, rowClass: group.destination.root,
                        patch: JSONPatch(operations, firstIndex: group.first)))
            } catch {
                faults.note(error.errors)
                hasRepeatedName = hasRepeatedName || error.code == "duplicate-name"
            }
        }
        guard faults.isEmpty else { throw .object(faults, hasRepeatedName: hasRepeatedName) }
        self.runs = runs
    }
}
