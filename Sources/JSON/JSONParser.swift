import CHoldfastSimdJSON

/// Reads JSON texts (RFC 8259) one after the other, reusing its memory.
///
/// The whole text is checked before its first value is available: the UTF-8, the grammar, the escapes, the depth, and that
/// nothing follows. Names may repeat within an object (``JSONValue/repeatedName``). Reading costs about 40 ns, plus half a
/// nanosecond for each byte.
///
/// One thread at a time uses a parser: keep one per thread.
public final class JSONParser {
    /// The number of readable bytes that must follow a text that is parsed in place.
    public static let paddingByteCount = Int(HFJSON_PADDING)

    private let parser: OpaquePointer

    /// Makes a parser. It allocates memory for the first text.
    public init() {
        guard let parser = HFJSONParserCreate() else { preconditionFailure("out of memory") }
        self.parser = parser
    }

    deinit { HFJSONParserDestroy(parser) }

    /// The maximum text size for the present memory, in bytes.
    package var capacity: Int { HFJSONParserCapacity(parser) }

    /// Frees the memory of a large text, which invalidates its values. The memory of small texts is kept.
    package func giveBack() { HFJSONParserTrim(parser) }

    /// Reads the single value in `bytes`.
    ///
    /// - Parameters:
    ///   - bytes: The text. With `hasPadding` it is read in place; otherwise it is copied first.
    ///   - hasPadding: Promises that ``paddingByteCount`` bytes after `bytes` may be read. Their contents do not matter.
    ///   - depthMax: The allowed nesting depth of arrays and objects; 1 allows one that contains only scalars.
    ///   - memoryMax: The maximum memory of values besides the text, in bytes; about 20 for each value, name and separator.
    /// - Returns: The root. It and all values below are valid until the parser reads the next text or is freed and, with
    ///   `hasPadding`, no longer than `bytes`.
    /// - Throws: ``JSONError`` if the text is not JSON, is nested too deeply or does not fit into memory.
    public func parse(
        _ bytes: UnsafeRawBufferPointer, hasPadding: Bool = false, depthMax: Int = 128,
        memoryMax: Int = .max
    ) throws(JSONError) -> JSONValue {
        var document = HFJSONDocument()
        let error = HFJSONParse(
            parser, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count,
            hasPadding, UInt32(clamping: depthMax), max(0, memoryMax), &document)
        if error != .none {
            let code = JSONError.Code(rawValue: UInt32(error.rawValue)) ?? .internal
            throw JSONError(code: code, offset: Int(document.errorOffset), depthMax: depthMax)
        }
        guard let entries = document.entries, let source = document.source else {
            throw JSONError(code: .internal, offset: 0, depthMax: depthMax)
        }
        return JSONValue(entry: UnsafeRawPointer(entries), source: UnsafeRawPointer(source))
    }
}
