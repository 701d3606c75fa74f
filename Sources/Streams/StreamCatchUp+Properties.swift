import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

extension StreamCatchUp {
    /// The maximum number of objects changed meanwhile that are looked through for one property.
    private static let foldedObjectCountMax = 200_000

    /// Sends the next piece to a stream of a property; true when it is near the present.
    ///
    /// Each piece of a snapshot shows the version that is present when the piece is written. Before it, splices report the
    /// changes of the list elements that the client already has. If that is not possible, the snapshot begins again with pieces
    /// twice as large.
    func step(
        _ follower: Follower, _ property: ObservedProperty, _ read: ReadTransaction
    ) throws(RequestFault) -> Bool {
        if case .snapshot = follower.state.phase {
            follower.state.beginSnapshot(at: try served.mappingStoreErrors(read.state().version))
        }
        if try hadOtherView(follower, read) { return reset(follower, .accessChanged) }
        guard try tellMissed(follower, property, read) else { return false }
        guard case .snapshot(let place) = follower.state.phase else { return true }
        try sendSnapshot(follower, property, read, behind: Int(clamping: place?.key ?? 0))
        return false
    }

    /// Reports the changes of a property since the version that a stream knows, as one event after which its client may resume.
    ///
    /// - `countMax`: The maximum number of changed objects. Nil for as many as memory allows; a snapshot follows for more.
    /// - Returns: False if the stream does not know the present yet.
    /// - Returns: False when the stream does not know the present yet.
    func tellMissed(
        _ follower: Follower, _ property: ObservedProperty, _ read: ReadTransaction,
        countMax: Int? = nil
    ) throws(RequestFault) -> Bool {
        let present = try served.mappingStoreErrors(read.state().version)
        if follower.state.version == present { return true }
        let observed = follower.query.observed
        let changes: FoldedChanges
        do throws(FoldedChanges.Gap) {
            changes = try FoldedChanges(
                after: follower.state.version, in: read,
                objectCountMax: countMax ?? Self.foldedObjectCountMax,
                recordCountMax: FoldCache.recordCountMax, classes: observed.pastClasses,
                notesLists: true,
                formerByteCountMax: countMax == nil
                    ? FoldedChanges.formerByteCountMax : FoldCache.scarcePastByteCountMax)
        } catch { return reset(follower, try ResetReason(error, served)) }
        if follower.query.isReset(by: changes) { return reset(follower, .schemaChanged) }
        if changes.through < present {
            guard countMax != nil else { return reset(follower, .fellBehind) }
            follower.state.arriveLate()
            return false
        }
        let news = try served.evaluate(on: read) { () throws(RequestFault) in
            try self.news(of: changes, to: follower, property, read, present)
        }
        switch news {
        case .nothing: break
        case .event(let bytes, let count):
            try send(bytes, to: follower)
            follower.state.requireUpToDate()
            if let count { follower.state.tellSnapshot(next: Self.place(behind: count)) }
        case .unknown:
            follower.state.arriveLate()
            return reset(follower, .fellBehind)
        }
        follower.state.advance(through: present)
        return true
    }

    private func news(
        of changes: FoldedChanges, to follower: Follower, _ property: ObservedProperty,
        _ read: ReadTransaction, _ present: UInt64
    ) throws(RequestFault) -> PropertyEvent {
        let observed = follower.query.observed
        let missed = CatchUpEvents(of: observed, changes, since: follower.state.version, in: read)
        // For users that see everything, changes of linked objects are looked for among the elements, not back from each changed
        // object.
        var concerned = missed.candidates(
            dependentCountMax: property.isSeenInPart ? .max : 0
        ).compactMap { missed.event(of: $0) }
        if concerned.contains(where: \.isUndecided) { return .unknown }
        if concerned.isEmpty, !property.isSeenInPart, property.mayHoldUpdated(changes, in: read),
            let owner = try follower.query.owner(property, in: read, served)
        {
            concerned = [
                QueryEvent(
                    kind: .update,
                    identity: ObjectIdentity(classIndex: property.rowClass.index, key: owner.key),
                    members: MemberSet(), primaryKey: [], version: present)
            ]
        }
        var knownCount: Int?
        if case .snapshot(let place) = follower.state.phase {
            knownCount = Int(clamping: place?.key ?? 0)
        }
        let outcome = try PropertyStep(
            stream: follower.query, property: property, changes: changes, before: nil, after: read,
            served: served
        ).outcome(of: concerned)
        return try PropertyEvents(
            stream: follower.query, property: property, read: read, served: served,
            framing: events.framing
        ).news(of: outcome, version: present, knownCount: knownCount)
    }

    private func sendSnapshot(
        _ follower: Follower, _ property: ObservedProperty, _ read: ReadTransaction,
        behind count: Int
    ) throws(RequestFault) {
        var next: Int?
        if let object = try follower.query.owner(property, in: read, served) {
            var writer = PropertyWriter(follower.query, property, read, served.limits)
            events.framing.begin("snapshot", id: nil, in: writer.buffer)
            let end = writer.writeSnapshot(
                object.row, key: object.key, from: count,
                byteCountMax: pieceByteCountMax << min(10, follower.state.lateArrivalCount))
            if let end {
                events.framing.end(id: nil, in: writer.buffer)
                try send(writer.finish(), to: follower)
                next = end > count && end < writer.count(object.row) ? end : nil
            }
        }
        follower.state.tellSnapshot(next: next.map { Self.place(behind: $0) })
    }

    private static func place(behind count: Int) -> StreamCursor.SnapshotPosition {
        StreamCursor.SnapshotPosition(classNumber: 0, key: UInt64(count))
    }
}
