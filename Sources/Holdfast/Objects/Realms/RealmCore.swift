import HoldfastObjectStore
import HoldfastRows

/// A view of a store, and the write on it; shared by all `Realm` values of one place.
///
/// It is used only where it is confined; any thread may use a frozen one.
final class RealmCore: @unchecked Sendable {
    // Unchecked: every entry point checks the confinement, and a frozen realm never changes.

    let opened: OpenedStore
    let configuration: Realm.Configuration
    let models: [ModelClass]
    let confinement: Confinement
    /// The state that objects compare with their own. Freed with the core.
    let state: UnsafeMutablePointer<ViewState>
    private(set) var schema: BoundSchema { didSet { formerSchemas.append(oldValue) } }
    /// Earlier schemas; objects that were read under them still have their bindings.
    private var formerSchemas: [BoundSchema] = []
    /// The view of the last commit that the realm has advanced to; closed while ``isReleased``.
    private(set) var committed: StoreView
    let frozen: FrozenViews?
    /// The write in progress.
    private(set) var interactiveWrite: InteractiveWrite?
    /// The view of the write in progress.
    private var writeView: StoreView?
    /// The pending changes of one object.
    @exclusivity(unchecked) var pending: PendingChange?
    /// The drafts of assignments, of edits and of added objects.
    let changeDrafts = DraftPool()
    let additionDrafts = DraftPool()
    /// Whether a draft is being filled.
    @exclusivity(unchecked) var isStating = false
    /// The graph of the objects that assignments and edits link to.
    @exclusivity(unchecked) var graph: ObjectGraph?
    /// The first fault of a value in the write in progress.
    private(set) var fault: (any Error)?
    /// The write in progress, once it has made objects managed.
    private var creatingWrite: CreatingWrite?
    /// The paths into objects that the program refers to.
    var paths = NestedPaths()
    let observations = RealmObservations()
    let asyncWrites = AsyncWrites()
    /// Whether the realm follows other commits by itself.
    var autorefresh: Bool
    /// The number of the subscription to the store's commits; nil if the realm does not follow them.
    private let observation: Int?
    /// The number of calls of ``invalidate()``. An object that was read under another count is invalid.
    private(set) var era: UInt = 0
    /// Whether no version is held, until the next read.
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

    /// Makes a frozen realm, which always shows one version of a live realm.
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
        interactiveWrite?.cancel()
        frozen?.close()
        observations.release()
        letGo()
        state.deallocate()
        opened.release()
    }

    // MARK: Access

    /// The view to read in: that of the write in progress, otherwise the realm's version.
    var view: StoreView {
        flush()
        return source
    }

    /// Ends the process if the calling code is not on the realm's thread, queue or actor.
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

    /// Opens a version again after ``invalidate()``.
    func reopen() { if isReleased { advance() } }

    /// The write in progress. Ends the process outside of a write.
    func requireWrite() -> WriteTransaction {
        checkThread()
        if isFrozen { Misuse.end("Can't perform transactions on a frozen Realm") }
        guard let interactiveWrite else {
            Misuse.end("Cannot modify managed objects outside of a write transaction.")
        }
        spillToEngine(in: interactiveWrite)
        return interactiveWrite.transaction
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

    /// Ends the process after a storage fault outside of a write. Inside a write, the write fails.
    func storageFailed(_ error: StoreError) {
        if interactiveWrite != nil { return fail(error) }
        Misuse.end("The store can't be read: \(Realm.Error(error, opened.fileURL).message)")
    }

    /// The view without pending changes. Out-of-line values are read in it.
    var source: StoreView {
        guard let interactiveWrite else {
            if let frozen { return frozen.view }
            reopen()
            return committed
        }
        if let writeView { return writeView }
        let view = interactiveWrite.transaction.openView()
        writeView = view
        return view
    }

    // MARK: Writing

    var isInWrite: Bool { interactiveWrite != nil }
    var hasPending: Bool { pending != nil }
    /// Whether a value has failed, so that the write is going to be rolled back.
    var hasFault: Bool { fault != nil }
    /// The number of commits of the store up to the realm's version.
    var commitNumber: UInt64 { committed.commit }

    func begin() throws {
        checkThread()
        requireWritable()
        if interactiveWrite != nil { Misuse.end("The Realm is already in a write transaction") }
        try requireFewVersions()
        do throws(StoreError) {
            let interactiveWrite = try opened.store.beginInteractiveWrite()
            // The write would show an uncommitted version, which observers and paths cannot follow.
            if !observations.isEmpty || !paths.isEmpty {
                try interactiveWrite.awaitPrecedingCommit()
            }
            self.interactiveWrite = interactiveWrite
        } catch { throw Realm.Error(error, opened.fileURL) }
        fault = nil
        advance()
        tellObservers()
    }

    /// Ends the process if the realm is read-only or frozen.
    func requireWritable() {
        if isFrozen { Misuse.end("Can't perform transactions on a frozen Realm") }
        if configuration.readOnly { Misuse.end("Can't perform transactions on read-only Realms.") }
    }

    /// Commits the write in progress.
    ///
    /// - `silenced`: Observations that are skipped.
    func commit(withoutNotifying silenced: [Observation] = []) throws {
        guard let interactiveWrite = interactiveWriteForCommit() else {
            if let fault { throw fault }
            return
        }
        let error = finishCommit(silenced) { () throws(StoreError) in try interactiveWrite.commit()
        }
        if let error { throw error }
        tellObservers()
    }

    /// Detaches the write from the realm so that it can be committed. If there is a ``fault``, rolls it back and returns nil.
    func interactiveWriteForCommit() -> InteractiveWrite? {
        checkThread()
        guard let interactiveWrite else {
            Misuse.end("Can't commit a non-existing write transaction")
        }
        flush()
        if fault != nil {
            cancel()
            return nil
        }
        endView()
        graph = nil
        self.interactiveWrite = nil
        return interactiveWrite
    }

    /// Advances after a commit.
    ///
    /// - `commit`: Waits for the outcome and returns the version that the commit made.
    /// - Returns: The error that kept the commit from changing anything.
    func finishCommit(
        _ silenced: [Observation] = [], _ commit: () throws(StoreError) -> UInt64
    ) -> (any Error)? {
        var failure: Realm.Error?
        var own: UInt64?
        do throws(StoreError) {
            own = try commit()
            paths.commit()
            creatingWrite = nil
        } catch {
            forgetChanges()
            failure = Realm.Error(error, opened.fileURL)
        }
        let before = committed
        advance(by: own)
        if let own, !silenced.isEmpty { skip(own, from: before, silenced) }
        runOverdueWrites()
        return failure
    }

    func cancel() {
        checkThread()
        guard let interactiveWrite else {
            Misuse.end("Can't cancel a non-existing write transaction")
        }
        pending = nil
        graph = nil
        endView()
        self.interactiveWrite = nil
        interactiveWrite.cancel()
        forgetChanges()
        // Commits made since the write ended are left to the next refresh, which notifies observers at once.
        changed()
        runOverdueWrites()
    }

    private func endView() {
        writeView?.close()
        writeView = nil
    }

    /// Undoes the effect of the write on the program's references and objects.
    private func forgetChanges() {
        paths.cancel()
        creatingWrite?.isCancelled = true
        creatingWrite = nil
    }

    /// The write in progress, for an object that becomes managed in it.
    var creation: CreatingWrite {
        if let creatingWrite { return creatingWrite }
        let made = CreatingWrite()
        creatingWrite = made
        return made
    }

    /// Advances to the newest version. The caller has to notify observers afterwards.
    ///
    /// - `own`: The version that the realm's own commit made.
    func advance(by own: UInt64? = nil) {
        do throws(StoreError) { try show(opened.store.openView(), own) } catch {
            storageFailed(error)
        }
    }

    /// Makes objects show another view with the present schema while `body` runs. Used to note the changes from a view that is
    /// about to be released.
    func showing<Value>(_ view: StoreView, _ body: () -> Value) -> Value {
        let present = (committed, interactiveWrite, writeView)
        (committed, interactiveWrite, writeView) = (view, nil, nil)
        changed()
        defer {
            (committed, interactiveWrite, writeView) = present
            changed()
        }
        return body()
    }

    /// Advances to the newest version and notifies observers; false if the realm shows it already.
    func refresh() -> Bool {
        var isNewer = false
        do throws(StoreError) {
            let newest = try opened.store.openView()
            isNewer = isReleased || newest.commit != commitNumber
            if isNewer { try show(newest) } else { newest.close() }
        } catch { storageFailed(error) }
        tellObservers()
        return isNewer
    }

    private func show(_ newest: StoreView, _ own: UInt64? = nil) throws(StoreError) {
        let before = isReleased ? nil : committed
        committed = newest
        opened.store.retainedVersions.begin(newest.commit, .realm)
        isReleased = false
        if newest.rows !== schema.rows {
            guard let bound = BoundSchema(models, newest.rows) else {
                Misuse.end(
                    "The store's schema no longer has all classes and properties that the program declares."
                )
            }
            schema = bound
        }
        state.pointee.generation += 1
        guard let before else { return }
        let left = KnownView(before, opened.store.retainedVersions)
        if before.commit == newest.commit { return }
        try followOthers(from: before, to: newest, own: own)
        if observations.keep(left) > Self.knownViewCountMax { noteChanges() }
    }

    /// The most views that are kept for observers. Each keeps old pages of the store.
    private static let knownViewCountMax = 8

    /// Releases the version, if one is held.
    private func letGo() {
        if !isReleased {
            opened.store.retainedVersions.end(committed.commit, isFrozen ? .frozen : .realm)
            committed.close()
        }
        isReleased = true
    }

    /// Releases the version. Objects that were read before are permanently invalid.
    func invalidate() {
        checkThread()
        if isFrozen { return }
        if interactiveWrite != nil { cancel() }
        noteChanges()
        letGo()
        era += 1
        state.pointee.generation += 1
    }

    /// Notes a fault of a value. The write is going to fail.
    func fail(_ message: String) { fail(ValueFault(message) as any Error) }

    func fail(_ error: StoreError) { fail(Realm.Error(error, opened.fileURL) as any Error) }

    private func fail(_ error: any Error) {
        Misuse.tell("\(error)")
        if fault == nil { fault = error }
    }
}
