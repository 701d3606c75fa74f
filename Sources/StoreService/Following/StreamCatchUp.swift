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
    /// Objects of a step through missed changes.
    private static let stepObjectCount = 2_000

    /// Sends one piece; true when the stream is near the present.
    func step(
        _ subscriber: StreamSubscriber, _ read: ReadTransaction
    ) throws(RequestFault) -> Bool {
        let deadline = served.queryLimits(of: read).deadlineMilliseconds
        guard read.rows === subscriber.query.names.schema else {
            let names = served.names(of: read.rows)
            subscriber.restart(try subscriber.query.definition.checked(names))
            subscriber.send(events.reset(.schemaChanged))
            return false
        }
        switch subscriber.phase {
        case .snapshot(let classIndex, let key):
            try sendSnapshot(subscriber, read, classIndex, after: key)
            return false
        case .missed(let missed):
            try sendPiece(of: missed, subscriber, read, until: deadline)
            return false
        case .catchUp, .live:
            let present = try served.stored(read.state().version)
            guard let missed = try missed(subscriber, read, until: deadline) else { return false }
            try sendPiece(of: missed, subscriber, read, until: deadline)
            guard case .catchUp = subscriber.phase else { return false }
            return subscriber.version >= present
        }
    }

    /// What a stream has missed, or the first part of it; nil when the change log does not tell and the
    /// stream begins again.
    func missed(
        _ subscriber: StreamSubscriber, _ read: ReadTransaction, until deadline: UInt64
    ) throws(RequestFault) -> MissedChanges? {
        let changes: FoldedChanges
        do throws(FoldedChanges.Gap) {
            changes = try FoldedChanges(
                after: subscriber.version, in: read, objectCountMax: Self.stepObjectCount,
                classes: subscriber.query.observed.classes)
        } catch {
            switch error {
            case .storage(let storage): throw served.fault(.storage(storage))
            case .expired, .future:
                return reset(subscriber, .cursorExpired)
            }
        }
        guard !changes.changesSchema, subscriber.query.names.schema === read.rows else {
            // What the client holds has the shape of another schema.
            return reset(subscriber, .schemaChanged)
        }
        read.limitFollowing(until: deadline)
        let candidates = subscriber.query.observed.candidates(changes, in: read)
        try served.checkTime(read)
        return MissedChanges(through: changes.through, candidates: candidates[...])
    }

    /// Has a stream begin again with a snapshot.
    private func reset(_ subscriber: StreamSubscriber, _ reason: ResetReason) -> MissedChanges? {
        subscriber.restart(subscriber.query)
        subscriber.send(events.reset(reason))
        return nil
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
            subscriber.query, read, served.limits, events.framing)
        try served.checkTime(read)
        if let piece {
            if piece.isTruncated { throw .replyTooLarge(served.limits.queryMemoryByteCountMax) }
            try served.stored(read.checkFailure())
            subscriber.send(piece.take())
        }
        if missed.candidates.isEmpty {
            subscriber.version = missed.through
            subscriber.phase = .catchUp
        } else {
            subscriber.phase = .missed(missed)
        }
    }

    private func sendSnapshot(
        _ subscriber: StreamSubscriber, _ read: ReadTransaction, _ classIndex: Int,
        after key: UInt64
    ) throws(RequestFault) {
        if !subscriber.hasSnapshotVersion {
            subscriber.version = try served.stored(read.state().version)
            subscriber.hasSnapshotVersion = true
        }
        var writer = ChangeWriter(subscriber.query, read, served.limits)
        events.framing.begin("snapshot", id: nil, in: writer.buffer)
        writer.raw("{\"objects\":[")
        let page = try served.writeSnapshot(
            from: ObjectIdentity(classIndex: classIndex, key: key),
            countMax: (Self.pieceObjectCount, Self.pieceByteCount), to: &writer)
        if page.count > 0 {
            writer.raw("]}")
            events.framing.end(id: nil, in: writer.buffer)
            subscriber.send(writer.take())
        }
        if let next = page.next {
            subscriber.phase = .snapshot(classIndex: next.classIndex, after: next.key)
        } else {
            subscriber.phase = .catchUp
        }
    }
}
