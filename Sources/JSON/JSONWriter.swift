import CHoldfastSimdJSON
import HoldfastBytes

/// Writes JSON at the end of a buffer: values and names, one call each.
///
/// The caller writes commas and brackets in order; ``object(_:)`` and ``array(_:)`` do so where speed does not matter. The output
/// has no blanks, and is valid if strings are UTF-8.
///
/// As thread-safe as its buffer: one thread at a time.
public struct JSONWriter {
    /// The buffer to append to.
    public let buffer: ByteBuffer

    /// Writes at the end of `buffer`.
    public init(_ buffer: ByteBuffer) { self.buffer = buffer }

    /// Writes `null`.
    public func null() { buffer.append("null" as StaticString) }

    /// Writes `true` or `false`.
    public func bool(_ value: Bool) { buffer.append((value ? "true" : "false") as StaticString) }

    /// Writes text that is already JSON.
    public func raw(_ text: StaticString) { buffer.append(text) }

    /// Writes text that is already JSON.
    public func raw(_ text: UnsafeRawBufferPointer) { buffer.append(text) }

    /// Writes a comma.
    public func comma() { buffer.append(UInt8(ascii: ",")) }

    /// Writes a name and its colon.
    ///
    /// - Parameter name: Must not need escapes. This is not checked, since the name is part of the program.
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

    /// A name as JSON with its colon, for writing it often.
    public static func encodedKey(_ name: String) -> [UInt8] {
        let writer = JSONWriter(ByteBuffer(capacity: name.utf8.count + 8))
        writer.key(name)
        return writer.buffer.array
    }
}

extension JSONWriter {
    /// Returns the text of a parsed value.
    package static func text(of value: JSONValue) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 1024)
        JSONWriter(buffer).copy(value)
        return buffer.array
    }

    /// Writes a parsed value unchanged. Recursive: its text was parsed with a bounded depth.
    package func copy(_ value: JSONValue) {
        switch value.kind {
        case .null: null()
        case .bool: bool(value.bool == true)
        case .integer, .double:
            if let text = value.numberText { raw(text) }
        case .string:
            if let text = value.stringBytes { string(text) }
        case .array, .object: each(of: value) { $1.copy($0) }
        }
    }

    /// Writes an array or an object, with values written by `body`; any other value unchanged.
    package func each(of value: JSONValue, _ body: (JSONValue, JSONWriter) -> Void) {
        switch value.kind {
        case .array: array(of: value.elements, body)
        case .object:
            object { object in
                for member in value.members {
                    let name = String(decoding: member.name, as: UTF8.self)
                    body(member.value, object.member(named: name))
                }
            }
        default: copy(value)
        }
    }

    /// Writes an object with the members that `body` adds.
    public func object<Failure>(
        _ body: (inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) {
        raw("{")
        var object = JSONObjectWriter(writer: self)
        try body(&object)
        raw("}")
    }

    /// Writes an array with the elements that `body` adds.
    public func array<Failure>(
        _ body: (inout JSONArrayWriter) throws(Failure) -> Void
    ) throws(Failure) {
        raw("[")
        var array = JSONArrayWriter(writer: self)
        try body(&array)
        raw("]")
    }

    /// Writes an array with one element for each value, written by `body`.
    package func array<Values: Sequence>(
        of values: Values, _ body: (Values.Element, JSONWriter) -> Void
    ) {
        array { array in
            for value in values { body(value, array.element()) }
        }
    }

    /// Writes an array with one object for each value, with the members that `body` adds.
    package func objects<Values: Sequence>(
        of values: Values, _ body: (Values.Element, inout JSONObjectWriter) -> Void
    ) {
        array(of: values) { value, writer in writer.object { body(value, &$0) } }
    }

    package func strings(_ texts: some Sequence<String>) { array(of: texts) { $1.string($0) } }

    /// Writes an integer.
    public func int(_ value: Int64) {
        if value < 0 { buffer.append(UInt8(ascii: "-")) }
        uint(value.magnitude)
    }

    /// Writes an integer.
    public func uint(_ value: UInt64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var (rest, start) = (value, digits.count)
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            buffer.append(
                UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(digits)[start...]))
        }
    }

    /// Writes the shortest number that reads back as `value`, always with a `.` or an `e`. NaN and the infinities are written as
    /// the strings `"NaN"`, `"Infinity"` and `"-Infinity"`.
    public func double(_ value: Double) {
        // Every integer of this size has its exact digits as its shortest form.
        if value.magnitude < 0x1p53, let integer = Int64(exactly: value),
            integer != 0 || value.sign == .plus
        {
            int(integer)
            return buffer.append(".0" as StaticString)
        }
        guard value.isFinite else { return notFinite(isNaN: value.isNaN, sign: value.sign) }
        number { HFJSONWriteDouble(value, $0) }
    }

    /// Writes a number like ``double(_:)``, with the digits that a `Float` needs.
    public func float(_ value: Float) {
        guard value.isFinite else { return notFinite(isNaN: value.isNaN, sign: value.sign) }
        number { HFJSONWriteFloat(value, $0) }
    }

    private func notFinite(isNaN: Bool, sign: FloatingPointSign) {
        if isNaN {
            buffer.append("\"NaN\"" as StaticString)
        } else {
            buffer.append((sign == .minus ? "\"-Infinity\"" : "\"Infinity\"") as StaticString)
        }
    }

    /// Appends a number that `write` writes in place.
    private func number(_ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        let start = buffer.count
        buffer.appendZeros(Int(HFJSON_NUMBER_BYTE_COUNT_MAX))
        let target = (buffer.base + start).assumingMemoryBound(to: UInt8.self)
        buffer.truncate(to: start + write(target))
    }
}

/// Writes the elements of an array, with commas between them.
public struct JSONArrayWriter {
    private let writer: JSONWriter
    private var isEmpty = true

    init(writer: JSONWriter) { self.writer = writer }

    /// Begins an element. Write exactly one value with the result.
    package mutating func element() -> JSONWriter {
        if !isEmpty { writer.comma() }
        isEmpty = false
        return writer
    }
}

/// Writes the members of an object, with commas between them.
///
///     writer.object { problem in
///         problem.member("code").string("object-not-found")
///         problem.member("errors").array { errors in errors.element().int(7) }
///     }
public struct JSONObjectWriter {
    private let writer: JSONWriter
    private var isEmpty = true

    init(writer: JSONWriter) { self.writer = writer }

    /// Begins a member. Write exactly one value with the result.
    ///
    /// - Parameter name: Must not need escapes.
    /// - Returns: The writer for the value.
    package mutating func member(_ name: StaticString) -> JSONWriter {
        separate()
        writer.key(name)
        return writer
    }

    /// Begins a member with a name that may need escapes. Write exactly one value with the result.
    package mutating func member(named name: String) -> JSONWriter {
        separate()
        writer.key(name)
        return writer
    }

    private mutating func separate() {
        if !isEmpty { writer.comma() }
        isEmpty = false
    }
}

extension JSONWriter {
    /// Writes a string, escaped as needed.
    public func string(_ text: String) {
        var text = text
        text.withUTF8 { string(UnsafeRawBufferPointer($0)) }
    }

    /// Writes a string, escaped as needed.
    ///
    /// - Parameter text: UTF-8, which is not checked. It must not lie in the buffer.
    public func string(_ text: UnsafeRawBufferPointer) {
        buffer.reserve(text.count + 2)
        buffer.append(UInt8(ascii: "\""))
        stringContent(text)
        buffer.append(UInt8(ascii: "\""))
    }

    /// Writes bytes as a string of base64 (RFC 4648, section 4, with padding).
    public func base64(_ bytes: UnsafeRawBufferPointer) {
        quoted { Base64.encode(bytes, into: buffer) }
    }

    /// Writes a string with the contents that `write` appends. They must not need escapes.
    @inlinable @inline(__always)
    public func quoted(_ write: () -> Void) {
        buffer.append(UInt8(ascii: "\""))
        write()
        buffer.append(UInt8(ascii: "\""))
    }

    /// Writes text escaped as needed, without quotes, for a string that is written in parts.
    public func stringContent(_ text: UnsafeRawBufferPointer) {
        guard let start = text.baseAddress else { return }
        var at = 0
        while at < text.count {
            let stop = Self.firstEscape(in: start, from: at, to: text.count)
            buffer.append(UnsafeRawBufferPointer(start: start + at, count: stop - at))
            guard stop < text.count else { return }
            escape(start.load(fromByteOffset: stop, as: UInt8.self))
            at = stop + 1
        }
    }

    /// The offset of the first quote, backslash or control character, or `end`.
    private static func firstEscape(
        in text: UnsafeRawPointer, from start: Int, to end: Int
    ) -> Int {
        var at = start
        while at + 8 <= end {
            let found = escapes(in: text.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            if found != 0 { return at + found.trailingZeroBitCount / 8 }
            at += 8
        }
        while at < end, !needsEscape(text.load(fromByteOffset: at, as: UInt8.self)) { at += 1 }
        return at
    }

    /// Marks the highest bit of the lowest byte that needs an escape. Bytes above it may be marked wrongly. Zero if no byte needs
    /// an escape.
    private static func escapes(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* 0x22)
        let backslashes = word ^ (ones &* 0x5C)
        let found =
            ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
            | ((word &- ones &* 0x20) & ~word)
        return found & (ones &* 0x80)
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): buffer.append("\\\"" as StaticString)
        case UInt8(ascii: "\\"): buffer.append("\\\\" as StaticString)
        case UInt8(ascii: "\n"): buffer.append("\\n" as StaticString)
        case UInt8(ascii: "\r"): buffer.append("\\r" as StaticString)
        case UInt8(ascii: "\t"): buffer.append("\\t" as StaticString)
        case 0x08: buffer.append("\\b" as StaticString)
        case 0x0C: buffer.append("\\f" as StaticString)
        default:
            buffer.append("\\u00" as StaticString)
            Hexadecimal.encode(byte, into: buffer)
        }
    }
}

/// Bytes as pairs of hexadecimal digits.
package enum Hexadecimal {
    private static let digits: StaticString = "0123456789abcdef"

    /// The lower-case digit of a value below 16.
    package static func digit(_ value: UInt8) -> UInt8 { digits.utf8Start[Int(value)] }

    /// Appends the two lower-case digits of a byte.
    package static func encode(_ byte: UInt8, into buffer: ByteBuffer) {
        buffer.append(digit(byte >> 4))
        buffer.append(digit(byte & 15))
    }

    /// Appends the lower-case digits of all bytes.
    package static func encode(_ bytes: UnsafeRawBufferPointer, into buffer: ByteBuffer) {
        buffer.reserve(bytes.count * 2)
        for byte in bytes { encode(byte, into: buffer) }
    }

    /// Decodes pairs of hexadecimal digits of either case; nil for any other text.
    package static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = value(text[index]), let low = value(text[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The value of a digit of either case; nil for other bytes.
    package static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
