import Bytes
import Rows
import Storage

extension WriteTransaction {
    /// Changes one element of a collection of an object that is there.
    ///
    /// Cost: logarithmic for an out-of-line collection.
    ///
    /// - `member`: A list, set or map, as `edit` wants it.
    /// - `draft`: Of the object's class; states the element or entry and nothing else.
    /// - `precondition`: What must hold of the object.
    /// - Throws: ``StoreError`` `.objectNotFound`, `.elementNotFound`, `.positionOutOfRange`, a failed
    ///   precondition, a link that can't be resolved, or failing storage; the transaction has to be
    ///   abandoned then.
    package func edit(
        _ edit: ElementEdit, _ member: Int, of rowClass: RowClass, key: UInt64,
        _ draft: ObjectDraft, precondition: Precondition = .none
    ) throws(StoreError) -> ElementResult {
        try beginChange(of: rowClass, key, precondition)
        // Writing a nested object may change this one, so its row is read again below.
        let buffer = ByteBuffer(capacity: 64)
        let element = try encode(draft, member, key, buffer)
        guard let stored = try row(rowClass, key) else { throw .objectNotFound }
        let editor = try elementEditor(rowClass, key, member, stored)
        let change = try apply(edit, element, draft, to: editor)
        return ElementResult(
            written: try editor.finish(), isCreated: change.isCreated, position: change.position)
    }

    /// What changes the elements of a collection, wherever it lies. While one of a collection in its row
    /// is open, nothing else may change the object.
    ///
    /// - `stored`: The object's present row.
    package func elementEditor(
        _ rowClass: RowClass, _ key: UInt64, _ member: Int, _ stored: RowView
    )
        throws(StoreError) -> any ElementEditor
    {
        try editor(rowClass, key: key, member: member)
            ?? RowCollectionEditor(self, rowClass, key, member, stored)
    }

    /// The collection that a draft states of a property, encoded, its links resolved; empty for none.
    ///
    /// Writes the objects that the draft nests. When there are any (``ObjectDraft/writesObjects``), what was
    /// read before may be old, and no editor of the object's collections may be open.
    package func encode(
        _ draft: ObjectDraft, _ member: Int, _ key: UInt64, _ buffer: ByteBuffer
    ) throws(StoreError) -> LeafView {
        let targets = try resolve(draft, path: [])
        prepareRow(draft.rowClass, key)
        buffer.removeAll()
        _ = rowBuilder.appendCollection(draft, member, targets: targets, to: buffer)
        try requireStated(draft, [])
        return LeafView(buffer.bytes, draft.rowClass.members[member].storage)
    }

    private func apply(
        _ edit: ElementEdit, _ element: LeafView, _ draft: ObjectDraft,
        to editor: any ElementEditor
    ) throws(StoreError) -> (isCreated: Bool, position: Int?) {
        switch edit {
        case .insert(let place):
            let place = place ?? editor.count
            guard place <= editor.count else { throw .positionOutOfRange(count: editor.count) }
            editor.insert(element, at: place)
            return (true, place)
        case .replace(let place):
            guard place < editor.count else { throw .elementNotFound }
            try editor.replace(at: place, by: LeafSlice(element, 0..<1))
            return (false, place)
        case .remove(let place):
            guard place < editor.count else { throw .elementNotFound }
            try editor.remove(at: place)
        case .add:
            guard let found = editor.find(element, 0) else { throw Self.damaged }
            if !found.isThere { editor.insert(element, at: found.index) }
            return (!found.isThere, nil)
        case .removeEqual(let isSet):
            var places: [Int] = []
            if isSet {
                if let found = editor.find(element, 0), found.isThere { places = [found.index] }
            } else {
                places = Self.places(of: element, in: editor)
            }
            if places.isEmpty { throw .elementNotFound }
            for place in places.reversed() { try editor.remove(at: place) }
        case .put:
            guard let found = editor.find(element, 0) else { throw Self.damaged }
            if found.isThere {
                try editor.replace(at: found.index, by: LeafSlice(element, 0..<1))
            } else {
                editor.insert(element, at: found.index)
            }
            return (!found.isThere, nil)
        case .removeEntry:
            guard let entry = draft.entries.first,
                let found = editor.find(key: draft.key(of: entry)), found.isThere
            else { throw .elementNotFound }
            try editor.remove(at: found.index)
        }
        return (false, nil)
    }

    /// Where in a list an element stands, each time.
    private static func places(of element: LeafView, in editor: any ElementEditor) -> [Int] {
        let order = SetOrder()
        var places: [Int] = []
        editor.forEachPart { part, first in
            for place in 0..<part.count
            where order.compare(part.values, place, element.values, 0) == 0 {
                places.append(first + place)
            }
            return true
        }
        return places
    }

    private static var damaged: StoreError {
        .storage(StorageError(.corrupted, operation: "find element"))
    }
}
