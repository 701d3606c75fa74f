import HoldfastBytes

extension Array {
    /// The first position whose element satisfies a condition that all later elements satisfy too.
    @inlinable
    package func firstPosition(where holds: (Element) -> Bool) -> Int {
        partitionPoint(count) { !holds(self[$0]) }
    }
}
