import JSON
import ObjectJSON
import ObjectModel

// The operations on properties, on whole classes, and on what happens.
extension OpenAPIPaths {
    /// Adds the reading of properties: of each collection and inverse link under a path of its own,
    /// since its page has a type of its own, and of all single values under one.
    func writeProperties(_ entry: OpenAPIClass, to paths: inout JSONObjectWriter) {
        let base = entry.path + "/objects/{id}/properties/"
        let properties = entry.definition.properties
        let single = properties.filter { !$0.type.isCollection }
        if !single.isEmpty {
            paths.member(named: base + "{property}").object { item in
                addParameters(entry, property: single, to: &item)
                add(.value, entry, to: &item) { addValue(single, to: &$0) }
                addPatch(of: single, entry, to: &item)
            }
        }
        for property in properties where property.type == .single(.scalar(.mixed)) {
            writeElements(ofMixed: property, entry, to: &paths)
        }
        for property in properties where property.type.isCollection {
            let noun =
                entry.noun + OpenAPINames.capitalised(OpenAPINames.identifier(property.name))
            paths.member(named: base + OpenAPINames.segment(property.name)).object { item in
                addParameters(entry, property: nil, to: &item)
                add(.collection, entry, noun: noun, to: &item) {
                    addElements(property, to: &$0)
                }
            }
            writeElements(property, entry, noun, to: &paths)
        }
    }

    /// Adds the parameters in the path: the object's key, and a property's name where it may be one of
    /// several.
    func addParameters(
        _ entry: OpenAPIClass, property names: [Property]?, _ extras: StaticString...,
        to item: inout JSONObjectWriter
    ) {
        item.member("parameters").array { parameters in
            let key = parameters.element()
            key.object { parameter in
                parameter.member("name").string("id")
                parameter.member("in").string("path")
                parameter.member("required").bool(true)
                parameter.member("schema").object { schemas.writeKey(of: entry, to: &$0, key) }
                examples.writeKey(of: entry, to: parameter.member("example"))
            }
            for extra in extras { parameters.element().raw(extra) }
            guard let names, let first = names.first else { return }
            parameters.element().object { parameter in
                parameter.member("name").string("property")
                parameter.member("in").string("path")
                parameter.member("required").bool(true)
                parameter.member("schema").object { schema in
                    schema.member("type").string("string")
                    schema.member("enum").array { array in
                        for property in names { array.element().string(property.name) }
                    }
                }
                parameter.member("example").string(first.name)
            }
        }
    }

    private func addValue(_ properties: [Property], to responses: inout JSONObjectWriter) {
        responses.reply(
            "200",
            "The value; the bytes of a `data` property for `Accept: application/octet-stream`.",
            ["ETag", "Holdfast-Version"]
        ) {
            $0.object { content in
                content.member("application/json").object { media in
                    media.member("schema").raw(
                        ##"{"type":"object","required":["value"],"properties":{"value":{"description":"In the form that the object has it."}}}"##
                    )
                    media.member("examples").object { list in
                        list.member("value").object { example in
                            example.member("value").object { value in
                                guard let first = properties.first else { return }
                                examples.write(first, to: value.member("value"))
                            }
                        }
                    }
                }
                if properties.contains(where: { $0.type == .single(.scalar(.data)) }) {
                    content.member("application/octet-stream").raw("{}")
                }
            }
        }
        Self.addNotModified(to: &responses)
    }

    private func addElements(_ property: Property, to responses: inout JSONObjectWriter) {
        var element = ElementType.scalar(.string)
        var holdsObjects = true
        switch property.type {
        case .linkingObjects(let className, _): element = .object(className)
        case .single(let inner), .list(let inner), .set(let inner), .map(let inner):
            element = inner
            if case .scalar = inner { holdsObjects = false }
        }
        let isMap = property.type.isMap
        let member: StaticString =
            isMap ? "entries" : holdsObjects ? "objects" : "elements"
        responses.reply("200", "A page of the collection.", ["ETag", "Link", "Holdfast-Version"]) {
            $0.content(example: nil) { schema in
                schema.member("type").string("object")
                schema.member("required").array { $0.element().text(member) }
                schema.member("properties").object { properties in
                    properties.member(member).object { array in
                        array.member("type").string("array")
                        let itemWriter = array.member("items")
                        itemWriter.object { items in
                            guard isMap else {
                                return writeElement(
                                    element, property.isOptional, to: &items, itemWriter)
                            }
                            items.member("type").string("object")
                            items.member("required").raw(##"["key","value"]"##)
                            items.member("properties").object { entry in
                                entry.member("key").raw(##"{"type":"string"}"##)
                                let value = entry.member("value")
                                value.object {
                                    writeElement(element, property.isOptional, to: &$0, value)
                                }
                            }
                        }
                    }
                    OpenAPISchemas.addPaging(to: &properties)
                }
            }
        }
        Self.addNotModified(to: &responses)
    }

    /// Writes what holds of an element on a page: a link is the object that it leads to.
    private func writeElement(
        _ element: ElementType, _ isOptional: Bool, to items: inout JSONObjectWriter,
        _ writer: JSONWriter
    ) {
        if case .object(let name) = element, let target = schemas.classes[name] {
            items.reference(target.object, isOptional: isOptional)
        } else {
            schemas.write(element, isOptional, .reply, to: &items, writer)
        }
    }

    // MARK: Whole classes

    /// Adds the import and the export.
    func writeTransfer(_ entry: OpenAPIClass, to paths: inout JSONObjectWriter) {
        writeImport(entry, to: &paths)
        writeExport(entry, to: &paths)
    }

    /// Adds the import, which only creates objects of an asymmetric class.
    func writeImport(_ entry: OpenAPIClass, to paths: inout JSONObjectWriter) {
        paths.member(named: entry.path + "/import").object { item in
            add(entry.isAsymmetric ? .importNew : .importLines, entry, to: &item) {
                $0.raw(
                    ##"{"content":{"application/x-ndjson":{"schema":{"type":"string","format":"binary","description":"One JSON object a line."}}}}"##
                )
            } replies: { responses in
                responses.reply(
                    "200", "How many lines were taken, and the fault of each that was not.",
                    ["Holdfast-Version"]
                ) {
                    $0.content("HoldfastImportReport", example: nil)
                }
            }
        }
    }

    private func writeExport(_ entry: OpenAPIClass, to paths: inout JSONObjectWriter) {
        paths.member(named: entry.path + "/export").object { item in
            add(.exportLines, entry, to: &item) { responses in
                responses.reply("200", "One JSON object a line.", ["Holdfast-Version"]) {
                    $0.raw(
                        ##"{"application/x-ndjson":{"schema":{"type":"string","format":"binary"}}}"##
                    )
                }
            }
        }
    }

    /// Adds the streams of a class and of one object.
    func writeChanges(_ entry: OpenAPIClass, to paths: inout JSONObjectWriter) {
        paths.member(named: entry.path + "/changes").object { item in
            add(.changes, entry, to: &item) { Self.addChanges(entry, to: &$0) }
        }
        paths.member(named: entry.path + "/objects/{id}/changes").object { item in
            addParameters(entry, property: nil, to: &item)
            add(.objectChanges, entry, to: &item) { Self.addChanges(entry, to: &$0) }
        }
    }

    static func addChanges(_ entry: OpenAPIClass, to responses: inout JSONObjectWriter) {
        responses.reply(
            "200",
            "A page of changes, or with `since=start` of current matches; as "
                + "`text/event-stream` events without end.", ["Link"]
        ) {
            $0.object { content in
                content.member("application/json").object { media in
                    media.member("schema").object { schema in
                        schema.member("oneOf").array { choices in
                            choices.element().schema(entry.changePage)
                            choices.element().schema(entry.snapshotPage)
                        }
                    }
                }
                content.member("text/event-stream").raw(##"{"schema":{"type":"string"}}"##)
            }
        }
    }
}
