import HoldfastObjectStore
import HoldfastRows

/// The changes of one object that are not written yet. They are written when something else is read or written.
struct PendingChange {
    /// The kinds of change.
    enum Content {
        case assignments(ObjectDraft)
        /// Edits of collections and of embedded objects.
        case edits(ObjectEditor)
    }

    /// The state of an assignment to a property.
    enum Assigned {
        case nothing
        case null
        case bytes(UnsafeRawBufferPointer)
        /// A value that has to be written before it can be read.
        case other
    }

    let object: ObjectIdentity
    let content: Content

    /// The most bytes of values that assignments to one object may gather.
    private static let byteCountMax = 64 << 10

    func isOf(_ place: ObjectReference) -> Bool {
        object.key == place.key && object.classIndex == place.rootClass.index
    }

    /// Whether this gathers edits of an object that is not embedded; such an object is known to exist.
    func isEdit(of place: ObjectReference) -> Bool {
        if case .edits = content { isOf(place) && place.owners.isEmpty } else { false }
    }

    /// The assignments to an object that is not embedded. Nil without assignments, or if there are so many that they have to be
    /// written.
    func assignments(to object: ObjectIdentity) -> ObjectDraft? {
        // Compares member by member: the comparison of identities is in another module, and each assignment needs it.
        guard case .assignments(let draft) = content, self.object.key == object.key,
            self.object.classIndex == object.classIndex, draft.arena.count <= Self.byteCountMax
        else { return nil }
        return draft
    }

    /// Whether this consists of the assignments of a draft.
    func isOf(_ draft: ObjectDraft) -> Bool {
        if case .assignments(let own) = content { own === draft } else { false }
    }

    /// The value that was assigned to a property of an object. Bytes are valid until the next assignment.
    func assigned(_ member: Int, of place: ObjectReference) -> Assigned {
        guard isOf(place) else { return .nothing }
        guard case .assignments(let draft) = content, place.owners.isEmpty else { return .other }
        return draft.assigned(member)
    }

    func write(_ transaction: WriteTransaction) throws(StoreError) {
        switch content {
        case .assignments(let draft): _ = try transaction.update(draft, key: object.key)
        case .edits(let editor): _ = try editor.finish()
        }
    }
}

extension ObjectDraft {
    fileprivate func assigned(_ member: Int) -> PendingChange.Assigned {
        let field = fields[member]
        let storage = rowClass.members[member].storage
        guard storage.shape == .single, storage.element != .mixed else {
            return field.state == .absent ? .nothing : .other
        }
        switch field.state {
        case .absent: return .nothing
        case .null: return .null
        case .heap: return .bytes(arenaBytes(start: field.start, count: field.count))
        case .inline: return .bytes(inlineBytes(member))
        case .kept, .defaulted, .reference, .references, .child, .children, .entries: return .other
        }
    }
}
