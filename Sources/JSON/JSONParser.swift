import CHoldfastSimdJSON

/// Reads JSON texts (RFC 8259), one after the other, with the same memory.
///
/// A whole text is checked before the first value can be looked at: its UTF-8, its grammar, its
/// escapes, its depth, and that nothing follows. Names may repeat within an object
/// (``JSONValue/repeatedName``). Reading costs about 40 ns and half a nanosecond a byte.
///
/// One thread at a time uses a parser: keep one per thread.
public final class JSONParser {
    /// How many readable bytes have to follow a text that is parsed in place.
    public static let paddingByteCount = Int(HFJSON_PADDING)

    private let parser: OpaquePointer

    /// Makes a parser; its memory comes with the first text.
    public init() {
        guard let parser = HFJSONParserCreate() else { preconditionFailure("out of memory") }
        self.parser = parser
    }

    deinit { HFJSONParserDestroy(parser) }

    /// The bytes of the longest text that there is memory for.
    package var capacity: Int { HFJSONParserCapacity(parser) }

    /// Gives back the memory of a large text, whose values are not valid any more; that of small ones is kept.
    package func giveBack() { HFJSONParserTrim(parser) }

    /// Reads the one value that `bytes` hold.
    ///
    /// - Parameters:
    ///   - bytes: The text. With `hasPadding` it is read in place; otherwise it is copied first.
    ///   - hasPadding: Promises that ``paddingByteCount`` bytes after `bytes` may be read. It does
    ///     not matter what they hold.
    ///   - depthMax: How deep arrays and objects may nest; 1 allows one that holds only scalars.
    ///   - memoryMax: The bytes that values may take beside the text, some 20 for each value, name and separator.
    /// - Returns: The root. It and all values below are valid until the parser reads the next text
    ///   or goes away and, with `hasPadding`, no longer than `bytes`.
    /// - Throws: ``JSONError`` when the text is not JSON, nests too deep or does not fit into memory.
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
