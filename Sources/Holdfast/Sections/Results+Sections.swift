extension Results {
    /// The elements, sorted by a property and in sections by its values.
    public func sectioned<Key: RealmCollectionValue>(
        by keyPath: KeyPath<Element, Key>, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sectioned(by: keyPath, sortDescriptors: [descriptor(keyPath, ascending)])
    }

    /// The elements, sorted by several properties and in sections by the values of the first.
    ///
    /// - Parameters:
    ///   - keyPath: The way to the key of a section.
    ///   - sortDescriptors: The order, first of all by the key; anything else ends the process.
    /// - Returns: Live sections.
    public func sectioned<Key: RealmCollectionValue>(
        by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        if let first = sortDescriptors.first, first.keyPath != descriptor(keyPath, true).keyPath {
            Misuse.end("The section key property must match the primary sort descriptor property.")
        }
        return sectioned(by: { $0[keyPath: keyPath] }, sortDescriptors: sortDescriptors)
    }

    /// The elements, sorted and in sections by what a block says of each.
    ///
    /// - Parameters:
    ///   - block: Returns the key of an element's section. It is called again after each change, and changes nothing.
    ///   - sortDescriptors: The order; none ends the process.
    /// - Returns: Live sections.
    public func sectioned<Key: RealmCollectionValue>(
        by block: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        if sortDescriptors.isEmpty {
            Misuse.end("There must be at least one SortDescriptor when using SectionedResults.")
        }
        return SectionedResults(sorted(by: sortDescriptors), by: block)
    }

    private func descriptor<Key>(
        _ keyPath: KeyPath<Element, Key>, _ isAscending: Bool
    ) -> SortDescriptor {
        SortDescriptor(keyPath: keyPath, ascending: isAscending)
    }
}
