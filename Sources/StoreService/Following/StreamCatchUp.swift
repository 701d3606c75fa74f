import ObjectJSON
import ObjectStore

/// The way of a stream to the present: pieces of a snapshot of its query, then of what it missed, each from one
/// view of the store. It holds nothing but what the stream itself does.
struct StreamCatchUp: Sendable {
    let served: ServedStore
    let events: StreamEvents

    /// Objects of one piece of a snapshot.
    static let pieceObjectCount = 200
    /// Bytes after which a piece of a snapshot or of missed changes is sent.
    static let pieceByteCount = 128 << 10
    /// Of the objects that a stream is told to forget the most, where a snapshot would tell less.
    private static let leaveCountMax = 1_000

    /// Bytes of a piece while the streams together have too many.
    private static let smallPieceByteCount = 4 << 10

    private let folds = FoldCache()
    /// What waits for single streams, and large events. Beyond it each stream is sent small pieces, one at a time.
    let budget = StreamBudget(byteCountMax: 32 << 20)

    init(served: ServedStore, events: StreamEvents) {
        self.served = served
        self.events = events
    }

    /// Gives back the memory of what nobody has used for a while.
    func dropUnused() { folds.dropUnused() }

    /// Whether the streams together have too much to send.
    var isTight: Bool { budget.isTight }

    /// Whether a stream may be sent another piece.
    func hasRoom(_ subscriber: StreamSubscriber) -> Bool {
        subscriber.hasRoom && (subscriber.isIdle || !budget.isTight)
    }

    /// Sends a piece.
    ///
    /// - Throws: ``RequestFault`` `.tooBusy` for an object that is larger than a queue, while there is no room for it.
    func send(_ piece: SharedBytes, to subscriber: StreamSubscriber) throws(RequestFault) {
        if piece.count > subscriber.sink.queueByteCountMax, budget.isTight { throw .tooBusy }
        subscriber.send(budget.hold(piece))
    }

    var pieceByteCountMax: Int {
        budget.isTight ? Self.smallPieceByteCount : Self.pieceByteCount
    }

    /// Sends one piece; true when the stream is near the present.
    func step(
        _ subscriber: StreamSubscriber, _ read: ReadTransaction
    ) throws(RequestFault) -> Bool {
        let deadline = served.queryLimits(of: read).deadlineMilliseconds
        if read.rows !== subscriber.query.names.schema {
            // Whether the client has to forget what it has, the change log tells.
            subscriber.query = try subscriber.query.under(read.rows, served)
            if case .missed = subscriber.phase { subscriber.phase = .catchUp }
        }
        if let property = subscriber.query.property {
            return try step(subscriber, property, read)
        }
        switch subscriber.phase {
        case .snapshot(let classNumber, let key):
            try sendSnapshot(subscriber, read, classNumber, after: key)
            return false
        case .missed(let missed):
            try sendPiece(of: missed, subscriber, read, until: deadline)
            return false
        case .catchUp, .live:
            let present = try served.stored(read.state().version)
            let fold: FoldCache.Fold
            do throws(FoldedChanges.Gap) {
                fold = try folds.changes(
                    after: subscriber.version, through: present, in: read,
                    classes: subscriber.query.observed.classes)
            } catch {
                switch error {
                case .storage(let storage): throw served.fault(.storage(storage))
                case .expired: return reset(subscriber, .cursorExpired)
                case .future: return reset(subscriber, .restored)
                }
            }
            let changes = fold.changes
            // What the client holds has the shape of another schema.
            if subscriber.query.isReset(by: changes) { return reset(subscriber, .schemaChanged) }
            let isWhole = changes.through == present
            if try isBehind(subscriber, changes, isWhole, read) {
                return reset(subscriber, .fellBehind)
            }
            let missed = try missed(subscriber, fold, read, until: deadline)
            // Those that are reached along links may leave as well.
            let reachedCount = missed.candidates.filterReachedCount
            if reachedCount > Self.leaveCountMax,
                try isBehind(subscriber, reachedCount, isWhole, read)
            {
                return reset(subscriber, .fellBehind)
            }
            try sendPiece(of: missed, subscriber, read, until: deadline)
            guard case .catchUp = subscriber.phase else { return false }
            return subscriber.version >= present
        }
    }

    /// What a stream has missed, if it is not much and no snapshot has to tell it.
    ///
    /// - `countMax`: Objects.
    func missed(
        _ subscriber: StreamSubscriber, _ read: ReadTransaction, countMax: Int,
        until deadline: UInt64
    ) throws(RequestFault) -> MissedChanges? {
        guard
            let changes = try? FoldedChanges(
                after: subscriber.version, in: read, objectCountMax: countMax + 1,
                classes: subscriber.query.observed.classes),
            !subscriber.query.isReset(by: changes), changes.order.count <= countMax
        else { return nil }
        let missed = try missed(
            subscriber, FoldCache.Fold(changes), read, countMax: countMax, until: deadline)
        return missed.candidates.countMax <= countMax ? missed : nil
    }

    private func missed(
        _ subscriber: StreamSubscriber, _ fold: FoldCache.Fold, _ read: ReadTransaction,
        countMax: Int = .max, until deadline: UInt64
    ) throws(RequestFault) -> MissedChanges {
        read.limitFollowing(until: deadline)
        var candidates = subscriber.query.observed.candidates(
            fold.changes, since: subscriber.version, in: read, dependentCountMax: countMax)
        let departures = try served.stored(
            fold.shared?.narrow(&candidates, of: subscriber.query, read, served.limits))
        try served.checkTime(read)
        return MissedChanges(fold, candidates, departures)
    }

    private func isBehind(
        _ subscriber: StreamSubscriber, _ changes: FoldedChanges, _ isWhole: Bool,
        _ read: ReadTransaction
    ) throws(RequestFault) -> Bool {
        guard isWhole, changes.order.count > Self.leaveCountMax else {
            return try isBehind(subscriber, changes.order.count, isWhole, read)
        }
        // Most that are far behind are so by a count that need not be finished.
        let observed = subscriber.query.observed
        for countMax in [3 * Self.leaveCountMax, .max] {
            let count = observed.leaveCount(
                changes, since: subscriber.version, countMax: countMax)
            if try isBehind(subscriber, count, isWhole, read) { return true }
            if count < countMax { return false }
        }
        return false
    }

    /// Whether a snapshot tells less than what was missed, and that is much.
    ///
    /// - `missedCount`: Of the objects that may have left; where the changes do not lead to the present, of all.
    private func isBehind(
        _ subscriber: StreamSubscriber, _ missedCount: Int, _ isWhole: Bool, _ read: ReadTransaction
    ) throws(RequestFault) -> Bool {
        let observed = subscriber.query.observed
        guard missedCount > Self.leaveCountMax, let classIndex = observed.classIndex else {
            return false
        }
        guard case .objects = observed.target else { return missedCount > Self.leaveCountMax }
        let matchCount = try served.stored(
            QueryExecution(
                ObjectQuery(classIndex: classIndex, predicate: observed.predicate), in: read,
                limits: served.queryLimits(of: read)
            ).count())
        // Of those that may leave, some match.
        let left = isWhole ? missedCount - matchCount : missedCount
        return left > max(Self.leaveCountMax, matchCount)
    }

    /// Has a stream begin again with a snapshot.
    func reset(_ subscriber: StreamSubscriber, _ reason: ResetReason) -> Bool {
        subscriber.restart()
        subscriber.send(
            events.reset(reason, of: subscriber.query, generation: subscriber.generation))
        return false
    }

    /// Sends a piece of what was missed, as the objects are now: later changes are delivered behind
    /// it. It does not move the client's cursor.
    func sendPiece(
        of missed: MissedChanges, _ subscriber: StreamSubscriber, _ read: ReadTransaction,
        until deadline: UInt64
    ) throws(RequestFault) {
        var missed = missed
        read.limitFollowing(until: deadline)
        let piece = missed.takePiece(
            subscriber.query, read, served.limits, events.framing, byteCountMax: pieceByteCountMax)
        try served.checkTime(read)
        // An object that can't be read has not left.
        try served.stored(read.checkFailure())
        if let piece {
            if piece.isTruncated { throw .replyTooLarge(served.limits.queryMemoryByteCountMax) }
            try send(piece.take(), to: subscriber)
            subscriber.needsUpToDate = true
        }
        if missed.isAtEnd {
            subscriber.version = missed.through
            subscriber.phase = .catchUp
        } else {
            subscriber.phase = .missed(missed)
        }
    }

    private func sendSnapshot(
        _ subscriber: StreamSubscriber, _ read: ReadTransaction, _ classNumber: UInt32,
        after key: UInt64
    ) throws(RequestFault) {
        if !subscriber.hasSnapshotVersion {
            subscriber.version = try served.stored(read.state().version)
            subscriber.hasSnapshotVersion = true
        }
        var first = ObjectIdentity(
            classIndex: subscriber.query.observed.classIndex ?? 0, key: key)
        if classNumber > 0 {
            // Where the class has gone, what follows in the change log begins again.
            guard let index = read.rows.classIndexByNumber[classNumber] else {
                subscriber.phase = .catchUp
                return
            }
            first.classIndex = index
        }
        var writer = ChangeWriter(subscriber.query, read, served.limits)
        events.framing.begin("snapshot", id: nil, in: writer.buffer)
        writer.raw("{\"objects\":[")
        let page = try served.writeSnapshot(
            from: first, countMax: (Self.pieceObjectCount, pieceByteCountMax), to: &writer)
        if page.count > 0 {
            writer.raw("]}")
            events.framing.end(id: nil, in: writer.buffer)
            try send(writer.take(), to: subscriber)
        }
        if let next = page.next {
            subscriber.phase = .snapshot(
                classNumber: read.rows.classes[next.classIndex].number, after: next.key)
        } else {
            subscriber.phase = .catchUp
        }
    }
}
