import HoldfastObjectModel

/// The text of a condition on groups in the form of a filter: each operation, such as `avg(age)`, is a name of as
/// many characters, so that columns stay what they are.
struct WrittenFigures {
    /// The condition with names for operations.
    let text: String
    /// The figures by the offsets where they begin in ``text``.
    private(set) var indexes: [Int: Int] = [:]
    private var names: [(written: String, name: String)] = []

    /// Reads a condition; what is no operation, nor looks like one, stays as it is.
    init(_ condition: String, _ figures: [GroupFigure]) {
        let source = SourceText(condition)
        var bytes: [UInt8] = []
        let ends = source.parenthesesEnds()
        var offset = 0
        while offset < source.bytes.count {
            let start = offset
            if SourceText.isQuote(source[start]) {
                offset = source.endOfKey(start..<source.bytes.count) ?? source.bytes.count
                bytes += source.bytes[start..<offset]
                continue
            }
            guard Lexer.beginsIdentifier(source[start]) else {
                bytes.append(source[start])
                offset += 1
                continue
            }
            while Lexer.beginsIdentifier(source[offset]) || Lexer.isDigit(source[offset]) {
                offset += 1
            }
            let isWord =
                Keyword.find(source.bytes[start..<offset]) != nil
                || source.text(start..<offset).lowercased() == "now"
            if !isWord, let end = ends[offset] { offset = end }
            let written = source.text(start..<offset)
            if let index = figures.firstIndex(where: { $0.name.isSame(as: written) }) {
                indexes[bytes.count] = index
            }
            guard written.utf8.last == UInt8(ascii: ")") else {
                bytes += source.bytes[start..<offset]
                continue
            }
            let digits = "_\(names.count)"
            let name =
                digits
                + String(
                    repeating: "_", count: max(0, written.unicodeScalars.count - digits.utf8.count))
            names.append((written, name))
            bytes += Array(name.utf8)
        }
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// An error in the words of the condition.
    func explaining(_ error: QueryError) -> QueryError {
        var error = error
        for (written, name) in names { error.message.replace(name, with: written) }
        return error
    }
}
