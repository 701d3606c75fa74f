import HoldfastRows

/// The edits of a list: splices in the order in which they were applied, or that it was replaced.
package struct ListEdits: Equatable, Sendable {
    /// The most splices that one version notes of a list.
    static let countMax = 64

    /// The splices; empty for a list that was replaced.
    package private(set) var splices: [ListSplice] = []
    /// Whether it is only known that the list is another.
    package private(set) var isReplaced = false

    /// Whether nothing was done.
    var isEmpty: Bool { splices.isEmpty && !isReplaced }

    init() {}

    /// Adds a splice; one too many replaces the list.
    mutating func append(_ splice: ListSplice, countMax: Int = ListEdits.countMax) {
        if isReplaced { return }
        if let joined = splices.last?.joined(with: splice) {
            splices[splices.count - 1] = joined
        } else if splices.count < countMax {
            splices.append(splice)
        } else {
            replace()
        }
    }

    /// Adds a later change.
    mutating func append(_ edits: ListEdits, countMax: Int = ListEdits.countMax) {
        if edits.isReplaced { return replace() }
        for splice in edits.splices { append(splice, countMax: countMax) }
    }

    /// Notes that the list was replaced.
    mutating func replace() {
        splices = []
        isReplaced = true
    }

    /// The former index of each element of the edited list; nil for an inserted element. Nil as a whole if the list was replaced.
    ///
    /// - `count`: The number of elements before the edits.
    func formers(of count: Int) -> [Int?]? {
        if isReplaced { return nil }
        var formers: [Int?] = Array(0..<count)
        for splice in splices {
            let range = splice.index..<(splice.index + splice.removed)
            guard range.upperBound <= formers.count else { return nil }
            // An element that replaces another one is that element with another value.
            let kept = formers[range].prefix(splice.inserted)
            let new = [Int?](repeating: nil, count: splice.inserted - kept.count)
            formers.replaceSubrange(range, with: kept + new)
        }
        return formers
    }

    /// Compares two lists: one may be the other with some elements more, with some fewer, or with another element.
    /// Anything else counts as replaced. Cost: linear.
    init(from old: CollectionView, to new: CollectionView) {
        var (i, j) = (0, 0)
        let difference = new.count - old.count
        while i < old.count || j < new.count, !isReplaced {
            if i < old.count, j < new.count, old.isSame(i, new, j) {
                (i, j) = (i + 1, j + 1)
            } else if difference > 0, j < new.count {
                append(ListSplice(j, removed: 0, inserted: 1))
                j += 1
            } else if difference < 0, i < old.count {
                append(ListSplice(j, removed: 1, inserted: 0))
                i += 1
            } else if difference == 0, splices.isEmpty {
                append(ListSplice(j, removed: 1, inserted: 1))
                (i, j) = (i + 1, j + 1)
            } else {
                replace()
            }
        }
    }
}

/// The edits of one list of an object by a version.
package struct ListChange: Equatable, Sendable {
    /// The property's number.
    package var property: UInt32
    /// Splices; not that it was replaced.
    package var edits: ListEdits
}

/// One change of a list: from an index on some elements were taken out, and others put in their place.
package struct ListSplice: Hashable, Sendable {
    /// The index, in the list as it was just before.
    package var index: Int
    /// The number of elements that were taken out.
    package var removed: Int
    /// The number of elements that were put in.
    package var inserted: Int

    /// Makes a splice.
    package init(_ index: Int, removed: Int, inserted: Int) {
        self.index = index
        self.removed = removed
        self.inserted = inserted
    }

    /// This splice and the next one as one; nil if one splice can't express both.
    func joined(with next: ListSplice) -> ListSplice? {
        if self == next, removed == 1, inserted == 1 { return self }
        if removed == 0, next.removed == 0, (index...(index + inserted)).contains(next.index) {
            return ListSplice(index, removed: 0, inserted: inserted + next.inserted)
        }
        if inserted == 0, next.inserted == 0,
            (next.index...(next.index + next.removed)).contains(index)
        {
            return ListSplice(next.index, removed: removed + next.removed, inserted: 0)
        }
        return nil
    }
}
