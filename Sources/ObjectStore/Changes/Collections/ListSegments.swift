/// A list as made of parts of what it was before, in order, and of new elements between them.
struct ListSegments {
    /// The kind of elements.
    enum Kind {
        /// Those that they were.
        case kept
        /// Others at the place of those that were there.
        case modified
        /// New.
        case inserted
    }

    /// Neighbouring elements of one kind.
    struct Part {
        var kind: Kind
        /// Of those that were there the index of the first one before.
        var old: Int
        var count: Int
    }

    /// The parts in order; the last one reaches beyond the list, whose length need not be known.
    private(set) var parts: [Part]

    private static let endless = Int.max / 2

    /// A list of which some elements went, came and are others.
    ///
    /// - `deletions`, `modifications`: Their indices before, in order.
    /// - `insertions`: Their indices after, in order.
    init(deletions: [Int] = [], insertions: [Int] = [], modifications: [Int] = []) {
        parts = []
        var (deletions, insertions) = (deletions[...], insertions[...])
        var modifications = modifications[...]
        var (old, new) = (0, 0)
        while true {
            if insertions.first == new {
                append(Part(kind: .inserted, old: 0, count: 1))
                insertions.removeFirst()
                new += 1
                continue
            }
            if deletions.first == old {
                deletions.removeFirst()
                old += 1
                continue
            }
            if modifications.first == old {
                append(Part(kind: .modified, old: old, count: 1))
                modifications.removeFirst()
                (old, new) = (old + 1, new + 1)
                continue
            }
            let next = [
                insertions.first.map { $0 - new }, deletions.first.map { $0 - old },
                modifications.first.map { $0 - old },
            ].compactMap(\.self).min()
            guard let count = next else { break }
            append(Part(kind: .kept, old: old, count: count))
            (old, new) = (old + count, new + count)
        }
        append(Part(kind: .kept, old: old, count: Self.endless))
    }

    /// A list of which elements were replaced by others.
    init(_ splice: ListSplice) {
        parts = []
        if splice.index > 0 { append(Part(kind: .kept, old: 0, count: splice.index)) }
        close(splice.index, splice.removed, splice.inserted)
        append(Part(kind: .kept, old: splice.index + splice.removed, count: Self.endless))
    }

    /// Joins the differences of two steps. Cost: linear in the parts of both.
    func followed(by next: ListSegments) -> ListSegments {
        var joined = ListSegments()
        joined.parts = []
        // Where the first part that is left begins, in the list between the two steps.
        var start = 0
        var left = parts[...]
        for part in next.parts {
            if part.kind == .inserted {
                joined.append(part)
                continue
            }
            var index = part.old
            let end = part.old + part.count
            while index < end, let own = left.first {
                let ownEnd = start + own.count
                if ownEnd > index {
                    let count = min(end, ownEnd) - index
                    let isNew = own.kind == .inserted
                    joined.append(
                        Part(
                            kind: own.kind == .kept ? part.kind : own.kind,
                            old: isNew ? 0 : own.old + index - start, count: count))
                    index += count
                }
                if ownEnd <= end {
                    start = ownEnd
                    left.removeFirst()
                }
            }
        }
        return joined
    }

    /// The same with some of the elements at the place of others taken for those that they were.
    ///
    /// - `isSame`: Decides by their indices before and after.
    func restored(where isSame: (_ old: Int, _ new: Int) -> Bool) -> ListSegments {
        var restored = ListSegments()
        restored.parts = []
        var start = 0
        for part in parts {
            if part.kind == .modified {
                for offset in 0..<part.count {
                    let isKept = isSame(part.old + offset, start + offset)
                    restored.append(
                        Part(kind: isKept ? .kept : .modified, old: part.old + offset, count: 1))
                }
            } else {
                restored.append(part)
            }
            start += part.count
        }
        return restored
    }

    /// Adds a part behind the others.
    private mutating func append(_ part: Part) {
        if let last = parts.last, last.kind == part.kind,
            part.kind == .inserted || last.old + last.count == part.old
        {
            parts[parts.count - 1].count += part.count
        } else {
            parts.append(part)
        }
    }

    // MARK: Comparing

    /// Finds out what became of a list.
    init(from old: [ElementBytes], to new: [ElementBytes]) {
        parts = []
        let shorter = min(old.count, new.count)
        var prefix = 0
        while prefix < shorter, old[prefix] == new[prefix] { prefix += 1 }
        var suffix = 0
        while suffix < shorter - prefix,
            old[old.count - 1 - suffix] == new[new.count - 1 - suffix]
        {
            suffix += 1
        }
        let (oldEnd, newEnd) = (old.count - suffix, new.count - suffix)
        if prefix > 0 { parts.append(Part(kind: .kept, old: 0, count: prefix)) }
        var (oldIndex, newIndex) = (prefix, prefix)
        for pair in Self.pairs(old[prefix..<oldEnd], new[prefix..<newEnd]) {
            close(oldIndex, pair.old - oldIndex, pair.new - newIndex)
            parts.append(Part(kind: .kept, old: pair.old, count: 1))
            (oldIndex, newIndex) = (pair.old + 1, pair.new + 1)
        }
        close(oldIndex, oldEnd - oldIndex, newEnd - newIndex)
        parts.append(Part(kind: .kept, old: oldEnd, count: Self.endless))
    }

    /// Adds what stands in the place of elements that went.
    private mutating func close(_ old: Int, _ removed: Int, _ inserted: Int) {
        let modified = min(removed, inserted)
        if modified > 0 { parts.append(Part(kind: .modified, old: old, count: modified)) }
        if inserted > modified {
            parts.append(Part(kind: .inserted, old: 0, count: inserted - modified))
        }
    }

    /// Pairs of equal elements, rising on both sides: the longest sequence of them where the n-th occurrence of an
    /// element before is paired with its n-th one after.
    private static func pairs(
        _ old: ArraySlice<ElementBytes>, _ new: ArraySlice<ElementBytes>
    ) -> [(old: Int, new: Int)] {
        // Of each element its first index that is not paired yet, and of each index the next one of an equal element.
        var first: [ElementBytes: Int] = [:]
        var following: [Int?] = Array(repeating: nil, count: new.count)
        for index in new.indices.reversed() {
            following[index - new.startIndex] = first.updateValue(index, forKey: new[index])
        }
        var matches: [(old: Int, new: Int)] = []
        for index in old.indices {
            guard let match = first[old[index]] else { continue }
            first[old[index]] = following[match - new.startIndex]
            matches.append((index, match))
        }
        return matches.map(\.new).longestRise().map { matches[$0] }
    }
}
