import HoldfastJSON

/// A part of the document that is the same for every class but for names: `classes.json`, which is built into the
/// program.
///
/// There, `<name>` in a text or a member's name stands for one of ``names``, and the text `"=name"` for what one of
/// ``values`` writes, or for a part of that name. A member whose name becomes empty is left out.
///
/// A value that can be an object or an array of them is an `anyOf`: generators of TypeScript import a class twice for a `oneOf`.
struct OpenAPITemplate {
    private let file: OpenAPIFile
    /// The texts that names stand for.
    var names: [String: String] = [:]
    /// The writers of the values of names, which begin with `=` here.
    var values: [String: (JSONWriter) -> Void] = [:]

    /// Makes a template in which no name stands for anything.
    init(_ file: OpenAPIFile) { self.file = file }

    /// A group of parts, as it is written.
    subscript(_ group: StaticString) -> JSONValue? { file[group] }

    /// Adds the members of a group.
    func write(_ group: StaticString, to object: inout JSONObjectWriter) {
        if let group = self[group] { writeMembers(of: group, to: &object) }
    }

    /// Adds the members of an object, or of the part that stands for one.
    func writeMembers(of value: JSONValue, to object: inout JSONObjectWriter) {
        for member in (part(value) ?? value).members {
            let name = filled(member.name)
            if !name.isEmpty { write(member.value, to: object.member(named: name)) }
        }
    }

    /// Writes a value.
    func write(_ value: JSONValue, to writer: JSONWriter) {
        switch value.kind {
        case .object: writer.object { writeMembers(of: value, to: &$0) }
        case .array: writer.array(of: value.elements) { write($0, to: $1) }
        case .string:
            guard let text = value.stringBytes else { return }
            if let part = part(value) {
                write(part, to: writer)
            } else if text.first == UInt8(ascii: "="), let write = values[filled(text)] {
                write(writer)
            } else {
                writer.string(filled(text))
            }
        case .null: writer.null()
        case .bool: writer.bool(value.bool == true)
        case .integer, .double: if let text = value.numberText { writer.raw(text) }
        }
    }

    /// The part that a text names.
    private func part(_ value: JSONValue) -> JSONValue? {
        guard let text = value.stringBytes, text.first == UInt8(ascii: "=") else { return nil }
        return file.parts[filled(text)]
    }

    /// A text with what its names stand for.
    func filled(_ text: UnsafeRawBufferPointer) -> String {
        let text = String(decoding: text, as: UTF8.self)
        guard text.utf8.contains(UInt8(ascii: "<")) else { return text }
        let pieces = text.split(separator: "<", omittingEmptySubsequences: false)
        return pieces.dropFirst().reduce(into: String(pieces[0])) { filled, piece in
            if let end = piece.firstIndex(of: ">"), let text = names[String(piece[..<end])] {
                filled += text + piece[end...].dropFirst()
            } else {
                filled += "<" + piece
            }
        }
    }
}
