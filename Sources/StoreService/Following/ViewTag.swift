import HoldfastBytes

/// The end of a cursor of somebody who may not read everything: a keyed hash of the position in it, by the name of their view
/// (``Sight/mark``), which nobody is told. So nobody has one of a position that they were not told, nor of another view.
enum ViewTag {
    /// The bytes of the longest.
    private static let byteCountMax = 13

    /// Makes the tag of a position. Cost: a microsecond.
    static func text(of position: some StringProtocol, in mark: String) -> String {
        let message = ByteBuffer(capacity: 128)
        message.append("holdfast cursor 1" as StaticString)
        message.append(String(position))
        let code = message.authenticationCode(under: Array(mark.utf8))
        // Where the library fails, no cursor has it.
        let number =
            code?.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) } ?? .random(in: 0 ... .max)
        return String(number, radix: 36)
    }

    /// Whether a text can be a tag: digits and small letters.
    static func isTag(_ text: Substring) -> Bool {
        (1...byteCountMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { (48...57).contains($0) || (97...122).contains($0) }
    }
}
