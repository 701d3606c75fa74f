import JSON
// Parts of operations.
extension JSONWriter {
    /// Writes the header fields of a reply, as references to the shared ones.
    fileprivate func headers(_ names: [StaticString]) {
        object { object in
            for name in names {
                object.member(name).object {
                    $0.member("$ref").string("#/components/headers/\(name)")
                }
            }
        }
    }

    /// Writes a request's body, which has to be there, with what `content` writes of it.
    func requiredBody(_ content: (JSONWriter) -> Void) {
        object { body in
            body.member("required").bool(true)
            content(body.member("content"))
        }
    }

    /// Writes the content of a body whose schema is one of the document's own, in each of its media types,
    /// with the shared example of a name.
    func content(
        _ schemaName: String, example: String?, types: [StaticString] = ["application/json"]
    ) {
        content(example: example, types: types) { $0.reference(schemaName, isOptional: false) }
    }

    /// Writes the content of a body whose schema `schema` writes.
    func content(
        example: String?, types: [StaticString] = ["application/json"],
        _ schema: (inout JSONObjectWriter) -> Void
    ) {
        object { $0.add(example: example, types: types, schema) }
    }
}

extension JSONObjectWriter {
    /// Adds a reply with the shared header fields of some names, and with the body that `content` writes.
    mutating func reply(
        _ status: StaticString, _ description: String, _ headers: [StaticString] = [],
        content: (JSONWriter) -> Void
    ) {
        member(status).object { reply in
            reply.head(description, headers)
            content(reply.member("content"))
        }
    }

    /// Adds a reply without a body.
    mutating func reply(
        _ status: StaticString, _ description: String, _ headers: [StaticString]
    ) {
        member(status).object { $0.head(description, headers) }
    }

    private mutating func head(_ description: String, _ headers: [StaticString]) {
        member("description").string(description)
        if !headers.isEmpty { member("headers").headers(headers) }
    }

    /// Adds to the content of a body the media types that have the schema which `schema` writes.
    mutating func add(
        example: String?, types: [StaticString], _ schema: (inout JSONObjectWriter) -> Void
    ) {
        for type in types {
            member(type).object { media in
                media.member("schema").object { schema(&$0) }
                guard let example else { return }
                media.member("examples").object { list in
                    list.member("example").object {
                        $0.member("$ref").string("#/components/examples/" + example)
                    }
                }
            }
        }
    }
}
