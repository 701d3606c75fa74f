import JSON
import ObjectModel

// The operations on what stands inside `mixed` values.
extension OpenAPIPaths {
    private static let element: StaticString =
        ##"{"name":"element","in":"path","required":true,"description":"A list's position or a map's key.","schema":{"type":"string","minLength":1},"example":"0"}"##
    private static let inner: StaticString =
        ##"{"name":"inner","in":"path","required":true,"description":"A step into the element: a list's position or a map's key. More steps follow as further segments.","schema":{"type":"string","minLength":1},"example":"0"}"##

    /// Adds what one can do with the elements of a single property that holds a list or a map.
    func writeElements(
        ofMixed property: Property, _ entry: OpenAPIClass, to paths: inout JSONObjectWriter
    ) {
        let noun = entry.noun + OpenAPINames.capitalised(OpenAPINames.identifier(property.name))
        let path =
            entry.path + "/objects/{id}/properties/" + OpenAPINames.segment(property.name)
            + "/elements/{element}"
        paths.member(named: path).object { item in
            addParameters(entry, property: nil, Self.element, to: &item)
            readMixed(.getElement, entry, noun, to: &item)
            writeMixed(.putElement, entry, noun, to: &item)
            removeMixed(.deleteElement, entry, noun, to: &item)
            writeMixed(.addToElement, entry, noun, to: &item)
        }
        writeInnerElements(path, entry, noun, to: &paths)
    }

    /// Adds what one can do inside an element, whose path is `path`, when it is a list or a map.
    func writeInnerElements(
        _ path: String, _ entry: OpenAPIClass, _ noun: String, to paths: inout JSONObjectWriter
    ) {
        paths.member(named: path + "/{inner}").object { item in
            addParameters(entry, property: nil, Self.element, Self.inner, to: &item)
            readMixed(.getInnerElement, entry, noun, to: &item)
            writeMixed(.putInnerElement, entry, noun, to: &item)
            removeMixed(.deleteInnerElement, entry, noun, to: &item)
            writeMixed(.addInnerElement, entry, noun, to: &item)
        }
    }

    /// Adds an operation that states a value.
    func writeMixed(
        _ operation: OpenAPIOperation, _ entry: OpenAPIClass, _ noun: String,
        to item: inout JSONObjectWriter
    ) {
        add(
            operation, entry, noun: noun, to: &item,
            body: { writer in
                writer.object { body in
                    body.member("required").bool(true)
                    let content = body.member("content")
                    content.content(example: nil) {
                        self.schemas.write(.scalar(.mixed), false, .input, to: &$0, content)
                    }
                }
            },
            replies: { Self.addWritten(entry, to: &$0, "Idempotency-Replayed") })
    }

    private func readMixed(
        _ operation: OpenAPIOperation, _ entry: OpenAPIClass, _ noun: String,
        to item: inout JSONObjectWriter
    ) {
        add(operation, entry, noun: noun, to: &item) { responses in
            responses.member("200").object { reply in
                reply.member("description").string("What stands there.")
                reply.member("headers").headers("ETag", "Holdfast-Version")
                reply.member("content").content(example: nil) { schema in
                    schema.member("type").string("object")
                    schema.member("required").raw(##"["value"]"##)
                    schema.member("properties").object { properties in
                        let value = properties.member("value")
                        value.object {
                            schemas.write(.scalar(.mixed), false, .reply, to: &$0, value)
                        }
                    }
                }
            }
            Self.addNotModified(to: &responses)
        }
    }

    private func removeMixed(
        _ operation: OpenAPIOperation, _ entry: OpenAPIClass, _ noun: String,
        to item: inout JSONObjectWriter
    ) {
        add(operation, entry, noun: noun, to: &item) { Self.addChanged(entry, to: &$0) }
    }
}
