import Bytes
import Rows
import Storage

/// Where a value stands in a collection of an object.
package enum ElementPosition: Sendable, Equatable {
    /// In a list, at this position.
    case position(Int)
    /// In a map, under this key.
    case key([UInt8])
}

extension WriteTransaction {
    /// Changes something inside a `mixed` value of an object that is there: of a single property, or of an
    /// element of a list or map.
    ///
    /// Cost: linear in the value, and logarithmic in an out-of-line collection.
    ///
    /// - `place`: The element; nil for a single property.
    /// - `draft`: Of the object's class; states what is put or inserted, as the property or as its one
    ///   element, and nothing else. Nil to remove something.
    /// - `precondition`: What must hold of the object.
    /// - Returns: What was done, or why the value that is there can't be changed so; the transaction has to
    ///   be abandoned then.
    /// - Throws: ``StoreError`` as ``edit(_:_:of:key:_:precondition:)``.
    package func edit(
        inside edit: MixedEdit, of place: ElementPosition?, _ member: Int, of rowClass: RowClass,
        key: UInt64, _ draft: ObjectDraft?, precondition: Precondition = .none
    ) throws(StoreError) -> Result<ElementResult, MixedEdit.Fault> {
        try beginChange(of: rowClass, key, precondition)
        let encoded = ByteBuffer(capacity: 64)
        if let draft { _ = try encode(draft, member, key, encoded) }
        guard let stored = try row(rowClass, key) else { throw .objectNotFound }
        let new = Self.mixed(encoded, rowClass.members[member].storage)
        let changed = ByteBuffer(capacity: 256)
        guard let place else {
            let field = rowClass.field(member, in: stored)
            let value = MixedView(
                field.isNull ? Self.nothing : field.text(overflow))
            let outcome: MixedEdit.Outcome
            do { outcome = try edit.apply(to: value, new, in: changed) } catch {
                return .failure(error)
            }
            try overflow.checkFailure()
            let written = try replace(member, of: rowClass, key, stored, by: changed)
            return .success(
                ElementResult(
                    written: written, isCreated: outcome.isCreated, position: outcome.position))
        }
        let editor = try elementEditor(rowClass, key, member, stored)
        guard let index = Self.index(of: place, in: editor),
            let (part, at) = editor.element(index)
        else { throw .elementNotFound }
        let value = MixedView(part.values.isNull(at) ? Self.nothing : part.values.bytes(at))
        let outcome: MixedEdit.Outcome
        do { outcome = try edit.apply(to: value, new, in: changed) } catch {
            return .failure(error)
        }
        var entryKey: [UInt8]?
        if case .key(let key) = place { entryKey = key }
        let leaf = ByteBuffer(capacity: changed.count + 64)
        LeafView.append(MixedView(changed.bytes).bytes, .mixed, under: entryKey, to: leaf)
        try editor.replace(
            at: index,
            by: LeafSlice(LeafView(leaf.bytes, rowClass.members[member].storage), 0..<1))
        return .success(
            ElementResult(
                written: try editor.finish(), isCreated: outcome.isCreated,
                position: outcome.position))
    }

    private func replace(
        _ member: Int, of rowClass: RowClass, _ key: UInt64, _ stored: RowView, by value: ByteBuffer
    ) throws(StoreError) -> WriteResult {
        prepareRow(rowClass, key)
        let bytes = rowBuffer.making {
            rowBuilder.append(
                stored, rowClass, replacing: member, by: .bytes(value.bytes), version: version,
                to: $0)
        }
        return try replace(rowClass, key, stored, by: bytes, path: [])
    }

    /// The value that a draft stated, encoded.
    static func mixed(_ encoded: ByteBuffer, _ storage: FieldStorage) -> MixedView {
        if storage.shape == .single { return MixedView(encoded.bytes) }
        let leaf = LeafView(encoded.bytes, storage)
        return MixedView(
            leaf.count == 0 || leaf.values.isNull(0) ? nothing : leaf.values.bytes(0))
    }

    private static func index(of place: ElementPosition, in editor: any ElementEditor) -> Int? {
        switch place {
        case .position(let index): return index < editor.count ? index : nil
        case .key(let key):
            let found = key.withUnsafeBytes { editor.find(key: $0) }
            return found.flatMap { $0.isThere ? $0.index : nil }
        }
    }

    static var nothing: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: nil, count: 0)
    }
}
