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

extension LeafView {
    /// Appends a leaf of one element.
    ///
    /// - `value`: As an element's bytes; nil, or an empty or null `mixed` value, for null. Does not lie in the buffer.
    /// - `key`: Of the entry, in a map; nil elsewhere.
    package static func append(
        _ value: UnsafeRawBufferPointer?, _ element: ElementStorage, under key: [UInt8]?,
        to buffer: ByteBuffer
    ) {
        let collection = ScalarCollectionBuilder()
        if let key {
            let keys = ByteBuffer(capacity: key.count + 16)
            collection.reset(.string)
            key.withUnsafeBytes { collection.append(text: $0) }
            collection.write(to: keys, isSet: false)
            buffer.append(little: UInt32(keys.count))
            buffer.append(keys.bytes)
        }
        collection.reset(element)
        if let value, element != .mixed || !MixedView(value).isNull {
            collection.append(text: value)
        } else {
            collection.appendNull()
        }
        collection.write(to: buffer, isSet: false)
    }
}

extension StoredCollection {
    /// Appends all elements as one leaf, as a collection lies in a row's heap.
    package func append(_ storage: FieldStorage, to buffer: ByteBuffer) {
        var slices: [LeafSlice] = []
        forEachPart { part, _ in
            slices.append(LeafSlice(part, 0..<part.count))
            return true
        }
        LeafSlice.append(slices, storage, to: buffer)
    }
}
