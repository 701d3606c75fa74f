import HoldfastAccess
import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

/// A page of changes, and whether it is empty.
struct ChangePage {
    /// The page as JSON.
    var bytes: SharedBytes
    /// Whether the page has no change, and no change follows it.
    var isEmpty: Bool
    /// The version that it leads to.
    var version: UInt64
}

extension ServedStore {
    /// The maximum number of versions and changes in the change log that one page looks at.
    private static let pageRecordCountMax = 100_000

    /// Reads the cursor of a stream's client.
    ///
    /// - `name`: The parameter or header that contains the cursor.
    /// - `mark`: The name of the client's view; empty if it may read everything.
    /// - Throws: ``RequestFault`` `.malformed` if the text is not a cursor.
    package func streamCursor(
        _ text: String, _ name: String, of mark: String
    ) throws(RequestFault) -> StreamCursor {
        let seal = mark.isEmpty ? nil : Seal(ofChangePartsBy: store.ticketKey)
        guard let cursor = StreamCursor(text, of: mark, seal) else {
            throw .parameter(
                name,
                "'\(name)' is 'now', 'start' or a cursor that a stream has sent, such as "
                    + "\(store.version).")
        }
        return cursor
    }

    /// The page of a stream after the client's cursor.
    ///
    /// - Throws: ``RequestFault`` `.expired` if the changes after the cursor are not kept, or are too many to be judged for its
    ///   user.
    package func page(
        of stream: CheckedStream, from cursor: StreamCursor, limit: Int, for caller: Caller,
        in job: Job
    ) throws(RequestFault) -> JobOutcome<SharedBytes> {
        let read = { (read: ReadTransaction) throws(RequestFault) in
            try self.page(of: stream, from: cursor, limit: limit, for: caller, in: read)
        }
        switch cursor {
        case .start, .snapshot, .otherView: return try withRead(for: caller, in: job, read)
        case .now, .after, .within: return try withChanges(of: stream, for: caller, in: job, read)
        }
    }

    /// The same page in one view, without turns.
    func page(
        of stream: CheckedStream, from cursor: StreamCursor, limit: Int, for caller: Caller,
        in read: ReadTransaction
    ) throws(RequestFault) -> SharedBytes {
        if let version = cursor.version,
            try version.number > mappingStoreErrors(read.state().version)
        {
            throw .futureCursor
        }
        guard stream.isOf(read) else { throw .otherViewCursor }
        switch cursor {
        case .otherView: throw .otherViewCursor
        case .start: return try snapshotPage(stream, in: read, behind: nil, limit: limit)
        case .snapshot(let version, let object):
            return try snapshotPage(
                stream, in: read, behind: (begun: version, object: object), limit: limit)
        case .within(let version, let part):
            return try changePage(
                stream, from: version.number, part, limit: limit, for: caller, in: read
            ).bytes
        case .now, .after:
            let number =
                if let version = cursor.version { version.number } else {
                    try mappingStoreErrors(read.state().version)
                }
            return try changePage(
                stream, from: number, .init(behind: number), limit: limit, for: caller, in: read
            ).bytes
        }
    }

    /// Reads the changes after a cursor, as ``withRead(for:of:in:_:)`` reads.
    ///
    /// - Throws: ``RequestFault`` `.expired` instead of the fault of a read that takes too much time or memory for a user:
    ///   judging each change for the user would take as much at the next attempt.
    func withChanges<Reply>(
        of stream: CheckedStream, for caller: Caller, in job: Job,
        _ body: (ReadTransaction) throws(RequestFault) -> Reply
    ) throws(RequestFault) -> JobOutcome<Reply> {
        let hasTurn = !job.isOverdue
        do throws(RequestFault) { return try withRead(for: caller, in: job, body) } catch {
            throw hasTurn && error.isQueryLimit && stream.judgesMissed ? .otherViewCursor : error
        }
    }

    /// A page of changes since a version, folded by object.
    ///
    /// The changes of several versions never exceed a page. The changes of one version, and objects that are reached along links
    /// from there, may be cut at a place in the change log. The place does not depend on the objects that match when the page is
    /// read. A later part is delivered as it is then, and changes from in between are delivered again after it.
    ///
    /// - `number`: The last version at which the client had exactly the result.
    /// - `known`: The client's knowledge of later changes.
    /// - Throws: ``RequestFault`` `.expired` if the changes after the version are not kept, if the version is in the future, or
    ///   if the caller may have had another view since.
    func changePage(
        _ stream: CheckedStream, from number: UInt64, _ known: StreamCursor.ChangePart,
        limit: Int, for caller: Caller, in read: ReadTransaction
    ) throws(RequestFault) -> ChangePage {
        guard stream.isOf(read), try !hadOtherView(caller, since: known.after, in: read) else {
            throw .otherViewCursor
        }
        let query = try stream.under(read, self)
        let through = known.through > known.after ? known.through : nil
        // The end of a restricted user's page does not depend on the number of changed hidden objects.
        let objectCountMax =
            through == nil && query.observed.visibility == nil ? limit : limits.pageObjectCountMax
        let changes: FoldedChanges
        do throws(FoldedChanges.Gap) {
            changes = try FoldedChanges(
                after: known.after, through: through, in: read, objectCountMax: objectCountMax,
                recordCountMax: Self.pageRecordCountMax, classes: query.observed.pastClasses)
        } catch {
            let isExpired = try ResetReason(error, self) == .cursorExpired
            throw isExpired ? .expiredCursor : .futureCursor
        }
        if query.isReset(by: changes) { throw .schemaChangedCursor }
        let present = try mappingStoreErrors(read.state().version)
        var position = known
        position.through = changes.through
        var writer = ChangeWriter(query, read, limits)
        var count = 0
        writer.raw("{\"changes\":[")
        let isCut = try evaluate(on: read) { () throws(RequestFault) in
            let events = CatchUpEvents(of: query.observed, changes, since: number, in: read)
            var left = events.candidates().filter { candidate in
                candidate.position.map { $0 >= position.knownCount }
                    ?? (candidate.identity.key > position.reachedKey)
            }[...]
            while let candidate = left.first {
                let event = events.event(of: candidate)
                // A change without an event does not need another page.
                if event != nil, count >= limit || writer.byteCount > limits.replyByteCount {
                    break
                }
                left.removeFirst()
                if let ownPosition = candidate.position {
                    position.knownCount = ownPosition + 1
                } else {
                    position.reachedKey = candidate.identity.key
                }
                guard let event else { continue }
                if event.isUndecided { throw .otherViewCursor }
                if count > 0 { writer.raw(",") }
                writer.write(event, withVersion: true)
                count += 1
            }
            return !left.isEmpty
        }
        let isCurrent = !isCut && changes.through == present
        if !isCut { position = .init(behind: changes.through) }
        let isExact = isCurrent || !isCut && !query.observed.asksOfDepartures
        func version(_ number: UInt64) -> StoreVersion {
            StoreVersion(epoch: store.epoch, number: number)
        }
        let cursor: StreamCursor =
            isExact ? .after(version(changes.through)) : .within(version(number), position)
        writer.raw("],\"cursor\":\"")
        let seal = isExact || query.viewMark.isEmpty ? nil : Seal(ofChangePartsBy: store.ticketKey)
        writer.text(cursor.text(of: query.viewMark, seal))
        writer.raw(isCurrent ? "\",\"upToDate\":true}" : "\",\"upToDate\":false}")
        return ChangePage(
            bytes: try writer.finish(), isEmpty: count == 0 && isCurrent, version: changes.through)
    }

    /// A page without changes up to a version.
    func emptyChangePage(_ version: UInt64, of query: CheckedStream) -> SharedBytes {
        let cursor = query.cursor(StoreVersion(epoch: store.epoch, number: version))
        let buffer = ByteBuffer(capacity: 64)
        buffer.append("{\"changes\":[],\"cursor\":\"\(cursor)\",\"upToDate\":true}")
        return SharedBytes(buffer)
    }

    /// A page of a query's present result. The last page has the cursor after it.
    ///
    /// - `place`: The version of the first page, and the last object that the client knows; nil for the first page.
    private func snapshotPage(
        _ stream: CheckedStream, in read: ReadTransaction,
        behind place: (begun: StoreVersion, object: StreamCursor.SnapshotPosition)?, limit: Int
    ) throws(RequestFault) -> SharedBytes {
        let query = try stream.under(read, self)
        let present = try mappingStoreErrors(read.state().version)
        let version = place?.begun ?? StoreVersion(epoch: store.epoch, number: present)
        var writer = ChangeWriter(query, read, limits)
        writer.raw("{\"objects\":[")
        let page = try writeSnapshot(
            behind: place?.object, countMax: (limit, limits.replyByteCount), to: &writer)
        guard let page else { throw .schemaChangedCursor }
        writer.raw("]")
        if let next = page.next {
            writer.raw(",\"next\":\"")
            writer.text(query.text(of: .snapshot(version, next)))
        } else {
            writer.raw(",\"cursor\":\"")
            writer.text(query.cursor(version))
        }
        writer.raw("\"}")
        return try writer.finish()
    }
}

extension RequestFault {
    /// The changes after the cursor's version are not kept any more.
    static let expiredCursor = RequestFault(
        .expired, "cursor-expired",
        "The changes after this cursor are no longer retained; begin again with since=start.")
    /// The schema has changed since the cursor.
    static let schemaChangedCursor = RequestFault(
        .expired, "schema-changed",
        "The schema has changed since this cursor; begin again with since=start.")

    /// The client's view has changed since the cursor, or may have.
    static let otherViewCursor = RequestFault(
        .expired, "access-changed",
        "Your access has, or may have, changed since this cursor, or it is a version, such as that of Holdfast-Version, "
            + "and not a user's cursor; begin again with since=start, or with the cursor of an earlier reply."
    )

    /// The cursor belongs to another store, or to this one before it was restored.
    package static let otherEpochCursor = RequestFault(
        .expired, "restored",
        "The cursor is of another epoch: the store was restored or replaced; begin again with since=start."
    )
    /// The cursor's version does not exist: the store is an older copy.
    static let futureCursor = RequestFault(
        .expired, "restored",
        "The cursor is of a version that this store has not reached: the store was put back from a copy; "
            + "begin again with since=start.")
}
