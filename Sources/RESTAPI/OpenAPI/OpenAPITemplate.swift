import HoldfastJSON
import HoldfastStoreService

/// A part of the document that is the same for every class except for names: `classes.json`, which is built into the program.
///
/// There, `<name>` in a text or a member's name stands for one of ``names``, and the text `"=name"` for the output of one of
/// ``values``, or for a part of that name. A member with a name that becomes empty is left out.
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

    /// A text with its names filled in.
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

/// A file of JSON that is built into the program: a test shows that it can be read.
final class OpenAPIFile {
    /// The members of its member `parts`, each behind a `=`; valid as long as the file is there.
    private(set) var parts: [String: JSONValue] = [:]
    private let parser = JSONParser()
    private let root: JSONValue?

    init(_ text: [UInt8]) {
        let parser = parser
        root = text.withUnsafeBytes { try? parser.parse($0) }
        guard let parts = root?.member(named: "parts") else { return }
        for member in parts.members {
            self.parts["=" + String(decoding: member.name, as: UTF8.self)] = member.value
        }
    }

    /// A member; valid as long as the file is there.
    subscript(_ name: StaticString) -> JSONValue? { root?.member(named: name) }
}

/// Shared schemas, parameters, headers and error replies, as they stand in `components.json`, which is built into the program.
///
/// There, a JSON patch is an array in two parts, because openapi-python-client would make a `list[…]` of a plain array,
/// and ask of every body whether it is one, which Python refuses for merge patches too.
struct OpenAPIComponents {
    /// Objects of a page at most.
    let pageObjectCountMax: Int
    /// Objects of a page when the request does not say.
    let pageObjectCountDefault: Int

    private static var file: OpenAPIFile { OpenAPIFile(PackageResources.components_json) }

    /// The names of the shared schemas.
    static let schemaNames: [String] = withExtendedLifetime(file) { file in
        file["schemas"]?.members.map { String(decoding: $0.name, as: UTF8.self) } ?? []
    }

    var template: OpenAPITemplate {
        var template = OpenAPITemplate(Self.file)
        let limits = [
            "=limit": pageObjectCountMax, "=defaultLimit": pageObjectCountDefault,
            "=sectionObjects": min(CheckedSections.objectCountDefault, pageObjectCountMax),
        ]
        template.values = limits.mapValues { limit in { $0.int(Int64(limit)) } }
        return template
    }
}

/// An error reply, by its status.
enum OpenAPIProblem: UInt16, CaseIterable {
    case badRequest = 400
    case unauthorized = 401
    case forbidden = 403
    case notFound = 404
    case methodNotAllowed = 405
    case notAcceptable = 406
    case requestTimeout = 408
    case conflict = 409
    case gone = 410
    case preconditionFailed = 412
    case bodyTooLarge = 413
    case targetTooLong = 414
    case unsupportedMediaType = 415
    case misdirectedRequest = 421
    case unprocessableContent = 422
    case tooManyRequests = 429
    case headersTooLarge = 431
    case internalError = 500
    case serviceUnavailable = 503
    case insufficientStorage = 507

    var name: String { OpenAPINames.capitalised("\(self)") }
}
