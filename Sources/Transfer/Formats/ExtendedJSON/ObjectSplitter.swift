import HoldfastBytes
import HoldfastObjectJSON

/// A splitter that cuts a text of JSON objects, one behind the other or in an array, into its objects, without regard
/// to where lines end.
///
/// An object that is not closed ends where a line begins with a brace, or in a string that holds the end of a line, so that one
/// broken line does not affect later ones. Its parser decides whether an object is JSON. Memory: one object.
struct ObjectSplitter {
    /// The content that was found.
    enum Content {
        /// The text of an object, valid during the call.
        case object(UnsafeRawBufferPointer)
        case fault(RequestFault.Entry)
    }

    private enum State {
        case between
        case inObject
        /// In something that is no object, to the end of its line.
        case inOther
    }

    private let objectByteCountMax: Int
    private let admits: (Int) -> Bool
    private var state = State.between
    /// Finds the end of the present object.
    private var extent = JSONExtent()
    private var number = 1
    /// The line on which the present object begins.
    private var objectNumber = 1
    private var isArray = false
    private var isArrayClosed = false
    private var isAtLineStart = true
    private var isTooLong = false
    private let object = ByteBuffer(capacity: 4096)

    /// Makes a splitter of objects with so many bytes at most.
    ///
    /// - `admits`: Whether so many bytes of one may be in memory.
    init(objectByteCountMax: Int, admits: @escaping (Int) -> Bool) {
        self.objectByteCountMax = objectByteCountMax
        self.admits = admits
    }

    /// Takes the next bytes and passes on each object that they complete, with the number of its line.
    mutating func append(_ bytes: UnsafeRawBufferPointer, _ body: (Int, Content) -> Void) {
        for byte in bytes {
            take(byte, body)
            isAtLineStart = byte == UInt8(ascii: "\n")
            if isAtLineStart { number += 1 }
        }
    }

    /// Ends the text.
    mutating func complete(_ body: (Int, Content) -> Void) {
        switch state {
        case .inObject: end(body)
        case .inOther: endOther(body)
        case .between: break
        }
        if isArray, !isArrayClosed {
            body(
                number,
                .fault(
                    RequestFault.Entry(
                        code: "malformed-json",
                        detail: "The array has no end: the text seems to be cut off.")))
        }
    }

    private mutating func take(_ byte: UInt8, _ body: (Int, Content) -> Void) {
        switch state {
        case .between: takeBetween(byte)
        case .inOther:
            if byte == UInt8(ascii: "\n") { endOther(body) }
        case .inObject:
            let isBroken =
                isAtLineStart && !isArray && byte == UInt8(ascii: "{")
                || extent.isInString && byte == UInt8(ascii: "\n")
            if isBroken {
                end(body)
                return takeBetween(byte)
            }
            keep(byte)
            if extent.ends(with: byte) { end(body) }
        }
    }

    private mutating func takeBetween(_ byte: UInt8) {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D: break
        case UInt8(ascii: ",") where isArray && !isArrayClosed: break
        case UInt8(ascii: "]") where isArray && !isArrayClosed: isArrayClosed = true
        case UInt8(ascii: "[") where !isArray && objectNumber == 1 && object.count == 0:
            isArray = true
        default:
            object.removeAll()
            isTooLong = false
            objectNumber = number
            keep(byte)
            let isObject = byte == UInt8(ascii: "{") && !isArrayClosed
            extent = JSONExtent()
            state = isObject ? .inObject : .inOther
        }
    }

    private mutating func keep(_ byte: UInt8) {
        if isTooLong { return }
        if object.count >= objectByteCountMax
            || object.count & 0xFFFFF == 0 && !admits(object.count)
        {
            isTooLong = true
            object.truncate(to: 1)
        } else {
            object.append(byte)
        }
    }

    private mutating func end(_ body: (Int, Content) -> Void) {
        state = .between
        body(
            objectNumber,
            isTooLong
                ? .fault(.lineTooLong(byteCountMax: objectByteCountMax)) : .object(object.bytes))
    }

    private mutating func endOther(_ body: (Int, Content) -> Void) {
        state = .between
        body(
            objectNumber,
            .fault(
                RequestFault.Entry(
                    code: "malformed-json",
                    detail: "The line is not a JSON object: expected '{', or one array of objects.",
                    column: 1)))
    }
}
