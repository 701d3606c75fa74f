import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON

/// The claims about a user, such as the user's groups: a JSON object.
package struct Claims: Sendable, Equatable {
    /// The text of the object; empty if there are no claims.
    package let text: String

    package static let none = Claims(text: "")

    /// Whether both texts are the same, byte for byte.
    package static func == (a: Claims, b: Claims) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    /// The maximum size of the text, in bytes.
    package static let byteCountMax = 16 << 10

    /// Takes a text that was written by this type.
    init(text: String) { self.text = text }

    /// Takes an object that was read from a text, with the same spelling.
    ///
    /// - Throws: ``RequestFault`` `.invalid` if the value is not an object, repeats a name, or is too large.
    package init(_ value: JSONValue, in text: UnsafeRawBufferPointer) throws(RequestFault) {
        try Self.check(value, byteCount: text.count)
        self.text = String(decoding: text, as: UTF8.self)
    }

    /// Reads the claims in a request body.
    ///
    /// - Throws: ``RequestFault`` `.invalid` if the value is not an object, repeats a name, or is too large.
    package init(_ value: JSONValue) throws(RequestFault) {
        let buffer = ByteBuffer(capacity: 256)
        JSONWriter(buffer).copy(value)
        try Self.check(value, byteCount: buffer.count)
        text = value.count == 0 ? "" : String(decoding: buffer.bytes, as: UTF8.self)
    }

    private static func check(_ value: JSONValue, byteCount: Int) throws(RequestFault) {
        guard value.kind == .object else {
            throw fault("Claims are a JSON object, such as {\"groups\":[\"editor\"]}.")
        }
        if let name = repeatedName(in: value) {
            throw fault("'\(RequestFault.shown(name))' is claimed twice in one object.")
        }
        guard byteCount <= byteCountMax else {
            throw fault("Claims take at most \(byteCountMax) bytes, these \(byteCount).")
        }
    }

    /// Reads claims such as `groups=["editor"]`. A value that is valid JSON is read as JSON, any other value as a string.
    ///
    /// - Throws: ``RequestFault`` `.invalid` if a name is missing, or as ``init(_:)``.
    package init(assignments: [String]) throws(RequestFault) {
        let parser = JSONParser()
        let buffer = ByteBuffer(capacity: 256)
        try JSONWriter(buffer).object { (object: inout JSONObjectWriter) throws(RequestFault) in
            for text in assignments {
                let parts = text.split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, !parts[0].isEmpty else {
                    throw Self.fault("A claim is NAME=VALUE, not '\(RequestFault.shown(text))'.")
                }
                let writer = object.member(named: String(parts[0]))
                Array(parts[1].utf8).withUnsafeBytes { bytes in
                    let isJSON = (try? parser.parse(bytes)) != nil
                    if isJSON { writer.raw(bytes) } else { writer.string(bytes) }
                }
            }
        }
        let value: JSONValue
        do { value = try parser.parse(buffer.bytes) } catch {
            throw Self.fault("The claims nest too deep.")
        }
        try self.init(value)
    }

    package func write(to writer: JSONWriter) {
        var text = text.isEmpty ? "{}" : text
        text.withUTF8 { writer.raw(UnsafeRawBufferPointer($0)) }
    }

    private static func repeatedName(in value: JSONValue) -> String? {
        switch value.kind {
        case .array:
            for element in value.elements {
                if let name = repeatedName(in: element) { return name }
            }
        case .object:
            if let name = value.repeatedName { return String(decoding: name, as: UTF8.self) }
            for member in value.members {
                if let name = repeatedName(in: member.value) { return name }
            }
        default: break
        }
        return nil
    }

    private static func fault(_ detail: String) -> RequestFault {
        .single(.invalid, "invalid-token", detail, pointer: "/claims")
    }
}
