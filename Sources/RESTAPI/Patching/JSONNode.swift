import JSON

/// A JSON value that can be changed in place, for JSON patch.
final class JSONNode {
    /// What the value is.
    enum Content {
        /// `null`, `true`, `false` or a number, as its text.
        case plain([UInt8])
        /// The unescaped UTF-8 of a string.
        case string([UInt8])
        case array([JSONNode])
        case object([(name: [UInt8], value: JSONNode)])
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
        case .array: content = .array(json.elements.map { JSONNode($0) })
        case .object:
            content = .object(json.members.map { (Array($0.name), JSONNode($0.value)) })
        }
    }

    /// How many values there are in this one, itself included.
    var count: Int { extent.count }

    /// How many values there are in this one, and on how many levels.
    var extent: (count: Int, depth: Int) {
        var count = 1
        var depth = 0
        func add(_ node: JSONNode) {
            let inner = node.extent
            count += inner.count
            depth = max(depth, inner.depth)
        }
        switch content {
        case .plain, .string: return (1, 0)
        case .array(let elements): for element in elements { add(element) }
        case .object(let members): for member in members { add(member.value) }
        }
        return (count, depth + 1)
    }

    /// A copy of everything below.
    func copy() -> JSONNode {
        switch content {
        case .plain, .string: JSONNode(content)
        case .array(let elements): JSONNode(.array(elements.map { $0.copy() }))
        case .object(let members): JSONNode(.object(members.map { ($0.name, $0.value.copy()) }))
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
            for (index, member) in members.enumerated() {
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
    func isEqual(_ other: JSONNode) -> Bool {
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
            var others: [[UInt8]: JSONNode] = [:]
            for member in b { others[member.name] = member.value }
            return a.allSatisfy { others[$0.name]?.isEqual($0.value) ?? false }
        default: return false
        }
    }

    private static func isInteger(_ text: [UInt8]) -> Bool {
        text.allSatisfy { $0 == UInt8(ascii: "-") || (48...57).contains($0) }
    }
}
