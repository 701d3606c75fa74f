import HoldfastQuery
import Synchronization

extension ResultsCore {
    /// The elements that also meet a condition, with the program's arguments.
    func filtered(_ text: String, _ arguments: [Any]) throws(InvalidQuery) -> ResultsCore {
        let format = PredicateFormat(text)
        return try filtered(try QueryArguments.values(arguments)) { () throws(QueryError) in
            try ParsedQuery(format.text)
        }
    }

    /// The elements that also meet a condition written in Swift.
    func filtered<Element>(
        _ condition: (Query<Element>) -> Query<Bool>
    ) throws(InvalidQuery) -> ResultsCore {
        let (text, arguments) = condition(Query()).expression.condition.rendered
        return try filtered(try QueryArguments.values(arguments)) { () throws(QueryError) in
            try ParsedConditions.parsed(text)
        }
    }

    /// The position of the first element that other results of the same base contain.
    func position(of others: ResultsCore) -> Int? {
        others.keys.first.flatMap { keys.firstIndex(of: $0) }
    }
}

/// The parsed conditions of `where` in the program.
///
/// Their texts contain no values, so there are few different texts. Texts of `filter` may be arbitrary.
enum ParsedConditions {
    private static let known = Mutex<[String: ParsedQuery]>([:])
    private static let countMax = 1024

    /// Returns a condition. Cost: a look-up, except for the first time.
    static func parsed(_ text: String) throws(QueryError) -> ParsedQuery {
        if let found = known.withLock({ $0[text] }) { return found }
        let parsed = try ParsedQuery(text)
        known.withLock {
            if $0.count >= countMax { $0 = [:] }
            $0[text] = parsed
        }
        return parsed
    }
}

/// A predicate's format as a text of the query language.
///
/// Outside of quotes, `%@`, `%d`, `%f` and the like are each the next argument, `%K` is the next argument as a key path, and `%%`
/// is a percent sign. `$0` and the like stay unchanged.
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

    /// Width modifiers of a format. They are ignored, because values know their types.
    private static let widths: Set<Character> = ["h", "l", "q", "L", "z", "t", "j"]
    private static let kinds = Set<Character>("@KdDiuUxXoOfFeEgGaAcCsSp")
}
