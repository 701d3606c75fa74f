import JSON
// Parts of operations.
extension JSONWriter {
    /// Writes the header fields of a reply, as references to the shared ones.
    func headers(_ names: StaticString...) { headers(names) }

    /// Writes the header fields of a reply, as references to the shared ones.
    func headers(_ names: [StaticString]) {
        object { object in
            for name in names {
                object.member(name).object {
                    $0.member("$ref").string("#/components/headers/\(name)")
                }
            }
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
