/// The terms of TEXT: words that have to occur, and words that must not.
package struct TextSearch: Hashable, Sendable {
    /// A word, or what it begins with.
    package struct Term: Hashable, Sendable, Comparable {
        /// UTF-8 without case and accents.
        package var word: [UInt8]
        /// Whether it is the beginning of a word.
        package var isPrefix: Bool

        package static func < (a: Term, b: Term) -> Bool {
            a.word == b.word
                ? !a.isPrefix && b.isPrefix : a.word.lexicographicallyPrecedes(b.word)
        }
    }

    /// Why a text has no search terms.
    package enum Fault: Error, Equatable, Sendable {
        case noWords
        case tooMany
        /// The word is asked for and excluded.
        case contradiction(String)
    }

    /// The most words of a search.
    package static let termCountMax = 1000

    /// The terms that have to occur, all of them; in order, each once.
    package private(set) var required: [Term] = []
    /// The terms that must not occur: of each list not all.
    package private(set) var excluded: [[Term]] = []

    /// Reads a search: items between blanks; `-item` must not occur, `item*` is a prefix. Within an item
    /// punctuation separates words, as it does in texts, and each has to occur.
    package init(_ text: String) throws(Fault) {
        let reader = WordReader()
        var required: Set<Term> = []
        var excluded: Set<[Term]> = []
        var count = 0
        for item in text.utf8.split(whereSeparator: Self.isBlank) {
            let isExcluded = item.first == UInt8(ascii: "-")
            let isPrefix = item.last == UInt8(ascii: "*")
            var terms: [Term] = []
            Array(item).withUnsafeBytes { bytes in
                reader.forEachWord(bytes) { word in
                    terms.append(Term(word: Array(word), isPrefix: false))
                    return count + terms.count <= Self.termCountMax
                }
            }
            count += terms.count
            guard count <= Self.termCountMax else { throw .tooMany }
            guard !terms.isEmpty else { continue }
            if isPrefix { terms[terms.count - 1].isPrefix = true }
            if isExcluded {
                excluded.insert(Array(Set(terms)).sorted())
            } else {
                required.formUnion(terms)
            }
        }
        guard count > 0 else { throw .noWords }
        for terms in excluded where terms.allSatisfy(required.contains) {
            let word = terms.first.map { String(decoding: $0.word, as: UTF8.self) } ?? ""
            throw .contradiction(word)
        }
        self.required = required.sorted()
        self.excluded = excluded.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Returns the search without the exclusions in which a term is one of some.
    package func withoutExcluded(_ isOne: (Term) -> Bool) -> TextSearch {
        var search = self
        search.excluded.removeAll { $0.contains(where: isOne) }
        return search
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (byte >= 0x09 && byte <= 0x0D)
    }
}
