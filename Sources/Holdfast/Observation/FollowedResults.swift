import HoldfastObjectStore
import HoldfastRows

/// The objects of a query.
final class FollowedResults: FollowedCollection {
    private let results: ResultsCore
    private let paths: ObservedPaths
    private var ordered: OrderedResult
    /// The class, as the view has it that was last gone to.
    private var rowClass: RowClass

    init(_ results: ResultsCore, _ paths: ObservedPaths) {
        self.results = results
        self.paths = paths
        rowClass = results.binding.rowClass
        ordered = Self.result(results, paths)
    }

    private static func result(_ results: ResultsCore, _ paths: ObservedPaths) -> OrderedResult {
        OrderedResult(
            classIndex: results.binding.rowClass.index, predicate: results.parts.predicate,
            suffixes: results.parts.suffixes, shown: paths.shown(in: results.realm.schema),
            schema: results.realm.schema.rows)
    }

    func load(in view: ReadTransaction) throws(StoreError) -> Bool {
        if results.isInvalidated { return false }
        try ordered.load(in: view)
        results.adopt(ordered.keys)
        return true
    }

    func advance(_ step: RealmStep) throws(StoreError) -> ListDifference {
        let difference = try difference(step)
        results.adopt(ordered.keys)
        return difference
    }

    private func difference(_ step: RealmStep) throws(StoreError) -> ListDifference {
        if let changes = step.changes { return try ordered.advance(changes) }
        let old = rowClass
        rowClass = results.binding.rowClass
        if step.before.rows !== step.after.rows {
            let next = Self.result(results, paths)
            next.take(ordered)
            ordered = next
        }
        return try ordered.advance(from: step.before, to: step.after, old)
    }
}
