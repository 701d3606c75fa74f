import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows
import HoldfastText

/// Resolves the paths of a JSON patch in the names of a projection, and notes the paths that lead nowhere.
struct ProjectedPathResolver {
    private let projection: CompiledProjection
    private let start: ProjectedJSONPatch.Destination
    private let names: SchemaNames
    private(set) var faults = FaultList()

    init(
        _ projection: CompiledProjection, _ start: ProjectedJSONPatch.Destination,
        _ names: SchemaNames
    ) {
        self.projection = projection
        self.start = start
        self.names = names
    }

    /// Translates a step into the names of the object that its path leads to; nil when it is refused.
    ///
    /// - `index`: Of the step in the body.
    mutating func translated(
        _ step: JSONPatchStep, _ index: Int
    ) -> (ProjectedJSONPatch.Destination, JSONPatchStep)? {
        do throws(PatchRefusal) {
            return try translated(step)
        } catch {
            faults.note(
                error.code, error.detail,
                at: JSONPointer().appending(index: index).appending(error.member), hint: error.hint)
            return nil
        }
    }

    private func translated(
        _ step: JSONPatchStep
    ) throws(PatchRefusal) -> (ProjectedJSONPatch.Destination, JSONPatchStep) {
        let destination = try destination(step.path, "path")
        var translated = step
        translated.path = destination.steps
        translated.objectPathText =
            destination.steps.reduce(JSONPointer()) { $0.appending($1) }.description
        if destination.isShown, let value = step.value, value.kind == .object, !value.namesObject {
            throw PatchRefusal(
                code: "invalid-patch",
                detail:
                    "'\(step.pathText)' is shown by another projection; state each member, or the "
                    + "key of a link.", member: "value")
        }
        guard step.kind == .move || step.kind == .copy else { return (destination, translated) }
        let source = try self.destination(step.from, "from")
        translated.from = source.steps
        guard source.links == destination.links else {
            throw PatchRefusal(
                code: "invalid-patch",
                detail:
                    "'\(step.fromText)' and '\(step.pathText)' belong to different objects. A patch can't "
                    + "move or copy between them; state the value.", member: "from")
        }
        return (destination, translated)
    }

    /// - `member`: Of the step, that holds the path.
    private func destination(
        _ steps: [String], _ member: String
    ) throws(PatchRefusal) -> ProjectedJSONPatch.Destination {
        do throws(PatchRefusal) {
            return try destination(steps[...], projection, start)
        } catch {
            var refusal = error
            refusal.member = member
            throw refusal
        }
    }

    private func destination(
        _ steps: ArraySlice<String>, _ projection: CompiledProjection,
        _ start: ProjectedJSONPatch.Destination
    ) throws(PatchRefusal) -> ProjectedJSONPatch.Destination {
        var destination = start
        guard let name = steps.first else {
            throw PatchRefusal(
                code: "invalid-patch",
                detail:
                    "The object itself can't be patched through a projection; state its properties one by one."
            )
        }
        if name == "$id", start.links.isEmpty, start.owners.isEmpty {
            destination.steps = Array(steps)
            return destination
        }
        guard let property = projection.properties.first(where: { $0.name.isSame(as: name) }),
            let last = property.steps.last
        else { throw projection.unknownProperty(name) }
        if let refusal = names.calculated(property) { throw refusal }
        for step in property.steps.dropLast() {
            guard destination.rowClass.members[step.member].storage.shape == .single else {
                throw CompiledProjection.readOnly(name, destination.rowClass, step.member)
            }
            destination.descend(step.member, names.schema)
        }
        let rest = steps.dropFirst()
        if let inner = property.projection {
            guard destination.rowClass.members[last.member].storage.shape == .single else {
                throw CompiledProjection.readOnly(name, destination.rowClass, last.member)
            }
            if !rest.isEmpty {
                destination.descend(last.member, names.schema)
                return try self.destination(rest, inner, destination)
            }
            destination.isShown = true
        }
        destination.steps.append(destination.rowClass.definition.properties[last.member].name)
        destination.steps += rest
        return destination
    }
}

extension JSONValue {
    /// Whether it is an object that names another one: `{"$link":…}` or `{"$ref":…}`.
    var namesObject: Bool { member(named: "$link") != nil || member(named: "$ref") != nil }
}

extension CompiledProjection {
    /// Makes the fault of a property that a patch states and the projection does not show.
    func unknownProperty(_ name: String) -> PatchRefusal {
        let isHidden = rowClass.names.position(of: name) != nil
        let advice = ObjectReader.operatorAdvice(name)
        return PatchRefusal(
            code: "unknown-property",
            detail: "Projection '\(definition.name)' has no property '\(name)'"
                + (isHidden
                    ? "; class '\(rowClass.definition.name)' has one, which is not shown." : ".")
                + advice,
            hint: advice.isEmpty ? NearestName.of(name, among: properties.map(\.name)) : nil)
    }

    /// Makes the fault of a patched property that shows the objects of a collection.
    static func readOnly(_ name: String, _ rowClass: RowClass, _ member: Int) -> PatchRefusal {
        let collection = rowClass.definition.properties[member].name
        return PatchRefusal(
            code: "projection-read-only",
            detail:
                "'\(name)' shows the objects of the collection '\(collection)' and is read-only; change those "
                + "objects, or '\(collection)' of '\(rowClass.definition.name)'.")
    }
}

extension SchemaNames {
    /// Makes the fault of a patched property that is a count or an aggregate; nil of others.
    func calculated(_ property: CompiledProjection.Property) -> PatchRefusal? {
        guard property.calculation != nil, let last = property.steps.last else { return nil }
        let definition = schema.classes[last.classIndex].definition
        let origin = definition.properties[last.member].name
        return PatchRefusal(
            code: "projection-read-only",
            detail:
                "'\(property.name)' is calculated from '\(origin)' of '\(definition.name)' and is read-only; change "
                + "the properties that it is calculated from.")
    }
}
