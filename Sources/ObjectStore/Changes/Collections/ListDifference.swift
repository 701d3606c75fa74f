/// The difference of a list between two states, by indices: deleted and changed elements by their former indices, inserted
/// elements by their new indices. It consists of ranges, so that its size depends on the edits, not on the list's length.
///
/// If elements were replaced by more or fewer, the first ones count as changed at their place.
package struct ListDifference: Sendable {
    /// The former indices of the deleted elements, in order.
    package private(set) var deletions: [Range<Int>] = []
    /// The new indices of the inserted elements, in order.
    package private(set) var insertions: [Range<Int>] = []
    /// The former indices of the changed elements that are still there, in order.
    package private(set) var modifications: [Range<Int>] = []
    private let segments: ListSegments

    package var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

    /// The number of indices.
    package var count: Int { (deletions + insertions + modifications).reduce(0) { $0 + $1.count } }

    /// The new indices of the inserted and changed elements, in order.
    package var toldIndices: [Int] {
        var found: [Int] = []
        var (gone, came) = (0, 0)
        var (deletions, insertions) = (deletions[...], insertions[...])
        for index in modifications.joined() {
            while let range = deletions.first, range.lowerBound < index {
                gone += range.count
                deletions.removeFirst()
            }
            while let range = insertions.first, range.lowerBound <= index - gone + came {
                found += range
                came += range.count
                insertions.removeFirst()
            }
            found.append(index - gone + came)
        }
        return found + insertions.joined()
    }

    /// The difference of the first elements of the list.
    ///
    /// - `count`: Their number before.
    /// - Returns: The difference, and their number now.
    package func ofFirst(_ count: Int) -> (difference: ListDifference, count: Int) {
        func clipped(_ ranges: [Range<Int>]) -> [Range<Int>] {
            ranges.filter { $0.lowerBound < count }.map { $0.clamped(to: 0..<count) }
        }
        var part = self
        part.deletions = clipped(deletions)
        part.modifications = clipped(modifications)
        part.insertions = []
        var end = count - part.deletions.reduce(0) { $0 + $1.count }
        for range in insertions where range.lowerBound < end {
            part.insertions.append(range)
            end += range.count
        }
        return (part, end)
    }

    /// Makes the difference of splices, without reading the list. Cost: linear in their number for each.
    ///
    /// - `splices`: The splices in the order in which they were applied.
    /// - `changed`: The new indices, in order, of elements that changed although the list does not show it.
    package init(_ splices: [ListSplice], changed: [Int] = []) {
        let segments = splices.reduce(ListSegments()) { $0.followed(by: ListSegments($1)) }
        self.init(segments.followed(by: ListSegments(modifications: changed)))
    }

    /// Compares two lists: a long sequence of equal elements stays, in which repeated elements are paired in their order. Cost: n
    /// log n.
    ///
    /// - `old`, `new`: The stored bytes of the elements; nil for null.
    /// - `changed`: As above.
    package init(
        from old: [UnsafeRawBufferPointer?], to new: [UnsafeRawBufferPointer?], changed: [Int] = []
    ) {
        self.init(
            ListSegments(from: old.map(ElementBytes.init), to: new.map(ElementBytes.init))
                .followed(by: ListSegments(modifications: changed)))
    }

    /// A difference by indices, each in order: deletions and modifications by former indices, insertions by new indices.
    package init(deletions: [Int], insertions: [Int], modifications: [Int]) {
        self.init(
            ListSegments(
                deletions: deletions, insertions: insertions, modifications: modifications))
    }

    /// Joins two steps; `next` is the later one. The result is exact for lists of any content. Cost: linear in the ranges of
    /// both.
    package func followed(by next: ListDifference) -> ListDifference {
        ListDifference(segments.followed(by: next.segments))
    }

    /// The same without the modifications that change nothing.
    ///
    /// - `isSame`: Decides by an element's indices before and after.
    package func withoutModifications(
        where isSame: (_ old: Int, _ new: Int) -> Bool
    ) -> ListDifference {
        ListDifference(segments.restored(where: isSame))
    }

    private init(_ segments: ListSegments) {
        self.segments = segments
        var oldEnd = 0
        var start = 0
        for segment in segments.parts {
            if segment.kind == .inserted {
                Self.append(start..<(start + segment.count), to: &insertions)
            } else {
                if oldEnd < segment.old { Self.append(oldEnd..<segment.old, to: &deletions) }
                oldEnd = segment.old + segment.count
                if segment.kind == .modified {
                    Self.append(segment.old..<oldEnd, to: &modifications)
                }
            }
            start += segment.count
        }
    }

    private static func append(_ range: Range<Int>, to ranges: inout [Range<Int>]) {
        if let last = ranges.last, last.upperBound == range.lowerBound {
            ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
        } else {
            ranges.append(range)
        }
    }
}
