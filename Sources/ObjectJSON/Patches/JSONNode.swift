import JSON

/// A JSON value that can be changed in place, for JSON patch.
package final class JSONNode {
    /// What the value is.
    package enum Content {
        /// `null`, `true`, `false` or a number, as its text.
        case plain([UInt8])
        /// The unescaped UTF-8 of a string.
        case string([UInt8])
        case array([JSONNode])
        case object(JSONMembers)
    }

    package var content: Content

    package init(_ content: Content) { self.content = content }

    /// Copies a value that was read. Linear; as deep as the text was allowed to nest.
    package init(_ json: JSONValue) {
        switch json.kind {
        case .null: content = .plain(Array("null".utf8))
        case .bool: content = .plain(Array((json.bool ?? false ? "true" : "false").utf8))
        case .integer, .double: content = .plain(json.numberText.map { Array($0) } ?? [])
        case .string: content = .string(json.stringBytes.map { Array($0) } ?? [])
        case .array: content = .array(json.elements.map { JSONNode($0) })
        case .object:
            content = .object(
                JSONMembers(json.members.map { (Array($0.name), JSONNode($0.value)) }))
        }
    }

    /// The size of a value.
    struct Extent {
        /// Values in it, itself included.
        var count = 1
        /// The bytes of its texts, numbers and names.
        var byteCount = 0
        /// On how many levels they are.
        var depth = 0
    }

    /// How much the value is. Linear.
    var extent: Extent {
        var extent = Extent()
        func add(_ node: JSONNode) {
            let inner = node.extent
            extent.count += inner.count
            extent.byteCount += inner.byteCount
            extent.depth = max(extent.depth, inner.depth)
        }
        switch content {
        case .plain(let text), .string(let text):
            extent.byteCount = text.count
            return extent
        case .array(let elements): for element in elements { add(element) }
        case .object(let members):
            for member in members.all {
                extent.byteCount += member.name.count
                add(member.value)
            }
        }
        extent.depth += 1
        return extent
    }

    /// A copy of everything below.
    func copy() -> JSONNode {
        switch content {
        case .plain, .string: JSONNode(content)
        case .array(let elements): JSONNode(.array(elements.map { $0.copy() }))
        case .object(let members):
            JSONNode(.object(JSONMembers(members.all.map { ($0.name, $0.value.copy()) })))
        }
    }

    /// Writes the value as JSON.
    package func write(to json: JSONWriter) {
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
            for (index, member) in members.all.enumerated() {
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
    package func isEqual(_ other: JSONNode) -> Bool {
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
            return b.all.allSatisfy { a[$0.name]?.isEqual($0.value) ?? false }
        default: return false
        }
    }

    private static func isInteger(_ text: [UInt8]) -> Bool {
        text.allSatisfy { $0 == UInt8(ascii: "-") || (48...57).contains($0) }
    }
}
