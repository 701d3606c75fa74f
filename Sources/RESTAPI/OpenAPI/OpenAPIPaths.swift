import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel

/// Writes the operations on the objects of classes, under paths that name the class, as in `classes.json`;
/// methods, parameters and problems come from the contract. Not thread-safe: it remembers the ids that it gave.
final class OpenAPIPaths {
    private let schemas: OpenAPISchemas
    private let examples: OpenAPIExamples
    private var ids = OpenAPINames()
    /// Whether requests need a token.
    private let usesTokens: Bool

    /// Makes a writer for the operations on the classes of some schemas.
    init(_ schemas: OpenAPISchemas, usesTokens: Bool) {
        self.schemas = schemas
        self.usesTokens = usesTokens
        examples = OpenAPIExamples(schemas: schemas)
    }

    /// Adds the operations on a class.
    func write(_ entry: OpenAPIClass, to paths: inout JSONObjectWriter) {
        let template = template(of: entry)
        switch entry.definition.kind {
        case .object:
            write("objectPaths", template, to: &paths)
            writeOne("onePaths", entry, template, to: &paths)
            writeProperties(entry, template, to: &paths)
            write("transferPaths", template, to: &paths)
        case .asymmetric: write("asymmetricPaths", template, to: &paths)
        case .embedded: break
        }
    }

    /// Adds the operations on a projection of a class of kind `object`.
    func write(_ shown: OpenAPIProjection, to paths: inout JSONObjectWriter) {
        let template = template(of: shown.entry)
        write("projectionPaths", template, to: &paths)
        writeOne("projectedPaths", shown.entry, template, to: &paths)
        write("projectedChanges", template, to: &paths)
    }

    /// Adds the transaction, which is about objects of any class. Called after the classes, which keep their ids.
    func writeTransactions(tag: String, to paths: inout JSONObjectWriter) {
        var template = OpenAPITemplate(schemas.file)
        template.names["class"] = tag
        write("transactionPaths", template, to: &paths)
    }

    private func template(of entry: OpenAPIClass) -> OpenAPITemplate {
        var template = schemas.template(of: entry)
        template.values["=key"] = { [schemas] writer in
            writer.object { schemas.writeKey(of: entry, to: &$0) }
        }
        template.values["=keyExample"] = { [examples] in examples.writeKey(of: entry, to: $0) }
        return template
    }

    // MARK: Operations

    /// Adds the paths of a group with their operations.
    private func write(
        _ group: StaticString, _ template: OpenAPITemplate, to paths: inout JSONObjectWriter
    ) {
        guard let group = template[group] else { return }
        for path in group.members {
            paths.member(named: template.filled(path.name)).object { item in
                for member in path.value.members {
                    let name = template.filled(member.name)
                    if let operation = Operation.named(name) {
                        add(operation, member.value, template, to: &item)
                    } else if !name.isEmpty {
                        template.write(member.value, to: item.member(named: name))
                    }
                }
            }
        }
    }

    /// Adds the paths of one object, by either form of its key.
    private func writeOne(
        _ group: StaticString, _ entry: OpenAPIClass, _ template: OpenAPITemplate,
        to paths: inout JSONObjectWriter
    ) {
        var template = template
        for source in entry.hasKeysWithoutPath ? [KeySource.path, .parameter] : [.path] {
            template.names["one"] = source.path
            template.names["by"] = source.ending
            template.names["keyParameter"] = source == .path ? "idParameter" : "keyParameter"
            write(group, template, to: &paths)
        }
    }

    /// The mark of operations whose only reply is an event stream.
    private static let endless =
        "The reply is an event stream without an end. A function that returns the whole reply does not return: read the "
        + "events as they come."

    /// Adds an operation to the item of its path. Parameters that classes of this kind do not have are in `without`.
    private func add(
        _ operation: Operation, _ text: JSONValue, _ template: OpenAPITemplate,
        to item: inout JSONObjectWriter
    ) {
        let id = text.member(named: "operationId")?.stringBytes.map(template.filled) ?? ""
        let without = text.member(named: "without")?.elements.compactMap(\.string) ?? []
        item.member(named: "\(operation.method.name)".lowercased()).object { object in
            object.member("operationId").string(ids.unique(id))
            object.member("tags").array { $0.element().string(template.names["class"] ?? "") }
            object.member("summary").string(text.member(named: "summary")?.string ?? "")
            if text.member(named: "endless")?.bool == true {
                object.member("description").string(Self.endless)
                object.member("x-endless").bool(true)
            }
            // Not said once for all of them, because generators of clients look for it here.
            if usesTokens { object.member("security").raw(##"[{"bearerToken":[]}]"##) }
            object.member("parameters").array { parameters in
                for parameter in operation.parameters
                where parameter != .key && parameter != .preferRead {
                    let name = parameter == .ifMatchRead ? "IfMatch" : parameter.component
                    if without.contains(name) { continue }
                    parameters.element().reference("parameters", name)
                }
            }
            if let body = text.member(named: "requestBody") {
                template.write(body, to: object.member("requestBody"))
            }
            object.member("responses").object { responses in
                if let replies = text.member(named: "responses") {
                    template.writeMembers(of: replies, to: &responses)
                }
                for problem in operation.problems.sorted(by: { $0.rawValue < $1.rawValue }) {
                    responses.member(named: "\(problem.rawValue)").reference(
                        "responses", problem.name)
                }
            }
        }
    }

    // MARK: Properties

    /// Adds the operations on properties: on each collection and inverse link under a path of its own,
    /// since its page has a type of its own, and on all single values under one.
    private func writeProperties(
        _ entry: OpenAPIClass, _ template: OpenAPITemplate, to paths: inout JSONObjectWriter
    ) {
        let properties = entry.definition.properties
        let single = properties.filter { !$0.type.isCollection }
        if let first = single.first { writeValues(single, first, template, to: &paths) }
        for property in properties where property.type == .single(.scalar(.mixed)) {
            writeElements(property, .scalar(.mixed), entry, template, to: &paths)
        }
        for property in properties where property.type.isCollection {
            writeElements(property, property.type.shown, entry, template, to: &paths)
        }
        writeChanges(properties.filter { $0.type.element != nil }, template, to: &paths)
    }

    /// Adds the streams of properties, all under one path.
    private func writeChanges(
        _ followed: [Property], _ template: OpenAPITemplate, to paths: inout JSONObjectWriter
    ) {
        guard let first = followed.first else { return }
        var template = template
        template.names["property"] = first.name
        template.values["=properties"] = { $0.strings(followed.map(\.name)) }
        write("propertyChanges", template, to: &paths)
    }

    private func writeValues(
        _ properties: [Property], _ first: Property, _ template: OpenAPITemplate,
        to paths: inout JSONObjectWriter
    ) {
        var template = template
        let held = Set(
            properties.compactMap { property -> String? in
                guard case .single(.object(let name)) = property.type else { return nil }
                return name
            })
        let shown = schemas.classes.projections.filter { held.contains($0.definition.className) }
        template.names["property"] = first.name
        template.names["patchProperty"] = shown.isEmpty ? "" : "patchProperty"
        template.names["bytes"] =
            properties.contains { $0.type == .single(.scalar(.data)) }
            ? "application/octet-stream" : ""
        template.values["=properties"] = { $0.strings(properties.map(\.name)) }
        template.values["=propertyExample"] = { [examples] in examples.write(first, to: $0) }
        template.values["=heldPatches"] = { $0.array(of: shown) { $1.schema($0.entry.patch) } }
        template.values["=heldObjects"] = { $0.array(of: shown) { $1.schema($0.entry.object) } }
        write("valuePaths", template, to: &paths)
    }

    /// Adds the operations on a collection, or on a part of a `mixed` value.
    private func writeElements(
        _ property: Property, _ element: ElementType, _ entry: OpenAPIClass,
        _ template: OpenAPITemplate, to paths: inout JSONObjectWriter
    ) {
        let isMap = property.type.isMap
        var isSet = false
        if case .set = property.type { isSet = true }
        var template = template
        let identifier = OpenAPINames.capitalised(OpenAPINames.identifier(property.name))
        template.names["noun"] = entry.noun + identifier
        template.names["segment"] = ObjectPath.segment(property.name)
        template.names["read"] = "The element."
        template.names["elementParameter"] = isMap ? "mapKey" : "position"
        template.names["item"] = isMap ? "entry" : "shownElement"
        template.names["member"] = isMap ? "entries" : element.isObject ? "objects" : "elements"
        template.values["=shownElement"] = { [schemas] writer in
            writer.object { object in
                func writeShown(_ object: inout JSONObjectWriter) {
                    schemas.writeShown(element, property.isOptional, to: &object)
                }
                if case .linkingObjects(let className, _) = property.type {
                    schemas.writeOrigin(className, to: &object, writeShown)
                } else {
                    writeShown(&object)
                }
            }
        }
        template.values["=replyElement"] = { [schemas] writer in
            writer.object { schemas.writeElement(element, of: property, .reply, to: &$0) }
        }
        template.values["=inputElement"] = { [schemas] writer in
            writer.object { schemas.writeBody(element, of: property, to: &$0) }
        }
        let isNested = element == .scalar(.mixed) && !isSet
        let isIncluded = [
            "getElementByKey": isMap, "putElementByKey": isMap, "addElement": !isMap,
            "putElement": !isSet, "deleteElement": !isSet, "addToElement": isNested,
        ]
        for (name, isIncluded) in isIncluded { template.names[name] = isIncluded ? name : "" }
        if property.type.isCollection {
            write("collectionPaths", template, to: &paths)
            if case .linkingObjects = property.type { return }
            write("elementsPaths", template, to: &paths)
        } else {
            template.names["elementParameter"] = "step"
            template.names["read"] = "The value at the path."
        }
        write("elementPaths", template, to: &paths)
        template.names["read"] = "The value at the path."
        if isNested { write("innerPaths", template, to: &paths) }
    }
}

extension PropertyType {
    /// The type of an element of a collection, or of the objects of an inverse link.
    fileprivate var shown: ElementType {
        switch self {
        case .linkingObjects(let className, _): .object(className)
        case .single(let element), .list(let element), .set(let element), .map(let element): element
        }
    }
}

extension ElementType {
    fileprivate var isObject: Bool { if case .object = self { true } else { false } }
}
