import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel

// The schemas of projections.
extension OpenAPISchemas {
    /// Adds every schema that belongs to a projection.
    func write(_ shown: OpenAPIProjection, to schemas: inout JSONObjectWriter) {
        var template = template(of: shown.entry)
        let hasOperations = shown.entry.hasOperations
        template.names["base"] = shown.definition.className
        template.names["patternProperties"] = hasOperations ? "patternProperties" : ""
        template.values["=reply"] = { writer in
            writer.object { properties in
                if shown.declaresID { writeID(to: &properties) }
                for property in shown.properties {
                    let name = property.definition.name
                    properties.member(named: name).object { write(property, to: &$0) }
                }
            }
        }
        template.values["=patch"] = { writer in
            writer.object { properties in
                for property in shown.properties where property.isWritable {
                    let name = property.definition.name
                    properties.member(named: name).object { writePatch(property, to: &$0) }
                }
            }
        }
        template.write("projectionSchemas", to: &schemas)
        if hasOperations { template.write("pageSchemas", to: &schemas) }
    }

    /// Writes the schema of a property in a reply.
    private func write(_ property: OpenAPIProjection.Property, to object: inout JSONObjectWriter) {
        let value = property.value
        let isCollection = value.isMapped || value.property.type.isCollection
        if isCollection, value.isBehindNull {
            object.member("oneOf").array { choices in
                choices.element().object { writeShown(property, to: &$0) }
                choices.element().raw(##"{"type":"null"}"##)
            }
        } else {
            writeShown(property, to: &object)
        }
        let path = property.definition.pathText
        if path != property.definition.name {
            object.member("description").string("What stands at `\(path)`.")
        }
        if !property.isWritable, value.property.isStored { object.member("readOnly").bool(true) }
    }

    /// Writes the schema of a property that is not null as a whole, unless it is a single value.
    private func writeShown(
        _ property: OpenAPIProjection.Property, to object: inout JSONObjectWriter
    ) {
        let value = property.value
        let inner = property.definition.projection.flatMap { classes.projection($0) }
        if value.isMapped {
            guard let element = value.property.type.element else { return }
            writeEach(isMap: value.isMap, to: &object) { items in
                writeElement(
                    element, of: value.property, .reply, orNull: value.isElementBehindNull,
                    to: &items)
            }
        } else if let inner {
            let name = inner.entry.object
            switch value.property.type {
            case .single: object.reference(name, isOptional: true)
            case .list, .set, .map:
                let isMap = value.property.type.isMap
                writeEach(isMap: isMap, to: &object) { $0.reference(name, isOptional: isMap) }
            case .linkingObjects: return
            }
        } else {
            var shown = value.property
            if !shown.type.isCollection, value.isBehindNull { shown.isOptional = true }
            writeType(of: shown, .reply, to: &object)
        }
    }

    private func writeEach(
        isMap: Bool, to object: inout JSONObjectWriter, _ element: (inout JSONObjectWriter) -> Void
    ) {
        object.member("type").string(isMap ? "object" : "array")
        let items = isMap ? object.member("additionalProperties") : object.member("items")
        items.object { element(&$0) }
    }

    /// Writes the schema of a property in a patch.
    private func writePatch(
        _ property: OpenAPIProjection.Property, to object: inout JSONObjectWriter
    ) {
        let stored = property.value.property
        guard let inner = property.definition.projection.flatMap({ classes.projection($0) }) else {
            return writeType(of: stored, .patch, to: &object)
        }
        guard inner.entry.hasOperations else {
            return object.reference(inner.entry.patch, isOptional: true)
        }
        object.member("oneOf").array { choices in
            choices.element().object { writeKey(of: inner.entry, to: &$0) }
            choices.element().schema(inner.entry.patch)
            choices.element().schema("HoldfastLink")
            choices.element().raw(##"{"type":"null"}"##)
        }
    }
}

extension JSONWriter {
    /// Writes a reference to one of the document's components.
    func reference(_ group: String, _ name: String) {
        object { $0.member("$ref").string("#/components/\(group)/\(name)") }
    }

    /// Writes a schema that refers to one of the document's schemas.
    func schema(_ name: String) { reference("schemas", name) }
}

extension JSONObjectWriter {
    /// Adds a reference to a schema of the document, or null.
    mutating func reference(_ name: String, isOptional: Bool) {
        guard isOptional else { return member("$ref").string("#/components/schemas/" + name) }
        member("anyOf").array { choices in
            choices.element().schema(name)
            choices.element().raw(##"{"type":"null"}"##)
        }
    }
}
