import HoldfastObjectStore
import HoldfastRows

/// A view of a store, and the write on it: what the realms of one place share.
///
/// It is used where it is confined; a frozen one by any thread.
final class RealmCore: @unchecked Sendable {
    // Unchecked: every entrance asks whether it is where the realm belongs; a frozen one never changes.

    let opened: OpenedStore
    let configuration: Realm.Configuration
    let models: [ModelClass]
    let confinement: Confinement
    /// The state that objects compare with; freed with the core.
    let state: UnsafeMutablePointer<ViewState>
    private(set) var schema: BoundSchema { didSet { formerSchemas.append(oldValue) } }
    /// Those before, whose bindings objects have that were read under them.
    private var formerSchemas: [BoundSchema] = []
    /// The view of the last commit that the realm has advanced to; closed while ``isReleased``.
    private(set) var committed: StoreView
    /// The views of a frozen realm.
    let frozen: FrozenViews?
    /// The write under way.
    private(set) var turn: InteractiveWrite?
    /// The view of the write under way.
    private var writeView: StoreView?
    /// The drafts of pending changes.
    @exclusivity(unchecked) var pending: PendingChange?
    /// The drafts of assignments and edits, and those of objects that are added.
    let changeDrafts = DraftPool()
    let additionDrafts = DraftPool()
    /// Whether a draft is being filled.
    @exclusivity(unchecked) var isStating = false
    /// The graph of what assignments and edits lead to.
    @exclusivity(unchecked) var graph: ObjectGraph?
    /// The first fault of a value in the write under way.
    private(set) var fault: (any Error)?
    /// The write under way, once it has made objects managed.
    private var creatingWrite: CreatingWrite?
    /// The ways into objects that the program holds.
    var paths = NestedPaths()
    let observations = RealmObservations()
    let asyncWrites = AsyncWrites()
    /// Whether the realm follows the commits of others.
    var autorefresh: Bool
    /// The number under which the store tells of commits; nil for a realm that is not told.
    private let observation: Int?
    /// Counts the calls of ``invalidate()``: what was read under another count is invalid.
    private(set) var era: UInt = 0
    /// Whether no version is held, until something is read again.
    private(set) var isReleased = false

    init(
        _ opened: OpenedStore, _ models: [ModelClass], _ configuration: Realm.Configuration,
        _ confinement: Confinement
    ) throws {
        self.opened = opened
        self.models = models
        self.configuration = configuration
        self.confinement = confinement
        frozen = nil
        let committed: StoreView
        do { committed = try opened.store.openView() } catch {
            throw Realm.Error(error, opened.fileURL)
        }
        guard let schema = BoundSchema(models, committed.rows) else {
            throw Realm.Error(
                .schemaMismatch, "The store's schema has changed.", fileURL: configuration.fileURL)
        }
        self.committed = committed
        self.schema = schema
        state = .allocate(capacity: 1)
        state.initialize(to: ViewState(thread: ViewState.currentThread))
        opened.store.retainedVersions.begin(committed.commit, .realm)
        autorefresh = true
        guard confinement.canSchedule else {
            observation = nil
            return
        }
        let follower = CommitFollower(
            OpenRealms.Place(
                location: configuration.location, confinement: confinement.identity), confinement)
        observation = opened.store.publisher.observe { _ in follower.noteCommit() }
    }

    /// A realm that shows one version for good, that of a live one.
    init(frozen pinned: PinnedVersion, of live: RealmCore) {
        opened = live.opened
        opened.retain()
        models = live.models
        configuration = live.configuration
        confinement = live.confinement
        frozen = FrozenViews(pinned)
        committed = pinned.openView()
        schema = live.schema
        state = .allocate(capacity: 1)
        state.initialize(to: ViewState(thread: 0))
        opened.store.retainedVersions.begin(committed.commit, .frozen)
        autorefresh = false
        observation = nil
    }

    deinit {
        OpenRealms.forget(self)
        if let observation { opened.store.publisher.endObservation(observation) }
        turn?.cancel()
        frozen?.close()
        if let known = observations.takeKnown() { letGo(of: known.view) }
        letGo()
        state.deallocate()
        opened.release()
    }

    // MARK: Access

    /// The view to read in: of the write under way, else of the realm's version.
    var view: StoreView {
        flush()
        return source
    }

    /// Ends the process where the calling code is not where the realm belongs.
    @inline(__always)
    func checkThread() {
        if state.pointee.thread != ViewState.currentThread { takeThread() }
    }

    /// Takes over the thread that the realm's queue or actor runs on now.
    @inline(never)
    private func takeThread() {
        if isFrozen { return }
        if !confinement.isCurrent { Misuse.end("Realm accessed from incorrect thread.") }
        state.pointee.thread = ViewState.currentThread
        settle()
    }

    /// Holds a version again after ``invalidate()``.
    func reopen() { if isReleased { advance() } }

    /// The write under way; ends the process where there is none.
    func requireWrite() -> WriteTransaction {
        checkThread()
        if isFrozen { Misuse.end("Can't perform transactions on a frozen Realm") }
        guard let turn else {
            Misuse.end(
                "Cannot modify managed objects outside of a write transaction.")
        }
        spillToEngine(in: turn)
        return turn.transaction
    }

    func binding(ofClass index: Int) -> ClassBinding {
        guard let binding = schema.byIndex[index] else {
            Misuse.end(
                "Object type '\(schema.rows.classes[index].definition.name)' not managed by the Realm"
            )
        }
        return binding
    }

    func binding(of type: ObjectBase.Type) -> ClassBinding {
        guard let binding = schema.binding(of: type) else {
            Misuse.end("Object type '\(ModelClass.name(of: type))' not managed by the Realm")
        }
        return binding
    }

    /// Ends the process where storage fails outside of a write; inside one the write fails.
    func storageFailed(_ error: StoreError) {
        if turn != nil { return fail(error) }
        Misuse.end("The store can't be read: \(Realm.Error(error, opened.fileURL).message)")
    }

    /// Where values that are out of line are read: the view without what is still to be written.
    var source: StoreView {
        guard let turn else {
            if let frozen { return frozen.view }
            reopen()
            return committed
        }
        if let writeView { return writeView }
        let view = turn.transaction.openView()
        writeView = view
        return view
    }

    // MARK: Writing

    var isInWrite: Bool { turn != nil }
    /// Whether assignments are still to be written.
    var hasPending: Bool { pending != nil }
    /// Whether a value has failed, so that the write is going to be rolled back.
    var hasFault: Bool { fault != nil }
    /// Counts the commits of the store up to the realm's version.
    var commitNumber: UInt64 { committed.commit }

    func begin() throws {
        checkThread()
        requireWritable()
        if turn != nil { Misuse.end("The Realm is already in a write transaction") }
        try requireFewVersions()
        do throws(StoreError) {
            let turn = try opened.store.beginInteractiveWrite()
            // Who follows others can't follow what is not committed yet, and the write would show it.
            if !observations.isEmpty || !paths.isEmpty { try turn.awaitPrecedingCommit() }
            self.turn = turn
        } catch {
            throw Realm.Error(error, opened.fileURL)
        }
        fault = nil
        advance()
        tellObservers()
    }

    /// Ends the process where the realm is never written.
    func requireWritable() {
        if isFrozen { Misuse.end("Can't perform transactions on a frozen Realm") }
        if configuration.readOnly {
            Misuse.end("Can't perform transactions on read-only Realms.")
        }
    }

    /// Commits the write under way.
    ///
    /// - `silenced`: Observations that are not told of it.
    func commit(withoutNotifying silenced: [Observation] = []) throws {
        guard let turn = interactiveWriteForCommit() else {
            if let fault { throw fault }
            return
        }
        let error = finishCommit(silenced) { () throws(StoreError) in try turn.commit() }
        if let error { throw error }
        tellObservers()
    }

    /// Takes the turn out of the realm to be committed; nil, and the write is rolled back, where there is a ``fault``.
    func interactiveWriteForCommit() -> InteractiveWrite? {
        checkThread()
        guard let turn else {
            Misuse.end("Can't commit a non-existing write transaction")
        }
        flush()
        if fault != nil {
            cancel()
            return nil
        }
        endView()
        graph = nil
        self.turn = nil
        return turn
    }

    /// Advances after a commit.
    ///
    /// - `commit`: Waits for its outcome, the version that it made.
    /// - Returns: The error because of which nothing was changed.
    func finishCommit(
        _ silenced: [Observation] = [], _ commit: () throws(StoreError) -> UInt64
    ) -> (any Error)? {
        var failure: Realm.Error?
        var own: OwnCommit?
        do throws(StoreError) {
            own = OwnCommit(version: try commit(), silenced: silenced)
            paths.commit()
            creatingWrite = nil
        } catch {
            forgetChanges()
            failure = Realm.Error(error, opened.fileURL)
        }
        advance(by: own)
        runOverdueWrites()
        return failure
    }

    func cancel() {
        checkThread()
        guard let turn else {
            Misuse.end("Can't cancel a non-existing write transaction")
        }
        pending = nil
        graph = nil
        endView()
        self.turn = nil
        turn.cancel()
        forgetChanges()
        // What others have committed since it ended is for the next refresh, which tells observers at once.
        changed()
        runOverdueWrites()
    }

    private func endView() {
        writeView?.close()
        writeView = nil
    }

    /// Takes back what the write did to what the program holds.
    private func forgetChanges() {
        paths.cancel()
        creatingWrite?.isCancelled = true
        creatingWrite = nil
    }

    /// The write under way, for an object that becomes managed in it.
    var creation: CreatingWrite {
        if let creatingWrite { return creatingWrite }
        let made = CreatingWrite()
        creatingWrite = made
        return made
    }

    /// Advances to the newest version. Observers are to be told what has changed.
    ///
    /// - `own`: The commit of the realm's own that leads there.
    func advance(by own: OwnCommit? = nil) {
        do throws(StoreError) { try show(opened.store.openView(), own) } catch {
            storageFailed(error)
        }
    }

    /// Has objects show a view of the present schema while `body` runs: one that is about to go, for those who note what changed.
    func showing<Value>(_ view: StoreView, _ body: () -> Value) -> Value {
        let present = (committed, turn, writeView)
        (committed, turn, writeView) = (view, nil, nil)
        changed()
        defer {
            (committed, turn, writeView) = present
            changed()
        }
        return body()
    }

    /// Advances to the newest version and tells observers; false where it is the present one.
    func refresh() -> Bool {
        var isNewer = false
        do throws(StoreError) {
            let newest = try opened.store.openView()
            isNewer = isReleased || newest.commit != commitNumber
            if isNewer { try show(newest) } else { newest.close() }
        } catch {
            storageFailed(error)
        }
        tellObservers()
        return isNewer
    }

    private func show(_ newest: StoreView, _ own: OwnCommit? = nil) throws(StoreError) {
        let before = isReleased ? nil : committed
        committed = newest
        opened.store.retainedVersions.begin(newest.commit, .realm)
        isReleased = false
        if newest.rows !== schema.rows {
            guard let bound = BoundSchema(models, newest.rows) else {
                Misuse.end("The store's schema no longer has what the program's classes declare.")
            }
            schema = bound
        }
        state.pointee.generation += 1
        guard let before else { return }
        var isKept = false
        defer { if !isKept { letGo(of: before) } }
        if before.commit == newest.commit { return }
        try followOthers(from: before, to: newest, own: own?.version)
        isKept = observations.keep(before, before: own)
    }

    func letGo(of view: StoreView) {
        opened.store.retainedVersions.end(view.commit, isFrozen ? .frozen : .realm)
        view.close()
    }

    /// Lets go of the version, if one is held.
    private func letGo() {
        if !isReleased { letGo(of: committed) }
        isReleased = true
    }

    /// Lets go of the version: what was read is invalid for good.
    func invalidate() {
        checkThread()
        if isFrozen { return }
        if turn != nil { cancel() }
        noteChanges()
        letGo()
        era += 1
        state.pointee.generation += 1
    }

    /// Notes a fault of a value: the write is going to fail.
    func fail(_ message: String) { fail(ValueFault(message) as any Error) }

    func fail(_ error: StoreError) { fail(Realm.Error(error, opened.fileURL) as any Error) }

    private func fail(_ error: any Error) {
        Misuse.tell("\(error)")
        if fault == nil { fault = error }
    }
}
