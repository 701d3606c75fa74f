import HoldfastBytes
import HoldfastRows
import HoldfastStorage

/// Changes an out-of-line collection: a counted B+-tree, see `OverflowTree`.
///
/// Every change reads and writes only the chunks on one path from the root, for any number of elements. A
/// chunk that can't be read is noted with the chunks, and the change is not made. The caller of an editor
/// calls ``OverflowChunks/requireReadable()`` in the end. Only the writer's thread uses an editor.
final class TreeEditor {
    private let limits: OverflowLimits
    /// A smaller leaf, or a smaller other node, is joined with a neighbour if both fit into one.
    private var leafByteCountMin: Int { limits.leafByteCountMax / 4 }
    private var childCountMin: Int { limits.childCountMax / 4 }

    private let identity: ByteBuffer
    let storage: FieldStorage
    private let chunks: any TreeChunks
    private(set) var header: TreeHeader
    private let scratch = ByteBuffer(capacity: 8192)
    /// The edits of a list so far.
    private(set) var edits = ListEdits()

    /// Makes an editor of a tree, or of an empty one.
    ///
    /// - `identity`: The prefix of the keys of the chunks.
    init(
        _ identity: ByteBuffer, _ header: TreeHeader, _ storage: FieldStorage,
        _ limits: OverflowLimits, _ chunks: any TreeChunks
    ) {
        self.limits = limits
        self.identity = identity
        self.header = header
        self.storage = storage
        self.chunks = chunks
    }

    /// The tree as it is now, valid until it is changed.
    var tree: OverflowTree { OverflowTree(identity.bytes, header, storage, chunks) }

    /// The number of elements.
    var count: Int { header.count }

    /// Notes that a transaction changes the collection.
    func setVersion(_ version: UInt64) { header.version = version }

    /// Appends the content of the row.
    func appendReference(to buffer: ByteBuffer) {
        OverflowReference.append(treeOf: identity.bytes, header, to: buffer)
    }

    // MARK: Changes

    /// Notes a change of a list.
    func note(_ index: Int, removed: Int, inserted: Int) {
        guard storage.shape == .list else { return }
        edits.append(ListSplice(index, removed: removed, inserted: inserted))
    }

    /// Puts elements before the one at `index`, or at the end.
    ///
    /// - `elements`: Must not lie in the tree.
    func insert(_ elements: LeafSlice, at index: Int) {
        if elements.range.isEmpty { return }
        if count > 0 { return splice(index, removing: 0, [elements]) }
        note(index, removed: 0, inserted: elements.range.count)
        build(elements)
    }

    /// Removes the element at `index`.
    ///
    /// - Precondition: There is one.
    func remove(at index: Int) {
        precondition(index < count)
        splice(index, removing: 1, [])
    }

    /// Puts elements in the place of the one at `index`.
    ///
    /// - Precondition: There is one.
    func replace(at index: Int, by elements: LeafSlice) {
        precondition(index < count)
        splice(index, removing: 1, [elements])
    }

    private func splice(_ index: Int, removing removed: Int, _ elements: [LeafSlice]) {
        note(index, removed: removed, inserted: elements.reduce(0) { $0 + $1.range.count })
        edit(at: index) { leaf, offset in
            [LeafSlice(leaf, 0..<offset)] + elements
                + [LeafSlice(leaf, (offset + removed)..<leaf.count)]
        }
    }

    /// Changes the leaf that holds the element at `index`, or the last one for an index at the end.
    ///
    /// - `change`: Receives the leaf and the element's offset in it, and returns the replacement, made of slices of the leaf and
    ///   of others.
    func edit(at index: Int, _ change: (LeafView, _ offset: Int) -> [LeafSlice]) {
        guard index >= 0, index <= count, count > 0 else { return }
        let isAtEnd = index == count
        guard let edited = edit(header.root, header.height, index, isAtEnd, change) else { return }
        header.count = edited.children.reduce(0) { $0 + $1.count }
        guard !edited.children.isEmpty else {
            header.root = 0
            header.height = 0
            return
        }
        if edited.children.count == 1 {
            header.root = edited.children[0].number
        } else {
            header.height += 1
            header.root = putInner(edited.children[...], makeNumber()).number
        }
        while header.height > 0, let node = inner(header.root), node.childCount == 1 {
            let child = node[0].number
            removeChunk(header.root)
            header.root = child
            header.height -= 1
        }
    }

    /// The outcome of an edit for a part of the tree.
    private struct Edited {
        /// The nodes that stand in its place, of the same level.
        var children: [InnerNode.Child]
        /// Whether the only one is so small that it should be joined with a neighbour.
        var isSmall: Bool
    }

    private func edit(
        _ number: UInt32, _ level: UInt8, _ index: Int, _ isAtEnd: Bool,
        _ change: (LeafView, Int) -> [LeafSlice]
    ) -> Edited? {
        if level == 0 { return editLeaf(number, index, isAtEnd, change) }
        guard let node = inner(number) else { return nil }
        let (position, rest) = node.child(of: index)
        var children = node.children
        guard
            let edited = edit(children[position].number, level - 1, rest, isAtEnd, change)
        else { return nil }
        children.replaceSubrange(position...position, with: edited.children)
        if edited.isSmall { join(&children, position, level - 1) }
        return putInners(children, number, isAtEnd: isAtEnd)
    }

    private func editLeaf(
        _ number: UInt32, _ index: Int, _ isAtEnd: Bool, _ change: (LeafView, Int) -> [LeafSlice]
    ) -> Edited? {
        guard let leaf = leaf(number) else { return nil }
        guard index < leaf.count || isAtEnd && index == leaf.count else {
            chunks.fail(StorageError(.corrupted, operation: "read leaf"))
            return nil
        }
        let slices = change(leaf, index)
        header.byteCount -= leaf.byteCount(0..<leaf.count)
        let parts = LeafPartition.parts(
            of: slices, byteCountMax: limits.leafByteCountMax, fillsLeft: isAtEnd)
        guard !parts.isEmpty else {
            removeChunk(number)
            return Edited(children: [], isSmall: false)
        }
        // All are written down before one is stored: they may lie in the chunk that is overwritten.
        scratch.removeAll()
        var ends: [Int] = []
        for part in parts {
            LeafSlice.append(part, storage, to: scratch)
            ends.append(scratch.count)
            for slice in part { header.byteCount += slice.leaf.byteCount(slice.range) }
        }
        var children: [InnerNode.Child] = []
        var start = 0
        for (position, end) in ends.enumerated() {
            let number = position == 0 ? number : makeNumber()
            putChunk(number, UnsafeRawBufferPointer(rebasing: scratch.bytes[start..<end]))
            start = end
            children.append(
                InnerNode.Child(
                    number: number, count: parts[position].reduce(0) { $0 + $1.range.count }))
        }
        return Edited(children: children, isSmall: ends.count == 1 && ends[0] < leafByteCountMin)
    }

    /// Joins the child at a position with a neighbour, if both fit into one node.
    private func join(_ children: inout [InnerNode.Child], _ position: Int, _ level: UInt8) {
        guard children.count > 1 else { return }
        let left = position > 0 ? position - 1 : 0
        let pair = (children[left], children[left + 1])
        scratch.removeAll()
        if level == 0 {
            guard let a = leaf(pair.0.number), let b = leaf(pair.1.number) else { return }
            LeafSlice.append(
                [LeafSlice(a, 0..<a.count), LeafSlice(b, 0..<b.count)], storage, to: scratch)
            guard scratch.count <= limits.leafByteCountMax * 7 / 8 else { return }
        } else {
            guard let a = inner(pair.0.number), let b = inner(pair.1.number),
                a.childCount + b.childCount <= limits.childCountMax * 7 / 8
            else { return }
            InnerNode.append((a.children + b.children)[...], to: scratch)
        }
        putChunk(pair.0.number, scratch.bytes)
        removeChunk(pair.1.number)
        children[left].count += pair.1.count
        children.remove(at: left + 1)
    }

    // MARK: Building

    /// Makes the tree of its first elements, leaf by leaf.
    private func build(_ elements: LeafSlice) {
        var level: [InnerNode.Child] = []
        let parts = LeafPartition.parts(
            of: [elements], byteCountMax: limits.leafByteCountMax, fillsLeft: true)
        for part in parts.joined() {
            scratch.removeAll()
            LeafSlice.append([part], storage, to: scratch)
            let number = makeNumber()
            putChunk(number, scratch.bytes)
            level.append(InnerNode.Child(number: number, count: part.range.count))
            header.byteCount += part.leaf.byteCount(part.range)
        }
        header.count = elements.range.count
        header.height = 0
        while level.count > 1 {
            var above: [InnerNode.Child] = []
            let nodeCount = (level.count + limits.childCountMax - 1) / limits.childCountMax
            var start = 0
            for node in 0..<nodeCount {
                let end = level.count * (node + 1) / nodeCount
                above.append(putInner(level[start..<end], makeNumber()))
                start = end
            }
            level = above
            header.height += 1
        }
        header.root = level[0].number
    }

    // MARK: Chunks

    private func makeNumber() -> UInt32 {
        defer { header.nextNumber += 1 }
        return header.nextNumber
    }

    private func chunk(_ number: UInt32) -> UnsafeRawBufferPointer? {
        OverflowReference.withKey(identity.bytes, number) { chunks.overflowChunk($0) }
    }

    private func leaf(_ number: UInt32) -> LeafView? { chunk(number).map { LeafView($0, storage) } }

    private func inner(_ number: UInt32) -> InnerNode? {
        guard let bytes = chunk(number) else { return nil }
        guard let node = InnerNode(bytes) else {
            chunks.fail(StorageError(.corrupted, operation: "read node"))
            return nil
        }
        return node
    }

    private func putChunk(_ number: UInt32, _ bytes: UnsafeRawBufferPointer) {
        OverflowReference.withKey(identity.bytes, number) { chunks.put($0, bytes) }
    }

    private func removeChunk(_ number: UInt32) {
        OverflowReference.withKey(identity.bytes, number) { chunks.remove($0) }
    }

    private func putInner(
        _ children: ArraySlice<InnerNode.Child>, _ number: UInt32
    ) -> InnerNode.Child {
        scratch.removeAll()
        InnerNode.append(children, to: scratch)
        putChunk(number, scratch.bytes)
        return InnerNode.Child(number: number, count: children.reduce(0) { $0 + $1.count })
    }

    /// Stores children as one node or more, the first under `number`.
    private func putInners(_ children: [InnerNode.Child], _ number: UInt32, isAtEnd: Bool) -> Edited
    {
        guard !children.isEmpty else {
            removeChunk(number)
            return Edited(children: [], isSmall: false)
        }
        let most = limits.childCountMax
        var nodes: [InnerNode.Child] = []
        var start = 0
        while start < children.count {
            let left = children.count - start
            // A list that grows at its end keeps full nodes behind it.
            let taken = left <= most ? left : isAtEnd ? most : max((left + 1) / 2, 1)
            let end = start + min(taken, most)
            let own = nodes.isEmpty ? number : makeNumber()
            nodes.append(putInner(children[start..<end], own))
            start = end
        }
        return Edited(children: nodes, isSmall: nodes.count == 1 && children.count < childCountMin)
    }
}

/// The division of elements into leaves.
enum LeafPartition {
    /// An element's cost in eighths of a byte: its bytes, its place in the table of ends, and a bit that may say that it is null.
    private static func cost(_ leaf: LeafView, _ index: Int) -> Int {
        leaf.encodedByteCount(index) * 8 + 1
    }

    /// The cost of a leaf beside its elements: the heads of its values and keys, and a bitmap's last byte.
    private static let headCost = 21 * 8

    /// Cuts the elements of slices into the necessary number of leaves, each of at most `byteCountMax` bytes or of one element;
    /// no leaf without an element.
    ///
    /// - `fillsLeft`: Whether all but the last are filled, and not all alike.
    static func parts(of slices: [LeafSlice], byteCountMax: Int, fillsLeft: Bool) -> [[LeafSlice]] {
        let slices = slices.filter { !$0.range.isEmpty }
        if slices.isEmpty { return [] }
        let most = byteCountMax * 8 - headCost
        var target = most
        if !fillsLeft {
            var total = 0
            for slice in slices {
                for index in slice.range { total += cost(slice.leaf, index) }
            }
            if total <= most { return [slices] }
            target = total / max(2, (total * 4 + most * 3 - 1) / (most * 3))
        }
        var parts: [[LeafSlice]] = []
        var part: [LeafSlice] = []
        var size = 0
        for slice in slices {
            var start = slice.range.lowerBound
            for index in slice.range {
                let own = cost(slice.leaf, index)
                if size > 0, size + own > most || size >= target {
                    if start < index { part.append(LeafSlice(slice.leaf, start..<index)) }
                    parts.append(part)
                    part = []
                    start = index
                    size = 0
                }
                size += own
            }
            part.append(LeafSlice(slice.leaf, start..<slice.range.upperBound))
        }
        parts.append(part)
        return parts
    }
}
