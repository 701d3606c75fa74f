/// A list as parts of its former state, in order, with new elements between them.
struct ListSegments {
    /// The kind of elements.
    enum Kind {
        /// The former elements.
        case kept
        /// Other elements in the place of former ones.
        case modified
        /// New elements.
        case inserted
    }

    /// Neighbouring elements of one kind.
    struct Part {
        var kind: Kind
        /// The former index of the first element, unless the elements are new.
        var old: Int
        var count: Int
    }

    /// The parts in order. The last one reaches beyond the list, because its length need not be known.
    private(set) var parts: [Part]

    private static let endless = Int.max / 2

    /// A list with deleted, inserted and changed elements.
    ///
    /// - `deletions`, `modifications`: The former indices, in order.
    /// - `insertions`: The new indices, in order.
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

    /// A list with elements that were replaced by others.
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
        // The start of the first remaining part, in the list between the two steps.
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

    /// The same with some modified elements taken as unchanged.
    ///
    /// - `isSame`: Decides by an element's indices before and after.
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

    /// Adds a part at the end.
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

    /// Finds the parts of a changed list.
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

    /// Adds the elements in the place of removed ones.
    private mutating func close(_ old: Int, _ removed: Int, _ inserted: Int) {
        let modified = min(removed, inserted)
        if modified > 0 { parts.append(Part(kind: .modified, old: old, count: modified)) }
        if inserted > modified {
            parts.append(Part(kind: .inserted, old: 0, count: inserted - modified))
        }
    }

    /// Pairs of equal elements, rising on both sides: the longest sequence of them if the n-th occurrence of an element before is
    /// paired with its n-th one after.
    private static func pairs(
        _ old: ArraySlice<ElementBytes>, _ new: ArraySlice<ElementBytes>
    ) -> [(old: Int, new: Int)] {
        // The first unpaired index of each element, and the next index of an equal element for each index.
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
