extension RealmCollection where Element: _ObjectView {
    /// The elements, sorted by a property and in sections by its values.
    public func sectioned<Key: RealmCollectionValue>(
        by keyPath: KeyPath<Element, Key>, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        let descriptor = SortDescriptor(keyPath: keyPath, ascending: ascending)
        return sectioned(by: keyPath, sortDescriptors: [descriptor])
    }

    /// The elements, sorted by several properties and in sections by the values of the first.
    ///
    /// - Parameters:
    ///   - keyPath: The path to the key of a section.
    ///   - sortDescriptors: The order, which has to sort by the key first. Ends the process otherwise.
    /// - Returns: Live sections.
    public func sectioned<Key: RealmCollectionValue>(
        by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        if let first = sortDescriptors.first, first.keyPath != KeyPathNames.text(of: keyPath) {
            Misuse.end("The section key property must match the primary sort descriptor property.")
        }
        return sectioned(by: { $0[keyPath: keyPath] }, sortDescriptors: sortDescriptors)
    }
}

extension RealmCollection {
    /// The elements, sorted and in sections by the key that a block returns for each.
    ///
    /// - Parameters:
    ///   - block: Returns the key of an element's section. It is called again after each change, and changes nothing.
    ///   - sortDescriptors: The order. An empty order ends the process.
    /// - Returns: Live sections.
    public func sectioned<Key: RealmCollectionValue>(
        by block: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        if sortDescriptors.isEmpty {
            Misuse.end("There must be at least one SortDescriptor when using SectionedResults.")
        }
        return SectionedResults(SectionsCore(sorted(by: sortDescriptors), by: block))
    }

    /// The values, in their order and in sections by the key that a block returns for each.
    ///
    /// - Parameters:
    ///   - block: Returns the key of a value's section. It is called again after each change, and changes nothing.
    ///   - ascending: Whether values are sorted in ascending order.
    /// - Returns: Live sections.
    public func sectioned<Key: RealmCollectionValue>(
        by block: @escaping (Element) -> Key, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sectioned(
            by: block, sortDescriptors: [SortDescriptor(keyPath: "self", ascending: ascending)])
    }
}
