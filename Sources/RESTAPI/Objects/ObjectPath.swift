import Bytes
import HTTPServer
import JSON
import ObjectModel
import Rows
import StoreService

/// The path of an object's resource, for `Location` and links.
package enum ObjectPath {
    /// Appends the path of what a write has created; false for what has none.
    static func append(_ created: WriteReply.Created, to buffer: ByteBuffer) -> Bool {
        switch created {
        case .object(let rowClass, let row, let key):
            append(rowClass, row, key: key, to: buffer)
            return true
        case .element(let target, let row, let key, let position):
            return append(target, row, key: key, position: position, to: buffer)
        }
    }

    /// Appends `/v1/classes/{class}/objects/{id}`, or `…/object?key=` for a key that no path carries:
    /// null, `""`, `.`, `..`, and one with `/`.
    package static func append(
        _ rowClass: RowClass, _ row: RowView, key: UInt64, to buffer: ByteBuffer
    ) {
        buffer.append("/v1/classes/" as StaticString)
        var name = rowClass.definition.name
        name.withUTF8 { appendEscaped(UnsafeRawBufferPointer($0), to: buffer) }
        guard let member = rowClass.primaryKeyIndex else {
            buffer.append("/objects/" as StaticString)
            return JSONWriter(buffer).uint(key)
        }
        let field = rowClass.field(member, in: row)
        if field.isNull { return buffer.append("/object?key=null" as StaticString) }
        let element = rowClass.members[member].storage.element
        if element == .string {
            let text = field.heap
            if isCarried(text) {
                buffer.append("/objects/" as StaticString)
                appendEscaped(text, to: buffer)
            } else {
                buffer.append("/object?key=" as StaticString)
                let json = ByteBuffer(capacity: text.count + 16)
                JSONWriter(json).string(text)
                appendEscaped(json.bytes, to: buffer)
            }
            return
        }
        buffer.append("/objects/" as StaticString)
        switch element {
        case .int: JSONWriter(buffer).int(field.slot.storedInt)
        case .objectID: field.slot.storedObjectID.writeText { buffer.append($0) }
        case .uuid: field.slot.storedUUID.writeText { buffer.append($0) }
        case .bool, .float, .double, .decimal, .string, .data, .date, .link, .embedded, .mixed:
            break
        }
    }

    /// Appends the path of an element: `…/properties/{property}/elements/{position or key}`, or
    /// `…/elements?key=` for a map's key that no path carries.
    ///
    /// - Returns: False for an element of a set, which has no path.
    private static func append(
        _ target: ElementTarget, _ row: RowView, key: UInt64, position: Int?, to buffer: ByteBuffer
    ) -> Bool {
        if target.storage.shape == .set { return false }
        append(target.rowClass, row, key: key, to: buffer)
        buffer.append("/properties/" as StaticString)
        var name = target.property.name
        name.withUTF8 { appendEscaped(UnsafeRawBufferPointer($0), to: buffer) }
        buffer.append("/elements" as StaticString)
        if let inner = target.inner {
            return append(inner, in: target, position: position, to: buffer)
        }
        guard case .key(let key)? = target.element else {
            buffer.append("/\(position ?? 0)")
            return true
        }
        key.withUnsafeBytes { key in
            if isCarried(key) {
                buffer.append("/" as StaticString)
                return appendEscaped(key, to: buffer)
            }
            buffer.append("?key=" as StaticString)
            let json = ByteBuffer(capacity: key.count + 16)
            JSONWriter(json).string(key)
            appendEscaped(json.bytes, to: buffer)
        }
        return true
    }

    /// Appends the steps to something inside a `mixed` value.
    ///
    /// - Returns: False when a step is a key that no path carries.
    private static func append(
        _ inner: [[UInt8]], in target: ElementTarget, position: Int?, to buffer: ByteBuffer
    ) -> Bool {
        var steps = inner
        switch target.element {
        case .end?, nil: break
        case .index(let index)?: steps.insert(Array("\(index)".utf8), at: 0)
        case .key(let key)?: steps.insert(key, at: 0)
        }
        if let position { steps.append(Array("\(position)".utf8)) }
        for step in steps {
            guard step.withUnsafeBytes({ isCarried($0) }) else { return false }
            buffer.append("/" as StaticString)
            step.withUnsafeBytes { appendEscaped($0, to: buffer) }
        }
        return true
    }

    /// Whether a path segment can carry a string key.
    private static func isCarried(_ text: UnsafeRawBufferPointer) -> Bool {
        let dot = UInt8(ascii: ".")
        if text.isEmpty || text.contains(UInt8(ascii: "/")) || text.contains(0) { return false }
        return !(text.count <= 2 && text.allSatisfy { $0 == dot })
    }

    /// A name as a segment of a path.
    package static func segment(_ name: String) -> String {
        let buffer = ByteBuffer(capacity: name.utf8.count + 16)
        var name = name
        name.withUTF8 { appendEscaped(UnsafeRawBufferPointer($0), to: buffer) }
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// Percent-encodes all but unreserved characters (RFC 3986, section 2.3).
    private static func appendEscaped(_ text: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        let digits: StaticString = "0123456789ABCDEF"
        for byte in text {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                buffer.append(byte)
            default:
                buffer.append(UInt8(ascii: "%"))
                buffer.append(digits.utf8Start[Int(byte >> 4)])
                buffer.append(digits.utf8Start[Int(byte & 15)])
            }
        }
    }
}
