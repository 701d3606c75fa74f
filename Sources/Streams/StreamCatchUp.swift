import HoldfastThreads
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

/// Brings a stream to the present: sends pieces of a snapshot of its query, then of the missed changes, each from one view of the
/// store. A stream's progress is only in the stream itself.
struct StreamCatchUp: Sendable {
    let served: ServedStore
    let events: StreamEvents

    /// The number of objects in one piece of a snapshot.
    static let pieceObjectCount = 200
    /// Bytes after which a piece of a snapshot or of missed changes is sent.
    static let pieceByteCount = 128 << 10
    /// The maximum number of objects that a stream is told to forget, if a snapshot would be smaller.
    private static let leaveCountMax = 1_000

    /// The bytes of a piece while the streams together have too many.
    private static let smallPieceByteCount = 4 << 10

    let folds = FoldCache()
    /// The bytes that wait for single streams, and of large events. While it is tight, each stream is sent small pieces, one at a
    /// time.
    let budget = MemoryBudget(byteCountMax: 32 << 20)

    /// Whether a stream may be sent another piece.
    func hasRoom(_ follower: Follower) -> Bool {
        follower.hasRoom && (follower.isIdle || !budget.isTight)
    }

    /// Sends a piece.
    ///
    /// - Throws: ``RequestFault`` `.tooBusy` for an object that is larger than a queue, while there is no room for it.
    func send(_ piece: SharedBytes, to follower: Follower) throws(RequestFault) {
        if piece.count > follower.sink?.queueByteCountMax ?? .max, budget.isTight { throw .tooBusy }
        follower.send(budget.hold(piece))
    }

    var pieceByteCountMax: Int { budget.isTight ? Self.smallPieceByteCount : Self.pieceByteCount }

    /// Sends one piece; true when the stream is near the present.
    func step(_ follower: Follower, _ read: ReadTransaction) throws(RequestFault) -> Bool {
        if !follower.query.isChecked(for: read) {
            let isSameView = follower.query.isOf(read)
            follower.query = try follower.query.under(read, served)
            if !isSameView {
                guard follower.outboxCursor != nil else { return reset(follower, .accessChanged) }
                let rowClass = try read.rows.asymmetricClass(named: follower.query.className)
                follower.outboxCursor = served.beginning(of: rowClass, in: read)
                follower.send(events.reset(.accessChanged))
                return false
            }
            // The change log says whether the client has to discard its objects.
            follower.state.lookUpAgain()
        }
        if follower.query.result != nil {
            if try hadOtherView(follower, read) { _ = reset(follower, .accessChanged) }
            return true
        }
        if let cursor = follower.outboxCursor { return try step(follower, behind: cursor, read) }
        if let property = follower.query.property { return try step(follower, property, read) }
        switch follower.state.phase {
        case .snapshot(let place):
            try sendSnapshot(follower, read, behind: place)
            return false
        case .missed(let missed):
            try sendPiece(of: missed, follower, read)
            return false
        case .catchingUp, .live:
            if try hadOtherView(follower, read) { return reset(follower, .accessChanged) }
            let present = try served.mappingStoreErrors(read.state().version)
            let fold: SharedFold
            do throws(FoldedChanges.Gap) {
                fold = try folds.changes(
                    after: follower.state.version, through: present, in: read,
                    classes: follower.query.observed.pastClasses)
            } catch { return reset(follower, try ResetReason(error, served)) }
            let changes = fold.changes
            // The client's objects have the shape of another schema.
            if follower.query.isReset(by: changes) { return reset(follower, .schemaChanged) }
            let isWhole = changes.through == present
            if try isBehind(follower, changes, isWhole, read) {
                return reset(follower, .fellBehind)
            }
            let missed = try missed(follower, fold, read)
            // Objects that are reached along links may leave as well.
            let reachedCount = missed.candidates.filterReachedCount
            if reachedCount > Self.leaveCountMax,
                try isBehind(follower, reachedCount, isWhole, read)
            {
                return reset(follower, .fellBehind)
            }
            try sendPiece(of: missed, follower, read)
            guard case .catchingUp = follower.state.phase, follower.state.version >= present
            else { return false }
            follower.state.advance(through: follower.state.version)
            return true
        }
    }

    /// Whether the changes that a stream has missed can't be reported, because its client may have had another view meanwhile.
    func hadOtherView(_ follower: Follower, _ read: ReadTransaction) throws(RequestFault) -> Bool {
        guard follower.state.hasKnownVersion else { return false }
        return try served.hadOtherView(
            follower.caller, since: follower.state.version, in: read, sharing: folds)
    }

    /// Sends the next objects of an outbox; true if nothing is left.
    private func step(
        _ follower: Follower, behind cursor: OutboxCursor, _ read: ReadTransaction
    ) throws(RequestFault) -> Bool {
        let rowClass = try read.rows.asymmetricClass(named: follower.query.className)
        let hasPassedOver = try served.evaluate(on: read) { () throws(RequestFault) in
            try served.hasPassedOver(before: cursor, of: rowClass, in: read)
        }
        if hasPassedOver {
            follower.outboxCursor = served.beginning(of: rowClass, in: read)
            follower.send(events.reset(.accessChanged))
            return false
        }
        let page = try outboxPage(for: follower, behind: cursor, read, events.framing)
        follower.outboxCursor = page.through
        if page.count == 0 { return true }
        try send(page.bytes, to: follower)
        return false
    }

    /// The next objects of an outbox.
    ///
    /// - `framing`: As for ``OutboxPage``.
    private func outboxPage(
        for follower: Follower, behind cursor: OutboxCursor, _ read: ReadTransaction,
        _ framing: (any EventFraming)?, limit: Int = 0
    ) throws(RequestFault) -> OutboxPage {
        let rowClass = try read.rows.asymmetricClass(named: follower.query.className)
        // Another class may have replaced the followed one.
        let isSame = cursor.classNumber == rowClass.number
        return try served.evaluate(on: read) { () throws(RequestFault) in
            try OutboxPage(
                rowClass, behind: isSame ? cursor : served.beginning(of: rowClass, in: read),
                in: read, served,
                limit: limit, quotesLargeInts: follower.query.definition.quotesLargeInts, framing)
        }
    }

    /// The reply to a waiting request; nil if there is nothing to report up to the present.
    func reply(
        to follower: Follower, limit: Int, _ read: ReadTransaction
    ) throws(RequestFault) -> SharedBytes? {
        if let cursor = follower.outboxCursor {
            guard cursor.isOf(read) else { throw .otherOutboxView }
            follower.query = try follower.query.under(read, served)
            let rowClass = try read.rows.asymmetricClass(named: follower.query.className)
            try served.evaluate(on: read) { () throws(RequestFault) in
                try served.requireWhole(cursor, of: rowClass, in: read)
            }
            let page = try outboxPage(for: follower, behind: cursor, read, nil, limit: limit)
            if page.count > 0 { return page.bytes }
            follower.outboxCursor = page.through
            return nil
        }
        guard follower.query.isOf(read) else { throw .otherViewCursor }
        follower.query = try follower.query.under(read, served)
        let page = try served.changePage(
            follower.query, from: follower.state.version,
            .init(behind: follower.state.version), limit: limit, for: follower.caller, in: read)
        if page.isEmpty { follower.state.advance(through: page.version) }
        return page.isEmpty ? nil : page.bytes
    }

    /// Finds the changes that a stream has missed; nil if they are many, or need a snapshot.
    ///
    /// - `countMax`: The maximum number of objects.
    func missed(
        _ follower: Follower, _ read: ReadTransaction, countMax: Int
    ) throws(RequestFault) -> CatchUpChanges? {
        guard
            let changes = try? FoldedChanges(
                after: follower.state.version, in: read, objectCountMax: countMax + 1,
                classes: follower.query.observed.pastClasses,
                formerByteCountMax: FoldCache.scarcePastByteCountMax),
            !follower.query.isReset(by: changes), changes.order.count <= countMax
        else { return nil }
        let missed = try missed(follower, SharedFold(changes), read, countMax: countMax)
        return missed.candidates.countMax <= countMax ? missed : nil
    }

    private func missed(
        _ follower: Follower, _ fold: SharedFold, _ read: ReadTransaction, countMax: Int = .max
    ) throws(RequestFault) -> CatchUpChanges {
        try served.evaluate(on: read) { () throws(RequestFault) in
            let since = follower.state.exactVersion
            let observed = follower.query.observed
            let events = CatchUpEvents(of: observed, fold.changes, since: since, in: read)
            var candidates = events.candidates(
                since: follower.state.version, dependentCountMax: countMax)
            let departures =
                observed.visibility == nil
                ? try fold.departures(as: follower.query, read, served) : nil
            if departures != nil {
                let limits = served.queryLimits(of: read)
                try served.mappingStoreErrors(events.narrow(&candidates, limits))
            }
            return CatchUpChanges(
                fold: fold, since: since, candidates: candidates, departures: departures)
        }
    }

    private func isBehind(
        _ follower: Follower, _ changes: FoldedChanges, _ isWhole: Bool, _ read: ReadTransaction
    ) throws(RequestFault) -> Bool {
        guard isWhole, changes.order.count > Self.leaveCountMax else {
            return try isBehind(follower, changes.order.count, isWhole, read)
        }
        // For most streams that are far behind, a bounded count is enough to find that.
        let observed = follower.query.observed
        for countMax in [3 * Self.leaveCountMax, .max] {
            let count = observed.leaveCount(
                changes, since: follower.state.version, countMax: countMax)
            if try isBehind(follower, count, isWhole, read) { return true }
            if count < countMax { return false }
        }
        return false
    }

    /// Whether many changes were missed and a snapshot is smaller.
    ///
    /// - `missedCount`: The number of objects that may have left, or of all objects if the changes do not lead to the present.
    private func isBehind(
        _ follower: Follower, _ missedCount: Int, _ isWhole: Bool, _ read: ReadTransaction
    ) throws(RequestFault) -> Bool {
        let observed = follower.query.observed
        guard missedCount > Self.leaveCountMax, let classIndex = observed.classIndex else {
            return false
        }
        guard case .objects = observed.target else { return missedCount > Self.leaveCountMax }
        let matchCount = try served.mappingStoreErrors(
            QueryExecution(
                ObjectQuery(classIndex: classIndex, predicate: observed.predicate), in: read,
                limits: served.queryLimits(of: read)
            ).count())
        // Some of the objects that may leave match.
        let left = isWhole ? missedCount - matchCount : missedCount
        return left > max(Self.leaveCountMax, matchCount)
    }

    /// Restarts a stream with a snapshot.
    func reset(_ follower: Follower, _ reason: ResetReason) -> Bool {
        follower.state.reset(reason)
        // For a result that is followed as a whole, the channel sends the reset together with the result.
        if follower.query.result == nil {
            follower.send(events.reset(reason, of: follower.query, generation: follower.generation))
        }
        return false
    }

    /// Sends a piece of the missed changes, with the objects as they are now. Later changes follow it. It does not move the
    /// client's cursor.
    func sendPiece(
        of missed: CatchUpChanges, _ follower: Follower, _ read: ReadTransaction
    ) throws(RequestFault) {
        var missed = missed
        // An object that can't be read has not left.
        let piece = try served.evaluate(on: read) { () throws(RequestFault) in
            try missed.takePiece(
                follower.query, read, served.limits, events.framing,
                byteCountMax: pieceByteCountMax)
        }
        if missed.isUndecided {
            _ = reset(follower, .fellBehind)
            return
        }
        if let piece {
            try send(piece, to: follower)
            follower.state.requireUpToDate()
        }
        follower.state.tellMissed(rest: missed.isAtEnd ? nil : missed, through: missed.through)
    }

    private func sendSnapshot(
        _ follower: Follower, _ read: ReadTransaction, behind place: StreamCursor.SnapshotPosition?
    ) throws(RequestFault) {
        follower.state.beginSnapshot(at: try served.mappingStoreErrors(read.state().version))
        var writer = ChangeWriter(follower.query, read, served.limits)
        events.framing.begin("snapshot", id: nil, in: writer.buffer)
        writer.raw("{\"objects\":[")
        let page = try served.writeSnapshot(
            behind: place, countMax: (Self.pieceObjectCount, pieceByteCountMax), to: &writer)
        // If the class has gone, the changes that follow in the log restart the stream.
        if let page, page.count > 0 {
            writer.raw("]}")
            events.framing.end(id: nil, in: writer.buffer)
            try send(writer.finish(), to: follower)
        }
        follower.state.tellSnapshot(next: page?.next)
    }
}
