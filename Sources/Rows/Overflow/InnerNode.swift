import HoldfastBytes

/// A node above the leaves of an ``OverflowTree``, read in place.
///
///     offset  bytes  field
///     0       4      number of children n, at least one
///     4       12·n   for each the number of its chunk, four bytes, and how many elements it has, eight;
///                    little-endian
package struct InnerNode {
    /// A child of a node.
    package struct Child: Equatable, Sendable {
        /// The number of its chunk.
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

    /// The child at a position.
    package subscript(position: Int) -> Child {
        precondition(position >= 0 && position < childCount)
        let child = base + 4 + position * Self.childByteCount
        return Child(
            number: child.loadUnaligned(as: UInt32.self),
            count: Int(
                truncatingIfNeeded: child.loadUnaligned(fromByteOffset: 4, as: UInt64.self)))
    }

    /// All children.
    package var children: [Child] { (0..<childCount).map { self[$0] } }

    /// Returns the child that holds the element at `index`, and that element's index in it; the last
    /// child for an index at the end or beyond.
    package func child(of index: Int) -> (position: Int, index: Int) {
        var rest = index
        for position in 0..<(childCount - 1) {
            let count = self[position].count
            if rest < count { return (position, rest) }
            rest -= count
        }
        return (childCount - 1, rest)
    }

    /// Appends a node. Not generic: it is not compiled for its callers, in other modules.
    package static func append(_ children: ArraySlice<Child>, to buffer: ByteBuffer) {
        buffer.append(little: UInt32(children.count))
        for child in children {
            buffer.append(little: child.number)
            buffer.append(little: UInt64(child.count))
        }
    }
}
