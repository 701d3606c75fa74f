import HoldfastJSON

extension JSONWriter {
    /// Writes a reference to one of the document's components.
    func reference(_ group: String, _ name: String) {
        object { $0.member("$ref").string("#/components/\(group)/\(name)") }
    }

    /// Writes a schema that refers to one of the document's schemas.
    func schema(_ name: String) { reference("schemas", name) }
}

extension JSONObjectWriter {
    /// Adds what makes a schema one of the document's own, or null.
    mutating func reference(_ name: String, isOptional: Bool) {
        guard isOptional else { return member("$ref").string("#/components/schemas/" + name) }
        member("anyOf").array { choices in
            choices.element().schema(name)
            choices.element().raw(##"{"type":"null"}"##)
        }
    }
}
