import ObjectStore
import Query
import Rows

/// The objects that a change by filter is about, as the last commit had them.
///
/// They are searched for by a worker: the writer makes one change at a time, so that a search there would
/// hold up every other commit. When the request's turn comes, the writer tests those objects again that the
/// change log says may match differently by then, as it does for streams, so that the change is made to
/// exactly what matches in its own transaction. Of a query that wants only the first of its matches, the
/// writer searches again where such an object is one of them or matches now.
struct BulkSearch: Sendable {
    /// More changed objects than so many are not tested one by one: the writer searches anew.
    private static let changedCountMax = 10_000

    /// The object keys, in no order that matters.
    let keys: [UInt64]
    /// The version in which they were found.
    let version: UInt64
    /// What decides which objects are found, with their order where only some of the matches are wanted.
    private let query: ObservedQuery
    /// Which of the objects that match are wanted.
    private let choice: Choice
    private let schema: RowSchema

    private enum Choice {
        /// All, of which there may be no more than so many.
        case all(countMax: Int)
        /// The first by an order, or the first of equals.
        case first
        /// What steps in an order of their own leave.
        case stages
    }

    init(_ query: CheckedQuery, keys: [UInt64], in read: ReadTransaction) throws(StoreError) {
        self.keys = keys
        version = try read.state().version
        schema = read.rows
        let countMax = query.total ?? .max
        if query.stages != nil {
            choice = .stages
        } else if query.distinct.isEmpty, countMax == .max || keys.count < countMax {
            choice = .all(countMax: countMax)
        } else {
            choice = .first
        }
        var dependencies = query.predicate?.dependencies(schema) ?? []
        for key in query.orderKeys { dependencies += key.dependencies(schema) }
        self.query = ObservedQuery(
            target: .objects(classIndex: query.rowClass.index), predicate: query.predicate,
            paths: dependencies.map { ReachPath(steps: $0.path, member: $0.member) },
            // A property that neither decides nor orders leaves the objects as they were.
            countsPathsAlone: true, schema: schema)
    }

    /// The keys of what is wanted in a transaction that has changed nothing yet; nil where it has to be
    /// searched for anew, as where one of the first may be another by now. Writer's thread.
    ///
    /// - `view`: What the transaction sees; it is late afterwards when testing took longer than `deadline`.
    func keys(
        in transaction: WriteTransaction, _ view: ReadTransaction, until deadline: UInt64
    ) throws(StoreError) -> [UInt64]? {
        let present = transaction.resultingVersion.number
        guard view.rows === schema else { return nil }
        if present == version { return keys }
        let changes: FoldedChanges
        do throws(FoldedChanges.Gap) {
            changes = try FoldedChanges(
                after: version, in: view, objectCountMax: Self.changedCountMax,
                classes: query.classes)
        } catch {
            if case .storage(let error) = error { throw .storage(error) }
            return nil
        }
        guard changes.through == present, !changes.changesSchema else { return nil }
        if changes.isEmpty { return keys }
        view.limitFollowing(until: deadline)
        let matcher = query.matcher(in: view)
        var found = Set(keys)
        for candidate in query.candidates(changes, in: view) {
            let key = candidate.identity.key
            switch choice {
            case .stages: return nil
            case .first:
                // One that was not among them and does not match now leaves the first as they were.
                if found.contains(key) || query.isMatch(candidate.identity, in: view, matcher) {
                    return nil
                }
            case .all:
                if query.isMatch(candidate.identity, in: view, matcher) {
                    found.insert(key)
                } else {
                    found.remove(key)
                }
            }
        }
        try view.checkFailure()
        if case .all(let countMax) = choice, found.count > countMax { return nil }
        return found.sorted()
    }
}
