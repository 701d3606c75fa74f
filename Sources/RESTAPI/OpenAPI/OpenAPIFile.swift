import HoldfastJSON

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
