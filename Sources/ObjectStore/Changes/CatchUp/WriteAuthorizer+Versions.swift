import HoldfastRows

// The check of preconditions: whether a writer that names an earlier version of an object knows its present state.
extension WriteAuthorizer {
    /// The largest number of versions and changes that are read after the version that a writer names: the writer's thread reads
    /// them.
    private static let recordCountMax = 10_000

    /// Whether one of some versions of an object showed the writer the same as its present version, without a change since. Parts
    /// that the writer does not see never decide whether the write is refused.
    ///
    /// - `stored`: Its present row.
    /// - Returns: False also if the change log does not reach back so far, and for an object that the transaction has changed.
    /// - Throws: ``StoreError`` if the rules can't be evaluated.
    func knows(
        _ versions: [StoreVersion], ofEpoch epoch: UInt64, _ rowClass: RowClass, _ key: UInt64,
        _ stored: RowView
    ) throws(StoreError) -> Bool {
        let earlier = versions.lazy.filter { $0.epoch == epoch && $0.number < stored.version }
        guard let version = earlier.map(\.number).max(),
            base.row(classIndex: rowClass.index, key: key)?.version == stored.version
        else { return false }
        let deciding = try rights.deciding(base)
        let isUnchanged = isUnchanged(
            ObjectIdentity(classIndex: rowClass.index, key: key), since: version,
            decidedBy: deciding)
        try base.checkFailure()
        return isUnchanged
    }

    private func isUnchanged(
        _ object: ObjectIdentity, since version: UInt64, decidedBy deciding: ObservedQuery?
    ) -> Bool {
        let view = base.restricted(to: rights.visibility)
        let query = ObservedQuery(
            target: .object(classIndex: object.classIndex, key: object.key), predicate: nil,
            filterPaths: [], schema: view.rows, visibility: rights.visibility)
        let classes = query.pastClasses.flatMap { own in
            deciding.map { $0.pastClasses.map(own.union) } ?? own
        }
        guard
            let changes = try? FoldedChanges(
                after: version, in: base, recordCountMax: Self.recordCountMax, classes: classes),
            changes.through == (try? base.state().version), !changes.changesSchema,
            changes[object]?.kind == .update
        else { return false }
        /// Whether the changes would be reported to a client that follows a query.
        func isTold(_ query: ObservedQuery, in view: ReadTransaction) -> Bool {
            let events = CatchUpEvents(of: query, changes, since: version, in: view)
            var candidates = events.candidates()
            while let candidate = candidates.next() {
                if events.event(of: candidate) != nil { return true }
            }
            return false
        }
        // The data that decides on roles may have activated other roles meanwhile.
        if let deciding, isTold(deciding, in: base) { return false }
        if isTold(query, in: view) { return false }
        let results = PastResults(of: query, changes, since: version, in: view)
        return results.hasChangedVisibility(of: object) == .no
    }
}
