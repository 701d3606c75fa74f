import Bytes

/// The elements of a leaf of an ``OverflowTree``, or of a collection in a row, which is encoded alike.
public struct LeafView {
    /// The elements; of a map the values.
    public let values: CollectionView
    /// The keys of a map.
    public let keys: CollectionView?

    /// Reads a leaf.
    @inlinable public init(_ bytes: UnsafeRawBufferPointer, _ storage: FieldStorage) {
        if storage.shape == .map {
            let map = MapView(bytes, element: storage.element)
            values = map.values
            keys = map.keys
        } else {
            values = CollectionView(bytes, element: storage.element)
            keys = nil
        }
    }

    /// A leaf that was taken apart.
    @usableFromInline init(values: CollectionView, keys: CollectionView?) {
        self.values = values
        self.keys = keys
    }

    /// How many elements there are.
    @inlinable public var count: Int { values.count }

    /// The bytes that elements take, without tables.
    package func byteCount(_ range: Range<Int>) -> Int {
        values.byteCount(range) + (keys?.byteCount(range) ?? 0)
    }

    /// The bytes that an element adds to an encoded leaf, but for a bit that may say whether it is null.
    package func encodedByteCount(_ index: Int) -> Int {
        let range = index..<(index + 1)
        var count = values.byteCount(range) + values.tableByteCount
        if let keys { count += keys.byteCount(range) + keys.tableByteCount }
        return count
    }
}

/// Some neighbouring elements of a leaf.
package struct LeafSlice {
    /// The leaf.
    package var leaf: LeafView
    /// Which elements.
    package var range: Range<Int>

    /// Makes a slice.
    package init(_ leaf: LeafView, _ range: Range<Int>) {
        self.leaf = leaf
        self.range = range
    }

    /// Appends slices, one after the other, as one leaf or collection.
    package static func append(
        _ slices: [LeafSlice], _ storage: FieldStorage, to buffer: ByteBuffer
    ) {
        if storage.shape == .map {
            guard slices.contains(where: { !$0.range.isEmpty }) else {
                return buffer.append(little: 0 as UInt64)
            }
            let start = buffer.count
            buffer.append(little: 0 as UInt32)
            CollectionView.append(
                slices.compactMap { slice in slice.leaf.keys.map { ($0, slice.range) } }, to: buffer
            )
            buffer.store(UInt32(buffer.count - start - 4), at: start)
        }
        CollectionView.append(slices.map { ($0.leaf.values, $0.range) }, to: buffer)
    }
}
