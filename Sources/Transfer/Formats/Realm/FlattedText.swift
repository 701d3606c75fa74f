import HoldfastBytes
import HoldfastJSON

/// A text of npm's `flatted`: an array of values in which a text at the place of a value is the index of the value that stands
/// there, so that objects may form circles. Realm Studio 13 and later export it. https://github.com/WebReflection/flatted
///
/// Values may lead to any other, so all of them are stored until the text is complete: in memory up to a bound, and
/// then in files without a name. One thread at a time.
final class FlattedText {
    private enum State {
        /// Before the array.
        case start
        /// Before a value; with `isFirst` before the array's first.
        case beforeValue(isFirst: Bool)
        case inValue
        /// Behind a value.
        case afterValue
        case end
    }

    /// The bytes of values that are stored at a time.
    private static let batchByteCount = 64 << 10
    private static let positionByteCount = 8

    private let text: SpilledText
    /// Where each value begins, in eight bytes, and at last where the text ends.
    private let positions: SpilledText
    private let textBatch = ByteBuffer(capacity: 4096)
    private let positionBatch = ByteBuffer(capacity: 4096)
    /// The bytes of stored values and of values about to be stored.
    private var byteCount = 0
    private var state = State.start
    private var offset = 0
    /// Finds the end of the array of values.
    private var extent = JSONExtent()
    /// How many values there are.
    private(set) var count = 0
    private let value = ByteBuffer(capacity: 1024)
    private let position = ByteBuffer(capacity: 16)

    /// Whether values could not be written to a file or read from it.
    var hasFailed: Bool { text.hasFailed || positions.hasFailed }

    /// Makes an empty text.
    ///
    /// - `directory`: Where files are made; nil keeps all in memory.
    init(memoryByteCountMax: Int, directory: String?) {
        text = SpilledText(memoryByteCountMax: memoryByteCountMax, directory: directory)
        positions = SpilledText(memoryByteCountMax: memoryByteCountMax, directory: directory)
    }

    // MARK: Writing

    /// Takes the next bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws(RealmJSONSplitter.Malformed) {
        for byte in bytes {
            try take(byte)
            offset += 1
        }
    }

    func complete() throws(RealmJSONSplitter.Malformed) {
        guard case .end = state else { throw malformed("the end of the array of all values") }
        addPosition()
        flush()
    }

    private func malformed(_ expected: String) -> RealmJSONSplitter.Malformed {
        RealmJSONSplitter.Malformed(offset: offset, expected: expected)
    }

    private func take(_ byte: UInt8) throws(RealmJSONSplitter.Malformed) {
        let isBlank = byte == 0x20 || (0x09...0x0D).contains(byte)
        switch state {
        case .start:
            guard byte == UInt8(ascii: "[") else { throw malformed("an array of values") }
            state = .beforeValue(isFirst: true)
        case .beforeValue(let isFirst):
            if isBlank { return }
            if isFirst, byte == UInt8(ascii: "]") {
                state = .end
                return
            }
            guard byte != UInt8(ascii: ","), byte != UInt8(ascii: "]") else {
                throw malformed("a value")
            }
            addPosition()
            state = .inValue
            try takeInValue(byte)
        case .inValue: try takeInValue(byte)
        case .afterValue:
            if isBlank { return }
            try endValue(byte)
        case .end:
            guard isBlank else { throw malformed("nothing more") }
        }
    }

    private func takeInValue(_ byte: UInt8) throws(RealmJSONSplitter.Malformed) {
        let isOutermost = extent.isOutermost
        if isOutermost, byte == UInt8(ascii: ",") { return try endValue(byte) }
        if extent.ends(with: byte) {
            guard byte == UInt8(ascii: "]") else { throw malformed("a value") }
            return try endValue(byte)
        }
        keep(byte)
        if !isOutermost, extent.isOutermost, byte != UInt8(ascii: "\"") { state = .afterValue }
    }

    private func endValue(_ byte: UInt8) throws(RealmJSONSplitter.Malformed) {
        count += 1
        if textBatch.count >= Self.batchByteCount { flush() }
        switch byte {
        case UInt8(ascii: ","): state = .beforeValue(isFirst: false)
        case UInt8(ascii: "]"): state = .end
        default: throw malformed("a comma or the end of the array")
        }
    }

    private func keep(_ byte: UInt8) {
        textBatch.append(byte)
        byteCount += 1
    }

    private func addPosition() { positionBatch.append(little: UInt64(byteCount)) }

    /// Stores complete values, and the positions of values that have begun.
    private func flush() {
        _ = text.append(textBatch.bytes)
        _ = positions.append(positionBatch.bytes)
        textBatch.removeAll()
        positionBatch.removeAll()
    }

    // MARK: Reading

    /// Reads a value of the complete text; nil if the index has no value, or the value is no JSON.
    ///
    /// - `parser`: Holds the value.
    func value(_ index: Int, _ parser: JSONParser, depthMax: Int) -> JSONValue? {
        guard index >= 0, index < count else { return nil }
        position.removeAll()
        positions.read(index * Self.positionByteCount, Self.positionByteCount, to: position)
        positions.read((index + 1) * Self.positionByteCount, Self.positionByteCount, to: position)
        let start = Int(position.bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        let end = Int(position.bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        guard !hasFailed, start < end else { return nil }
        value.removeAll()
        text.read(start, end - start, to: value)
        return try? parser.parse(value.bytes, depthMax: depthMax)
    }
}
