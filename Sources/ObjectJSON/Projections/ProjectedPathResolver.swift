import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows
import HoldfastText

/// Finds where the paths of a JSON patch in the names of a projection lead, and notes those that lead nowhere.
struct ProjectedPathResolver {
    private let projection: CompiledProjection
    private let start: ProjectedJSONPatch.Destination
    private let names: SchemaNames
    private(set) var faults = FaultList()

    /// A path that can't be taken.
    private struct Refusal: Error {
        var code: String
        var detail: String
        var hint: String?
    }

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
        guard let destination = destination(step.path, index, "path") else { return nil }
        var translated = step
        translated.path = destination.steps
        translated.objectPathText =
            destination.steps.reduce(JSONPointer()) { $0.appending($1) }.description
        if destination.isShown, let value = step.value, value.kind == .object, !value.namesObject {
            note(
                index, "value",
                Refusal(
                    code: "invalid-patch",
                    detail:
                        "'\(step.pathText)' is shown by another projection; state its members one by one, or "
                        + "of a link the key."))
            return nil
        }
        guard step.kind == .move || step.kind == .copy else { return (destination, translated) }
        guard let source = self.destination(step.from, index, "from") else { return nil }
        translated.from = source.steps
        guard source.links == destination.links else {
            note(
                index, "from",
                Refusal(
                    code: "invalid-patch",
                    detail:
                        "'\(step.fromText)' and '\(step.pathText)' belong to different objects, between which "
                        + "nothing is moved or copied; state the value."))
            return nil
        }
        return (destination, translated)
    }

    private mutating func destination(
        _ steps: [String], _ index: Int, _ member: String
    ) -> ProjectedJSONPatch.Destination? {
        do throws(Refusal) {
            return try destination(steps[...], projection, start)
        } catch {
            note(index, member, error)
            return nil
        }
    }

    private func destination(
        _ steps: ArraySlice<String>, _ projection: CompiledProjection,
        _ start: ProjectedJSONPatch.Destination
    ) throws(Refusal) -> ProjectedJSONPatch.Destination {
        var destination = start
        guard let name = steps.first else {
            throw Refusal(
                code: "invalid-patch",
                detail:
                    "The object itself can't be patched through a projection; state its properties one by one."
            )
        }
        if name == "$id", start.links.isEmpty, start.owners.isEmpty {
            destination.steps = Array(steps)
            return destination
        }
        guard let property = projection.properties.first(where: { $0.name == name }),
            let last = property.steps.last
        else { throw unknown(name, projection) }
        if let detail = names.calculated(property) {
            throw Refusal(code: "projection-read-only", detail: detail)
        }
        for step in property.steps.dropLast() {
            guard destination.rowClass.members[step.member].storage.shape == .single else {
                throw readOnly(name, destination.rowClass, step.member)
            }
            destination.descend(step.member, names.schema)
        }
        let rest = steps.dropFirst()
        if let inner = property.projection {
            guard destination.rowClass.members[last.member].storage.shape == .single else {
                throw readOnly(name, destination.rowClass, last.member)
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

    private func unknown(_ name: String, _ projection: CompiledProjection) -> Refusal {
        Refusal(
            code: "unknown-property",
            detail: CompiledProjection.unknownProperty(name, projection),
            hint: NearestName.of(name, among: projection.properties.map(\.name)))
    }

    private func readOnly(_ name: String, _ rowClass: RowClass, _ member: Int) -> Refusal {
        Refusal(
            code: "projection-read-only",
            detail: CompiledProjection.readOnly(name, rowClass, member))
    }

    private mutating func note(_ index: Int, _ member: String, _ refusal: Refusal) {
        faults.note(
            refusal.code, refusal.detail,
            at: JSONPointer().appending(index: index).appending(member), hint: refusal.hint)
    }
}

extension JSONValue {
    /// Whether it is an object that names another one: `{"$link":…}` or `{"$ref":…}`.
    var namesObject: Bool { member(named: "$link") != nil || member(named: "$ref") != nil }
}

extension CompiledProjection {
    /// Describes the fault of a property that a patch states and the projection does not show.
    static func unknownProperty(_ name: String, _ projection: CompiledProjection) -> String {
        let isHidden = projection.rowClass.names.position(of: name) != nil
        return "Projection '\(projection.definition.name)' has no property '\(name)'"
            + (isHidden
                ? "; class '\(projection.rowClass.definition.name)' has, which it does not show."
                : ".")
    }

    /// Describes the fault of a patched property that shows the objects of a collection.
    static func readOnly(_ name: String, _ rowClass: RowClass, _ member: Int) -> String {
        let collection = rowClass.definition.properties[member].name
        return
            "'\(name)' shows the objects of the collection '\(collection)' and is read-only; change those "
            + "objects, or '\(collection)' of '\(rowClass.definition.name)'."
    }
}

extension SchemaNames {
    /// Describes the fault of a patched property that is a count or an aggregate; nil of others.
    func calculated(_ property: CompiledProjection.Property) -> String? {
        guard property.calculation != nil, let last = property.steps.last else { return nil }
        let definition = schema.classes[last.classIndex].definition
        let origin = definition.properties[last.member].name
        return
            "'\(property.name)' is calculated from '\(origin)' of '\(definition.name)' and is read-only; change "
            + "what it is calculated from."
    }
}
