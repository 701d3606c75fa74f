/// The progress of a follower towards the present: all its transitions, without threads, clocks, storage and clients.
///
///     begin ──────────────────────────────▶ live ◀─────────────┐
///     know ───▶ catchingUp ─▶ missed ─▶ … ─▶ catchingUp ─▶ goLive
///     reset ──▶ snapshot ──▶ … ──────────────────▲
///     overrun: live ─▶ catchingUp          arriveLate: missed ─▶ catchingUp
///
/// A worker takes it through `snapshot`, `catchingUp` and `missed`, piece by piece; the feed's thread makes it live.
struct FollowerState<Missed> {
    /// The part that is sent next.
    enum Phase {
        /// The result as it is, object by object: after the given object, or all of it. For a property, the key is the number of
        /// elements already sent.
        case snapshot(after: StreamCursor.SnapshotPosition?)
        /// Changes since ``FollowerState/version`` have to be looked up.
        case catchingUp
        /// Folded changes since ``FollowerState/version`` are being sent. Indirect, so that thousands of live followers do not
        /// have the memory for it.
        indirect case missed(Missed)
        /// Each step of the feed is sent.
        case live
    }

    private(set) var phase = Phase.catchingUp
    /// The version up to which the client has received everything. While a snapshot is sent, the version at which it begins.
    private(set) var version: UInt64 = 0
    /// The last version at which the client had exactly the result, or at which a snapshot began. Everything sent since shows
    /// later views, so the client may still have objects that were deleted or unlinked before.
    private(set) var exactVersion: UInt64 = 0
    /// The reason for the last snapshot.
    private var snapshotReason = ResetReason.start
    /// Whether a snapshot has a version to begin at.
    private(set) var hasSnapshotVersion = false
    /// Whether the client has to be informed when it is at the present, because it was sent something without an id.
    private(set) var needsUpToDate = true
    /// The number of times that it came to the feed with more to send than the feed sends itself.
    private(set) var lateArrivalCount = 0

    // MARK: Beginning

    /// Begins at the present, with nothing to send.
    mutating func begin(at present: UInt64) {
        advance(through: present)
        needsUpToDate = false
    }

    /// Begins with the whole result. The client discards its state.
    mutating func reset(_ reason: ResetReason) {
        phase = .snapshot(after: nil)
        snapshotReason = reason
        hasSnapshotVersion = false
        needsUpToDate = true
    }

    /// The reason why the whole result is sent next; nil if it is not.
    var resetReason: ResetReason? { if case .snapshot = phase { snapshotReason } else { nil } }

    /// Whether changes after ``version`` are reported. False for a client that begins with the whole result of a later version.
    var hasKnownVersion: Bool {
        guard case .snapshot = phase else { return true }
        // A result that is followed as a whole is sent again to a slow client, although it is still valid.
        return hasSnapshotVersion || snapshotReason == .fellBehind
    }

    // MARK: On a worker's thread

    /// Takes the version of a snapshot's first piece. Later changes are sent as missed changes.
    mutating func beginSnapshot(at present: UInt64) {
        if hasSnapshotVersion { return }
        advance(through: present)
        hasSnapshotVersion = true
    }

    /// Continues after a piece of a snapshot, or with missed changes if nothing is left.
    mutating func tellSnapshot(next: StreamCursor.SnapshotPosition?) {
        phase = next.map { .snapshot(after: $0) } ?? .catchingUp
    }

    /// Begins to send missed changes.
    mutating func find(_ missed: Missed) { phase = .missed(missed) }

    /// Continues after a piece of the missed changes up to a version.
    ///
    /// - `rest`: The remaining changes; nil if nothing is left.
    mutating func tellMissed(rest: Missed?, through last: UInt64) {
        guard let rest else {
            version = last
            phase = .catchingUp
            return
        }
        phase = .missed(rest)
    }

    /// Whether missed changes are looked up from the version that the client knew, and not from the snapshot's.
    var findsMissed: Bool {
        switch phase {
        case .catchingUp, .missed: !hasSnapshotVersion
        case .snapshot, .live: false
        }
    }

    /// Notes that the client was sent something after which it cannot resume.
    mutating func requireUpToDate() { needsUpToDate = true }

    /// Discards missed changes, so that they are looked up again.
    mutating func lookUpAgain() {
        if case .missed = phase { phase = .catchingUp }
    }

    // MARK: On the feed's thread

    /// Returns to a worker, because there was more to send than the feed sends itself.
    mutating func arriveLate() {
        lateArrivalCount += 1
        lookUpAgain()
    }

    /// Notes that the client was informed that it is at the present.
    mutating func tellUpToDate() { needsUpToDate = false }

    /// Goes live: each step is sent from now on.
    mutating func goLive() {
        phase = .live
        hasSnapshotVersion = false
        exactVersion = version
        lateArrivalCount = 0
    }

    /// Notes that the client knows everything up to a version. The version may be lower than before, if the last event is taken
    /// back.
    mutating func advance(through last: UInt64) { (version, exactVersion) = (last, last) }

    /// Leaves the live steps. Their changes are sent folded once the client has read.
    ///
    /// - `isToldInPart`: Whether the client has received a part of the next step.
    mutating func fallBehind(isToldInPart: Bool) {
        phase = .catchingUp
        needsUpToDate = isToldInPart
        lateArrivalCount = 0
    }
}
