import HoldfastJSON

extension JSONWriter {
    /// Writes a value as it stands. Recursive: its text was parsed with a bounded depth.
    package func plain(_ value: JSONValue) {
        switch value.kind {
        case .null: null()
        case .bool: bool(value.bool == true)
        case .integer, .double:
            if let text = value.numberText { raw(text) }
        case .string:
            if let text = value.stringBytes { string(text) }
        case .array:
            array { array in
                for element in value.elements { array.element().plain(element) }
            }
        case .object:
            object { object in
                for member in value.members {
                    let name = String(decoding: member.name, as: UTF8.self)
                    object.member(named: name).plain(member.value)
                }
            }
        }
    }
}
