import Bytes

extension StoredCollection {
    /// The index of a map's entry; nil when the map lacks the key. Cost: logarithmic.
    public func index(ofKey key: UnsafeRawBufferPointer) -> Int? {
        guard let tree else { return MapView(inline)?.position(of: key) }
        let found = tree.lowerBound { leaf, offset in
            leaf.keys.map { compareKeys($0.bytes(offset), key) } ?? 0
        }
        guard let found, found.isEqual else { return nil }
        return found.index
    }
}
