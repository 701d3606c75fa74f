import HoldfastBytes

/// A list or set of an object, in its row or out of line.
public struct StoredCollection {
    @usableFromInline let inline: LeafView
    @usableFromInline let tree: OverflowTree?

    /// A collection in its row.
    @inlinable public init(_ inline: LeafView) {
        self.inline = inline
        tree = nil
    }

    /// An out-of-line collection.
    package init(_ tree: OverflowTree) {
        inline = LeafView(values: CollectionView(emptyOf: tree.storage.element), keys: nil)
        self.tree = tree
    }

    /// A collection that may be out of line.
    @inlinable public init(_ field: Field, _ storage: FieldStorage, _ source: any OverflowSource) {
        inline = LeafView(field.heap, storage)
        tree = field.isOutOfLine ? Self.tree(field, storage, source) : nil
    }

    @usableFromInline static func tree(
        _ field: Field, _ storage: FieldStorage, _ source: any OverflowSource
    ) -> OverflowTree? {
        field.overflow.flatMap { OverflowTree($0, storage, source) }
    }

    /// The number of elements.
    @inlinable public var count: Int { tree?.count ?? inline.count }

    /// Passes every element from `first` on, as an offset in a part of the collection and as an index in the whole, until `body`
    /// returns false or the budget is spent.
    ///
    /// - `budget`: The budget of the evaluation; nil for callers without one, which walk a copy or write.
    /// - Returns: Whether every element was passed.
    @discardableResult
    package func forEach(
        from first: Int = 0, within budget: Budget?,
        _ body: (_ part: CollectionView, _ offset: Int, _ index: Int) -> Bool
    ) -> Bool {
        forEachPart(from: first) { leaf, start in
            guard budget?.spend(leaf.count) ?? true else { return false }
            for offset in min(max(first - start, 0), leaf.count)..<leaf.count
            where !body(leaf.values, offset, start + offset) {
                return false
            }
            return true
        }
    }

    /// Passes the parts as ``forEachPart(from:_:)`` does, while the budget lasts. It spends a step for each element.
    @discardableResult
    package func forEachPart(
        within budget: Budget?, _ body: (LeafView, _ first: Int) -> Bool
    ) -> Bool {
        forEachPart { leaf, first in (budget?.spend(leaf.count) ?? true) && body(leaf, first) }
    }

    /// Returns the element at an index, as an offset in a part of the collection; nil if the index is beyond the end.
    @inlinable public func element(_ index: Int) -> (part: CollectionView, offset: Int)? {
        if let tree { return tree.leaf(at: index).map { ($0.leaf.values, index - $0.first) } }
        return index >= 0 && index < inline.count ? (inline.values, index) : nil
    }

    /// Passes the parts of the collection from the one with the element at `index` on, each with the index of its first element,
    /// until `body` returns false.
    ///
    /// - Returns: Whether `body` never returned false.
    @discardableResult
    public func forEachPart(from index: Int = 0, _ body: (LeafView, _ first: Int) -> Bool) -> Bool {
        guard let tree else { return inline.count == 0 || body(inline, 0) }
        return tree.forEachLeaf(from: index, body)
    }

    /// Returns the key of a map's entry; nil if the index is beyond the end.
    public func key(_ index: Int) -> UnsafeRawBufferPointer? {
        guard let tree else {
            return index >= 0 && index < inline.count ? inline.keys?.bytes(index) : nil
        }
        return tree.leaf(at: index).flatMap { $0.leaf.keys?.bytes(index - $0.first) }
    }

    /// Finds the index of a map's entry; nil if the map lacks the key. Cost: logarithmic.
    public func index(ofKey key: UnsafeRawBufferPointer) -> Int? {
        guard let tree else { return inline.position(of: key) }
        let found = tree.lowerBound { leaf, offset in
            leaf.keys.map { compareKeys($0.bytes(offset), key) } ?? 0
        }
        guard let found, found.isEqual else { return nil }
        return found.index
    }

    /// Whether two collections have the same elements in the same order.
    ///
    /// - `isSame`: Compares elements with different bytes.
    package func isEqual(
        to other: StoredCollection,
        _ isSame: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool = { _, _ in false }
    ) -> Bool {
        guard count == other.count else { return false }
        var found: (part: LeafView, first: Int)?
        return forEachPart { part, first in
            for offset in 0..<part.count {
                let index = first + offset
                if found.map({ index >= $0.first + $0.part.count }) ?? true {
                    found = other.part(at: index)
                }
                guard let found else { return false }
                let otherOffset = index - found.first
                if let keys = part.keys, let otherKeys = found.part.keys,
                    compareKeys(keys.bytes(offset), otherKeys.bytes(otherOffset)) != 0
                {
                    return false
                }
                let (values, others) = (part.values, found.part.values)
                let isNull = values.isNull(offset)
                if isNull != others.isNull(otherOffset) { return false }
                if isNull { continue }
                let (a, b) = (values.bytes(offset), others.bytes(otherOffset))
                if compareKeys(a, b) != 0, !isSame(a, b) { return false }
            }
            return true
        }
    }

    private func part(at index: Int) -> (part: LeafView, first: Int)? {
        guard let tree else { return (inline, 0) }
        return tree.leaf(at: index).map { ($0.leaf, $0.first) }
    }
}
