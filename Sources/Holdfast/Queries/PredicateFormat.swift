/// A predicate's format as a text of the query language.
///
/// Outside of quotes `%@`, `%d`, `%f` and the like are the next argument each, `%K` is the next one as a key path, and `%%` a
/// percent sign. `$0` and the like stay what they are.
struct PredicateFormat {
    /// The text, with `$0`, `$1`, … for the arguments.
    let text: String

    init(_ format: String) {
        guard format.utf8.contains(UInt8(ascii: "%")) else {
            text = format
            return
        }
        var text = ""
        var argument = 0
        var quote: Character?
        var rest = Substring(format)
        while let character = rest.popFirst() {
            if let open = quote {
                text.append(character)
                if character == "\\", let escaped = rest.popFirst() { text.append(escaped) }
                if character == open { quote = nil }
                continue
            }
            guard character == "%" else {
                if character == "'" || character == "\"" { quote = character }
                text.append(character)
                continue
            }
            let width = rest.prefix { Self.widths.contains($0) }
            guard let kind = rest.dropFirst(width.count).first, Self.kinds.contains(kind) else {
                if rest.first == "%" { rest.removeFirst() }
                text.append("%")
                continue
            }
            rest.removeFirst(width.count + 1)
            text += kind == "K" ? "$K\(argument)" : "$\(argument)"
            argument += 1
        }
        self.text = text
    }

    /// How wide a number is: a value says so itself.
    private static let widths: Set<Character> = ["h", "l", "q", "L", "z", "t", "j"]
    private static let kinds = Set<Character>("@KdDiuUxXoOfFeEgGaAcCsSp")
}
