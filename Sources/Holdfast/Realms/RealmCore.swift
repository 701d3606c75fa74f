import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// A view of a store, and the write on it: what the realms of one place share.
///
/// Its thread alone uses it; a frozen one any thread.
final class RealmCore: @unchecked Sendable {
    // Unchecked: every entrance compares the thread; a frozen one never changes but under its lock.

    let opened: OpenedStore
    let configuration: Realm.Configuration
    let models: [ModelClass]
    /// The state that objects compare with; freed with the core.
    let state: UnsafeMutablePointer<ViewState>
    private(set) var schema: BoundSchema
    /// The view of the last commit that the realm has advanced to.
    private var read: ReadTransaction
    /// The write under way.
    private(set) var turn: LentTurn?
    /// The view of the write under way.
    private var writeView: ReadTransaction?
    /// What is still to be written of one object.
    private(set) var pending: PendingChange?
    /// The drafts of assignments and edits, and those of objects that are added.
    private let changeDrafts = DraftPool()
    private let additionDrafts = DraftPool()
    /// Whether a draft is being filled.
    private var isStating = false
    /// The graph of what assignments and edits lead to.
    private var graph: ObjectGraph?
    /// The first fault of a value in the write under way.
    private(set) var fault: (any Error)?
    /// The objects that became managed in the write under way.
    private var created: [ObjectPlace] = []
    /// The ways into objects that the program holds.
    var ways = InnerWays()
    let isFrozen: Bool
    private(set) var isInvalidated = false
    let observations = RealmObservations()

    init(_ opened: OpenedStore, _ models: [ModelClass], _ configuration: Realm.Configuration) throws
    {
        self.opened = opened
        self.models = models
        self.configuration = configuration
        isFrozen = false
        let read = try Self.openView(opened)
        guard let schema = BoundSchema(models, read.rows) else {
            throw Realm.Error(
                .schemaMismatch, "The store's schema has changed.", fileURL: configuration.fileURL)
        }
        self.read = read
        self.schema = schema
        state = .allocate(capacity: 1)
        state.initialize(to: ViewState(thread: ViewState.currentThread))
    }

    deinit {
        turn?.cancel()
        read.close()
        state.deallocate()
        opened.release()
    }

    private static func openView(_ opened: OpenedStore) throws -> ReadTransaction {
        do { return try opened.store.openView() } catch { throw Realm.Error(error, opened.fileURL) }
    }

    // MARK: Access

    /// The view to read in: of the write under way, else of the realm's version.
    var view: ReadTransaction {
        flush()
        return source
    }

    /// Ends the process where the present thread is not the realm's.
    @inline(__always)
    func checkThread() {
        if state.pointee.thread != ViewState.currentThread, state.pointee.thread != 0 {
            Misuse.end("Realm accessed from incorrect thread.")
        }
    }

    /// The write under way; ends the process where there is none.
    func requireWrite() -> WriteTransaction {
        checkThread()
        if isFrozen { Misuse.end("Can't perform transactions on a frozen Realm") }
        guard let turn else {
            Misuse.end(
                "Cannot modify managed objects outside of a write transaction.")
        }
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

    // MARK: Objects

    /// Returns an object of its own.
    func object(_ binding: ClassBinding, key: UInt64, row: RowView?) -> ObjectBase {
        object(ObjectPlace(self, binding, key: key, rootClass: binding.rowClass), row)
    }

    /// Returns an object at a place.
    func object(_ place: ObjectPlace, _ row: RowView?) -> ObjectBase {
        let object = place.binding.makeObject()
        place.realm.settle(object, at: place, row)
        return object
    }

    /// Has an object lead to its place.
    func settle(_ object: ObjectBase, at place: ObjectPlace, _ row: RowView?) {
        object.place = place
        object._view = UnsafePointer(state)
        if let row { object.note(row, generation: state.pointee.generation) }
    }

    /// Finds the row of a place; nil when the object is gone.
    func row(of place: ObjectPlace) -> RowView? {
        if let pending, pending.isOf(place) { flush() }
        return storedRow(of: place)
    }

    /// Finds the row of a place as it is without what is still to be written of the object.
    func storedRow(of place: ObjectPlace) -> RowView? {
        if place.isGone || isInvalidated { return nil }
        do throws(StoreError) {
            var row: RowView?
            if let turn {
                row = try turn.transaction.row(place.rootClass, place.key)
            } else {
                row = try read.find(place.rootClass, key: place.key)
            }
            var rowClass = place.rootClass
            for owner in place.owners {
                guard let outer = row else { return nil }
                row = embedded(owner, of: rowClass, in: outer)
                rowClass = schema.rows.classes[rowClass.members[owner.member].classIndex]
            }
            return row
        } catch {
            storageFailed(error)
            return nil
        }
    }

    private func embedded(_ owner: EditPath.Owner, of rowClass: RowClass, in row: RowView)
        -> RowView?
    {
        guard let element = owner.element else { return rowClass.embedded(owner.member, in: row) }
        let collection = rowClass.collection(owner.member, in: row, source)
        let index: Int?
        switch element {
        case .index(let position): index = position
        case .key(let key): index = key.withUnsafeBytes { collection.index(ofKey: $0) }
        case .end: index = nil
        }
        guard let index, let found = collection.element(index), !found.part.isNull(found.offset)
        else {
            return nil
        }
        return RowView(found.part.bytes(found.offset))
    }

    /// Where values that are out of line are read: the view without what is still to be written.
    var source: ReadTransaction {
        guard let turn else { return read }
        if let writeView { return writeView }
        let view = turn.transaction.openView()
        writeView = view
        return view
    }

    // MARK: Writing

    /// The view of the last commit that the realm has advanced to.
    var committed: ReadTransaction { read }
    var isInWrite: Bool { turn != nil }
    /// Whether assignments are still to be written.
    var hasPending: Bool { pending != nil }
    /// Whether a value has failed, so that the write is going to be rolled back.
    var hasFault: Bool { fault != nil }
    /// Counts the commits of the store up to the realm's version.
    var commitNumber: UInt64 { read.commit }

    func begin() throws {
        checkThread()
        if isFrozen { Misuse.end("Can't perform transactions on a frozen Realm") }
        if turn != nil { Misuse.end("The Realm is already in a write transaction") }
        if configuration.readOnly {
            Misuse.end("Can't perform transactions on read-only Realms.")
        }
        do throws(StoreError) { turn = try opened.store.beginTurn() } catch {
            throw Realm.Error(error, opened.fileURL)
        }
        fault = nil
        created = []
        advance()
        observations.tell()
    }

    /// Commits the write under way.
    ///
    /// - `silenced`: Observations that are not told of it.
    func commit(withoutNotifying silenced: [Observation] = []) throws {
        checkThread()
        guard let turn else {
            Misuse.end("Can't commit a non-existing write transaction")
        }
        flush()
        if let fault {
            cancel()
            throw fault
        }
        endView()
        graph = nil
        self.turn = nil
        let version: UInt64
        do throws(StoreError) { version = try turn.commit() } catch {
            forgetCreated()
            advance()
            throw Realm.Error(error, opened.fileURL)
        }
        created = []
        ways.commit()
        advance(by: OwnCommit(version: version, silenced: silenced))
        observations.tell()
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
        forgetCreated()
        advance()
    }

    private func endView() {
        writeView?.close()
        writeView = nil
    }

    /// Takes back what the write did to what the program holds.
    private func forgetCreated() {
        ways.cancel()
        for place in created {
            place.isGone = true
            ways.follow(.emptied, in: [], of: place.identity)
        }
        ways.commit()
        created = []
    }

    func noteCreated(_ place: ObjectPlace) { created.append(place) }

    /// Advances to the newest version. Observers note what has changed, and are to be told.
    ///
    /// - `own`: The commit of the realm's own that leads there.
    func advance(by own: OwnCommit? = nil) {
        let before = read
        do throws(StoreError) { read = try opened.store.openView() } catch {
            return storageFailed(error)
        }
        defer { before.close() }
        if read.rows !== schema.rows {
            guard let bound = BoundSchema(models, read.rows) else {
                Misuse.end("The store's schema no longer has what the program's classes declare.")
            }
            schema = bound
        }
        isInvalidated = false
        state.pointee.generation += 1
        do throws(StoreError) {
            try followOthers(from: before, to: read, own: own?.version)
            try observations.note(from: before, to: read, own: own)
        } catch {
            storageFailed(error)
        }
    }

    /// Has objects show a view of the present schema while `body` runs: one that is about to go, for those who note what changed.
    func showing<Value>(_ view: ReadTransaction, _ body: () -> Value) -> Value {
        let present = (read, turn, writeView)
        (read, turn, writeView) = (view, nil, nil)
        changed()
        defer {
            (read, turn, writeView) = present
            changed()
        }
        return body()
    }

    func invalidate() {
        checkThread()
        if turn != nil { cancel() }
        isInvalidated = true
        state.pointee.generation += 1
    }

    /// Notes a fault of a value: the write is going to fail.
    func fail(_ message: String) { fail(ValueFault(message) as any Error) }

    func fail(_ error: StoreError) { fail(Realm.Error(error, opened.fileURL) as any Error) }

    private func fail(_ error: any Error) {
        Misuse.tell("\(error)")
        if fault == nil { fault = error }
    }

    // MARK: Pending changes

    /// Finds the objects that a statement leads to; nothing waits in it from one statement to the next.
    func statementGraph() -> ObjectGraph {
        // It is that of the write under way.
        if let graph, !graph.hasObjects { return graph }
        let graph = ObjectGraph(self, requireWrite(), .error)
        self.graph = graph
        return graph
    }

    /// Fills a draft. Code of the program may run in it, such as the conversion of a mapped value.
    func stating(_ body: () -> Void) {
        let wasStating = isStating
        isStating = true
        body()
        isStating = wasStating
    }

    /// A draft in the memory of the one before, unless that is still being filled.
    private func draft(_ pool: DraftPool, _ rowClass: RowClass, isMerge: Bool) -> ObjectDraft {
        if isStating { return ObjectDraft(rowClass, isMerge: isMerge) }
        pool.takeBack(keeping: 1)
        return pool.draft(rowClass, isMerge: isMerge)
    }

    /// The draft of an object that is added, until the next one.
    func additionDraft(_ rowClass: RowClass, isMerge: Bool) -> ObjectDraft {
        draft(additionDrafts, rowClass, isMerge: isMerge)
    }

    /// The draft of an element of a collection, until the next one.
    func editDraft(of place: ObjectPlace) -> ObjectDraft {
        if let pending, !pending.isEdit(of: place) { flush() }
        return draft(changeDrafts, place.binding.rowClass, isMerge: true)
    }

    /// Assigns a property of an object: what is assigned to one object is written at once when something asks for it.
    func assign(_ place: ObjectPlace, _ member: Int, _ state: (Statement) -> Void) {
        let graph = statementGraph()
        defer {
            let element = place.binding.rowClass.members[member].storage.element
            if element == .embedded || element == .mixed {
                follow(.replaced(.member(member)), in: place.steps, of: place.identity)
            }
        }
        guard place.way == nil else { return assignEmbedded(place, member, graph, state) }
        let draft = assignments(to: place)
        stating { state(Statement(draft: draft, member: member, graph: graph)) }
        // It is not if the program's code has read the object in between.
        if pending?.isOf(draft) != true { wait(draft, of: place) }
        changed()
        if graph.hasObjects || !draft.references.isEmpty || !draft.children.isEmpty {
            flush()
            graph.finish()
        }
    }

    private func assignments(to place: ObjectPlace) -> ObjectDraft {
        if let present = pending?.assignments(to: place) { return present }
        flush()
        let draft = draft(changeDrafts, place.rootClass, isMerge: false)
        wait(draft, of: place)
        return draft
    }

    private func wait(_ draft: ObjectDraft, of place: ObjectPlace) {
        flush()
        pending = PendingChange(object: place.identity, content: .assignments(draft))
    }

    private func assignEmbedded(
        _ place: ObjectPlace, _ member: Int, _ graph: ObjectGraph, _ state: (Statement) -> Void
    ) {
        flush()
        let rowClass = place.binding.rowClass
        let draft = ObjectDraft(rowClass, isMerge: false)
        state(Statement(draft: draft, member: member, graph: graph))
        graph.finish()
        var path = EditPath(rowClass)
        path.owners = place.owners
        path.member = member
        edit(place) { editor throws(EditFailure) in
            try editor.apply(ObjectEdit(path, .place(draft, .replace)), origin: [])
        }
    }

    /// Edits an object: the edits of one object are written at once when something asks for it.
    func edit(_ place: ObjectPlace, _ body: (ObjectEditor) throws(EditFailure) -> Void) {
        let transaction = requireWrite()
        do throws(StoreError) {
            let editor = try editor(of: place, transaction)
            do throws(EditFailure) { try body(editor) } catch {
                if case .store(let error) = error { throw error }
                return fail("The value can't be stored: \(error).")
            }
        } catch {
            fail(error)
        }
        changed()
    }

    private func editor(
        of place: ObjectPlace, _ transaction: WriteTransaction
    ) throws(StoreError) -> ObjectEditor {
        if let pending, case .edits(let editor) = pending.content, pending.isOf(place) {
            return editor
        }
        flush()
        let editor = try ObjectEditor(transaction, place.rootClass, key: place.key, .none)
        pending = PendingChange(object: place.identity, content: .edits(editor))
        return editor
    }

    /// Has objects look their rows up again, and views of the write see its changes.
    func changed() { state.pointee.generation += 1 }

    /// Writes what is still to be written.
    func flush() {
        guard let change = pending, let turn else { return }
        pending = nil
        do throws(StoreError) { try change.write(turn.transaction) } catch { fail(error) }
        state.pointee.generation += 1
    }
}
