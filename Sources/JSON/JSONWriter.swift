import HoldfastBytes
import CHoldfastSimdJSON

/// Writes JSON at the end of a buffer: values and names, one call each.
///
/// Commas, brackets and the order of calls are the caller's; ``object(_:)`` and ``array(_:)`` take
/// care of them where speed does not matter. What is written has no blanks and is valid when strings
/// are UTF-8.
///
/// As thread-safe as its buffer: one thread at a time.
public struct JSONWriter {
    /// Where the text goes.
    public let buffer: ByteBuffer

    /// Writes at the end of `buffer`.
    public init(_ buffer: ByteBuffer) { self.buffer = buffer }

    /// Writes `null`.
    public func null() { buffer.append("null" as StaticString) }

    /// Writes `true` or `false`.
    public func bool(_ value: Bool) {
        buffer.append((value ? "true" : "false") as StaticString)
    }

    /// Writes text that is JSON already.
    public func raw(_ text: StaticString) { buffer.append(text) }

    /// Writes text that is JSON already.
    public func raw(_ text: UnsafeRawBufferPointer) { buffer.append(text) }

    /// Writes a comma.
    public func comma() { buffer.append(UInt8(ascii: ",")) }

    /// Writes a name and its colon.
    ///
    /// - Parameter name: Holds nothing that needs an escape; what a program's text says is not
    ///   checked.
    public func key(_ name: StaticString) {
        buffer.append(UInt8(ascii: "\""))
        buffer.append(name)
        buffer.append(little: UInt16(UInt8(ascii: "\"")) | UInt16(UInt8(ascii: ":")) << 8)
    }

    /// Writes a name, escaped as needed, and its colon.
    public func key(_ name: String) {
        string(name)
        buffer.append(UInt8(ascii: ":"))
    }

    /// A name as JSON with its colon, to be made once and written often.
    public static func encodedKey(_ name: String) -> [UInt8] {
        let writer = JSONWriter(ByteBuffer(capacity: name.utf8.count + 8))
        writer.key(name)
        return writer.buffer.array
    }
}
