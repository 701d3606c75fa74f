/// The end of a JSON object or array in a text, found by its brackets and strings alone while the text comes in.
///
/// A parser decides whether the bytes between are JSON. One byte at a time, in no memory.
struct JSONExtent {
    /// How many brackets are open; the first is that of the whole.
    private var depth = 1
    private var isEscaped = false
    /// Whether the last byte lies in a string.
    private(set) var isInString = false

    /// Whether the next byte is the outermost array's or object's own: in no string, and in nothing that lies within.
    var isOutermost: Bool { depth == 1 && !isInString }

    /// Takes the next byte behind the opening bracket. Returns whether it closes that bracket.
    mutating func ends(with byte: UInt8) -> Bool {
        if isEscaped {
            isEscaped = false
            return false
        }
        switch byte {
        case UInt8(ascii: "\""): isInString.toggle()
        case UInt8(ascii: "\\") where isInString: isEscaped = true
        case UInt8(ascii: "{") where !isInString, UInt8(ascii: "[") where !isInString: depth += 1
        case UInt8(ascii: "}") where !isInString, UInt8(ascii: "]") where !isInString: depth -= 1
        default: break
        }
        return depth == 0
    }
}
