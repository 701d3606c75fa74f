import HoldfastBytes

/// An out-of-line collection, for reading.
///
/// A counted B+-tree. Leaves have the encoding of a collection in a row, about 4 KiB each. Each node above them stores the number
/// of elements of its children (``InnerNode``), so that the element at a position is found in logarithmic time. The elements of a
/// set are in value order, and are found by comparing with the first elements of children.
public struct OverflowTree {
    /// The prefix of the keys of its chunks.
    let identity: UnsafeRawBufferPointer
    let header: TreeHeader
    let storage: FieldStorage
    let source: any OverflowSource

    /// Reads a tree; nil if the reference is not one of a tree.
    public init?(
        _ reference: OverflowReference, _ storage: FieldStorage, _ source: any OverflowSource
    ) {
        guard reference.isTree else { return nil }
        self.init(reference.identity, reference.header, storage, source)
    }

    /// Makes a view of the chunks whose keys begin with `identity`, which must stay in place.
    package init(
        _ identity: UnsafeRawBufferPointer, _ header: TreeHeader, _ storage: FieldStorage,
        _ source: any OverflowSource
    ) {
        self.identity = identity
        self.header = header
        self.storage = storage
        self.source = source
    }

    /// The number of elements.
    public var count: Int { header.count }

    private func chunk(_ number: UInt32) -> UnsafeRawBufferPointer? {
        OverflowReference.withKey(identity, number) { source.overflowChunk($0) }
    }

    /// Finds the leaf with the element at `index`, and the index of its first element; nil beyond the end and if a chunk is
    /// missing.
    public func leaf(at index: Int) -> (leaf: LeafView, first: Int)? {
        guard index >= 0, index < count else { return nil }
        var number = header.root
        var rest = index
        for _ in 0..<header.height {
            guard let node = chunk(number).flatMap({ InnerNode($0) }) else { return nil }
            let child = node.child(of: rest)
            rest = child.index
            number = node[child.position].number
        }
        guard let bytes = chunk(number) else { return nil }
        let leaf = LeafView(bytes, storage)
        return rest < leaf.count ? (leaf, index - rest) : nil
    }

    /// Passes the leaves from the one with the element at `index` on, each with the index of its first element, until `body`
    /// returns false.
    ///
    /// - Returns: Whether `body` never returned false.
    public func forEachLeaf(from index: Int, _ body: (LeafView, _ first: Int) -> Bool) -> Bool {
        forEachChunk(from: index) { body(LeafView($1, storage), $2) }
    }

    /// Passes leaves as ``forEachLeaf(from:_:)`` does, as their numbers and bytes.
    package func forEachChunk(
        from index: Int, _ body: (UInt32, UnsafeRawBufferPointer, _ first: Int) -> Bool
    ) -> Bool {
        if count == 0 { return true }
        return forEachChunk(header.root, header.height, from: index, first: 0, body)
    }

    private func forEachChunk(
        _ number: UInt32, _ level: UInt8, from index: Int, first: Int,
        _ body: (UInt32, UnsafeRawBufferPointer, Int) -> Bool
    ) -> Bool {
        guard let bytes = chunk(number) else { return false }
        if level == 0 { return body(number, bytes, first) }
        guard let node = InnerNode(bytes) else { return false }
        var first = first
        for position in 0..<node.childCount {
            let child = node[position]
            if first + child.count > index,
                !forEachChunk(child.number, level - 1, from: index, first: first, body)
            {
                return false
            }
            first += child.count
        }
        return true
    }

    // MARK: In value order

    /// Finds the position of an element, or the position to insert it, among elements that are in order.
    ///
    /// Cost: logarithmic; about 20 chunks are read for a million elements.
    ///
    /// - `order`: The order of an element relative to the wanted one: negative, 0 or positive.
    /// - Returns: The index of the first element that is not below the wanted one, and whether it is equal; nil if a chunk is
    ///   missing.
    package func lowerBound(_ order: (LeafView, Int) -> Int) -> (index: Int, isEqual: Bool)? {
        if count == 0 { return (0, false) }
        var number = header.root
        var first = 0
        for level in stride(from: header.height, to: 0, by: -1) {
            guard let node = chunk(number).flatMap({ InnerNode($0) }) else { return nil }
            // The last child that begins at or before the element.
            var (low, high) = (0, node.childCount)
            while high - low > 1 {
                let middle = (low + high) / 2
                guard let leaf = firstLeaf(node[middle].number, level - 1) else { return nil }
                if order(leaf, 0) <= 0 { low = middle } else { high = middle }
            }
            for position in 0..<low { first += node[position].count }
            number = node[low].number
        }
        guard let bytes = chunk(number) else { return nil }
        let leaf = LeafView(bytes, storage)
        let offset = partitionPoint(leaf.count) { order(leaf, $0) < 0 }
        return (first + offset, offset < leaf.count && order(leaf, offset) == 0)
    }

    private func firstLeaf(_ number: UInt32, _ level: UInt8) -> LeafView? {
        var number = number
        for _ in 0..<level {
            guard let node = chunk(number).flatMap({ InnerNode($0) }) else { return nil }
            number = node[0].number
        }
        guard let bytes = chunk(number) else { return nil }
        let leaf = LeafView(bytes, storage)
        return leaf.count > 0 ? leaf : nil
    }
}

/// A node above the leaves of an ``OverflowTree``, read in place.
///
///     offset  bytes  field
///     0       4      number of children n, at least one
///     4       12·n   for each the number of its chunk, four bytes, and how many elements it has, eight;
///                    little-endian
package struct InnerNode {
    /// A child of a node.
    package struct Child: Equatable, Sendable {
        package var number: UInt32
        /// The number of its elements.
        package var count: Int

        /// Makes a child.
        package init(number: UInt32, count: Int) {
            self.number = number
            self.count = count
        }
    }

    static let childByteCount = 12

    private let base: UnsafeRawPointer
    /// The number of children.
    package let childCount: Int

    /// Reads a node; nil for damaged bytes.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, bytes.count >= 4 else { return nil }
        self.base = base
        childCount = Int(base.loadUnaligned(as: UInt32.self))
        guard childCount > 0, bytes.count == 4 + childCount * Self.childByteCount else {
            return nil
        }
    }

    package subscript(position: Int) -> Child {
        precondition(position >= 0 && position < childCount)
        let child = base + 4 + position * Self.childByteCount
        return Child(
            number: child.loadUnaligned(as: UInt32.self),
            count: Int(truncatingIfNeeded: child.loadUnaligned(fromByteOffset: 4, as: UInt64.self)))
    }

    package var children: [Child] { (0..<childCount).map { self[$0] } }

    /// Returns the child with the element at `index`, and that element's index in it; the last child if the index is at or beyond
    /// the end.
    package func child(of index: Int) -> (position: Int, index: Int) {
        var rest = index
        for position in 0..<(childCount - 1) {
            let count = self[position].count
            if rest < count { return (position, rest) }
            rest -= count
        }
        return (childCount - 1, rest)
    }

    /// Appends a node. It is not generic, because callers in other modules could not specialize it.
    package static func append(_ children: ArraySlice<Child>, to buffer: ByteBuffer) {
        buffer.append(little: UInt32(children.count))
        for child in children {
            buffer.append(little: child.number)
            buffer.append(little: UInt64(child.count))
        }
    }
}
