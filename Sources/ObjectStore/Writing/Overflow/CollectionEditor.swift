import HoldfastBytes
import HoldfastRows
import HoldfastStorage

/// Changes single elements of an out-of-line collection.
///
/// Cost: logarithmic in the number of elements for each change; the row is written once, by ``finish()``, which has to be called.
/// Made by ``WriteTransaction/editor(_:key:member:)``; only that transaction's body may use it.
final class CollectionEditor: ElementEditor {
    private let transaction: WriteTransaction
    private let rowClass: RowClass
    private let key: UInt64
    private let member: Int
    private let tree: TreeEditor
    private let identity = ByteBuffer(capacity: OverflowReference.identityByteCount)
    private var isChanged = false
    /// The change of the number of links of each kind.
    private var linkChanges: [LinkKind: Int] = [:]

    init(
        _ transaction: WriteTransaction, _ rowClass: RowClass, _ key: UInt64, _ member: Int,
        _ reference: OverflowReference
    ) {
        self.transaction = transaction
        self.rowClass = rowClass
        self.key = key
        self.member = member
        identity.append(reference.identity)
        tree = TreeEditor(
            identity, reference.header, rowClass.members[member].storage,
            transaction.overflow.limits, transaction.overflow)
    }

    private var compiled: RowClass.Member { rowClass.members[member] }

    /// The number of elements.
    var count: Int { tree.count }

    /// The element at an index, as an offset in a part of the collection, valid until the next change; nil beyond the end.
    func element(_ index: Int) -> (part: LeafView, offset: Int)? {
        tree.tree.leaf(at: index).map { ($0.leaf, index - $0.first) }
    }

    // MARK: Changes

    func forEachPart(_ body: (LeafView, _ first: Int) -> Bool) {
        _ = tree.tree.forEachLeaf(from: 0, body)
    }

    /// Puts elements before the one at `index`, or at the end of the list.
    func insert(_ elements: LeafView, at index: Int) {
        countLinks(elements, 0..<elements.count, 1)
        tree.insert(LeafSlice(elements, 0..<elements.count), at: index)
        isChanged = isChanged || elements.count > 0
    }

    /// Puts one element in the place of another, if it differs.
    func replace(at index: Int, by element: LeafSlice) throws(StoreError) {
        guard let (part, offset) = self.element(index), element.range.count == 1 else { return }
        let (elements, own) = (element.leaf, element.range.lowerBound)
        if part.values.isSame(offset, elements.values, own) { return }
        let new = embedded(elements, own)
        if let (rowClass, row) = new, let (_, old) = embedded(part, offset),
            transaction.rows.isSameObject(old.bytes, row.bytes, compiled, transaction.overflow)
        {
            // The stored object stays. Its equal may have values out of line.
            return try transaction.group.freeOverflow(rowClass, key, row, keeping: old)
        }
        try forget(part, offset, keeping: new?.row)
        countLinks(elements, element.range, 1)
        tree.replace(at: index, by: element)
        isChanged = true
    }

    /// Removes the element at `index`.
    func remove(at index: Int) throws(StoreError) {
        guard let (part, offset) = element(index) else { return }
        try forget(part, offset)
        tree.remove(at: index)
        isChanged = true
    }

    func lowerBound(_ order: (LeafView, Int) -> Int) -> (index: Int, isThere: Bool)? {
        tree.tree.lowerBound(order).map { ($0.index, $0.isEqual) }
    }

    /// Notes that an element goes.
    ///
    /// - `new`: The embedded object that replaces it, which may have taken over out-of-line values.
    private func forget(
        _ part: LeafView, _ offset: Int, keeping new: RowView? = nil
    ) throws(StoreError) {
        countLinks(part, offset..<(offset + 1), -1)
        guard let (embedded, row) = embedded(part, offset) else { return }
        if let new {
            try transaction.group.freeOverflow(embedded, key, row, keeping: new)
        } else {
            try transaction.group.freeOverflow(embedded, row)
        }
    }

    /// An element that is an embedded object.
    private func embedded(_ part: LeafView, _ offset: Int) -> (rowClass: RowClass, row: RowView)? {
        guard compiled.isEmbedded, let row = RowView(part.values.bytes(offset)) else { return nil }
        return (transaction.rows.classes[compiled.classIndex], row)
    }

    private func countLinks(_ elements: LeafView, _ range: Range<Int>, _ change: Int) {
        guard rowClass.linkingMembers.contains(member) else { return }
        for offset in range where !elements.values.isNull(offset) {
            transaction.rows.forEachLink(
                of: compiled, in: elements.values.bytes(offset), transaction.overflow
            ) {
                let kind = LinkKind(property: $0, targetClass: $1, targetKey: $2)
                linkChanges[kind, default: 0] += change
            }
        }
    }

    // MARK: The end

    /// Writes the changes to the object's row, its inverse links and the change log.
    func finish() throws(StoreError) -> WriteResult {
        try transaction.overflow.requireReadable()
        guard let stored = try transaction.storedRow(rowClass, key),
            let reference = rowClass.field(member, in: stored).overflow,
            reference.identity.elementsEqual(identity.bytes)
        else { throw .objectNotFound }
        guard isChanged else {
            try transaction.enterMigration(rowClass, key, stored)
            return WriteResult(rowClass, key, stored, isChanged: false)
        }
        tree.setVersion(transaction.version)
        let row = try putRow(over: stored)
        for (kind, change) in linkChanges where change != 0 {
            try transaction.inverseLinks.change(kind, rowClass, key, by: change)
        }
        let members = MemberSet([member])
        let hasEdits = compiled.storage.shape == .list && !tree.edits.isReplaced
        transaction.recorder.updated(
            rowClass, key, members,
            lists: hasEdits ? [ListChange(property: compiled.number, edits: tree.edits)] : [],
            former: transaction.formerValues(rowClass, key, stored, of: members))
        try transaction.overflow.requireReadable()
        try transaction.enterMigration(rowClass, key, row)
        return WriteResult(rowClass, key, row, isChanged: true)
    }

    private func putRow(over stored: RowView) throws(StoreError) -> RowView {
        let buffer = transaction.rowBuffer
        let encodedByteCount = 8 + tree.header.byteCount + 4 * count
        guard count > 0, encodedByteCount > transaction.overflow.limits.collectionByteCountMax / 4
        else {
            let collection = ByteBuffer(capacity: encodedByteCount + 64)
            StoredCollection(tree.tree).append(compiled.storage, to: collection)
            buffer.removeAll()
            transaction.rowBuilder.append(
                stored, rowClass, replacing: member, by: .bytes(collection.bytes),
                version: transaction.version, to: buffer)
            let row = try transaction.put(rowClass, key, buffer.bytes)
            try transaction.overflow.removeAll(identity.bytes)
            try transaction.group.sweepLostOverflow(rowClass, key, stored, keeping: row)
            return row
        }
        buffer.removeAll()
        buffer.append(stored.bytes)
        buffer.store(transaction.version | RowLayout.holdsOverflowFlag, at: 8)
        let reference = ByteBuffer(capacity: 64)
        tree.appendReference(to: reference)
        let old = rowClass.field(member, in: stored).heapOrReference
        guard let start = old.baseAddress, old.count == reference.count else {
            throw .storage(StorageError(.corrupted, operation: "write reference"))
        }
        buffer.store(bytes: reference.base, byteCount: reference.count, at: start - stored.base)
        return try transaction.put(rowClass, key, buffer.bytes)
    }
}

extension WriteTransaction {
    /// Begins to change single elements of a collection.
    ///
    /// - Returns: Nil if the collection lies in its row.
    func editor(_ rowClass: RowClass, key: UInt64, member: Int)
        throws(StoreError) -> CollectionEditor?
    {
        guard let stored = try storedRow(rowClass, key) else { throw .objectNotFound }
        guard rowClass.members[member].storage.shape != .single,
            rowClass.members[member].storage.shape != .none,
            let reference = rowClass.field(member, in: stored).overflow
        else { return nil }
        // The row that is staged shares the tree, which is about to change.
        try leaveMigration(rowClass, key, stored)
        return CollectionEditor(self, rowClass, key, member, reference)
    }

    /// Makes the row builder ready for an object.
    func prepareRow(_ rowClass: RowClass, _ key: UInt64) {
        overflow.begin(rowClass, key, version: version)
    }
}
