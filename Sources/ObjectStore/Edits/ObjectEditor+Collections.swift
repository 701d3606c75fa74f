import Bytes
import Rows

/// Elements of collections, in the row and out of line.
extension ObjectEditor {
    /// Edits a collection; nil when it is out of line, so that the row stays as it is.
    func editing(
        _ row: RowView, _ rowClass: RowClass, _ member: Int, isRoot: Bool,
        _ body: (any ElementEditor) throws(EditFailure) -> Void
    ) throws(EditFailure) -> ByteBuffer? {
        if isRoot, rowClass.field(member, in: row).isOutOfLine {
            if editors[member] == nil {
                // It may be new, and the editor looks for it in the stored row.
                editors[member] = try storing { () throws(StoreError) in
                    if isChanged { try flush() }
                    return try transaction.editor(rowClass, key: key, member: member)
                }
            }
            guard let editor = editors[member] else { throw damaged }
            try body(editor)
            return nil
        }
        let editor = RowCollectionEditor(transaction, rowClass, key, member, row)
        try body(editor)
        return try replacing(row, rowClass, member, by: .bytes(editor.collection))
    }

    /// Where an element is or can be inserted; nil when it can't.
    static func index(of element: EditPath.Element, in editor: any ElementEditor)
        -> (index: Int, isThere: Bool)?
    {
        switch element {
        case .index(let index):
            return index <= editor.count ? (index, index < editor.count) : nil
        case .end: return (editor.count, false)
        case .key(let key): return key.withUnsafeBytes { editor.find(key: $0) }
        }
    }

    static func leaf(
        _ element: ByteBuffer?, _ storage: FieldStorage, _ key: [UInt8]?
    ) -> ByteBuffer {
        let leaf = ByteBuffer(capacity: (element?.count ?? 0) + 64)
        LeafView.append(element?.bytes, storage.element, under: key, to: leaf)
        return leaf
    }

    func put(
        _ leaf: ByteBuffer, at found: (index: Int, isThere: Bool), _ storage: FieldStorage,
        in editor: any ElementEditor
    ) throws(EditFailure) {
        let element = LeafView(leaf.bytes, storage)
        guard found.isThere else { return editor.insert(element, at: found.index) }
        try storing { () throws(StoreError) in
            try editor.replace(at: found.index, by: LeafSlice(element, 0..<1))
        }
    }

    func edit(
        _ change: Change, _ found: (index: Int, isThere: Bool), _ storage: FieldStorage,
        _ element: EditPath.Element, in editor: any ElementEditor
    ) throws(EditFailure) {
        func leaf(_ value: EditedValue) -> ByteBuffer {
            switch value {
            case .element(let leaf): leaf
            case .bytes(let bytes): Self.leaf(bytes, storage, element.key)
            case .statement: ByteBuffer()
            }
        }
        switch change {
        case .add(let value):
            let leaf = leaf(value)
            switch storage.shape {
            case .set:
                guard let found = editor.find(LeafView(leaf.bytes, storage), 0) else {
                    throw damaged
                }
                if !found.isThere { try put(leaf, at: found, storage, in: editor) }
            case .map: try put(leaf, at: found, storage, in: editor)
            default: try put(leaf, at: (found.index, false), storage, in: editor)
            }
        case .replace(let value):
            guard found.isThere else { throw .notThere(isSource: false) }
            try put(leaf(value), at: found, storage, in: editor)
        case .remove:
            guard found.isThere else { throw .notThere(isSource: false) }
            try storing { () throws(StoreError) in try editor.remove(at: found.index) }
        }
    }
}
