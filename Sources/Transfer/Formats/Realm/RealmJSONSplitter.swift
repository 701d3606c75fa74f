import HoldfastBytes

/// Cuts a text of the form `{"Class":[{…},{…}],…}` into its objects while it comes in, at any size.
///
/// It looks for brackets and strings only; whether an object is JSON is for its parser to decide. Memory: one object.
struct RealmJSONSplitter {
    /// Why a text is not of the form.
    struct Malformed: Error {
        /// Where, in bytes from the beginning.
        var offset: Int
        /// The expected token there.
        var expected: String
    }

    private enum State {
        /// Before the text's bracket.
        case start
        /// Before a class name, or behind the last class.
        case beforeName, inName, inNameEscape, afterName, beforeArray
        /// Between objects.
        case inArray
        case inObject
        case end
    }

    /// The most bytes that an object may have.
    static let objectByteCountMax = 512 << 20

    private var state = State.start
    private var offset = 0
    /// Finds the end of the present object.
    private var extent = JSONExtent()
    private let name = ByteBuffer(capacity: 64)
    private let object = ByteBuffer(capacity: 4096)

    /// Takes the next bytes and hands over each object that is complete with them: the JSON string that
    /// names its class, with its quotes, and its text, both valid during the call.
    mutating func append(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (_ name: UnsafeRawBufferPointer, _ object: UnsafeRawBufferPointer) -> Void
    ) throws(Malformed) {
        for byte in bytes {
            try take(byte, body)
            offset += 1
        }
    }

    /// The text is complete.
    func complete() throws(Malformed) {
        guard state == .end else { throw malformed("the end of the object of all classes") }
    }

    private func malformed(_ expected: String) -> Malformed {
        Malformed(offset: offset, expected: expected)
    }

    private mutating func take(
        _ byte: UInt8, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) throws(Malformed) {
        let isBlank = byte == 0x20 || (0x09...0x0D).contains(byte)
        switch state {
        case .start:
            // A byte order mark says nothing.
            if isBlank || byte == 0xEF || byte == 0xBB || byte == 0xBF { return }
            guard byte == UInt8(ascii: "{") else { throw malformed("an object of all classes") }
            state = .beforeName
        case .beforeName:
            if isBlank || byte == UInt8(ascii: ",") { return }
            if byte == UInt8(ascii: "}") {
                state = .end
                return
            }
            guard byte == UInt8(ascii: "\"") else { throw malformed("the name of a class") }
            name.removeAll()
            name.append(byte)
            state = .inName
        case .inName, .inNameEscape:
            name.append(byte)
            if state == .inNameEscape {
                state = .inName
            } else if byte == UInt8(ascii: "\\") {
                state = .inNameEscape
            } else if byte == UInt8(ascii: "\"") {
                state = .afterName
            }
        case .afterName:
            if isBlank { return }
            guard byte == UInt8(ascii: ":") else { throw malformed("a colon") }
            state = .beforeArray
        case .beforeArray:
            if isBlank { return }
            guard byte == UInt8(ascii: "[") else { throw malformed("an array of objects") }
            state = .inArray
        case .inArray:
            if isBlank || byte == UInt8(ascii: ",") { return }
            if byte == UInt8(ascii: "]") {
                state = .beforeName
                return
            }
            guard byte == UInt8(ascii: "{") else { throw malformed("an object") }
            object.removeAll()
            object.append(byte)
            extent = JSONExtent()
            state = .inObject
        case .inObject:
            guard object.count < Self.objectByteCountMax else {
                throw malformed("an object of \(Self.objectByteCountMax) bytes at most")
            }
            object.append(byte)
            if extent.ends(with: byte) {
                state = .inArray
                body(name.bytes, object.bytes)
            }
        case .end:
            guard isBlank else { throw malformed("nothing more") }
        }
    }
}
