import HTTPServer
import ObjectStore

extension RESTService {
    /// A page of what has changed since a version, folded by object.
    ///
    /// - Parameters:
    ///   - number: The version that the client knows.
    ///   - skipping: How many of the objects that the next version changed it knows too.
    /// - Throws: ``Problem`` 410 for a version whose changes are not kept, 400 for one of the future.
    func changePage(
        _ definition: StreamDefinition, after number: UInt64, skipping: Int, limit: Int
    ) throws(Problem) -> Response {
        let read = try stored { () throws(StoreError) in try store.read() }
        defer { read.close() }
        let query = try definition.checked(names(of: read.rows))
        let changes: FoldedChanges
        do throws(FoldedChanges.Gap) {
            changes = try FoldedChanges(
                after: number, in: read, objectCountMax: skipping > 0 ? 1 : limit)
        } catch {
            switch error {
            case .storage(let storage): throw problem(.storage(storage))
            case .expired: throw .expiredCursor
            case .future: throw .futureCursor
            }
        }
        if changes.changesSchema { throw .schemaChangedCursor }
        let present = try stored { () throws(StoreError) in try read.state().version }
        read.limitFollowing(until: queryDeadline)
        let candidates = query.observed.candidates(changes, in: read)
        // What a version changed is split over pages when it is more than a page. Pages count the
        // objects that changed, which are the same in every state; those that are reached along links
        // are not, and stay together with the last.
        let changedCount = candidates.prefix { $0.change != nil }.count
        let end = changedCount - skipping > limit ? skipping + limit : candidates.count
        let matcher = query.observed.matcher(in: read)
        var writer = ChangeWriter(query, read)
        writer.raw("{\"changes\":[")
        var isFirst = true
        for candidate in candidates[min(skipping, end)..<end] {
            guard let event = query.observed.event(of: candidate, in: read, matcher) else { continue }
            if !isFirst { writer.raw(",") }
            isFirst = false
            writer.write(event, withVersion: true)
        }
        try checkTime(read)
        let cursor: StreamCursor
        if end < candidates.count {
            cursor = .after(StoreVersion(epoch: store.epoch, number: number), skipping: end)
        } else {
            cursor = .after(StoreVersion(epoch: store.epoch, number: changes.through), skipping: 0)
        }
        let isCurrent = end == candidates.count && changes.through == present
        writer.raw("],\"cursor\":\"")
        writer.text(cursor.text)
        writer.raw(isCurrent ? "\",\"upToDate\":true}" : "\",\"upToDate\":false}")
        try stored { () throws(StoreError) in try read.checkFailure() }
        return Response(200, .json, writer.take())
    }

    /// A page of what a query holds now; the last one has the cursor behind it.
    func snapshotPage(
        _ definition: StreamDefinition, begunAt begun: StoreVersion?, from start: ObjectIdentity,
        limit: Int
    ) throws(Problem) -> Response {
        let read = try stored { () throws(StoreError) in try store.read() }
        defer { read.close() }
        let names = names(of: read.rows)
        let query = try definition.checked(names)
        let present = try stored { () throws(StoreError) in try read.state().version }
        let version = begun ?? StoreVersion(epoch: store.epoch, number: present)
        guard begun == nil || start.classIndex < read.rows.classes.count else { throw .futureCursor }
        let page = try SnapshotPage(
            query, read, self, from: start, objectCountMax: limit,
            byteCountMax: options.queryMemoryByteCountMax, opening: "{\"objects\":[", closing: "]")
        let writer = ChangeWriter(query, read)
        writer.bytes(page.bytes.buffer)
        if let next = page.next {
            writer.raw(",\"next\":\"")
            writer.text(StreamCursor.snapshot(version, next).text)
        } else {
            writer.raw(",\"cursor\":\"")
            writer.text(version.description)
        }
        writer.raw("\"}")
        return Response(200, .json, writer.take())
    }
}

extension Problem {
    /// What followed the cursor's version is not kept any more.
    static let expiredCursor = Problem(
        410, "cursor-expired",
        "What came after this cursor is not kept any more; begin again with since=start.")
    /// The schema changed behind the cursor.
    static let schemaChangedCursor = Problem(
        410, "schema-changed",
        "The schema has changed since this cursor; begin again with since=start.")
    /// The cursor's version does not exist.
    static let futureCursor = Problem.parameter(
        "since", "The cursor is of a version that this store has not reached.")
}
