/// A query's text with `?` for each value in it, for logs, which must not contain stored or searched values.
package struct QueryOutline: CustomStringConvertible {
    package private(set) var description = ""

    /// The most tokens of an outline; the rest is cut.
    private static let tokenCountMax = 200

    /// Makes the outline of a filter, or of a part of one. Cost: linear in the text.
    ///
    /// - `isName`: Whether a word names a class or property. Others may be the key of a map, which is a value.
    package init(_ text: String, isName: (String) -> Bool) {
        let source = SourceText(text)
        var lexer = Lexer(source)
        var end = 0
        // Keys stand behind a dot alone.
        var isFollowing = false
        for _ in 0..<Self.tokenCountMax {
            guard let token = try? lexer.next() else { break }
            if token.kind == .end { return }
            if token.start > end, end > 0 { description += " " }
            let word = source.text(token.start, token.end)
            let isKey = token.canBeName && isFollowing && !isName(word)
            description += token.isValue || isKey ? "?" : word
            isFollowing = token.kind == .dot
            end = token.end
        }
        description += " …"
    }
}

extension Token {
    fileprivate var isValue: Bool {
        switch kind {
        case .natural, .number, .float, .string, .base64, .objectID, .uuid, .timestamp, .trueValue,
            .falseValue, .infinity, .nan:
            true
        default: false
        }
    }
}
