extension JSONWriter {
    /// Writes a value as it stands. Recursive: its text was parsed with a bounded depth.
    package func copy(_ value: JSONValue) {
        switch value.kind {
        case .null: null()
        case .bool: bool(value.bool == true)
        case .integer, .double:
            if let text = value.numberText { raw(text) }
        case .string:
            if let text = value.stringBytes { string(text) }
        case .array, .object: each(of: value) { $1.copy($0) }
        }
    }

    /// Writes an array or an object, each value of which `body` writes; any other value as it stands.
    package func each(of value: JSONValue, _ body: (JSONValue, JSONWriter) -> Void) {
        switch value.kind {
        case .array: array(of: value.elements, body)
        case .object:
            object { object in
                for member in value.members {
                    let name = String(decoding: member.name, as: UTF8.self)
                    body(member.value, object.member(named: name))
                }
            }
        default: copy(value)
        }
    }
}
