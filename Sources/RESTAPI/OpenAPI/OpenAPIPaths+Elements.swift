import JSON
import ObjectModel

// The operations on single elements of collections.
extension OpenAPIPaths {
    private static let position: StaticString =
        ##"{"name":"element","in":"path","required":true,"description":"The position of the element, from 0 up.","schema":{"type":"integer","minimum":0},"example":0}"##
    private static let key: StaticString =
        ##"{"name":"element","in":"path","required":true,"description":"The key of the entry.","schema":{"type":"string","minLength":1},"example":"key"}"##

    /// Adds what one can do with the elements of a collection; nothing for an inverse link.
    func writeElements(
        _ property: Property, _ entry: OpenAPIClass, _ noun: String,
        to paths: inout JSONObjectWriter
    ) {
        let path =
            entry.path + "/objects/{id}/properties/" + OpenAPINames.segment(property.name)
            + "/elements"
        let element: ElementType
        var isMap = false
        var isSet = false
        switch property.type {
        case .single, .linkingObjects: return
        case .list(let inner): element = inner
        case .set(let inner):
            element = inner
            isSet = true
        case .map(let inner):
            element = inner
            isMap = true
        }
        func body(_ writer: JSONWriter) {
            writer.object { body in
                body.member("required").bool(true)
                let content = body.member("content")
                content.content(example: nil) {
                    writeValue(element, property, .input, to: &$0, content)
                }
            }
        }
        func read(_ operation: OpenAPIOperation, to item: inout JSONObjectWriter) {
            add(operation, entry, noun: noun, to: &item) { responses in
                responses.member("200").object { reply in
                    reply.member("description").string("The element.")
                    reply.member("headers").headers("ETag", "Holdfast-Version")
                    reply.member("content").content(example: nil) { schema in
                        schema.member("type").string("object")
                        schema.member("required").raw(##"["value"]"##)
                        schema.member("properties").object { properties in
                            let value = properties.member("value")
                            value.object {
                                writeValue(element, property, .reply, to: &$0, value)
                            }
                        }
                    }
                }
                Self.addNotModified(to: &responses)
            }
        }
        func write(_ operation: OpenAPIOperation, to item: inout JSONObjectWriter) {
            add(operation, entry, noun: noun, to: &item, body: body) {
                Self.addWritten(entry, to: &$0, "Idempotency-Replayed")
            }
        }
        func remove(_ operation: OpenAPIOperation, to item: inout JSONObjectWriter) {
            add(operation, entry, noun: noun, to: &item) {
                Self.addChanged(entry, to: &$0)
            }
        }
        paths.member(named: path).object { item in
            addParameters(entry, property: nil, to: &item)
            if isMap {
                read(.getElementByKey, to: &item)
                write(.putElementByKey, to: &item)
            } else {
                write(.addElement, to: &item)
            }
            remove(.deleteElementByKey, to: &item)
        }
        paths.member(named: path + "/{element}").object { item in
            addParameters(entry, property: nil, isMap ? Self.key : Self.position, to: &item)
            read(.getElement, to: &item)
            if isSet { return }
            write(.putElement, to: &item)
            remove(.deleteElement, to: &item)
            if element == .scalar(.mixed) {
                writeMixed(.addToElement, entry, noun, to: &item)
            }
        }
        if element == .scalar(.mixed), !isSet {
            writeInnerElements(path + "/{element}", entry, noun, to: &paths)
        }
    }

    private func writeValue(
        _ element: ElementType, _ property: Property, _ form: OpenAPISchemas.Form,
        to object: inout JSONObjectWriter, _ writer: JSONWriter
    ) {
        schemas.write(element, property.isOptional, form, to: &object, writer)
        schemas.writeCases(of: property, isOptional: property.isOptional, to: &object)
    }
}
