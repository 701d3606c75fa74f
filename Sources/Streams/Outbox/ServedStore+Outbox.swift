import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService

extension ServedStore {
    /// The oldest objects of an outbox that are not acknowledged, as a page.
    ///
    /// - Throws: ``RequestFault`` `.notFound` for an unknown class, and for a position that does not fit.
    package func outboxPage(
        _ request: OutboxRequest, in job: Job
    ) throws(RequestFault) -> JobOutcome<SharedBytes> {
        try withRead(for: request.caller, in: job) { read throws(RequestFault) in
            let rowClass = try read.rows.asymmetricClass(named: request.className)
            let position = try position(request, of: rowClass, in: read)
            try requireWhole(position, of: rowClass, in: read)
            return try OutboxPage(
                rowClass, behind: position, in: read, self,
                limit: request.limit, quotesLargeInts: request.quotesLargeInts
            ).bytes
        }
    }

    /// The query of an outbox and the position where its consumer begins. If the consumer's position is of another epoch or view,
    /// it is the beginning, with the reason: only the store knows the acknowledged objects, so everything is delivered again.
    ///
    /// - `restarts`: Whether the consumer can be informed of the reason. If not, it is a fault.
    func outboxStart(
        _ request: OutboxRequest, restarts: Bool
    ) throws(RequestFault) -> (query: CheckedStream, cursor: OutboxCursor, reset: ResetReason?) {
        try withRead(for: request.caller) { read throws(RequestFault) in
            let rowClass = try read.rows.asymmetricClass(named: request.className)
            let query = try checkedOutbox(
                request.className, quotesLargeInts: request.quotesLargeInts, in: read)
            if restarts, let cursor = request.since.flatMap({ OutboxCursor($0) }) {
                let start = beginning(of: rowClass, in: read)
                if cursor.epoch != store.epoch { return (query, start, .restored) }
                if !cursor.isOf(read) { return (query, start, .accessChanged) }
            }
            return (query, try position(request, of: rowClass, in: read), nil)
        }
    }

    /// The position before all objects of an outbox.
    func beginning(of rowClass: RowClass, in read: ReadTransaction) -> OutboxCursor {
        OutboxCursor(classNumber: rowClass.number, epoch: store.epoch, key: 0).sealed(in: read)
    }

    /// Refuses a position before which an object has become visible since. Takes as long as a query.
    ///
    /// - Throws: ``RequestFault`` `.expired`.
    func requireWhole(
        _ cursor: OutboxCursor, of rowClass: RowClass, in read: ReadTransaction
    ) throws(RequestFault) {
        if try hasPassedOver(before: cursor, of: rowClass, in: read) { throw .otherOutboxView }
    }

    /// Whether visible objects before a user's position may have been hidden when it was made, for example because a rule reads
    /// other objects. They were never delivered.
    ///
    /// Cost: nothing if rules read only the object and its user. Otherwise as ``PastVisibility`` for each visible object before the
    /// position, if anything was written since.
    func hasPassedOver(
        before cursor: OutboxCursor, of rowClass: RowClass, in read: ReadTransaction
    ) throws(RequestFault) -> Bool {
        guard cursor.key > 0, read.visibility?.mayChange(ofClass: rowClass.index) ?? false else {
            return false
        }
        if cursor.version == (try mappingStoreErrors(read.state())).version { return false }
        let query = try checkedOutbox(rowClass.definition.name, in: read).observed
        let since: PastVisibility
        do throws(FoldedChanges.Gap) {
            since = try PastVisibility(cursor.version, of: query, in: read)
        } catch {
            if case .storage(let error) = error { throw fault(.storage(error)) }
            return true
        }
        if since.isUnchanged { return false }
        let isPassed = since.mayHaveBeenHidden(
            anyOf: try keys(before: cursor, of: rowClass, in: read))
        try check(read)
        return isPassed
    }

    /// The keys of the visible objects before a position.
    private func keys(
        before cursor: OutboxCursor, of rowClass: RowClass, in read: ReadTransaction
    ) throws(RequestFault) -> [UInt64] {
        var keys: [UInt64] = []
        try mappingStoreErrors(
            read.scan(rowClass) { key, _ in
                if key <= cursor.key { keys.append(key) }
                return key < cursor.key
            })
        try check(read)
        return keys
    }

    /// The query of the objects of an outbox.
    func checkedOutbox(
        _ className: String, quotesLargeInts: Bool = false, in read: ReadTransaction
    ) throws(RequestFault) -> CheckedStream {
        try StreamDefinition(
            of: .outbox(className: className), QueryText(), EventOptions(),
            quotesLargeInts: quotesLargeInts
        ).checked(names(of: read.rows), limits, for: read.visibility)
    }

    /// Deletes the acknowledged objects up to a position, the oldest first, in bounded transactions. For a restricted principal:
    /// the visible objects, provided that it may delete every one of them.
    ///
    /// - `completion`: Called once with the number of objects and the version, on the writer's thread; must not block.
    /// - Returns: Whether the write was submitted.
    /// - Throws: ``RequestFault`` for a position that does not fit.
    package func acknowledge(
        _ className: String, through text: String, _ parameter: String, for caller: Caller,
        in job: Job, completion: @escaping OutboxAcknowledgement.Completion
    ) throws(RequestFault) -> JobOutcome<Void> {
        try withRead(for: caller, in: job) { read throws(RequestFault) in
            let rowClass = try read.rows.asymmetricClass(named: className)
            let cursor = try outboxCursor(text, parameter, of: rowClass, in: read)
            try requireWhole(cursor, of: rowClass, in: read)
            return (
                cursor,
                read.visibility == nil ? nil : try keys(before: cursor, of: rowClass, in: read)
            )
        }.map { cursor, keys in
            store.submit(OutboxAcknowledgement(cursor, keys, for: caller, self, completion))
        }
    }

    /// Refuses a name that does not belong to a class with an outbox.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name that the caller knows; `.unsupportedOperation` for a class of
    ///   another kind.
    package func requireOutbox(of className: String, for caller: Caller) throws(RequestFault) {
        try withRead(for: caller) { read throws(RequestFault) in
            _ = try read.rows.asymmetricClass(named: className)
        }
    }

    private func position(
        _ request: OutboxRequest, of rowClass: RowClass, in read: ReadTransaction
    ) throws(RequestFault) -> OutboxCursor {
        guard let text = request.since else { return beginning(of: rowClass, in: read) }
        return try outboxCursor(text, request.parameter, of: rowClass, in: read)
    }

    /// Reads a position in the outbox of a class.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for text that is not a position of this class or is not reached yet, `.expired`
    ///   for a position of another epoch.
    private func outboxCursor(
        _ text: String, _ parameter: String, of rowClass: RowClass, in read: ReadTransaction
    ) throws(RequestFault) -> OutboxCursor {
        guard let cursor = OutboxCursor(text) else {
            throw .parameter(
                parameter,
                "'\(parameter)' is the \"through\" of a reply, or the id of an event, of this outbox."
            )
        }
        guard cursor.epoch == store.epoch else {
            throw RequestFault(
                .expired, "restored",
                "This position is of another epoch: the store was restored or replaced. Consume the outbox "
                    + "from its beginning.")
        }
        guard cursor.isOf(read) else { throw .otherOutboxView }
        guard cursor.classNumber == rowClass.number else {
            throw .parameter(
                parameter,
                "This position is not of the outbox of class '\(rowClass.definition.name)'."
            )
        }
        let state = try mappingStoreErrors(read.classState(rowClass))
        guard cursor.key < state.nextKey else {
            throw .parameter(parameter, "The outbox has not reached this position yet.")
        }
        return cursor
    }
}

extension RowSchema {
    /// The class with a name, of kind `asymmetric`.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name; `.unsupportedOperation` for a class of another kind.
    package func asymmetricClass(named name: String) throws(RequestFault) -> RowClass {
        guard let rowClass = rowClass(named: name) else { throw .unknownClass(name, self) }
        guard rowClass.isAsymmetric else { throw .notAsymmetric(rowClass) }
        return rowClass
    }
}

extension RequestFault {
    /// The consumer's view has changed since the position.
    static let otherOutboxView = RequestFault(
        .expired, "access-changed",
        "Your access to this outbox has, or may have, changed since this position: consume it from its beginning."
    )

    static func notAsymmetric(_ rowClass: RowClass) -> RequestFault {
        RequestFault(
            .unsupportedOperation, "not-asymmetric",
            "Class '\(rowClass.definition.name)' is of kind '\(rowClass.definition.kind.rawValue)'; only "
                + "classes of kind 'asymmetric' have an outbox.")
    }
}

/// Deletes the acknowledged objects of an outbox up to a position, the oldest first. It is a bounded transaction, which is queued
/// again until nothing is left. A user's is rolled back as a whole if the user may not delete one of its objects.
package final class OutboxAcknowledgement: PendingWrite, @unchecked Sendable {
    // Unchecked: mutable state is used only on the writer's thread.

    /// Receives the number of deleted objects, and the version of the last deletion. Writer's thread; must not block.
    package typealias Completion =
        @Sendable (Result<(count: Int, version: StoreVersion), RequestFault>) -> Void

    /// The number of objects that one transaction deletes.
    private static let objectCountMax = 4096

    private let served: ServedStore
    private let cursor: OutboxCursor
    /// The remaining objects; nil for all up to the position.
    private var keys: ArraySlice<UInt64>?
    private let caller: Caller
    private let completion: Completion
    /// The number of objects that the running transaction has deleted, and the number of earlier ones.
    private var partCount = 0
    private var count = 0

    /// - `keys`: The objects up to the position that the caller was shown; nil if these are all.
    init(
        _ cursor: OutboxCursor, _ keys: [UInt64]?, for caller: Caller, _ served: ServedStore,
        _ completion: @escaping Completion
    ) {
        self.cursor = cursor
        self.keys = keys.map { $0[...] }
        self.caller = caller
        self.served = served
        self.completion = completion
    }

    package func run(_ transaction: WriteTransaction) throws(StoreError) {
        partCount = 0
        try caller.keep(transaction, in: served)
        let rows = transaction.catalog.rows
        // A class that was dropped meanwhile has no outbox any more.
        guard let index = rows.classIndexByNumber[cursor.classNumber],
            rows.classes[index].isAsymmetric
        else { return }
        if let keys {
            partCount = try transaction.acknowledge(rows.classes[index], keys.prefix(partCountMax))
        } else {
            partCount = try transaction.acknowledge(
                rows.classes[index], through: cursor.key, countMax: partCountMax)
        }
    }

    /// The maximum number of objects of a transaction. A user's is as large as a transaction may be, because it is rolled back as
    /// a whole.
    private var partCountMax: Int {
        let countMax = served.store.options.operationCountMax
        return keys == nil ? min(Self.objectCountMax, countMax) : countMax
    }

    package func finish(_ outcome: WriteOutcome) {
        switch outcome {
        case .failure(let error): completion(.failure(served.fault(error)))
        case .success(let number):
            count += partCount
            var hasMore = keys == nil && partCount == partCountMax
            if let left = keys?.dropFirst(partCountMax) {
                keys = left
                hasMore = !left.isEmpty
            }
            if hasMore { return served.store.submit(self) }
            completion(.success((count, StoreVersion(epoch: served.store.epoch, number: number))))
        }
    }
}

/// Outboxes: followers receive objects by position, and no object twice.
extension StreamHub {
    /// Begins to send an outbox to a stream.
    ///
    /// - Throws: ``RequestFault`` for an unknown class, or a position that does not fit.
    package func follow(_ request: OutboxRequest, _ sink: any StreamSink) throws(RequestFault) {
        let (query, cursor, reset) = try served.outboxStart(request, restarts: true)
        let follower = Follower(.events(sink), query, request.caller, after: 0)
        follower.outboxCursor = cursor
        keepAlive(follower)
        follower.send(events.hello(cursor.description))
        if let reset { follower.send(events.reset(reset)) }
        feedLater(follower)
    }

    /// Answers with a page as soon as there are objects, or with an empty page at the deadline.
    ///
    /// - `deadline`: The time of the empty page, in milliseconds of the monotonic clock.
    package func poll(_ request: OutboxRequest, until deadline: UInt64, _ sink: any ReplySink) {
        do throws(RequestFault) {
            let (query, cursor, _) = try served.outboxStart(request, restarts: false)
            let follower = Follower(
                .reply(sink, limit: request.limit, deadline: deadline), query, request.caller,
                after: 0)
            follower.outboxCursor = cursor
            feedLater(follower)
        } catch { sink.fail(error) }
    }

    /// Lets a worker find out whether objects before a follower's position have become visible, for example because data changed
    /// that a rule reads from other objects. No step reports that, because no path leads from these to the objects of an outbox.
    /// On the feed's thread.
    func lookBehind(_ follower: Follower) {
        let query = follower.query.observed
        guard let index = query.classIndex, query.visibility?.mayChange(ofClass: index) ?? false
        else { return }
        for follower in detach([follower]) { feedLater(follower) }
    }

    /// Whether objects follow a follower's position. On the feed's thread.
    func hasMore(
        _ follower: Follower, behind cursor: OutboxCursor, _ position: ChangeFeed.Position
    ) throws(RequestFault) -> Bool {
        let read = position.transaction.restricted(to: follower.query.observed.visibility)
        let rowClass = try read.rows.asymmetricClass(named: follower.query.className)
        if rowClass.number != cursor.classNumber { return true }
        var hasMore = false
        try served.mappingStoreErrors(
            read.scan(rowClass, after: cursor.key, expecting: 1) { _, _ in
                hasMore = true
                return false
            })
        return hasMore
    }
}

/// The request of a consumer for objects of the outbox of an asymmetric class.
package struct OutboxRequest: Sendable {
    package let className: String
    /// The position after which to begin, as the consumer states it; nil for the beginning.
    package let since: String?
    /// The parameter or header with the position, for faults.
    package let parameter: String
    /// The maximum number of objects of a page.
    package let limit: Int
    package let quotesLargeInts: Bool
    /// The consumer.
    package let caller: Caller

    /// Asks for the objects after a position.
    package init(
        of className: String, since: String?, parameter: String = "since", limit: Int,
        quotesLargeInts: Bool = false, for caller: Caller
    ) {
        self.className = className
        self.since = since
        self.parameter = parameter
        self.limit = limit
        self.quotesLargeInts = quotesLargeInts
        self.caller = caller
    }
}
