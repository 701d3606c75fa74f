import HoldfastBytes
import HoldfastObjectJSON

/// A splitter that cuts a text of JSON objects, one behind the other, in an array or as the features of a
/// FeatureCollection, into its objects, without regard to where lines end.
///
/// An object that is not closed ends where a line begins with a brace, in a string that holds the end of a line, or at a
/// record separator (RFC 8142), so that one broken line does not affect later ones. Its parser decides whether an
/// object is JSON. Memory: one object.
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
        /// Behind the features of a collection, to its end.
        case inRest
    }

    private let objectByteCountMax: Int
    private let admits: (Int) -> Bool
    /// Finds the features of the present object; nil where objects have no features.
    private var features: FeatureList?
    /// The collection whose features are the present objects, up to the present one; nil outside.
    private var collection: JSONExtent?
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
    /// - `seeksFeatures`: Whether the features of an object are the objects, instead of itself.
    /// - `admits`: Whether so many bytes of one may be in memory.
    init(
        objectByteCountMax: Int, seeksFeatures: Bool = false, admits: @escaping (Int) -> Bool
    ) {
        self.objectByteCountMax = objectByteCountMax
        self.admits = admits
        features = seeksFeatures ? FeatureList() : nil
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
        case .between, .inRest: break
        }
        if isArray && !isArrayClosed || state == .inRest {
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
                || extent.isInString && byte == UInt8(ascii: "\n") || byte == Self.separator
            if isBroken {
                end(body)
                return takeBetween(byte)
            }
            if !isArray, features?.begins(with: byte, extent) == true { return beginFeatures(byte) }
            keep(byte)
            if extent.ends(with: byte) { end(body) }
        case .inRest:
            if features?.begins(with: byte, extent) == true {
                body(number, .fault(Self.secondFeatures))
            }
            if extent.ends(with: byte) { state = .between }
        }
    }

    private mutating func takeBetween(_ byte: UInt8) {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D, Self.separator: break
        case UInt8(ascii: ",") where isArray && !isArrayClosed: break
        case UInt8(ascii: "]") where isArray && !isArrayClosed: endArray(byte)
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

    private static let secondFeatures = RequestFault.Entry(
        code: "duplicate-name",
        detail: "The collection has a second member 'features': its objects are not imported.")

    /// The byte in front of each text of a sequence.
    private static let separator: UInt8 = 0x1E

    /// Takes the bracket in front of the features of the present object.
    private mutating func beginFeatures(_ bracket: UInt8) {
        _ = extent.ends(with: bracket)
        collection = extent
        object.removeAll()
        isArray = true
        state = .between
    }

    private mutating func endArray(_ bracket: UInt8) {
        guard let collection else {
            isArrayClosed = true
            return
        }
        extent = collection
        _ = extent.ends(with: bracket)
        self.collection = nil
        isArray = false
        state = .inRest
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
