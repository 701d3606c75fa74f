/// Tests texts for what a ``TextSearch`` looks for. One thread at a time uses it.
package final class TextSearchMatcher {
    private let reader = WordReader()
    /// Every term once: whole words in order, then prefixes.
    private let terms: [TextSearch.Term]
    private let wordCount: Int
    /// How many of the terms are required, told of each.
    private let isRequired: [Bool]
    private let requiredCount: Int
    /// The places of excluded terms.
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
        var places: [TextSearch.Term: Int] = [:]
        for (place, term) in terms.enumerated() { places[term] = place }
        excluded = search.excluded.map { $0.compactMap { places[$0] } }
        isFound = Array(repeating: false, count: terms.count)
    }

    /// Whether a text has the words. Cost: its length, and a search in the terms for each word.
    package func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        for place in isFound.indices { isFound[place] = false }
        var missing = requiredCount
        func find(_ place: Int) {
            guard !isFound[place] else { return }
            isFound[place] = true
            if isRequired[place] { missing -= 1 }
        }
        reader.forEachWord(text) { word in
            if let place = place(of: word) { find(place) }
            for place in wordCount..<terms.count
            where !isFound[place] && begins(word, with: terms[place].word) { find(place) }
            return missing > 0 || !excluded.isEmpty
        }
        return missing == 0 && !excluded.contains { $0.allSatisfy { isFound[$0] } }
    }

    private func begins(_ word: UnsafeRawBufferPointer, with prefix: [UInt8]) -> Bool {
        word.count >= prefix.count && word.prefix(prefix.count).elementsEqual(prefix)
    }

    private func place(of word: UnsafeRawBufferPointer) -> Int? {
        var (low, high) = (0, wordCount)
        while low < high {
            let middle = (low + high) / 2
            if terms[middle].word.withUnsafeBytes({ $0.lexicographicallyPrecedes(word) }) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard low < wordCount, terms[low].word.elementsEqual(word) else { return nil }
        return low
    }
}
