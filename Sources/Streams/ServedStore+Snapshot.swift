import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService

extension ServedStore {
    /// Writes a piece of the current result of a stream's query, in the order of classes and object keys.
    ///
    /// - `place`: The object after which to begin; nil for the first one.
    /// - Returns: The number of objects in the piece, and the last one if there is more; nil if the class to begin with has gone.
    /// - Throws: ``RequestFault`` when storage fails.
    func writeSnapshot(
        behind place: StreamCursor.SnapshotPosition?, countMax: (objects: Int, bytes: Int),
        to writer: inout ChangeWriter
    ) throws(RequestFault) -> (count: Int, next: StreamCursor.SnapshotPosition?)? {
        let (stream, read) = (writer.stream, writer.read)
        var start = ObjectIdentity(classIndex: stream.observed.classIndex ?? 0, key: 0)
        if let place {
            guard let index = read.rows.classIndexByNumber[place.classNumber] else { return nil }
            start = ObjectIdentity(classIndex: index, key: place.key)
        }
        var count = 0
        var last: ObjectIdentity?
        var hasMore = false
        func take(_ row: RowView, _ identity: ObjectIdentity) -> Bool {
            if count == countMax.objects || writer.byteCount > countMax.bytes {
                hasMore = true
                return false
            }
            if count > 0 { writer.raw(",") }
            writer.writeSnapshot(row, identity)
            count += 1
            last = identity
            return true
        }
        func walk(_ classIndex: Int, after key: UInt64) throws(RequestFault) {
            let query = ObjectQuery(
                classIndex: classIndex, predicate: stream.observed.predicate,
                after: key == 0 ? nil : QueryPosition(sortBytes: [], key: key),
                expectedCount: countMax.objects + 1)
            let execution = try mappingStoreErrors(
                QueryExecution(query, in: read, limits: queryLimits(of: read)))
            try mappingStoreErrors(
                execution.run(limit: countMax.objects + 1) { key, row in
                    take(row, ObjectIdentity(classIndex: classIndex, key: key))
                })
        }
        func takeOne(_ classIndex: Int, _ key: UInt64) {
            guard let row = read.row(classIndex: classIndex, key: key) else { return }
            _ = take(row, ObjectIdentity(classIndex: classIndex, key: key))
        }
        switch stream.observed.target {
        case .keyed(let classIndex, let primaryKey):
            let key = read.objectKey(classIndex: classIndex, primaryKey: primaryKey)
            if let key { takeOne(classIndex, key) }
        case .object(let classIndex, let key): takeOne(classIndex, key)
        case .objects(let classIndex): try walk(classIndex, after: start.key)
        case .store:
            for rowClass in read.rows.classes[start.classIndex...]
            where rowClass.definition.kind == .object && !hasMore {
                let after = rowClass.index == start.classIndex ? start.key : 0
                try walk(rowClass.index, after: after)
            }
        }
        guard hasMore, let last else { return (count, nil) }
        let classNumber = read.rows.classes[last.classIndex].number
        return (count, StreamCursor.SnapshotPosition(classNumber: classNumber, key: last.key))
    }

    /// Evaluates something on a view, within the time of the job that reads it.
    ///
    /// - Throws: ``RequestFault`` also if storage failed meanwhile or the time was over. The result would not be the view's then.
    func evaluate<Result>(
        on read: ReadTransaction, _ body: () throws(RequestFault) -> Result
    ) throws(RequestFault) -> Result {
        read.limitFollowing(until: queryLimits(of: read).deadlineMilliseconds)
        defer { read.limitFollowing(until: .max) }
        return try checked(read, body)
    }

    /// The maximum number of changed objects that are examined for other views. If more have changed, a view may have been
    /// another.
    static let decidingObjectCountMax = 200_000

    /// Whether a caller may have had another view at some version since one, because its own object, or data that rules read
    /// along its links, was different, its token had other terms, or the user was barred. The present values cannot report the
    /// changes since then, although the rules are the same.
    ///
    /// - Parameters:
    ///   - caller: The caller.
    ///   - version: The version after which the caller receives changes.
    ///   - read: The view by which the changes are reported.
    ///   - folds: The changes that many callers have missed; nil for a single caller.
    ///   - objectCountMax: The maximum number of changed objects that are looked at. If more have changed, the answer is not
    ///     known.
    /// - Returns: True if the caller may have had another view, or if that is not known. False also if the change log does not
    ///   reach back so far, which is reported elsewhere.
    /// - Throws: ``RequestFault`` when storage fails, or the time of the read is over.
    func hadOtherView(
        _ caller: Caller, since version: UInt64, in read: ReadTransaction,
        sharing folds: FoldCache? = nil, objectCountMax: Int = decidingObjectCountMax
    ) throws(RequestFault) -> Bool {
        guard let visibility = caller.visibility else { return false }
        let unrestricted = read.unrestricted
        let present = try mappingStoreErrors(unrestricted.state().version)
        if version >= present { return false }
        if try visibility.wasShutOut(since: version, in: unrestricted) { return true }
        guard let deciding = try visibility.decidingObject(in: unrestricted) else { return false }
        let changes: FoldedChanges
        do throws(FoldedChanges.Gap) {
            let shared = try folds?.changes(
                after: version, through: present, in: unrestricted, classes: deciding.pastClasses
            ).changes
            if let shared, shared.through == present {
                changes = shared
            } else {
                changes = try FoldedChanges(
                    after: version, in: unrestricted, objectCountMax: objectCountMax,
                    recordCountMax: min(FoldCache.recordCountMax, 10 * objectCountMax),
                    classes: deciding.pastClasses)
            }
        } catch {
            if case .storage(let error) = error { throw fault(.storage(error)) }
            return false
        }
        if changes.through < present || deciding.readsChangedShape(in: changes) { return true }
        if changes.order.isEmpty { return false }
        return try evaluate(on: read) { () throws(RequestFault) in
            try visibility.wasOtherwise(since: version, changes, in: unrestricted)
        }
    }
}
