import Foundation
import HoldfastObjectStore

/// The difference of two divisions of results into sections.
///
/// Elements of a section that goes as a whole are not told one by one; those of one that comes are.
struct SectionDifference {
    /// Where elements were that went, or moved, by the sections before.
    private(set) var deletions: [IndexPath] = []
    /// Where elements are that came, or moved, by the sections after.
    private(set) var insertions: [IndexPath] = []
    /// Where elements were that have changed and stayed, by the sections before.
    private(set) var modifications: [IndexPath] = []
    /// The sections that went, or moved, by their positions before.
    private(set) var sectionsToDelete = IndexSet()
    /// The sections that came, or moved, by their positions after.
    private(set) var sectionsToInsert = IndexSet()

    var isEmpty: Bool {
        deletions.isEmpty && insertions.isEmpty && modifications.isEmpty
            && sectionsToDelete.isEmpty && sectionsToInsert.isEmpty
    }

    /// Compares two divisions. Cost: linear in the number of elements.
    ///
    /// - `difference`: That of the results that were divided.
    init<Key>(
        from old: SectionDivision<Key>, to new: SectionDivision<Key>, _ difference: ListDifference
    ) {
        let stays = Self.staying(old.keys.map { new.section(of: $0) })
        sectionsToDelete = IndexSet(stays.indices.filter { stays[$0] == nil })
        sectionsToInsert = IndexSet(new.keys.indices).subtracting(
            IndexSet(stays.compactMap { $0 }))
        let deleted = IndexSet(ranges: difference.deletions)
        let inserted = IndexSet(ranges: difference.insertions)
        let modified = IndexSet(ranges: difference.modifications)
        let before = old.indexPaths
        let after = new.indexPaths
        for position in deleted where stays[before[position].section] != nil {
            deletions.append(before[position])
        }
        insertions = inserted.map { after[$0] }
        let left = before.indices.lazy.filter { !deleted.contains($0) }
        let found = after.indices.lazy.filter { !inserted.contains($0) }
        for (position, new) in zip(left, found) {
            let section = stays[before[position].section]
            if section == after[new].section {
                if modified.contains(position) { modifications.append(before[position]) }
            } else {
                if section != nil { deletions.append(before[position]) }
                insertions.append(after[new])
            }
        }
        deletions.sort()
        insertions.sort()
        modifications.sort()
    }

    /// The news of one section's observer: its own elements alone.
    ///
    /// - `old`: Its position before; nil where it was not there.
    /// - `new`: Its position after; nil where it is not there.
    func of(section old: Int?, now new: Int?) -> SectionDifference {
        var part = self
        part.deletions.removeAll { $0.section != old }
        part.modifications.removeAll { $0.section != old }
        part.insertions.removeAll { $0.section != new }
        part.sectionsToDelete.formIntersection(old.map { [$0] } ?? [])
        part.sectionsToInsert.formIntersection(new.map { [$0] } ?? [])
        return part
    }

    /// Keeps the most sections that stand in the same order as before; the others move.
    ///
    /// - `positions`: Of each section before its position after; nil where it is gone.
    private static func staying(_ positions: [Int?]) -> [Int?] {
        let there = positions.indices.filter { positions[$0] != nil }
        let rise = there.map { positions[$0] ?? 0 }.longestRise().map { there[$0] }
        var stays = [Int?](repeating: nil, count: positions.count)
        for section in rise { stays[section] = positions[section] }
        return stays
    }
}

extension IndexSet {
    fileprivate init(ranges: [Range<Int>]) {
        self.init()
        for range in ranges { insert(integersIn: range) }
    }
}
