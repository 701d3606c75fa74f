import HoldfastJSON

/// Parses a copy of `text` without padding and hands the root to `body`.
func withParsed<Result>(
    _ text: String, depthMax: Int = 128, _ body: (JSONValue) throws -> Result
) throws -> Result {
    try withParsed(Array(text.utf8), depthMax: depthMax, body)
}

/// Parses `bytes` without padding and hands the root to `body`.
func withParsed<Result>(
    _ bytes: [UInt8], depthMax: Int = 128, _ body: (JSONValue) throws -> Result
) throws -> Result {
    let parser = JSONParser()
    defer { withExtendedLifetime(parser) {} }
    return try bytes.withUnsafeBytes { try body(try parser.parse($0, depthMax: depthMax)) }
}

/// The error of a text that has to be refused; nil when it is not.
func fault(of bytes: [UInt8], depthMax: Int = 128) -> JSONError? {
    do throws(JSONError) {
        let parser = JSONParser()
        // A closure would lose the type of the error.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: bytes)
        _ = try parser.parse(UnsafeRawBufferPointer(copy), depthMax: depthMax)
        return nil
    } catch {
        return error
    }
}

/// A value as text that shows everything the parser knows of it.
func describe(_ value: JSONValue) -> String {
    switch value.kind {
    case .null: return "null"
    case .bool: return value.bool == true ? "true" : "false"
    case .integer, .double:
        return value.numberText.map { String(decoding: $0, as: UTF8.self) } ?? "no text"
    case .string: return "<\(value.string ?? "no text")>"
    case .array: return "[" + value.elements.map(describe).joined(separator: ",") + "]"
    case .object:
        let members = value.members.map {
            String(decoding: $0.name, as: UTF8.self) + ":" + describe($0.value)
        }
        return "{" + members.joined(separator: ",") + "}"
    }
}
