import HoldfastRows

// Whether a writer knows an object as it is, who names an earlier version of it.
extension WriteJudge {
    /// The most versions and changes that are read behind the version that a writer names: the writer's thread reads them.
    private static let recordCountMax = 10_000

    /// Whether one of some versions of an object showed what its writer sees of it now, and nothing of that has changed since: what they do
    /// not see does not decide whether their write is refused.
    ///
    /// - `stored`: Its present row.
    /// - Returns: False also where the change log does not tell, and for an object that the transaction has changed.
    /// - Throws: ``StoreError`` where the rules can't be asked.
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
        let view = base.shown(by: rights.sight)
        let query = ObservedQuery(
            target: .object(classIndex: object.classIndex, key: object.key), predicate: nil,
            filterPaths: [], schema: view.rows, sight: rights.sight)
        let classes = query.formerClasses.flatMap { own in
            deciding.map { $0.formerClasses.map(own.union) } ?? own
        }
        guard
            let changes = try? FoldedChanges(
                after: version, in: base, recordCountMax: Self.recordCountMax, classes: classes),
            changes.through == (try? base.state().version), !changes.changesSchema,
            changes[object]?.kind == .update
        else { return false }
        /// Whether a client that follows a query would be told of the changes.
        func isTold(_ query: ObservedQuery, in view: ReadTransaction) -> Bool {
            let events = MissedEvents(of: query, changes, since: version, in: view)
            var candidates = events.candidates()
            while let candidate = candidates.next() {
                if events.event(of: candidate) != nil { return true }
            }
            return false
        }
        // What decides which roles hold may have had others hold meanwhile.
        if let deciding, isTold(deciding, in: base) { return false }
        if isTold(query, in: view) { return false }
        let results = FormerResults(of: query, changes, since: version, in: view)
        return results.hasChangedSight(of: object) == .no
    }
}
