import Synchronization

/// Results and the keys of their sections: the common part of views of all sections and of one section.
///
/// The results are divided at the first access, and again after the realm's view has changed.
final class SectionsCore<Key: RealmCollectionValue, Element: RealmCollectionValue> {
    let results: Results<Element>
    private let key: (Element) -> Key
    /// The sections as they were last divided. Behind a lock, because several threads read frozen ones at once.
    private let divided = Mutex<Divided?>(nil)

    private struct Divided: @unchecked Sendable {
        // Unchecked: keys are values, which do not change.

        let generation: UInt64
        let division: SectionDivision<Key>
    }

    init(_ results: Results<Element>, by key: @escaping (Element) -> Key) {
        if case .object = Key._element.kind { Self.refuseLinks() }
        self.results = results
        self.key = key
    }

    private static func refuseLinks() -> Never {
        Misuse.end("Links are not supported as section keys.")
    }

    private func key(of element: Element) -> Key {
        let key = key(element)
        if let mixed = key as? AnyRealmValue, case .object = mixed { Self.refuseLinks() }
        return key
    }

    /// The present sections. Cost: linear in the number of elements, once for each version.
    var division: SectionDivision<Key> {
        let generation = results.core.objects.generation
        if let divided = divided.withLock({ $0 }), divided.generation == generation {
            return divided.division
        }
        let division = SectionDivision(results.lazy.map { self.key(of: $0) })
        let made = Divided(generation: generation, division: division)
        divided.withLock { $0 = made }
        return division
    }

    /// The reference to the same sections, from which `make` makes the program's sections.
    func address<T>(_ make: @escaping (SectionsCore) -> T) -> _Address {
        let address = results._makeAddress()
        return _Address { [key] realm in
            (address.find(realm) as? Results<Element>).map { make(SectionsCore($0, by: key)) }
        }
    }

    /// The element at a position of a section. Ends the process if it is out of range.
    func element(_ position: Int, _ positions: [Int]) -> Element {
        guard positions.indices.contains(position) else {
            Misuse.endOutOfBounds(position, positions.count)
        }
        return results[positions[position]]
    }
}
