import HoldfastObjectStore
import HoldfastRows

/// Pending changes of one object. They are written when something reads or writes anything else.
extension RealmCore {
    /// The graph for the objects that a statement links to; it is empty between statements.
    func statementGraph() -> ObjectGraph {
        // It belongs to the write in progress.
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

    /// A draft in the memory of the previous one, unless the previous one is still being filled.
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
    func editDraft(of place: ObjectReference) -> ObjectDraft {
        if let pending, !pending.isEdit(of: place) { flush() }
        return draft(changeDrafts, place.binding.rowClass, isMerge: true)
    }

    /// Assigns a property of an object. Assignments to one object are gathered and written together when something needs them.
    func assign(_ place: ObjectReference, _ member: Int, _ state: (Statement) -> Void) {
        let element = place.binding.rowClass.members[member].storage.element
        var embedded: [ObjectGraph.Embedded] = []
        func note(_ statement: Statement) {
            if element != .embedded { return state(statement) }
            embedded = statement.graph.embedding { state(statement) }
        }
        if place.way == nil {
            assign(assignments(to: place), of: place.identity, member, note)
        } else {
            assignEmbedded(place, member, statementGraph(), note)
        }
        if element == .embedded || element == .mixed {
            follow(.replaced(.member(member)), in: place.steps, of: place.identity)
        }
        manage(embedded, in: place.steps, of: place.rootClass, place.key)
    }

    /// Assigns a plain property of an object that already has pending assignments, without looking for the object. Returns false
    /// if there are no pending assignments.
    func assignMore(
        _ key: UInt64, _ rowClass: RowClass, _ member: Int, _ state: (Statement) -> Void
    ) -> Bool {
        checkThread()
        let object = ObjectIdentity(classIndex: rowClass.index, key: key)
        guard let draft = pending?.assignments(to: object) else { return false }
        switch draft.rowClass.members[member].storage.element {
        case .embedded, .mixed: return false
        default: assign(draft, of: object, member, state)
        }
        return true
    }

    private func assign(
        _ draft: ObjectDraft, of object: ObjectIdentity, _ member: Int, _ state: (Statement) -> Void
    ) {
        let graph = statementGraph()
        stating { state(Statement(draft: draft, member: member, graph: graph)) }
        // The draft is no longer pending if the program's code has read the object meanwhile.
        if pending?.isOf(draft) != true { wait(draft, of: object) }
        changed()
        if graph.hasObjects || !draft.references.isEmpty || !draft.children.isEmpty {
            flush()
            graph.finish()
        }
    }

    private func assignments(to place: ObjectReference) -> ObjectDraft {
        if let present = pending?.assignments(to: place.identity) { return present }
        flush()
        let draft = draft(changeDrafts, place.rootClass, isMerge: false)
        wait(draft, of: place.identity)
        return draft
    }

    private func wait(_ draft: ObjectDraft, of object: ObjectIdentity) {
        flush()
        pending = PendingChange(object: object, content: .assignments(draft))
    }

    private func assignEmbedded(
        _ place: ObjectReference, _ member: Int, _ graph: ObjectGraph, _ state: (Statement) -> Void
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

    /// Edits an object. Edits of one object are gathered and written together when something needs them.
    func edit(_ place: ObjectReference, _ body: (ObjectEditor) throws(EditFailure) -> Void) {
        let transaction = requireWrite()
        do throws(StoreError) {
            let editor = try editor(of: place, transaction)
            do throws(EditFailure) { try body(editor) } catch {
                if case .store(let error) = error { throw error }
                return fail(error.message ?? "")
            }
        } catch { fail(error) }
        changed()
    }

    private func editor(
        of place: ObjectReference, _ transaction: WriteTransaction
    ) throws(StoreError) -> ObjectEditor {
        if let pending, case .edits(let editor) = pending.content, pending.isOf(place) {
            return editor
        }
        flush()
        let editor = try ObjectEditor(transaction, place.rootClass, key: place.key, .none)
        pending = PendingChange(object: place.identity, content: .edits(editor))
        return editor
    }

    /// Moves changes of the write out of memory if there are many; rows are then looked up again.
    func spillToEngine(in interactiveWrite: InteractiveWrite) {
        if hasFault { return }
        do throws(StoreError) { if try interactiveWrite.spillToEngine() { changed() } } catch {
            fail(error)
        }
    }

    /// Makes objects look up their rows again, and views of the write show its changes.
    func changed() { state.pointee.generation += 1 }

    /// Writes the pending changes.
    func flush() {
        guard let change = pending, let interactiveWrite else { return }
        pending = nil
        do throws(StoreError) { try change.write(interactiveWrite.transaction) } catch {
            fail(error)
        }
        state.pointee.generation += 1
    }
}
