import HoldfastJSON

/// A JSON value that can be changed in place.
final class DocumentNode {
    /// What the value is.
    enum Content {
        /// `null`, `true`, `false` or a number, as its text.
        case plain([UInt8])
        /// The unescaped UTF-8 of a string.
        case string([UInt8])
        case array([DocumentNode])
        case object(DocumentMembers)
    }

    var content: Content

    init(_ content: Content) { self.content = content }

    /// Copies a value that was read. Linear; as deep as the text was allowed to nest.
    init(_ json: JSONValue) {
        switch json.kind {
        case .null: content = .plain(Array("null".utf8))
        case .bool: content = .plain(Array((json.bool ?? false ? "true" : "false").utf8))
        case .integer, .double: content = .plain(json.numberText.map { Array($0) } ?? [])
        case .string: content = .string(json.stringBytes.map { Array($0) } ?? [])
        case .array: content = .array(json.elements.map { DocumentNode($0) })
        case .object:
            content = .object(
                DocumentMembers(json.members.map { (Array($0.name), DocumentNode($0.value)) }))
        }
    }

    /// A copy of everything below.
    func copy() -> DocumentNode {
        switch content {
        case .plain, .string: DocumentNode(content)
        case .array(let elements): DocumentNode(.array(elements.map { $0.copy() }))
        case .object(let members):
            DocumentNode(
                .object(DocumentMembers(members.members.map { ($0.name, $0.value.copy()) })))
        }
    }

    /// Writes the value as JSON.
    func write(to json: JSONWriter) {
        switch content {
        case .plain(let text): text.withUnsafeBytes { json.raw($0) }
        case .string(let text): text.withUnsafeBytes { json.string($0) }
        case .array(let elements):
            json.raw("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { json.comma() }
                element.write(to: json)
            }
            json.raw("]")
        case .object(let members):
            json.raw("{")
            for (index, member) in members.members.enumerated() {
                if index > 0 { json.comma() }
                member.name.withUnsafeBytes { json.string($0) }
                json.raw(":")
                member.value.write(to: json)
            }
            json.raw("}")
        }
    }

    /// Whether two values are the same (RFC 6902, section 4.6): numbers by value, objects whatever the
    /// order of their members.
    func isEqual(_ other: DocumentNode) -> Bool {
        switch (content, other.content) {
        case (.plain(let a), .plain(let b)):
            if a == b { return true }
            guard let left = Double(String(decoding: a, as: UTF8.self)),
                let right = Double(String(decoding: b, as: UTF8.self)), left == right
            else { return false }
            // Two different integers can be the same double.
            return !(Self.isInteger(a) && Self.isInteger(b)) || left.magnitude <= 0x1p53
        case (.string(let a), .string(let b)): return a == b
        case (.array(let a), .array(let b)):
            return a.count == b.count && zip(a, b).allSatisfy { $0.isEqual($1) }
        case (.object(let a), .object(let b)):
            guard a.count == b.count else { return false }
            return b.members.allSatisfy { a[$0.name]?.isEqual($0.value) ?? false }
        default: return false
        }
    }

    private static func isInteger(_ text: [UInt8]) -> Bool {
        text.allSatisfy { $0 == UInt8(ascii: "-") || (48...57).contains($0) }
    }
}

/// The members of a JSON object that is changed, in their order.
final class DocumentMembers {
    private(set) var members: [(name: [UInt8], value: DocumentNode)]

    var count: Int { members.count }

    init(_ members: [(name: [UInt8], value: DocumentNode)]) { self.members = members }

    subscript(name: [UInt8]) -> DocumentNode? { members.first { $0.name == name }?.value }

    /// Gives a member its value, at the end if it is new.
    func set(_ name: [UInt8], _ value: DocumentNode) {
        if let index = members.firstIndex(where: { $0.name == name }) {
            members[index].value = value
        } else {
            members.append((name, value))
        }
    }

    /// Removes a member.
    func remove(_ name: [UInt8]) { members.removeAll { $0.name == name } }
}
