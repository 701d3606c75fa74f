/// Where a follower stands on its way to the present: every transition of one, without threads, clocks, storage and
/// clients.
///
///     begin ──────────────────────────────▶ live ◀─────────────┐
///     know ───▶ catchingUp ─▶ missed ─▶ … ─▶ catchingUp ─▶ goLive
///     reset ──▶ snapshot ──▶ … ──────────────────▲
///     overrun: live ─▶ catchingUp          arriveLate: missed ─▶ catchingUp
///
/// A worker takes it through `snapshot`, `catchingUp` and `missed`, piece by piece; the feed's thread makes it live.
struct FollowerState<Missed> {
    /// The part of the way that is told next.
    enum Phase {
        /// The result as it is, object by object: behind which one, or all of it; of a property behind as many elements as the key says.
        case snapshot(after: StreamCursor.SnapshotPlace?)
        /// Changes since ``FollowerState/version`` have to be looked up.
        case catchingUp
        /// Changes since ``FollowerState/version`` are being told, folded; apart, so that thousands who are live do not have the memory for it.
        indirect case missed(Missed)
        /// Each step of the feed.
        case live
    }

    private(set) var phase = Phase.catchingUp
    /// The version up to which the client has been told everything; while a snapshot is sent, the version that it begins
    /// at.
    private(set) var version: UInt64 = 0
    /// The last version whose result the client held exactly, or at which a snapshot began: what it has been told since is of later views, so
    /// that it may still hold what was deleted or unlinked before they were made.
    private(set) var exactVersion: UInt64 = 0
    /// Why a snapshot was begun last.
    private var snapshotReason = ResetReason.start
    /// Whether a snapshot has a version to begin at.
    private(set) var hasSnapshotVersion = false
    /// Whether the client has to be told when it is at the present: it has been told something that has no id.
    private(set) var owesUpToDate = true
    /// How often it came to the feed while there was more to tell than the feed tells by itself.
    private(set) var lateArrivalCount = 0

    // MARK: Beginning

    /// Begins at the present, with nothing to tell.
    mutating func begin(at present: UInt64) {
        know(through: present)
        owesUpToDate = false
    }

    /// Begins with the whole result: the client forgets what it has.
    mutating func reset(_ reason: ResetReason) {
        phase = .snapshot(after: nil)
        snapshotReason = reason
        hasSnapshotVersion = false
        owesUpToDate = true
    }

    /// Why the client is told the whole result next; nil where it is not.
    var resetReason: ResetReason? { if case .snapshot = phase { snapshotReason } else { nil } }

    /// Whether changes after ``version`` are reported. False for a client that begins with the whole result of a later version.
    var hasKnownVersion: Bool {
        guard case .snapshot = phase else { return true }
        // A result that is followed as a whole is sent again to a slow client, although it is still valid.
        return hasSnapshotVersion || snapshotReason == .overrun
    }

    // MARK: On a worker's thread

    /// Takes the version of a snapshot's first piece: what comes behind it is told as missed.
    mutating func beginSnapshot(at present: UInt64) {
        if hasSnapshotVersion { return }
        know(through: present)
        hasSnapshotVersion = true
    }

    /// Goes on behind a piece of a snapshot, or with what was missed when nothing is left.
    mutating func tellSnapshot(next: StreamCursor.SnapshotPlace?) {
        phase = next.map { .snapshot(after: $0) } ?? .catchingUp
    }

    /// Begins to tell what was missed.
    mutating func find(_ missed: Missed) { phase = .missed(missed) }

    /// Goes on behind a piece of what was missed up to a version.
    ///
    /// - `rest`: Nil when nothing is left.
    mutating func tellMissed(rest: Missed?, through last: UInt64) {
        guard let rest else {
            version = last
            phase = .catchingUp
            return
        }
        phase = .missed(rest)
    }

    /// Whether what was missed is looked for behind what the client knew, and not behind a snapshot of this way.
    var findsMissed: Bool {
        switch phase {
        case .catchingUp, .missed: !hasSnapshotVersion
        case .snapshot, .live: false
        }
    }

    /// Notes that the client was told something behind which it can't resume.
    mutating func owe() { owesUpToDate = true }

    /// Has what was missed looked up again.
    mutating func lookUpAgain() {
        if case .missed = phase { phase = .catchingUp }
    }

    // MARK: On the feed's thread

    /// Goes back to a worker, because there was more to tell than the feed tells by itself.
    mutating func arriveLate() {
        lateArrivalCount += 1
        lookUpAgain()
    }

    /// Notes that the client was told that it is at the present.
    mutating func tellUpToDate() { owesUpToDate = false }

    /// Is told of each step from now on.
    mutating func goLive() {
        phase = .live
        hasSnapshotVersion = false
        exactVersion = version
        lateArrivalCount = 0
    }

    /// Takes in that the client knows everything up to a version; or less than it seemed to, where what it was told of
    /// last is taken back.
    mutating func know(through last: UInt64) { (version, exactVersion) = (last, last) }

    /// Leaves the steps, which are told folded once the client has read.
    ///
    /// - `isToldInPart`: Whether the client has been told a part of the step that comes next.
    mutating func overrun(isToldInPart: Bool) {
        phase = .catchingUp
        owesUpToDate = isToldInPart
        lateArrivalCount = 0
    }
}
