import HoldfastObjectModel
import HoldfastText

/// The demand of a comparison on the words of one property, in the terms of a full-text index of it.
package struct WordConstraint: Sendable {
    /// The property, by position in the root class: a single string.
    package var member: Int
    /// The words, of which an index can tell; at least one is required.
    package var search: TextSearch
    /// Whether every object that has the words matches; else each has to be tested.
    package var isExact: Bool
}

extension Comparison {
    /// The search for words that an index could answer; nil for other comparisons and for searches that only
    /// exclude words: almost everything matches the latter.
    package var wordConstraint: WordConstraint? {
        guard comparison == .text, case .path(let path, nil) = left, let member = path.ownMember,
            case .constant(.string(let text)) = right, let search = try? TextSearch(text),
            !search.required.isEmpty
        else { return nil }
        // Words that the index has cut have to be looked at.
        let indexed = search.withoutExcluded { $0.word.count > WordSet.exactByteCountMax }
        let isExact =
            indexed == search
            && search.required.allSatisfy { $0.word.count <= WordSet.exactByteCountMax }
        return WordConstraint(member: member, search: indexed, isExact: isExact)
    }
}
