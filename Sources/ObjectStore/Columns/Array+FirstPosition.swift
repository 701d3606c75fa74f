extension Array {
    /// The first position whose element satisfies a condition that all elements behind it satisfy too.
    @inlinable
    package func firstPosition(where holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
