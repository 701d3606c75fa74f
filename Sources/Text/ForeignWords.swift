/// Words of other products, each with the word or the sentence that helps here. It is only for error replies.
package struct ForeignWords: Sendable {
    /// The help for a word.
    package enum Help: Equatable, Sendable {
        /// The word to write instead. It works in the same place.
        case word(String)
        /// A sentence, for a word that no other word can replace.
        case advice(String)
    }

    private let entries: [(help: Help, names: Set<String>)]

    /// Makes a table.
    ///
    /// - Parameters:
    ///   - words: Each word of ours with the words of others, which are letters and digits in lower case with blanks between.
    ///   - advice: Sentences, each with the words of others that it helps with.
    package init(
        _ words: KeyValuePairs<String, String>, advice: KeyValuePairs<String, String> = [:]
    ) {
        func names(_ text: String) -> Set<String> {
            Set(text.split(separator: " ").map(String.init))
        }
        entries =
            words.map { (.word($0.key), names($0.value)) }
            + advice.map { (.advice($0.key), names($0.value)) }
    }

    /// Finds the help for a name: the first of the table whose word is accepted, or that is a sentence. Case does not count, nor
    /// do characters other than letters and digits.
    ///
    /// - `isKnown`: Whether a word of ours may stand in the place of the name.
    package func help(with name: String, where isKnown: (String) -> Bool = { _ in true }) -> Help? {
        guard name.utf8.count <= 64 else { return nil }
        let plain = name.lowercased().filter { $0.isLetter || $0.isNumber }
        return entries.first { help, names in
            guard names.contains(plain) else { return false }
            if case .word(let word) = help { return isKnown(word) }
            return true
        }?.help
    }

    /// Finds the known word that a name of others stands for, or that it is a misspelling of; nil without one.
    package func word(for name: String, among known: [String]) -> String? {
        word(for: name, where: known.contains) ?? NearestName.of(name, among: known)
    }

    /// Finds the word to write instead of a name; nil if there is none, or only a sentence.
    package func word(for name: String, where isKnown: (String) -> Bool = { _ in true }) -> String?
    {
        guard case .word(let word)? = help(with: name, where: isKnown) else { return nil }
        return word
    }
}
