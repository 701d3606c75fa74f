import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// The objects of a change by filter, as of the last commit.
///
/// They are searched for by a worker: the writer makes one change at a time, so that a search there would hold up every other
/// commit. When the request's turn comes, the writer again tests the objects that the change log says may match differently by
/// then, as it does for streams, so that the change is made to exactly the matches in its own transaction. If a query wants only
/// the first of its matches, the writer searches again where such an object is one of them, or might be by now.
struct BulkSearch: Sendable {
    /// The most changed objects, and objects that these reach by links, that are tested one by one. With more of them the
    /// writer searches again.
    private static let changedCountMax = 10_000

    /// The object keys, in no promised order.
    let keys: [UInt64]
    /// The version in which they were found.
    let version: UInt64
    private let query: ObservedQuery
    /// Which of the objects that match are wanted.
    private let choice: Choice
    private let rowClass: RowClass
    private let schema: RowSchema
    /// The name of the caller's view; nil for everything.
    private let viewMark: String?

    private enum Choice {
        /// All, of which there may be no more than so many.
        case all(countMax: Int)
        /// The first by an order, or the first of equals. The last one's position is known where there are as many as
        /// there may be: later ones do not count.
        case first(by: [SortKey], last: QueryPosition?)
        /// The result of steps in an order of their own: an object that is dropped by a later one may have displaced
        /// another before.
        case stages
    }

    /// Keeps the result of a search.
    ///
    /// - `keys`: The object keys, in the query's order where that decides which are wanted.
    init(_ query: CheckedQuery, keys: [UInt64], in read: ReadTransaction) throws(StoreError) {
        self.keys = keys
        version = try read.state().version
        rowClass = query.rowClass
        schema = read.rows
        viewMark = read.visibility?.mark
        let countMax = query.total ?? .max
        var dependencies = query.predicate?.dependencies(schema) ?? []
        let isAll = query.stages == nil && query.distinct.isEmpty && keys.count < countMax
        if isAll {
            choice = .all(countMax: countMax)
        } else {
            for key in query.orderKeys { dependencies += key.path.dependencies(schema) }
            let isFull = keys.count == countMax
            choice =
                query.stages != nil
                ? .stages
                : .first(
                    by: query.sort,
                    last: isFull ? Self.position(of: keys.last, query, in: read) : nil)
        }
        self.query = ObservedQuery(
            target: .objects(classIndex: query.rowClass.index), predicate: query.predicate,
            filterPaths: dependencies,
            // For all objects, each changed one is tested again, whatever property has changed.
            countsEverything: isAll, schema: schema, visibility: read.visibility)
    }

    private static func position(
        of key: UInt64?, _ query: CheckedQuery, in read: ReadTransaction
    ) -> QueryPosition? {
        guard let key, let row = read.row(classIndex: query.rowClass.index, key: key) else {
            return nil
        }
        return ObjectOrder(query.sort, of: query.rowClass, in: read).position(key, row)
    }

    /// The keys of the wanted objects in a transaction that has changed nothing yet; nil if they have to be
    /// searched for again, as where one of the first may be another by now. Writer's thread.
    ///
    /// - `view`: The transaction's view. It is late afterwards if testing took longer than `deadline`.
    func keys(
        in transaction: WriteTransaction, _ view: ReadTransaction, until deadline: UInt64
    ) throws(StoreError) -> [UInt64]? {
        let present = transaction.resultingVersion.number
        guard view.rows === schema, view.visibility?.mark == viewMark else { return nil }
        if present == version { return keys }
        let changes: FoldedChanges
        do throws(FoldedChanges.Gap) {
            changes = try FoldedChanges(
                after: version, in: view, objectCountMax: Self.changedCountMax,
                classes: query.classes, formerByteCountMax: 0)
        } catch {
            if case .storage(let error) = error { throw .storage(error) }
            return nil
        }
        guard changes.through == present, !changes.changesSchema else { return nil }
        if changes.isEmpty { return keys }
        view.limitFollowing(until: deadline)
        let candidates = Array(
            query.candidates(changes, in: view, dependentCountMax: Self.changedCountMax))
        guard candidates.count(where: { $0.change == nil }) <= Self.changedCountMax else {
            return nil
        }
        switch choice {
        case .all(let countMax): return all(candidates, countMax, in: view)
        case .first(let sort, let last):
            let order = ObjectOrder(sort, of: rowClass, in: view)
            let isKnown = last.map { order.canGoOn(behind: $0) } ?? true
            return isKnown && isFirst(candidates, order, last, in: view) ? keys : nil
        case .stages: return candidates.isEmpty ? keys : nil
        }
    }

    /// All that match now.
    private func all(
        _ candidates: [ObservedCandidate], _ countMax: Int, in view: ReadTransaction
    ) -> [UInt64]? {
        let matcher = query.matcher(in: view)
        var found = Set(keys)
        for candidate in candidates {
            if query.isMatch(candidate.identity, in: view, matcher) {
                found.insert(candidate.identity.key)
            } else {
                found.remove(candidate.identity.key)
            }
        }
        return found.count > countMax ? nil : found.sorted()
    }

    /// Whether the found objects are still the first after changes of some objects: each of these was not among them,
    /// and does not match now or comes behind all of it.
    private func isFirst(
        _ candidates: [ObservedCandidate], _ order: ObjectOrder, _ last: QueryPosition?,
        in view: ReadTransaction
    ) -> Bool {
        let matcher = query.matcher(in: view)
        let found = Set(keys)
        return candidates.allSatisfy { candidate in
            let identity = candidate.identity
            if found.contains(identity.key) { return false }
            guard query.isMatch(identity, in: view, matcher) else { return true }
            guard let last, let row = view.row(classIndex: identity.classIndex, key: identity.key)
            else { return false }
            return order.comesAfter(identity.key, row, last)
        }
    }
}
