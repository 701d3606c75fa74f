import Holdfast

/// An object of the model tests of observers.
final class ObservedItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted(indexed: true) var rank: Int?
    @Persisted var next: ObservedItem?
    @Persisted var members: List<ObservedItem>
    @Persisted var numbers: List<Int>
    @Persisted var marks: Map<String, Int>
    /// Moved from item to item: their sum is the same in every version.
    @Persisted var years: Int

    /// All that an observer without key paths is told changes of.
    func text(_ depth: Int = 4) -> String {
        var text = "\(id) \(name) \(rank.map(String.init) ?? "-") \(years) \(Array(numbers))"
        text += marks.keys.map { " \($0)=\(marks[$0] ?? 0)" }.joined()
        text += " →\(next.map { depth > 0 ? $0.text(depth - 1) : "\($0.id)" } ?? "")"
        return text + members.map { depth > 0 ? "[\($0.text(depth - 1))]" : "[\($0.id)]" }.joined()
    }
}

/// A copy of a collection that is kept by the reported indices alone.
struct KeptCopy<Element: Equatable> {
    private(set) var elements: [Element] = []

    /// Applies a change, and says what is wrong with it; nil for nothing.
    ///
    /// - `mayModifySame`: Whether an element may count as modified that is what it was.
    mutating func apply<C: RealmCollection>(
        _ change: RealmCollectionChange<C>, mayModifySame: Bool = false,
        _ read: (C.Element) -> Element
    ) -> String? {
        // Elements are taken over behind a fault, too, or it would lead to others.
        var fault: String?
        switch change {
        case .initial(let collection): elements = collection.map(read)
        case .error(let error): return "\(error)"
        case .update(let collection, let deletions, let insertions, let modifications):
            for indices in [deletions, insertions, modifications]
            where zip(indices, indices.dropFirst()).contains(where: { $0 >= $1 }) {
                return "indices do not rise"
            }
            if !Set(deletions).isDisjoint(with: modifications) { return "deleted and modified" }
            if deletions.isEmpty, insertions.isEmpty, modifications.isEmpty { return "no change" }
            let count = elements.count - deletions.count + insertions.count
            guard (deletions + modifications).allSatisfy({ $0 < elements.count }),
                insertions.allSatisfy({ $0 < count })
            else {
                return """
                    indices beyond \(elements.count) and \(count): -\(deletions) \
                    +\(insertions) ~\(modifications)
                    """
            }
            var marked = elements.map { (element: Optional($0), isModified: false) }
            for index in modifications { marked[index].isModified = true }
            for index in deletions.reversed() { marked.remove(at: index) }
            for index in insertions { marked.insert((nil, false), at: index) }
            for (index, mark) in marked.enumerated() where mark.isModified || mark.element == nil {
                let element = read(collection[index])
                if mark.element == element, !mayModifySame { fault = "\(element) is the same" }
                marked[index].element = element
            }
            elements = marked.compactMap(\.element)
            let expected = collection.isInvalidated ? [] : collection.map(read)
            if elements != expected {
                let place = zip(elements, expected).prefix { $0 == $1 }.count
                return """
                    kept \(elements.dropFirst(place).prefix(3)) for \
                    \(expected.dropFirst(place).prefix(3)) from \(place) of \(elements.count) and \
                    \(expected.count) on, behind -\(deletions) +\(insertions) ~\(modifications)
                    """
            }
        }
        return fault
    }
}
