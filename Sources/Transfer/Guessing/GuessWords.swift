/// The words of reasons.
enum GuessWords {
    /// Writes a number with commas between thousands.
    static func number(_ count: Int) -> String {
        let digits = String(count)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// Says that each of some values is something: `all 40 values are whole numbers`.
    static func all(_ count: Int, _ one: String, _ many: String) -> String {
        count == 1 ? "the only value is \(one)" : "all \(number(count)) values are \(many)"
    }

    /// Says that some of the values are something: `3 of 40 values are empty`.
    ///
    /// - `noun`: The plural of the word for all of them.
    static func some(_ count: Int, of all: Int, _ noun: String, _ one: String, _ many: String)
        -> String
    {
        "\(number(count)) of \(number(all)) \(noun) \(count == 1 ? one : many)"
    }

    /// A text of the sample in quotes, cut if it is long.
    static func quoted(_ text: String) -> String { "'\(CSVHeader.shown(text.utf8))'" }

    /// Makes a sentence of parts.
    static func sentence(_ clauses: [String]) -> String {
        let text = clauses.joined(separator: "; ")
        return "\(text.prefix(1).uppercased())\(text.dropFirst())."
    }
}
