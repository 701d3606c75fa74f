import ObjectStore
import Query
import Rows

/// The objects that a change by filter is about, as the last commit had them.
///
/// They are searched for by a worker: the writer makes one change at a time, so that a search there would
/// hold up every other commit. When the request's turn comes, the writer tests those objects again that the
/// change log says may match differently by then, as it does for streams, so that the change is made to
/// exactly what matches in its own transaction.
struct BulkSearch: Sendable {
    /// More changed objects than so many are not tested one by one: the writer searches anew.
    private static let changedCountMax = 10_000

    /// The object keys, in no order that matters.
    let keys: [UInt64]
    /// The version in which they were found.
    let version: UInt64
    private let query: ObservedQuery
    private let schema: RowSchema

    /// Whether a search can be brought up to date: an order, or the first of equals, is another one as soon as
    /// anything changes.
    static func isPossible(_ query: CheckedQuery) -> Bool {
        query.stages == nil && query.sort.isEmpty && query.distinct.isEmpty && query.total == nil
    }

    init(_ query: CheckedQuery, keys: [UInt64], in read: ReadTransaction) throws(StoreError) {
        self.keys = keys
        version = try read.state().version
        schema = read.rows
        let paths = query.predicate?.dependencies(read.rows) ?? []
        self.query = ObservedQuery(
            target: .objects(classIndex: query.rowClass.index), predicate: query.predicate,
            paths: paths.map { ReachPath(steps: $0.path, member: $0.member) }, schema: read.rows)
    }

    /// The keys of what matches in a transaction that has changed nothing yet; nil where it has to be searched
    /// for anew. Writer's thread.
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
            if query.isMatch(candidate.identity, in: view, matcher) {
                found.insert(candidate.identity.key)
            } else {
                found.remove(candidate.identity.key)
            }
        }
        try view.checkFailure()
        return found.sorted()
    }
}
