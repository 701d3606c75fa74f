import HoldfastBytes
import HoldfastRows

/// Changes elements of a collection that lies in its object's row, or in one that an embedded object has.
/// Cost: linear in the collection, for each change.
final class RowCollectionEditor: ElementEditor {
    private let storage: FieldStorage
    private let stored: UnsafeRawBufferPointer
    /// The collection as it is by now, and room for the next one.
    private var buffers = (ByteBuffer(), ByteBuffer())
    private var leaf: LeafView
    /// The edits of a list so far.
    private(set) var edits = ListEdits()

    init(
        _ transaction: WriteTransaction, _ rowClass: RowClass, _ member: Int, _ row: RowView
    ) {
        storage = rowClass.members[member].storage
        let field = rowClass.field(member, in: row)
        stored = field.heap
        leaf = LeafView(stored, storage)
        guard field.isOutOfLine else { return }
        rowClass.collection(member, in: row, transaction.overflow).append(storage, to: buffers.0)
        leaf = LeafView(buffers.0.bytes, storage)
    }

    /// The collection as it is by now, as it lies in a row's heap.
    var collection: UnsafeRawBufferPointer {
        buffers.0.count > 0 ? buffers.0.bytes : stored
    }

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
