import HoldfastJSON
import HoldfastObjectModel

/// An OpenAPI 3.1 document of a store: one set of operations for each of its classes, with the class's own
/// schemas (https://spec.openapis.org/oas/v3.1.0).
///
/// It is made from the schema alone and says nothing of what the store holds. Its size grows with the
/// number of properties.
struct OpenAPIDocument {
    /// The classes.
    let schema: Schema
    /// The projections of the classes.
    var projections: [Projection] = []
    /// The components that belong to no class.
    let components: OpenAPIComponents
    /// Whether requests need a token.
    let usesTokens: Bool

    /// Writes the document.
    func write(to writer: JSONWriter) {
        let schemas = OpenAPISchemas(
            classes: OpenAPIClasses(
                schema, projections: projections, reserved: OpenAPIComponents.schemaNames))
        let classes = schemas.classes
        let served = classes.all.filter(\.hasOperations)
        var tagNames = OpenAPINames()
        for entry in classes.all + classes.projections.map(\.entry) {
            _ = tagNames.unique(entry.definition.name)
        }
        let transactionTag = tagNames.unique("transactions")
        var tags: [(name: String, description: String)] = served.map { entry in
            let name = entry.definition.name
            return (name, "The objects of class `\(name)`.")
        }
        for shown in classes.projections where shown.entry.hasOperations {
            let (name, className) = (shown.definition.name, shown.definition.className)
            tags.append(
                (name, "The objects of class `\(className)` as projection `\(name)` shows them."))
        }
        if !served.isEmpty {
            tags.append((transactionTag, "Objects of several classes in one request."))
        }
        writer.object { object in
            object.member("openapi").string("3.1.0")
            object.member("info").object { info in
                info.member("title").string("Holdfast")
                info.member("version").string("\(schema.revision)")
                info.member("description").string(Self.description)
            }
            object.member("servers").raw(##"[{"url":"/"}]"##)
            object.member("tags").objects(of: tags) { tag, object in
                object.member("name").string(tag.name)
                object.member("description").string(tag.description)
            }
            object.member("paths").object { paths in
                let writer = OpenAPIPaths(schemas, usesTokens: usesTokens)
                for entry in served { writer.write(entry, to: &paths) }
                for shown in classes.projections where shown.entry.hasOperations {
                    writer.write(shown, to: &paths)
                }
                if !served.isEmpty { writer.writeTransactions(tag: transactionTag, to: &paths) }
            }
            object.member("components").object { writeComponents(schemas, served, to: &$0) }
        }
    }

    private static let description =
        "The objects of one store, class by class, made by Holdfast \(ServiceVersion.text) from the "
        + "store's schema; `info.version` is the schema's revision. What is the same in every store "
        + "(the schema, changes of the whole store, errors, limits) is in Holdfast's own openapi.yaml."

    private func writeComponents(
        _ schemas: OpenAPISchemas, _ served: [OpenAPIClass], to object: inout JSONObjectWriter
    ) {
        let classes = schemas.classes
        let template = components.template
        object.member("schemas").object { list in
            for entry in classes.all { schemas.write(entry, to: &list) }
            for shown in classes.projections { schemas.write(shown, to: &list) }
            template.write("schemas", to: &list)
        }
        object.member("examples").object { list in
            let examples = OpenAPIExamples(schemas: schemas)
            for entry in served { examples.write(entry, to: &list) }
            for shown in classes.projections where shown.entry.hasOperations {
                examples.write(shown, to: &list)
            }
        }
        for group: StaticString in ["parameters", "headers", "responses"] {
            object.member(group).object { template.write(group, to: &$0) }
        }
        if usesTokens {
            object.member("securitySchemes").raw(
                ##"{"bearerToken":{"type":"http","scheme":"bearer","description":"A token made by `holdfast token create`."}}"##
            )
        }
    }
}
