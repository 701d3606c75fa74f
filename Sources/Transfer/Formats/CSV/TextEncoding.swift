import HoldfastBytes
import HoldfastObjectJSON

/// The encoding of a CSV text.
package enum TextEncoding: String, CaseIterable, Sendable {
    case utf8 = "utf-8"
    /// The encoding of spreadsheets on Windows in Western Europe and America.
    case windows1252 = "windows-1252"

    /// The encodings by name, for messages.
    package static var text: String { allCases.map(\.rawValue).joined(separator: " or ") }

    /// The next step for a text that is not UTF-8.
    static let advice =
        " If the text is Windows-1252, state that (--encoding windows-1252; over HTTP encoding=windows-1252). "
        + "Convert other encodings first, such as by iconv -f MACINTOSH -t UTF-8."

    /// The encoding that a text seems to have: UTF-8, unless more of its characters are wrong there than right.
    ///
    /// - `isCut`: Whether the text may end within a character.
    init(of text: UnsafeRawBufferPointer, isCut: Bool) {
        var (rightCount, wrongCount) = (0, 0)
        let whole = isCut ? text.dropLast(3) : text[...]
        for scalar in String(decoding: whole, as: UTF8.self).unicodeScalars {
            if scalar == "\u{FFFD}" {
                wrongCount += 1
            } else if !scalar.isASCII {
                rightCount += 1
            }
        }
        self = wrongCount > rightCount ? .windows1252 : .utf8
    }

    /// The stage that passes a text on to another one as UTF-8.
    func source(_ next: any LineSource) -> any LineSource {
        self == .utf8 ? next : Windows1252Converter(next)
    }
}

/// Converts a text in Windows-1252 to UTF-8, on its way to the stage that reads it. Memory: one piece.
private final class Windows1252Converter: LineSource {
    private let next: any LineSource
    private let text = ByteBuffer(capacity: 4096)

    init(_ next: any LineSource) { self.next = next }

    /// The characters of the bytes from 0x80 on. Bytes without a character are control characters, as on the web.
    private static let characters: [[UInt8]] = {
        let others: [UInt32] = [
            0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160,
            0x2039, 0x152, 0x8D, 0x17D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013,
            0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D, 0x17E, 0x178,
        ]
        let codes = others + (0xA0...0xFF).map { UInt32($0) }
        return codes.map { code in
            Array(String(Unicode.Scalar(code).map { Character($0) } ?? "\u{FFFD}").utf8)
        }
    }()

    func append(_ bytes: UnsafeRawBufferPointer) throws(RequestFault) {
        text.removeAll()
        for byte in bytes {
            if byte < 0x80 {
                text.append(byte)
            } else {
                for part in Self.characters[Int(byte) - 0x80] { text.append(part) }
            }
        }
        try next.append(text.bytes)
    }

    func complete() throws(RequestFault) { try next.complete() }
}
