extension RangeReplaceableCollection where Self: BidirectionalCollection {
    /// Removes all elements and keeps the memory for the next ones.
    ///
    /// `removeAll(keepingCapacity:)` uses general replacement code, which takes tens of nanoseconds for each object that is
    /// written. If there are only a few elements, they are taken from the end instead.
    @inlinable public mutating func removeAllInPlace() {
        if count > 64 { removeAll(keepingCapacity: true) }
        while popLast() != nil {}
    }
}
