/// The words of the query language, which no query can use as the name of a property.
enum QueryWord {
    /// Words that a query reads as part of its grammar in any case of their letters.
    private static let wordsInAnyCase: Set<String> = [
        "and", "or", "truepredicate", "falsepredicate", "geowithin", "geobox", "geopolygon",
        "geocircle", "obj", "subquery", "null", "nil", "inf", "infinity", "nan",
    ]
    /// Words that it reads so only in these spellings.
    private static let words: Set<String> = [
        "not", "NOT", "any", "ANY", "some", "SOME", "all", "ALL", "none", "NONE", "true", "TRUE",
        "false", "FALSE",
    ]

    /// Whether a name is such a word.
    static func isOne(_ name: String) -> Bool {
        words.contains(name) || wordsInAnyCase.contains(name.lowercased())
    }
}
