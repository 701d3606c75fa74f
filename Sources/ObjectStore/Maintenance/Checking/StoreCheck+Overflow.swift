import HoldfastBytes
import HoldfastRows

extension StoreCheck {
    /// Finds the fault of an out-of-line value; nil without one. Notes its chunks.
    func fault(ofOverflow field: Field, _ member: RowClass.Member) -> String? {
        guard let reference = field.overflow, reference.isTree == (member.storage.shape != .single)
        else { return "has a damaged reference" }
        guard reference.isTree else {
            guard let text = chunk(reference, 0) else { return "lacks its chunk" }
            if text.count != reference.byteCount { return "has another length than its chunk" }
            if member.storage.element == .string, String(validating: text, as: UTF8.self) == nil {
                return "is no UTF-8"
            }
            if member.storage.element == .mixed { return fault(ofMixed: text) }
            return nil
        }
        let header = reference.header
        var walk = TreeWalk(reference: reference, member: member)
        let fault = fault(ofNode: header.root, header.height, &walk)
        if let fault { return fault }
        guard let found = walk.total else { return "has too many elements" }
        if found != header.count { return "counts \(header.count) elements, \(found) there" }
        if walk.byteCount != header.byteCount {
            return "counts \(header.byteCount) bytes, \(walk.byteCount) there"
        }
        return nil
    }

    /// The state of a walk through a tree.
    private struct TreeWalk {
        var reference: OverflowReference
        var member: RowClass.Member
        /// The number of elements found; nil when they are too many to be true.
        var total: Int? = 0
        var byteCount = 0
        var last: LeafView?
        let order = SetOrder()
    }

    private func chunk(
        _ reference: OverflowReference, _ number: UInt32
    ) -> UnsafeRawBufferPointer? {
        OverflowReference.withKey(reference.identity, number) { key in
            knownChunks.insert(Array(key))
            return transaction.overflowChunk(key)
        }
    }

    private func fault(ofNode number: UInt32, _ level: UInt8, _ walk: inout TreeWalk) -> String? {
        let countBefore = knownChunks.count
        guard level < 32, let bytes = chunk(walk.reference, number) else {
            return "lacks chunk \(number)"
        }
        if knownChunks.count == countBefore { return "has chunk \(number) twice" }
        guard level > 0 else { return fault(ofLeaf: bytes, number, &walk) }
        guard let node = InnerNode(bytes) else { return "has a damaged node, chunk \(number)" }
        for child in node.children {
            let before = walk.total ?? 0
            if let fault = fault(ofNode: child.number, level - 1, &walk) { return fault }
            if (walk.total ?? 0) - before != child.count {
                return "has a node that counts wrongly, chunk \(number)"
            }
        }
        return nil
    }

    private func fault(
        ofLeaf bytes: UnsafeRawBufferPointer, _ number: UInt32, _ walk: inout TreeWalk
    ) -> String? {
        let fault =
            walk.member.storage.shape == .map
            ? fault(ofMap: bytes, walk.member) : fault(ofCollection: bytes, walk.member)
        if let fault { return "\(fault), chunk \(number)" }
        let leaf = LeafView(bytes, walk.member.storage)
        if leaf.count == 0 { return "has an empty leaf, chunk \(number)" }
        if let last = walk.last, !isInOrder(last, leaf, walk) {
            return "has its elements out of order, chunk \(number)"
        }
        walk.last = leaf
        walk.total = walk.total.map { $0 + leaf.count }
        walk.byteCount += leaf.byteCount(0..<leaf.count)
        return nil
    }

    /// Whether the elements of a leaf may follow the elements of another.
    private func isInOrder(_ last: LeafView, _ leaf: LeafView, _ walk: TreeWalk) -> Bool {
        if let keys = last.keys, let next = leaf.keys {
            return compareKeys(keys.bytes(last.count - 1), next.bytes(0)) < 0
        }
        guard walk.member.storage.shape == .set else { return true }
        return walk.order.compare(last.values, last.count - 1, leaf.values, 0) < 0
    }

    /// Checks that an object has the chunks that its row refers to, and no others.
    func checkChunks(of rowClass: RowClass, _ key: UInt64, _ row: RowView) throws(StoreError) {
        // A row of an older layout may refer to values of properties that are gone.
        guard row.layoutNumber == rowClass.layout.number, !hasGarbageRows(rowClass) else { return }
        let buffer = ByteBuffer(capacity: 32)
        StoreKey.appendOverflowPrefix(rowClass.number, key, to: buffer)
        try scan(buffer.array) { chunk, _ in
            if !knownChunks.contains(Array(chunk)) {
                report.add("chunk-unknown", name(rowClass, key))
            }
        }
    }

    /// Checks that every chunk belongs to an object with out-of-line values.
    func checkOwners() throws(StoreError) {
        var last: [UInt8] = []
        try scan([StoreKey.Tag.overflow]) { (chunk, _) throws(StoreError) in
            guard chunk.count == OverflowReference.keyByteCount else {
                return report.add("chunk-damaged", "\(chunk.count) bytes of key")
            }
            let owner = chunk.prefix(13)
            if owner.elementsEqual(last) { return }
            last = Array(owner)
            let number = UInt32(bigEndian: chunk.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
            let key = UInt64(bigEndian: chunk.loadUnaligned(fromByteOffset: 5, as: UInt64.self))
            if garbage.contains(Garbage(.overflow, number)) { return }
            guard let index = rows.classIndexByNumber[number] else {
                return report.add("chunk-without-object", "class number \(number)")
            }
            let rowClass = rows.classes[index]
            if hasGarbageRows(rowClass) { return }
            switch try find(rowClass, key: key) {
            case .damaged: return
            case .row(let row) where row.holdsOverflow: return
            case .row, .nothing: report.add("chunk-without-object", name(rowClass, key))
            }
        }
    }
}
