import HoldfastBytes

/// The elements of a collection in a row, or of a leaf of an ``OverflowTree``, which has the same encoding.
///
/// A list or set is a ``CollectionView``. A map has its keys, in the order of their bytes, beside their values:
///
///     offset  bytes  field
///     0       4      byte count k of the keys; 0 in an empty map, which is eight zeros
///     4       k      the keys, as a collection of strings
///     4 + k   …      the values in the order of the keys, as a collection
public struct LeafView {
    /// The elements; for a map, the values.
    public let values: CollectionView
    /// The keys of a map, as many as values; nil for lists and sets.
    public let keys: CollectionView?

    /// Reads a leaf; empty if the bytes are damaged.
    @inlinable public init(_ bytes: UnsafeRawBufferPointer, _ storage: FieldStorage) {
        guard storage.shape == .map else {
            self.init(values: CollectionView(bytes, element: storage.element), keys: nil)
            return
        }
        let keyByteCount = bytes.count < 4 ? 0 : Int(bytes.loadUnaligned(as: UInt32.self))
        if keyByteCount > 0, keyByteCount <= bytes.count - 4 {
            let split = 4 + keyByteCount
            let keys = CollectionView(
                UnsafeRawBufferPointer(rebasing: bytes[4..<split]), element: .string)
            let values = CollectionView(
                UnsafeRawBufferPointer(rebasing: bytes[split...]), element: storage.element)
            if keys.count == values.count {
                self.init(values: values, keys: keys)
                return
            }
        }
        self.init(
            values: CollectionView(emptyOf: storage.element),
            keys: CollectionView(emptyOf: .string))
    }

    /// Makes a leaf from its parts.
    @inlinable init(values: CollectionView, keys: CollectionView?) {
        self.values = values
        self.keys = keys
    }

    /// The number of elements.
    @inlinable public var count: Int { values.count }

    /// Finds the position of the first key of a map that is not below `key`; the count if all are. Cost: a binary search.
    func firstPosition(notBefore key: UnsafeRawBufferPointer) -> Int {
        guard let keys else { return count }
        return partitionPoint(count) { compareKeys(keys.bytes($0), key) < 0 }
    }

    /// Finds the position of a key; nil if the map lacks it. Cost: a binary search.
    package func position(of key: UnsafeRawBufferPointer) -> Int? {
        let position = firstPosition(notBefore: key)
        guard let keys, position < count, compareKeys(keys.bytes(position), key) == 0 else {
            return nil
        }
        return position
    }

    /// Returns the number of bytes of elements, without tables.
    package func byteCount(_ range: Range<Int>) -> Int {
        values.byteCount(range) + (keys?.byteCount(range) ?? 0)
    }

    /// Returns the bytes that an element adds to an encoded leaf, except for its bit in a null bitmap.
    package func encodedByteCount(_ index: Int) -> Int {
        let range = index..<(index + 1)
        var count = values.byteCount(range) + values.tableByteCount
        if let keys { count += keys.byteCount(range) + keys.tableByteCount }
        return count
    }
}

/// Adjacent elements of a leaf.
package struct LeafSlice {
    package var leaf: LeafView
    /// The elements, by position.
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
    /// - `value`: An element's bytes, which must not lie in the buffer. Nil, or an empty or null `mixed` value, for null.
    /// - `key`: The entry's key in a map; otherwise nil.
    package static func append(
        _ value: UnsafeRawBufferPointer?, _ element: ElementStorage, under key: [UInt8]?,
        to buffer: ByteBuffer
    ) {
        if let key { key.withUnsafeBytes { key in appendKeys(count: 1, to: buffer) { _ in key } } }
        let isNull = value.map { element == .mixed && MixedView($0).isNull } ?? true
        CollectionView.append(count: 1, of: element, isNull: { _ in isNull }, to: buffer) { _ in
            if let value { buffer.append(value) }
        }
    }

    /// Appends the keys of a map with at least one entry. Append its values next.
    static func appendKeys(
        count: Int, to buffer: ByteBuffer, _ key: (Int) -> UnsafeRawBufferPointer
    ) {
        let start = buffer.count
        buffer.append(little: 0 as UInt32)
        CollectionView.append(count: count, of: .string, isNull: { _ in false }, to: buffer) {
            buffer.append(key($0))
        }
        buffer.store(UInt32(buffer.count - start - 4), at: start)
    }

    /// Appends some elements of the leaf, in their order, as a leaf.
    ///
    /// - `isNull`: Whether an element becomes null.
    /// - `append`: Appends the new bytes of an element that does not become null.
    func append(
        _ kept: [Int], to buffer: ByteBuffer, isNull: (Int) -> Bool, _ append: (Int) -> Void
    ) {
        if let keys {
            guard !kept.isEmpty else { return buffer.append(little: 0 as UInt64) }
            Self.appendKeys(count: kept.count, to: buffer) { keys.bytes(kept[$0]) }
        }
        CollectionView.append(
            count: kept.count, of: values.element, isNull: { isNull(kept[$0]) }, to: buffer
        ) { append(kept[$0]) }
    }
}

extension StoredCollection {
    /// Appends all elements as one leaf, in the encoding of a row's heap.
    package func append(_ storage: FieldStorage, to buffer: ByteBuffer) {
        var slices: [LeafSlice] = []
        forEachPart { part, _ in
            slices.append(LeafSlice(part, 0..<part.count))
            return true
        }
        LeafSlice.append(slices, storage, to: buffer)
    }
}
