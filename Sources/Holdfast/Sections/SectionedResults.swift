import Foundation

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
    /// Whether the realm was invalidated since.
    public var isInvalidated: Bool { core.results.isInvalidated }
    /// Whether they show one version for good.
    public var isFrozen: Bool { core.results.isFrozen }

    /// The element at a position of a section; ends the process where there is none.
    public subscript(_ indexPath: IndexPath) -> SectionElement {
        self[indexPath.section][indexPath.item]
    }
}

extension SectionedResults: RandomAccessCollection {
    /// A section.
    public typealias Element = ResultsSection<Key, SectionElement>

    /// The first position.
    public var startIndex: Int { 0 }
    /// The position behind the last section.
    public var endIndex: Int { count }
    /// The number of sections. Cost: linear in the number of elements once for each version.
    public var count: Int { core.division.keys.count }

    /// The section at a position; ends the process beyond the end.
    public subscript(position: Int) -> ResultsSection<Key, SectionElement> {
        let keys = core.division.keys
        guard keys.indices.contains(position) else {
            Misuse.endOutOfBounds(position, keys.count)
        }
        return ResultsSection(core: core, key: keys[position])
    }

    /// Walks the sections that there are now, whatever is written meanwhile.
    public func makeIterator() -> IndexingIterator<[ResultsSection<Key, SectionElement>]> {
        core.division.keys.map { ResultsSection(core: core, key: $0) }.makeIterator()
    }
}

extension SectionedResults: Equatable {
    /// Whether both are the same sections of the same results.
    public static func == (a: SectionedResults, b: SectionedResults) -> Bool { a.core === b.core }
}

extension SectionedResults: ThreadConfined {
    /// The way to the sections: that to the results.
    public func _makeAddress() -> _Address { core.address { SectionedResults($0) } }
}

@available(*, unavailable)
extension SectionedResults: Sendable {}
