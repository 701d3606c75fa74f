import JSON
extension JSONWriter {
    /// Writes a constant of the program as a string.
    ///
    /// - Parameter text: Holds nothing that needs an escape.
    func text(_ text: StaticString) {
        raw("\"")
        raw(text)
        raw("\"")
    }

    /// Writes a schema that refers to one of the document's schemas.
    func schema(_ name: String) {
        object { $0.reference(name, isOptional: false) }
    }
}

extension JSONObjectWriter {
    /// Adds what makes a schema one of the document's own, or null.
    mutating func reference(_ name: String, isOptional: Bool) {
        reference(isOptional: isOptional) { $0.string("#/components/schemas/" + name) }
    }

    /// Adds what makes a schema the one of a reference, or null.
    mutating func reference(_ reference: StaticString, isOptional: Bool) {
        self.reference(isOptional: isOptional) { $0.text(reference) }
    }

    private mutating func reference(isOptional: Bool, _ write: (JSONWriter) -> Void) {
        guard isOptional else { return write(member("$ref")) }
        member("anyOf").array { choices in
            choices.element().object { write($0.member("$ref")) }
            choices.element().raw(##"{"type":"null"}"##)
        }
    }
}
