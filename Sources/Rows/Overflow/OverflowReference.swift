import HoldfastBytes

/// The reference in a row's heap to an out-of-line value.
///
/// The highest bit of the slot's byte count is then set, see ``RowLayout``. A string or data value is one chunk under the
/// identity's key with number 0. It is never changed, so equal identities have equal values. A collection is a tree of chunks,
/// see ``OverflowTree``.
///
///     offset  bytes  field
///     0       25     identity: the prefix of the keys of all chunks, see `StoreKey`
///     25      1      1 for one chunk, 2 for a tree
///     26      8      byte count of the value, or of the elements together; numbers are little-endian
///     34      8      of a tree: element count
///     42      8      the version that last changed an element
///     50      4      number of the root's chunk
///     54      4      the number that the next chunk gets
///     58      1      levels above the leaves
public struct OverflowReference {
    /// The bytes of an identity.
    public static let identityByteCount = 25
    /// The bytes of a chunk's key: an identity and a number of four bytes, big-endian.
    public static let keyByteCount = 29
    static let textByteCount = 34
    static let treeByteCount = 59
    static let textKind: UInt8 = 1
    static let treeKind: UInt8 = 2

    @usableFromInline let base: UnsafeRawPointer
    /// Whether it refers to a tree, not to one chunk.
    public let isTree: Bool

    /// Reads a reference; nil for damaged bytes.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.textByteCount, let base = bytes.baseAddress else { return nil }
        switch base.load(fromByteOffset: 25, as: UInt8.self) {
        case Self.textKind where bytes.count == Self.textByteCount: isTree = false
        case Self.treeKind where bytes.count == Self.treeByteCount: isTree = true
        default: return nil
        }
        self.base = base
    }

    /// The prefix of the keys of the value's chunks.
    public var identity: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base, count: Self.identityByteCount)
    }

    /// The bytes of the value, or of all elements together.
    public var byteCount: Int {
        Int(truncatingIfNeeded: base.loadUnaligned(fromByteOffset: 26, as: UInt64.self))
    }

    /// The header of a tree, from its reference.
    ///
    /// - Precondition: ``isTree``.
    package var header: TreeHeader {
        precondition(isTree)
        return TreeHeader(
            byteCount: byteCount,
            count: Int(truncatingIfNeeded: base.loadUnaligned(fromByteOffset: 34, as: UInt64.self)),
            version: base.loadUnaligned(fromByteOffset: 42, as: UInt64.self),
            root: base.loadUnaligned(fromByteOffset: 50, as: UInt32.self),
            nextNumber: base.loadUnaligned(fromByteOffset: 54, as: UInt32.self),
            height: base.load(fromByteOffset: 58, as: UInt8.self))
    }

    /// The number of elements of a tree.
    public var count: Int { isTree ? header.count : 0 }

    /// Runs `body` with the key of the chunk with a number.
    package static func withKey<Result>(
        _ identity: UnsafeRawBufferPointer, _ number: UInt32,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(byteCount: keyByteCount, alignment: 1) { key in
            key.copyMemory(from: identity)
            key.storeBytes(of: number.bigEndian, toByteOffset: identityByteCount, as: UInt32.self)
            return body(UnsafeRawBufferPointer(key))
        }
    }

    /// Returns the value of one chunk; empty if the chunk is missing.
    public func text(_ source: any OverflowSource) -> UnsafeRawBufferPointer {
        let found = Self.withKey(identity, 0) { source.overflowChunk($0) }
        return found ?? UnsafeRawBufferPointer(start: base, count: 0)
    }

    /// Appends the reference of one chunk.
    package static func append(
        textOf identity: UnsafeRawBufferPointer, byteCount: Int, to buffer: ByteBuffer
    ) {
        buffer.append(identity)
        buffer.append(textKind)
        buffer.append(little: UInt64(byteCount))
    }

    /// Appends the reference of a tree.
    package static func append(
        treeOf identity: UnsafeRawBufferPointer, _ header: TreeHeader, to buffer: ByteBuffer
    ) {
        buffer.append(identity)
        buffer.append(treeKind)
        buffer.append(little: UInt64(header.byteCount))
        buffer.append(little: UInt64(header.count))
        buffer.append(little: header.version)
        buffer.append(little: header.root)
        buffer.append(little: header.nextNumber)
        buffer.append(header.height)
    }
}

/// The description of a tree in its owner's row.
package struct TreeHeader: Equatable, Sendable {
    /// The bytes of all elements together.
    package var byteCount = 0
    /// The number of elements.
    package var count = 0
    /// The version that last changed an element.
    package var version: UInt64
    /// The number of the root's chunk.
    package var root: UInt32 = 0
    /// The number for the next chunk.
    package var nextNumber: UInt32 = 0
    /// The number of levels above the leaves: 0 if the root is a leaf.
    package var height: UInt8 = 0
}

extension TreeHeader {
    /// Makes the header of an empty tree.
    package init(version: UInt64) { self.init(byteCount: 0, version: version) }
}
