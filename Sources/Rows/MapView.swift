import Bytes

/// A map read in place: its keys, in the order of their bytes, beside their values.
///
///     offset  bytes  field
///     0       4      byte count k of the keys; 0 in an empty map, which is eight zeros
///     4       k      the keys, as a collection of strings
///     4 + k   …      the values in the order of the keys, as a collection
public struct MapView {
    /// The keys.
    public let keys: CollectionView
    /// Their values: as many.
    public let values: CollectionView

    /// Reads the map that lies in `bytes`; damaged bytes give an empty one.
    @inlinable public init(_ bytes: UnsafeRawBufferPointer, element: ElementStorage) {
        let keyByteCount = bytes.count < 4 ? 0 : Int(bytes.loadUnaligned(as: UInt32.self))
        guard keyByteCount > 0, keyByteCount <= bytes.count - 4 else {
            self.init(emptyOf: element)
            return
        }
        let split = 4 + keyByteCount
        let keys = CollectionView(
            UnsafeRawBufferPointer(rebasing: bytes[4..<split]), element: .string)
        let values = CollectionView(
            UnsafeRawBufferPointer(rebasing: bytes[split...]), element: element)
        guard keys.count == values.count else {
            self.init(emptyOf: element)
            return
        }
        self.init(keys: keys, values: values)
    }

    @inlinable init(emptyOf element: ElementStorage) {
        self.init(
            keys: CollectionView(emptyOf: .string), values: CollectionView(emptyOf: element))
    }

    @usableFromInline init(keys: CollectionView, values: CollectionView) {
        self.keys = keys
        self.values = values
    }

    /// The entries of a leaf of a map.
    package init?(_ leaf: LeafView) {
        guard let keys = leaf.keys else { return nil }
        self.init(keys: keys, values: leaf.values)
    }

    /// How many entries there are.
    @inlinable public var count: Int { keys.count }

    /// The position of a key; nil when the map lacks it. Cost: a binary search.
    public func position(of key: UnsafeRawBufferPointer) -> Int? {
        let position = firstPosition(notBefore: key)
        return position < count && compareKeys(keys.bytes(position), key) == 0 ? position : nil
    }

    /// The position of the first key that does not come before `key`; the count when all do. Cost: a
    /// binary search.
    public func firstPosition(notBefore key: UnsafeRawBufferPointer) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if compareKeys(keys.bytes(middle), key) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
