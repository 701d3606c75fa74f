import HoldfastBytes
import HoldfastHTTPServer
import HoldfastJSON
import HoldfastStoreService

/// The path of an object's resource, for `Location` and links.
package enum ObjectPath {
    /// Appends `/v1/classes/{class}/objects/{id}`, or `/v1/projections/{projection}/…` for an object that was made
    /// through a projection. A key that no path can carry (null, `""`, `.`, `..`, and a key with `/`) is appended as
    /// `…/object?key=`. For an element, appends `…/properties/{property}/elements/{position or key}` as well, or
    /// `…/elements?key=` for a map's key that no path can carry.
    ///
    /// - Returns: False when a step to an element is a key that no path carries.
    static func append(_ created: CreatedPath, to buffer: ByteBuffer) -> Bool {
        if let projection = created.projection {
            buffer.append("/v1/projections/" as StaticString)
            append(name: projection, to: buffer)
        } else {
            buffer.append("/v1/classes/" as StaticString)
            append(name: created.className, to: buffer)
        }
        switch created.key {
        case .null: buffer.append("/object?key=null" as StaticString)
        case .number(let text):
            buffer.append("/objects/" as StaticString)
            buffer.append(text)
        case .text(var text):
            text.withUTF8 {
                append(
                    UnsafeRawBufferPointer($0), behind: "/objects/", or: "/object?key=", to: buffer)
            }
        }
        guard let element = created.element else { return true }
        buffer.append("/properties/" as StaticString)
        append(name: element.property, to: buffer)
        buffer.append("/elements" as StaticString)
        switch element.place {
        case .position(let position): buffer.append("/\(position)")
        case .key(let key):
            key.withUnsafeBytes { append($0, behind: "/", or: "?key=", to: buffer) }
        case .steps(let steps):
            for step in steps {
                guard step.withUnsafeBytes({ isCarried($0) }) else { return false }
                buffer.append("/" as StaticString)
                step.withUnsafeBytes { appendEscaped($0, to: buffer) }
            }
        }
        return true
    }

    private static func append(name: String, to buffer: ByteBuffer) {
        var name = name
        name.withUTF8 { appendEscaped(UnsafeRawBufferPointer($0), to: buffer) }
    }

    /// Appends a string key as a segment, or where no path carries it as the JSON of a parameter.
    private static func append(
        _ text: UnsafeRawBufferPointer, behind path: StaticString, or parameter: StaticString,
        to buffer: ByteBuffer
    ) {
        if isCarried(text) {
            buffer.append(path)
            return appendEscaped(text, to: buffer)
        }
        buffer.append(parameter)
        let json = ByteBuffer(capacity: text.count + 16)
        JSONWriter(json).string(text)
        appendEscaped(json.bytes, to: buffer)
    }

    /// Whether a path segment can carry a string key.
    private static func isCarried(_ text: UnsafeRawBufferPointer) -> Bool {
        let dot = UInt8(ascii: ".")
        if text.isEmpty || text.contains(UInt8(ascii: "/")) || text.contains(0) { return false }
        return !(text.count <= 2 && text.allSatisfy { $0 == dot })
    }

    /// A name as a segment of a path, or a text as a value in a query.
    package static func segment(_ name: String) -> String {
        let buffer = ByteBuffer(capacity: name.utf8.count + 16)
        append(name: name, to: buffer)
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

/// Where a request names its object.
enum KeySource: Sendable {
    /// `…/objects/{id}`
    case path
    /// `…/object?key=<JSON>`
    case parameter
}

extension ObjectAddress {
    /// Reads the address of an object from a request.
    init(_ request: Request, _ source: KeySource) {
        var key = Key.missing
        if source == .path {
            key = .text(UnsafeRawBufferPointer(request.parameter(1).bytes))
        } else if let text = request[query: "key"] {
            key = .json(UnsafeRawBufferPointer(text.bytes))
        }
        self.init(request.className, key, of: request)
    }
}

extension Request {
    /// The body, which the request holds.
    var bodyBytes: RequestBytes { RequestBytes(body, of: self) }
}
