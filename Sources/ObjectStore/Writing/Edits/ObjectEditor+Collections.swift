import HoldfastBytes
import HoldfastRows

/// Elements of collections, in the row and out of line.
extension ObjectEditor {
    /// Edits a collection; nil if it is out of line, so that the row stays as it is.
    func editing(
        _ row: RowView, _ rowClass: RowClass, _ member: Int, isRoot: Bool,
        _ body: (any ElementEditor) throws(EditFailure) -> Void
    ) throws(EditFailure) -> ByteBuffer? {
        // An out-of-line collection also has elements that the writer does not see. It is edited in place only if the writer sees
        // all of it.
        let isSeenInPart = base?.hidden.links.contains(member) ?? false
        if isRoot, !isSeenInPart, rowClass.field(member, in: row).isOutOfLine {
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
        let editor = RowCollectionEditor(transaction, rowClass, member, row)
        try body(editor)
        if isRoot { lists[member, default: ListEdits()].append(editor.edits) }
        return try replacing(row, rowClass, member, by: .bytes(editor.collection))
    }

    /// The index of an element, or the index at which it can be inserted; nil for a key in a collection without keys.
    static func index(of element: EditPath.Element, in editor: any ElementEditor)
        -> (index: Int, isThere: Bool)?
    {
        switch element {
        case .index(let index): (index, index < editor.count)
        case .end: (editor.count, false)
        case .key(let key): key.withUnsafeBytes { editor.find(key: $0) }
        }
    }

    static func leaf(
        _ element: ByteBuffer?, _ storage: FieldStorage, _ key: [UInt8]?
    ) -> ByteBuffer {
        let leaf = ByteBuffer(capacity: (element?.count ?? 0) + 64)
        LeafView.append(element?.bytes, storage.element, under: key, to: leaf)
        return leaf
    }

    /// Inserts an element, or puts it in the place of another one.
    func put(
        _ leaf: ByteBuffer, in range: Range<Int>, _ storage: FieldStorage,
        _ editor: any ElementEditor
    ) throws(EditFailure) {
        let element = LeafView(leaf.bytes, storage)
        guard !range.isEmpty else { return editor.insert(element, at: range.lowerBound) }
        try storing { () throws(StoreError) in
            try editor.replace(at: range.lowerBound, by: LeafSlice(element, 0..<1))
        }
    }

    func edit(
        _ change: Change, _ element: EditPath.Element, _ storage: FieldStorage,
        in editor: any ElementEditor
    ) throws(EditFailure) {
        func leaf(_ value: EditedValue) -> ByteBuffer {
            guard case .bytes(let bytes) = value else { return ByteBuffer() }
            return Self.leaf(bytes, storage, element.key)
        }
        var removed: [Int] = []
        switch change {
        case .place(let value, let placement):
            let leaf = leaf(value)
            if storage.shape == .set {
                guard let found = editor.find(LeafView(leaf.bytes, storage), 0) else {
                    throw damaged
                }
                outcome.isCreated = !found.isThere
                if found.isThere { return }
                return try put(leaf, in: found.index..<found.index, storage, editor)
            }
            guard let found = Self.index(of: element, in: editor) else { throw damaged }
            let range: Range<Int>
            do throws(ElementFault) {
                range = try placement.range(
                    at: found, isMap: storage.shape == .map, count: editor.count)
            } catch { throw .missing(error) }
            outcome = ElementOutcome(range, isList: storage.shape == .list)
            return try put(leaf, in: range, storage, editor)
        case .remove:
            if let found = Self.index(of: element, in: editor), found.isThere {
                removed = [found.index]
            }
        case .removeEqual(let value):
            let leaf = leaf(value)
            removed = withExtendedLifetime(leaf) {
                Self.indices(of: LeafView(leaf.bytes, storage), storage, in: editor)
            }
        }
        if removed.isEmpty { throw .missing() }
        for index in removed.reversed() {
            try storing { () throws(StoreError) in try editor.remove(at: index) }
        }
    }

    /// The index of an element in a set, or all its indices in a list.
    private static func indices(
        of element: LeafView, _ storage: FieldStorage, in editor: any ElementEditor
    ) -> [Int] {
        if storage.shape == .set {
            return editor.find(element, 0).flatMap { $0.isThere ? [$0.index] : nil } ?? []
        }
        let order = SetOrder()
        var indices: [Int] = []
        editor.forEachPart { part, first in
            for offset in 0..<part.count
            where order.compare(part.values, offset, element.values, 0) == 0 {
                indices.append(first + offset)
            }
            return true
        }
        return indices
    }
}

/// Changes elements of a collection that lies in its object's row, or in one that an embedded object has.
/// Cost: linear in the collection, for each change.
final class RowCollectionEditor: ElementEditor {
    private let storage: FieldStorage
    private let stored: UnsafeRawBufferPointer
    /// The collection as it is now, and room for the next one.
    private var buffers = (ByteBuffer(), ByteBuffer())
    private var leaf: LeafView
    /// The edits of a list so far.
    private(set) var edits = ListEdits()

    init(_ transaction: WriteTransaction, _ rowClass: RowClass, _ member: Int, _ row: RowView) {
        storage = rowClass.members[member].storage
        let field = rowClass.field(member, in: row)
        stored = field.heap
        leaf = LeafView(stored, storage)
        guard field.isOutOfLine else { return }
        rowClass.collection(member, in: row, transaction.overflow).append(storage, to: buffers.0)
        leaf = LeafView(buffers.0.bytes, storage)
    }

    /// The collection as it is now, as it lies in a row's heap.
    var collection: UnsafeRawBufferPointer { buffers.0.count > 0 ? buffers.0.bytes : stored }

    var count: Int { leaf.count }

    func element(_ index: Int) -> (part: LeafView, offset: Int)? {
        index < leaf.count ? (leaf, index) : nil
    }

    func forEachPart(_ body: (LeafView, Int) -> Bool) { _ = body(leaf, 0) }

    func insert(_ elements: LeafView, at index: Int) {
        splice(index..<index, LeafSlice(elements, 0..<elements.count))
    }

    func replace(at index: Int, by element: LeafSlice) throws(StoreError) {
        splice(index..<(index + 1), element)
    }

    func remove(at index: Int) throws(StoreError) { splice(index..<(index + 1), nil) }

    private func splice(_ range: Range<Int>, _ elements: LeafSlice?) {
        edits.append(
            ListSplice(
                range.lowerBound, removed: range.count, inserted: elements?.range.count ?? 0))
        var slices = [LeafSlice(leaf, 0..<range.lowerBound)]
        if let elements { slices.append(elements) }
        slices.append(LeafSlice(leaf, range.upperBound..<leaf.count))
        buffers.1.removeAll()
        LeafSlice.append(slices.filter { !$0.range.isEmpty }, storage, to: buffers.1)
        buffers = (buffers.1, buffers.0)
        leaf = LeafView(buffers.0.bytes, storage)
    }

    func lowerBound(_ order: (LeafView, Int) -> Int) -> (index: Int, isThere: Bool)? {
        let index = partitionPoint(leaf.count) { order(leaf, $0) < 0 }
        return (index, index < leaf.count && order(leaf, index) == 0)
    }
}

/// A value on its way into an edited object.
enum EditedValue {
    /// A draft's value of a property, or of the whole object.
    case statement(ObjectDraft, ResolvedReferences, origin: WriteOrigin)
    /// As it lies in a row, or in a collection; nil for null.
    case bytes(ByteBuffer?)
}
