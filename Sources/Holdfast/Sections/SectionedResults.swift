import Dispatch
import Foundation
import HoldfastObjectStore

/// Results in sections: the elements that have a key in common, one section after the other.
///
///     let byInitial = realm.objects(Person.self)
///         .sectioned(by: { String($0.name.prefix(1)) }, sortDescriptors: [SortDescriptor(keyPath: "name")])
///     for section in byInitial { print(section.key, section.count) }
///
/// Sections stand in the order in which their keys first appear in the sorted results. They are live as results are, and belong
/// to the same thread, queue or actor.
public struct SectionedResults<Key: RealmCollectionValue, SectionElement: RealmCollectionValue> {
    let core: SectionsCore<Key, SectionElement>

    init(_ core: SectionsCore<Key, SectionElement>) { self.core = core }

    /// The keys of all sections, in their order.
    public var allKeys: [Key] { core.division.keys }
    /// The realm that the elements belong to; nil after it was invalidated.
    public var realm: Realm? { core.results.realm }
    /// Whether the realm has been invalidated after the results were made.
    public var isInvalidated: Bool { core.results.isInvalidated }
    /// Whether they are frozen, so that they always show one version.
    public var isFrozen: Bool { core.results.isFrozen }

    /// The element at a position of a section. Ends the process if there is no such position.
    public subscript(_ indexPath: IndexPath) -> SectionElement {
        self[indexPath.section][indexPath.item]
    }
}

extension SectionedResults: RandomAccessCollection {
    /// A section.
    public typealias Element = ResultsSection<Key, SectionElement>

    /// The first position.
    public var startIndex: Int { 0 }
    /// The position after the last section.
    public var endIndex: Int { count }
    /// The number of sections. Cost: linear in the number of elements once for each version.
    public var count: Int { core.division.keys.count }

    /// The section at a position. Ends the process if it is out of range.
    public subscript(position: Int) -> ResultsSection<Key, SectionElement> {
        let keys = core.division.keys
        guard keys.indices.contains(position) else { Misuse.endOutOfBounds(position, keys.count) }
        return ResultsSection(core: core, key: keys[position])
    }

    /// Walks the present sections, unaffected by later writes.
    public func makeIterator() -> IndexingIterator<[ResultsSection<Key, SectionElement>]> {
        core.division.keys.map { ResultsSection(core: core, key: $0) }.makeIterator()
    }
}

extension SectionedResults: Equatable {
    /// Whether both are the same sections of the same results.
    public static func == (a: SectionedResults, b: SectionedResults) -> Bool { a.core === b.core }
}

extension SectionedResults: ThreadConfined {
    /// The address of the sections, made from that of the results.
    public func _makeAddress() -> _Address { core.address { SectionedResults($0) } }
}

@available(*, unavailable)
extension SectionedResults: Sendable {}

extension SectionedResults: _Observable {
    /// The root of the key paths of observers.
    public typealias _ObservedElement = SectionElement

    /// Calls `block` with the sections at first, and when elements or sections were added, removed or changed.
    ///
    /// Calls are made as for observers of the results. Cost of a call: linear in the number of elements.
    ///
    /// - Parameters:
    ///   - keyPaths: The observed properties of the elements, as for observers of the results. Insertions, deletions and moves
    ///     are always reported.
    ///   - queue: A serial queue, on which `block` is called with the queue's own view.
    ///   - block: Receives the changes.
    /// - Returns: A token, which has to be kept as long as the block is to be called.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        if let queue { return observed(on: queue) { $0.observe(keyPaths: keyPaths, block) } }
        return SectionsObservation(core, keyPaths) {
            block($0?.difference.change(of: self) ?? .initial(self))
        }.begin()
    }
}

extension ResultsSection: _Observable {
    /// The root of the key paths of observers.
    public typealias _ObservedElement = Element

    /// Calls `block` with the section at first, and when its elements were added, removed or changed. Changes of other sections
    /// are not reported.
    ///
    /// Calls are made as for observers of the results. Index paths are positions among all sections. Cost of a call: linear in
    /// the number of elements of all sections.
    ///
    /// - Parameters:
    ///   - keyPaths: The observed properties of the elements, as for observers of the results. Insertions, deletions and moves
    ///     are always reported.
    ///   - queue: A serial queue, on which `block` is called with the queue's own view.
    ///   - block: Receives the changes.
    /// - Returns: A token, which has to be kept as long as the block is to be called.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        if let queue { return observed(on: queue) { $0.observe(keyPaths: keyPaths, block) } }
        return SectionsObservation(core, keyPaths) { update in
            guard let (difference, old, new) = update else { return block(.initial(self)) }
            let own = difference.of(section: old.section(of: key), now: new.section(of: key))
            if !own.isEmpty { block(own.change(of: self)) }
        }.begin()
    }
}

/// A notification for an observer of sections.
///
/// To keep own sections in step, take out the deletions from the end, then `sectionsToDelete`. Then put in `sectionsToInsert`,
/// empty, from the beginning, and the insertions. The result equals the sections at each call.
public enum SectionedResultsChange<Collection> {
    /// The sections as they were first found. Reported once, before everything else.
    case initial(Collection)
    /// Elements or sections were removed, inserted or changed. An element that moves to another section or position is reported
    /// as a deletion and an insertion.
    ///
    /// - `deletions`, `modifications`: Index paths in the sections before the change, ascending. Elements of a section that is
    ///   removed as a whole are not listed.
    /// - `insertions`: Index paths in the sections after the change, ascending, including the elements of new sections.
    /// - `sectionsToInsert`: Positions after the change.
    /// - `sectionsToDelete`: Positions before the change.
    case update(
        Collection, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
        sectionsToInsert: IndexSet, sectionsToDelete: IndexSet)
}

extension SectionDifference {
    /// The notification for an observer of the sections, or of one section.
    func change<Collection>(of collection: Collection) -> SectionedResultsChange<Collection> {
        .update(
            collection, deletions: deletions, insertions: insertions, modifications: modifications,
            sectionsToInsert: sectionsToInsert, sectionsToDelete: sectionsToDelete)
    }
}

/// The elements of ``SectionedResults`` with the same key, in the order of the results.
///
/// A section is identified by its key: it keeps its identity when sections before it are added, and is empty while no element has
/// the key.
public struct ResultsSection<Key: RealmCollectionValue, Element: RealmCollectionValue> {
    let core: SectionsCore<Key, Element>
    /// The value that the elements have in common.
    public let key: Key

    /// The realm that the elements belong to; nil after it was invalidated.
    public var realm: Realm? { core.results.realm }
    /// Whether the realm has been invalidated after the results were made.
    public var isInvalidated: Bool { core.results.isInvalidated }
    /// Whether it is frozen, so that it always shows one version.
    public var isFrozen: Bool { core.results.isFrozen }

    /// The positions of the elements in the results.
    private var positions: [Int] {
        let division = core.division
        return division.section(of: key).map { division.positions[$0] } ?? []
    }
}

extension ResultsSection: RandomAccessCollection {
    /// The first position.
    public var startIndex: Int { 0 }
    /// The position after the last element.
    public var endIndex: Int { count }
    /// The number of elements. Cost: linear in the number of elements of all sections, once for each version.
    public var count: Int { positions.count }

    /// The element at a position. Ends the process if it is out of range.
    public subscript(position: Int) -> Element { core.element(position, positions) }

    /// Walks the present elements, unaffected by later writes.
    public func makeIterator() -> IndexingIterator<[Element]> {
        positions.map { core.results[$0] }.makeIterator()
    }
}

extension ResultsSection: Identifiable {
    /// The key.
    public var id: Key { key }
}

extension ResultsSection: Equatable {
    /// Whether both are the same section of the same results.
    public static func == (a: ResultsSection, b: ResultsSection) -> Bool {
        a.core === b.core && a.key == b.key
    }
}

extension ResultsSection: ThreadConfined {
    /// The address of the section, made from that of the results and the key.
    public func _makeAddress() -> _Address {
        core.address { [key] in ResultsSection(core: $0, key: key) }
    }
}

@available(*, unavailable)
extension ResultsSection: Sendable {}

/// An observation of sections, or of one section.
final class SectionsObservation<Key: RealmCollectionValue, Element: RealmCollectionValue>:
    Observation, @unchecked Sendable
{
    /// The changes that an observer of sections receives, and the divisions before and after.
    typealias Update = (
        difference: SectionDifference, from: SectionDivision<Key>, to: SectionDivision<Key>
    )

    private let core: SectionsCore<Key, Element>
    private let followed: any FollowedCollection<ListDifference>
    /// Whether a key may change without a change of an observed property.
    private let hasKeyPaths: Bool
    private let block: (Update?) -> Void
    /// The sections of the last report; nil before the first one.
    private var told: SectionDivision<Key>?
    /// The sections of the realm's version if they differ from the reported ones, and the changes of the results that led there.
    private var pending: (division: SectionDivision<Key>, difference: ListDifference)?

    /// - `block`: Receives nil when the sections were first found.
    init(
        _ core: SectionsCore<Key, Element>, _ keyPaths: [String]?,
        _ block: @escaping (Update?) -> Void
    ) {
        let observed = core.results._observed(keyPaths)
        self.core = core
        followed = observed.followed
        hasKeyPaths = keyPaths != nil
        self.block = block
        super.init(in: observed.realm)
    }

    override func note(_ step: RealmStep) throws(StoreError) {
        guard told != nil, let next = try next(step) else { return }
        pending = next
    }

    override func skip(_ step: RealmStep) throws(StoreError) {
        guard told != nil, let next = try next(step) else { return }
        if pending == nil { told = next.division } else { pending = next }
    }

    /// Advances by a step; nil if the step changes nothing that is observed.
    private func next(
        _ step: RealmStep
    ) throws(StoreError) -> (division: SectionDivision<Key>, difference: ListDifference)? {
        let difference = try followed.advance(step)
        if difference.isEmpty, !hasKeyPaths { return nil }
        return (core.division, pending?.difference.followed(by: difference) ?? difference)
    }

    override func tell() {
        guard let old = told else {
            do throws(StoreError) {
                guard try followed.load(in: realm.committed) else { return end() }
            } catch { return realm.storageFailed(error) }
            told = core.division
            return block(nil)
        }
        guard let (new, results) = pending else { return }
        told = new
        pending = nil
        let difference = SectionDifference(from: old, to: new, results)
        if !difference.isEmpty { block((difference, old, new)) }
    }
}

/// The difference of two divisions of results into sections.
///
/// Elements of a section that is removed as a whole are not listed. Elements of a new section are.
struct SectionDifference {
    /// The earlier positions of elements that were removed or moved, in the sections before.
    private(set) var deletions: [IndexPath] = []
    /// The positions of elements that were inserted or moved, in the sections after.
    private(set) var insertions: [IndexPath] = []
    /// The earlier positions of elements that have changed in place, in the sections before.
    private(set) var modifications: [IndexPath] = []
    /// The sections that were removed or moved, by their positions before.
    private(set) var sectionsToDelete = IndexSet()
    /// The sections that were inserted or moved, by their positions after.
    private(set) var sectionsToInsert = IndexSet()

    var isEmpty: Bool {
        deletions.isEmpty && insertions.isEmpty && modifications.isEmpty
            && sectionsToDelete.isEmpty && sectionsToInsert.isEmpty
    }

    /// Compares two divisions. Cost: linear in the number of elements.
    ///
    /// - `difference`: The difference of the divided results.
    init<Key>(
        from old: SectionDivision<Key>, to new: SectionDivision<Key>, _ difference: ListDifference
    ) {
        let stays = Self.staying(old.keys.map { new.section(of: $0) })
        sectionsToDelete = IndexSet(stays.indices.filter { stays[$0] == nil })
        sectionsToInsert = IndexSet(new.keys.indices).subtracting(IndexSet(stays.compactMap { $0 }))
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

    /// The difference for an observer of one section, with only the elements of that section.
    ///
    /// - `old`: The section's position before; nil if it did not exist.
    /// - `new`: The section's position after; nil if it does not exist.
    func of(section old: Int?, now new: Int?) -> SectionDifference {
        var part = self
        part.deletions.removeAll { $0.section != old }
        part.modifications.removeAll { $0.section != old }
        part.insertions.removeAll { $0.section != new }
        part.sectionsToDelete.formIntersection(old.map { [$0] } ?? [])
        part.sectionsToInsert.formIntersection(new.map { [$0] } ?? [])
        return part
    }

    /// Keeps as many sections in place as possible, in the same order as before. The others move.
    ///
    /// - `positions`: For each section before, its position after; nil if it is gone.
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
