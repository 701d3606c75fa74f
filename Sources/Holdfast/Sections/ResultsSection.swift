/// The elements of ``SectionedResults`` that have one key, in the order of the results.
///
/// It is known by its key: it stays that section when others come before it, and is empty while no element has the key.
public struct ResultsSection<Key: RealmCollectionValue, Element: RealmCollectionValue> {
    let core: SectionsCore<Key, Element>
    /// The value that the elements have in common.
    public let key: Key

    /// The realm that the elements belong to; nil after it was invalidated.
    public var realm: Realm? { core.results.realm }
    /// Whether the realm was invalidated since.
    public var isInvalidated: Bool { core.results.isInvalidated }
    /// Whether it shows one version for good.
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
    /// The position behind the last element.
    public var endIndex: Int { count }
    /// The number of elements. Cost: linear in that of all sections once for each version.
    public var count: Int { positions.count }

    /// The element at a position; ends the process beyond the end.
    public subscript(position: Int) -> Element { core.element(position, positions) }

    /// Walks the elements that there are now, whatever is written meanwhile.
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
    /// The way to the section: that to the results, and its key.
    public func _makeAddress() -> _Address {
        core.address { [key] in ResultsSection(core: $0, key: key) }
    }
}

@available(*, unavailable)
extension ResultsSection: Sendable {}
