import HoldfastObjectStore

extension Realm {
    /// A notification of a realm's observer.
    public enum Notification: String, Sendable {
        /// The realm shows another version.
        case didChange = "RLMRealmDidChangeNotification"
        /// There is a newer version, which the realm shows after ``Realm/refresh()``.
        case refreshRequired = "RLMRealmRefreshRequiredNotification"
    }

    /// The block of an observer of a realm.
    public typealias NotificationBlock = (_ notification: Notification, _ realm: Realm) -> Void

    /// Calls `block` when the realm shows another version, after ``refresh()``, the begin of a write, a commit or
    /// ``autorefresh``. A realm of a queue or an actor that does not follow commits by itself is notified that a newer version
    /// exists.
    ///
    /// - Returns: A token, which has to be kept as long as the block is to be called.
    public func observe(_ block: @escaping NotificationBlock) -> NotificationToken {
        RealmObservation(in: core, block).begin()
    }
}

/// An observer of a realm as a whole.
final class RealmObservation: Observation, @unchecked Sendable {
    private let block: Realm.NotificationBlock
    private var isNew = false

    init(in realm: RealmCore, _ block: @escaping Realm.NotificationBlock) {
        self.block = block
        super.init(in: realm)
    }

    override func note(_ step: RealmStep) { isNew = true }

    override func tellOfNewer() { block(.refreshRequired, Realm(realm)) }

    override func tell() {
        guard isNew else { return }
        isNew = false
        block(.didChange, Realm(realm))
    }
}

/// A step of a realm from one version to a later one.
final class RealmStep {
    let before: StoreView
    let after: StoreView
    /// The changes; nil if they are unknown, because the schema changed or the change log has been cut.
    let changes: ChangeStep?

    /// Cost: linear in the changes.
    init(from before: StoreView, to after: StoreView) throws(StoreError) {
        self.before = before
        self.after = after
        guard before.rows === after.rows else {
            changes = nil
            return
        }
        var folded: FoldedChanges
        let start = try before.state().version
        do throws(FoldedChanges.Gap) {
            folded = try FoldedChanges(
                after: start, in: after, notesLists: true, formerByteCountMax: 0)
        } catch {
            if case .storage(let error) = error { throw .storage(error) }
            changes = nil
            return
        }
        folded.keepDifferences(from: before, to: after)
        changes = ChangeStep(before: before, after: after, changes: folded)
    }
}

extension RealmCore {
    /// Makes observations note the changes since their last report, or since they began.
    func noteChanges() { for entry in observations.entries { noteChanges(of: entry) } }

    private func noteChanges(of entry: RealmObservations.Entry) {
        guard let known = entry.known.take(), let observation = entry.present else { return }
        do throws(StoreError) {
            try known.withStep(to: committed) { step throws(StoreError) in
                try observation.note(step)
            }
        } catch { storageFailed(error) }
    }

    /// Makes observations pass over the realm's own commit, unless they know an earlier view, or others have written after the
    /// realm: the changes can't be told apart then.
    ///
    /// - `version`: The version that the commit made.
    /// - `before`: The view that the realm showed before it.
    func skip(_ version: UInt64, from before: StoreView, _ silenced: [Observation]) {
        do throws(StoreError) {
            if try committed.state().version != version { return }
            for entry in observations.entries where entry.known?.view === before {
                guard let observation = entry.present,
                    silenced.contains(where: { $0 === observation }), let known = entry.known.take()
                else { continue }
                try known.withStep(to: committed) { step throws(StoreError) in
                    try observation.skip(step)
                }
            }
        } catch { storageFailed(error) }
    }

    /// Reports the changes to observers. The program may write, observe and end observations in the calls.
    func tellObservers() {
        // An observer may change objects in a write, and the notes of others must not see that.
        if isInWrite { noteChanges() }
        for entry in observations.entries {
            // As late as this: an earlier observer may have moved the realm on, and changes that are noted in two parts can't
            // be compared with each other.
            noteChanges(of: entry)
            entry.present?.tell()
            checkThread()
            if isReleased { return }
        }
    }
}
