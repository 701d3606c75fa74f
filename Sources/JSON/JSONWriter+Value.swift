extension JSONWriter {
    /// Writes a value of another text, without the blanks between its parts.
    package func value(_ value: JSONValue) {
        switch value.kind {
        case .null: null()
        case .bool: bool(value.bool == true)
        case .integer, .double: if let text = value.numberText { raw(text) }
        case .string: if let text = value.stringBytes { string(text) }
        case .array:
            array { for element in value.elements { $0.element().value(element) } }
        case .object:
            object { $0.members(of: value) }
        }
    }
}

extension JSONObjectWriter {
    /// Adds the members of an object of another text.
    package mutating func members(of object: JSONValue) {
        for member in object.members {
            self.member(named: String(decoding: member.name, as: UTF8.self)).value(member.value)
        }
    }
}
