import Dispatch

extension SectionedResults: _Observable {
    /// The root of the key paths of observers.
    public typealias _ObservedElement = SectionElement

    /// Has `block` called with the sections, and when elements or sections have come, gone or changed.
    ///
    /// It is called where and when observers of the results are. Cost of a call: linear in the number of elements.
    ///
    /// - Parameters:
    ///   - keyPaths: The properties of the elements whose changes are told, as of observers of the results. What comes, goes and moves
    ///     is always told.
    ///   - queue: A serial queue, on which `block` is called with the queue's own view.
    ///   - block: Is told of changes.
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

    /// Has `block` called with the section, and when elements of it have come, gone or changed; others are not told.
    ///
    /// It is called where and when observers of the results are. Index paths are those of all sections. Cost of a call: linear in
    /// the number of elements of all.
    ///
    /// - Parameters:
    ///   - keyPaths: The properties of the elements whose changes are told, as of observers of the results. What comes, goes and moves
    ///     is always told.
    ///   - queue: A serial queue, on which `block` is called with the queue's own view.
    ///   - block: Is told of changes.
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
