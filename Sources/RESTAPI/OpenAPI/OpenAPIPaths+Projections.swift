import JSON
import ObjectJSON
import ObjectModel

// The operations on what projections show.
extension OpenAPIPaths {
    /// Adds the operations on a projection of a class of kind `object`.
    func write(_ shown: OpenAPIProjection, to paths: inout JSONObjectWriter) {
        let entry = shown.entry
        paths.member(named: entry.path + "/objects").object { item in
            add(.listProjected, entry, to: &item) {
                Self.addPage(entry, hasCSV: true, to: &$0)
            }
        }
        paths.member(named: entry.path + "/objects/{id}").object { item in
            addParameters(entry, property: nil, to: &item)
            addProjected(entry, to: &item) { $0 }
        }
        if entry.hasKeysWithoutPath {
            paths.member(named: entry.path + "/object").object { item in
                item.member("parameters").raw(Self.keyParameter)
                addProjected(entry, to: &item) { $0.byKey }
            }
        }
        paths.member(named: entry.path + "/changes").object { item in
            add(.projectedChanges, entry, to: &item) { Self.addChanges(entry, to: &$0) }
        }
        paths.member(named: entry.path + "/objects/{id}/changes").object { item in
            addParameters(entry, property: nil, to: &item)
            add(.projectedObjectChanges, entry, to: &item) { Self.addChanges(entry, to: &$0) }
        }
    }

    private func addProjected(
        _ entry: OpenAPIClass, to item: inout JSONObjectWriter,
        _ variant: (OpenAPIOperation) -> OpenAPIOperation
    ) {
        add(variant(.getProjected), entry, to: &item) {
            Self.addStored("The object as the projection shows it.", entry, to: &$0)
            Self.addNotModified(to: &$0)
        }
        add(variant(.patchProjected), entry, to: &item) {
            $0.requiredBody {
                $0.content(
                    entry.patch, example: entry.patch, types: Self.mergePatchTypes)
            }
        } replies: {
            Self.addStored(
                "The object as the projection shows it now.", entry, to: &$0,
                ["Idempotency-Replayed"])
            Self.addMinimal(to: &$0, ["Idempotency-Replayed"])
        }
    }

    private static let mergePatchTypes: [StaticString] = [
        "application/merge-patch+json", "application/json",
    ]

    /// Adds the change of what a single property holds by the names of a projection, if there is one of
    /// what it holds.
    func addPatch(
        of properties: [Property], _ entry: OpenAPIClass, to item: inout JSONObjectWriter
    ) {
        let held = Set(
            properties.compactMap { property -> String? in
                guard case .single(.object(let name)) = property.type else { return nil }
                return name
            })
        let shown = schemas.classes.projections.filter { held.contains($0.definition.className) }
        if shown.isEmpty { return }
        func choose(_ schema: inout JSONObjectWriter, _ name: (OpenAPIProjection) -> String) {
            schema.member("anyOf").array { choices in
                for one in shown { choices.element().schema(name(one)) }
            }
        }
        add(.patchHeld, entry, to: &item) {
            $0.requiredBody {
                $0.content(example: nil, types: Self.mergePatchTypes) {
                    choose(&$0) { $0.entry.patch }
                }
            }
        } replies: {
            Self.addHeld("What the property holds now.", to: &$0, ["Idempotency-Replayed"]) {
                $0.object { choose(&$0) { $0.entry.object } }
            }
            Self.addMinimal(to: &$0, ["Idempotency-Replayed"])
        }
    }
}
