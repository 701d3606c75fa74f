import JSON
import ObjectJSON
import ObjectModel

// The schemas of projections.
extension OpenAPISchemas {
    /// Adds every schema that belongs to a projection.
    func write(_ shown: OpenAPIProjection, to schemas: inout JSONObjectWriter) {
        schemas.member(named: shown.entry.object).object { writeReply(shown, to: &$0) }
        schemas.member(named: shown.entry.patch).object { writePatch(shown, to: &$0) }
        guard shown.entry.hasOperations else { return }
        writePage(shown.entry, to: &schemas)
        writeTold(shown.entry, to: &schemas)
    }

    private func writeReply(_ shown: OpenAPIProjection, to object: inout JSONObjectWriter) {
        object.member("type").string("object")
        object.member("description").string(
            "An object of class `\(shown.definition.className)` as projection "
                + "`\(shown.definition.name)` shows it. `fields` says which properties it has.")
        object.member("properties").object { properties in
            if shown.declaresID {
                properties.member("$id").raw(
                    ##"{"type":"integer","format":"int64","minimum":0,"description":"The key that the store gave to the object."}"##
                )
            }
            for property in shown.properties {
                let writer = properties.member(named: property.definition.name)
                writer.object { write(property, to: &$0, writer) }
            }
        }
        object.member("patternProperties").raw(
            ##"{"^\\$version$":{"$ref":"#/components/schemas/HoldfastVersion"}}"##)
    }

    private func writePatch(_ shown: OpenAPIProjection, to object: inout JSONObjectWriter) {
        object.member("type").string("object")
        object.member("description").string(
            "A change in the names of projection `\(shown.definition.name)`: what is left out stays."
        )
        object.member("properties").object { properties in
            for property in shown.properties where property.isWritable {
                let writer = properties.member(named: property.definition.name)
                writer.object { writePatch(property, to: &$0, writer) }
            }
        }
        if shown.entry.hasOperations {
            object.member("patternProperties").raw(
                ##"{"^\\$id$":{"type":["string","integer","null"]},"^\\$version$":{"$ref":"#/components/schemas/HoldfastVersion"}}"##
            )
        }
        object.member("additionalProperties").bool(false)
    }

    /// Writes what holds of a property in a reply.
    private func write(
        _ property: OpenAPIProjection.Property, to object: inout JSONObjectWriter,
        _ writer: JSONWriter
    ) {
        let value = property.value
        let isCollection = value.isMapped || value.property.type.isCollection
        if isCollection, value.isBehindNull {
            object.member("oneOf").array { choices in
                let whole = choices.element()
                whole.object { writeShown(property, to: &$0, whole) }
                choices.element().raw(##"{"type":"null"}"##)
            }
        } else {
            writeShown(property, to: &object, writer)
        }
        let path = property.definition.pathText
        if path != property.definition.name {
            object.member("description").string("What stands at `\(path)`.")
        }
        if !property.isWritable, value.property.isStored { object.member("readOnly").bool(true) }
    }

    /// Writes what holds of a property that is not null as a whole, unless it is a single value.
    private func writeShown(
        _ property: OpenAPIProjection.Property, to object: inout JSONObjectWriter,
        _ writer: JSONWriter
    ) {
        let value = property.value
        let inner = property.definition.projection.flatMap { classes.projection($0) }
        if value.isMapped {
            guard let element = value.property.type.element else { return }
            let isOptional = value.property.isOptional || value.isElementBehindNull
            writeEach(isMap: value.isMap, to: &object) { items, member in
                write(element, isOptional, .reply, to: &items, member)
                writeCases(of: value.property, isOptional: isOptional, to: &items)
            }
        } else if let inner {
            let name = inner.entry.object
            switch value.property.type {
            case .single: object.reference(name, isOptional: true)
            case .list, .set:
                writeEach(isMap: false, to: &object) { items, _ in
                    items.reference(name, isOptional: false)
                }
            case .map:
                writeEach(isMap: true, to: &object) { items, _ in
                    items.reference(name, isOptional: true)
                }
            case .linkingObjects: return
            }
        } else {
            var shown = value.property
            if !shown.type.isCollection, value.isBehindNull { shown.isOptional = true }
            writeType(of: shown, .reply, to: &object, writer)
        }
    }

    private func writeEach(
        isMap: Bool, to object: inout JSONObjectWriter,
        _ element: (inout JSONObjectWriter, JSONWriter) -> Void
    ) {
        object.member("type").string(isMap ? "object" : "array")
        let items = isMap ? object.member("additionalProperties") : object.member("items")
        items.object { element(&$0, items) }
    }

    /// Writes what a patch may state of a property.
    private func writePatch(
        _ property: OpenAPIProjection.Property, to object: inout JSONObjectWriter,
        _ writer: JSONWriter
    ) {
        let stored = property.value.property
        guard let inner = property.definition.projection.flatMap({ classes.projection($0) }) else {
            return writeType(of: stored, .patch, to: &object, writer)
        }
        guard inner.entry.hasOperations else {
            return object.reference(inner.entry.patch, isOptional: true)
        }
        object.member("oneOf").array { choices in
            let key = choices.element()
            key.object { writeKey(of: inner.entry, to: &$0, key) }
            choices.element().schema(inner.entry.patch)
            choices.element().schema("HoldfastLink")
            choices.element().raw(##"{"type":"null"}"##)
        }
    }
}
