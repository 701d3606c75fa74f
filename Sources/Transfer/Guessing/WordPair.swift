/// Two words for true and false.
struct WordPair: Equatable {
    let trueWord: String
    let falseWord: String

    private init(_ trueWord: String, _ falseWord: String) {
        self.trueWord = trueWord
        self.falseWord = falseWord
    }

    /// The words of several languages, in lower case.
    private static let all = [
        WordPair("true", "false"), WordPair("yes", "no"), WordPair("ja", "nein"),
        WordPair("y", "n"), WordPair("j", "n"), WordPair("t", "f"), WordPair("wahr", "falsch"),
        WordPair("oui", "non"), WordPair("vrai", "faux"), WordPair("si", "no"),
        WordPair("vero", "falso"), WordPair("sim", "nao"), WordPair("tak", "nie"),
    ]

    /// Finds the words of cells; nil for other cells. Both words have to occur, because `no` alone may be a country. Only
    /// `true` and `false` are clear by themselves.
    static func of(_ cells: [String]) -> WordPair? {
        var words: Set<String> = []
        for cell in cells {
            words.insert(cell.lowercased())
            if words.count > 2 { return nil }
        }
        if !words.isEmpty, words.isSubset(of: ["true", "false"]) { return all[0] }
        return words.count == 2 ? all.first { words == [$0.trueWord, $0.falseWord] } : nil
    }

    /// The word for true as an option; nil if each import knows it.
    var trueOption: String? { Self.isKnown(trueWord) ? nil : trueWord }
    /// The word for false as an option; nil if each import knows it.
    var falseOption: String? { Self.isKnown(falseWord) ? nil : falseWord }

    private static func isKnown(_ word: String) -> Bool {
        Array(word.utf8).withUnsafeBytes { CSVConverter.bool($0) } != nil
    }

    /// Whether an import with a form reads each cell as a truth value, by at least one word that the form states.
    static func all(_ cells: [String], areStatedIn form: CSVForm) -> Bool {
        guard form.trueWord != nil || form.falseWord != nil else { return false }
        var hasStated = false
        let areRead = cells.allSatisfy { cell in
            Array(cell.utf8).withUnsafeBytes { bytes in
                if form.bool(bytes) != nil {
                    hasStated = true
                    return true
                }
                return CSVConverter.bool(bytes) != nil
            }
        }
        return areRead && hasStated
    }
}
