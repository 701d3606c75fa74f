/// The reason why a text is not the expected JSON.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of fault. Callers switch on it. The numbers are defined in `CSimdJSON.h`.
    public enum Code: UInt32, Sendable {
        /// No bytes, or only blanks.
        case empty = 1
        /// The text ends inside an array or object.
        case unexpectedEnd
        case byteOrderMark
        case invalidUTF8
        case expectedValue
        case expectedValueOrEndOfArray
        case expectedNameOrEndOfObject
        case expectedName
        case expectedColon
        case expectedCommaOrEndOfArray
        case expectedCommaOrEndOfObject
        /// Content after the document.
        case trailingContent
        case invalidLiteral
        case invalidNumber
        /// A single number of more than 16 MiB.
        case numberTooLong
        case unterminatedString
        case controlCharacter
        case invalidEscape
        case loneSurrogate
        /// Arrays and objects nest deeper than ``JSONError/depthMax``.
        case tooDeep
        /// The document is longer than any parser of this kind supports (3.75 GiB).
        case tooLong
        case outOfMemory
        /// The values take more memory than the caller allows.
        case tooManyValues
        /// The library failed in an undocumented way.
        case `internal`
    }

    /// The kind of fault.
    public let code: Code
    /// The position of the fault in bytes; the length of the text if the fault is at its end.
    public let offset: Int
    /// The allowed nesting depth of arrays and objects.
    public let depthMax: Int

    /// The fault, for users: a phrase without the position and without parts of the text.
    public var message: String {
        switch code {
        case .empty: "expected a JSON value, found nothing"
        case .unexpectedEnd: "the text ends before its last array or object is closed"
        case .byteOrderMark: "the text begins with a byte order mark; leave it out"
        case .invalidUTF8: "these bytes are not UTF-8; JSON has to be"
        case .expectedValue:
            "expected a value: an object, an array, a string, a number, true, false or null"
        case .expectedValueOrEndOfArray: "expected a value or ']' after '['"
        case .expectedNameOrEndOfObject: "expected a name in double quotes or '}' after '{'"
        case .expectedName: "expected a name in double quotes after ',' in an object"
        case .expectedColon: "expected ':' after a name"
        case .expectedCommaOrEndOfArray: "expected ',' or ']' after an element"
        case .expectedCommaOrEndOfObject: "expected ',' or '}' after a member"
        case .trailingContent: "expected the end of the text after its value"
        case .invalidLiteral: "expected true, false or null, in lower-case letters"
        case .invalidNumber: "this is not a JSON number, such as 0, -12, 1.5 or 2e10"
        case .numberTooLong: "a number has more than 16,777,215 characters"
        case .unterminatedString: "the string that begins here is never closed"
        case .controlCharacter:
            "a string contains a control character; write it as an escape (\\n, \\t, \\u0000), "
                + "or close the string before it"
        case .invalidEscape:
            "expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u and four hexadecimal digits"
        case .loneSurrogate:
            "this \\u escape is one half of a surrogate pair and the other half is missing"
        case .tooDeep: "arrays and objects nest deeper than \(depthMax) levels"
        case .tooLong: "the text is longer than 3.75 GiB"
        case .outOfMemory: "there is not enough memory to read the text"
        case .tooManyValues: "the text has more values than there is memory for"
        case .internal: "the text could not be read"
        }
    }

    /// The message and the byte offset.
    public var description: String { "\(message) (byte \(offset))" }

    /// The line and column of the fault, both from 1, columns in Unicode code points.
    ///
    /// - Parameter text: The bytes that were parsed.
    /// - Returns: The position as an editor shows it. Linear in the offset.
    public func position(in text: UnsafeRawBufferPointer) -> (line: Int, column: Int) {
        var line = 1
        var column = 1
        for byte in text.prefix(offset) {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return (line, column)
    }
}
