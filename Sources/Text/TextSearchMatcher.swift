import HoldfastBytes

/// Tests texts for what a ``TextSearch`` looks for. One thread at a time uses it.
package final class TextSearchMatcher {
    private let reader = WordReader()
    /// Every term once: whole words in order, then prefixes.
    private let terms: [TextSearch.Term]
    private let wordCount: Int
    /// Whether each of the terms is required, and how many are.
    private let isRequired: [Bool]
    private let requiredCount: Int
    /// The indexes of excluded terms.
    private let excluded: [[Int]]
    private var isFound: [Bool]

    /// Makes a matcher.
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

    /// Whether a text has the words. Cost: its length, and a search in the terms for each word.
    ///
    /// - `goesOn`: Told before each word how many terms it is compared with; where it returns false, nothing matches.
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
