import HoldfastBytes
import HoldfastRows

/// Changes single elements of a collection, in its row or out of line. Only the writer's thread uses it.
protocol ElementEditor: AnyObject {
    var count: Int { get }
    /// Hands over the parts of the collection, each with the index of its first element, until `body` returns false.
    func forEachPart(_ body: (LeafView, _ first: Int) -> Bool)
    /// The element at an index, as an offset in a part of the collection, valid until the next change; nil beyond the end.
    func element(_ index: Int) -> (part: LeafView, offset: Int)?
    /// Puts elements before the one at `index`, or at the end.
    func insert(_ elements: LeafView, at index: Int)
    /// Puts one element in the place of another.
    func replace(at index: Int, by element: LeafSlice) throws(StoreError)
    func remove(at index: Int) throws(StoreError)
    /// The index at which an element stands, or would stand, among ordered elements; nil if a part can't be read.
    ///
    /// - `order`: The order of an element and the one that is looked for: negative, 0 or positive.
    func lowerBound(_ order: (LeafView, Int) -> Int) -> (index: Int, isThere: Bool)?
}

extension ElementEditor {
    /// The index at which an element of a set, or the entry of a map with its key, stands or would stand.
    func find(_ elements: LeafView, _ index: Int) -> (index: Int, isThere: Bool)? {
        if let keys = elements.keys { return find(key: keys.bytes(index)) }
        let order = SetOrder()
        return lowerBound { order.compare($0.values, $1, elements.values, index) }
    }

    /// The index at which an entry of a map stands, or would stand; nil in a collection without keys.
    func find(key: UnsafeRawBufferPointer) -> (index: Int, isThere: Bool)? {
        var hasKeys = true
        let found = lowerBound { leaf, offset in
            guard let keys = leaf.keys else {
                hasKeys = false
                return 0
            }
            return compareKeys(keys.bytes(offset), key)
        }
        return hasKeys ? found : nil
    }
}
