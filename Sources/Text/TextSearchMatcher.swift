import HoldfastBytes

/// Tests texts against a ``TextSearch``. One thread at a time uses it.
package final class TextSearchMatcher {
    private let reader = WordReader()
    /// All distinct terms: whole words in order, then prefixes.
    private let terms: [TextSearch.Term]
    private let wordCount: Int
    /// Whether each term is required, and the number of required terms.
    private let isRequired: [Bool]
    private let requiredCount: Int
    /// The indexes of the terms in each exclusion.
    private let excluded: [[Int]]
    private var isFound: [Bool]

    package init(_ search: TextSearch) {
        let all = Set(search.required + search.excluded.joined())
        terms = all.filter { !$0.isPrefix }.sorted() + all.filter(\.isPrefix).sorted()
        wordCount = terms.count { !$0.isPrefix }
        let required = Set(search.required)
        isRequired = terms.map { required.contains($0) }
        requiredCount = required.count
        var indexes: [TextSearch.Term: Int] = [:]
        for (index, term) in terms.enumerated() { indexes[term] = index }
        excluded = search.excluded.map { $0.compactMap { indexes[$0] } }
        isFound = Array(repeating: false, count: terms.count)
    }

    /// Whether a text matches the search. Cost: linear in the text, plus a search in the terms for each word.
    ///
    /// - `goesOn`: Called before each word with the number of terms to compare. If it returns false, the text does not match.
    package func matches(
        _ text: UnsafeRawBufferPointer, while goesOn: (_ termCount: Int) -> Bool = { _ in true }
    ) -> Bool {
        for index in isFound.indices { isFound[index] = false }
        var missing = requiredCount
        var isEnded = false
        func find(_ index: Int) {
            guard !isFound[index] else { return }
            isFound[index] = true
            if isRequired[index] { missing -= 1 }
        }
        reader.forEachWord(text) { word in
            guard goesOn(1 + terms.count - wordCount) else {
                isEnded = true
                return false
            }
            if let index = index(of: word) { find(index) }
            for index in wordCount..<terms.count
            where !isFound[index] && word.starts(with: terms[index].word) { find(index) }
            return missing > 0 || !excluded.isEmpty
        }
        return !isEnded && missing == 0 && !excluded.contains { $0.allSatisfy { isFound[$0] } }
    }

    private func index(of word: UnsafeRawBufferPointer) -> Int? {
        let index = partitionPoint(wordCount) {
            terms[$0].word.withUnsafeBytes { $0.lexicographicallyPrecedes(word) }
        }
        guard index < wordCount, terms[index].word.elementsEqual(word) else { return nil }
        return index
    }
}

/// The terms of `TEXT`: words that must occur, and words that must not.
package struct TextSearch: Hashable, Sendable {
    /// A word, or the beginning of a word.
    package struct Term: Hashable, Sendable, Comparable {
        /// The word in UTF-8, without case and accents.
        package var word: [UInt8]
        /// Whether the term matches the beginnings of words.
        package var isPrefix: Bool

        package static func < (a: Term, b: Term) -> Bool {
            a.word == b.word ? !a.isPrefix && b.isPrefix : a.word.lexicographicallyPrecedes(b.word)
        }
    }

    /// The reason why a text is not a valid search.
    package enum Fault: Error, Equatable, Sendable {
        case noWords
        case tooMany
        /// The word is both required and excluded.
        case contradiction(String)
    }

    /// The maximum number of words in a search.
    package static let termCountMax = 1000

    /// The terms that must all occur; sorted and distinct.
    package private(set) var required: [Term] = []
    /// The exclusions: lists of terms that must not all occur.
    package private(set) var excluded: [[Term]] = []

    /// Reads a search: items separated by blanks. `-item` must not occur, `item*` is a prefix. Punctuation within an item
    /// separates words, as in texts, and each of them must occur.
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

    /// Returns the search without the exclusions that contain a term for which `isOne` returns true.
    package func withoutExcluded(_ isOne: (Term) -> Bool) -> TextSearch {
        var search = self
        search.excluded.removeAll { $0.contains(where: isOne) }
        return search
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (byte >= 0x09 && byte <= 0x0D)
    }
}
