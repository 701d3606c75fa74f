import HoldfastStorage

/// The expected content of a store, as a plain dictionary: slow, and too simple to be wrong.
package struct ModelStore: Sendable {
    /// The entries by key.
    package private(set) var entries: [[UInt8]: [UInt8]] = [:]

    /// Makes an empty store.
    package init() {}

    /// Makes a store with entries.
    package init(_ entries: [[UInt8]: [UInt8]]) { self.entries = entries }

    /// Applies a batch as an engine must: ranges first, then changes.
    package mutating func apply(_ batch: OwnedBatch) {
        for range in batch.removedRanges {
            entries = entries.filter { entry in !contains(range, entry.key) }
        }
        for (key, value) in batch.changes { entries[key] = value }
    }

    /// Returns the entries of a range, in the order of a scan.
    package func scan(_ range: KeyRange, reversed: Bool) -> [(key: [UInt8], value: [UInt8])] {
        let found = entries.filter { contains(range, $0.key) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map { (key: $0.key, value: $0.value) }
        return reversed ? found.reversed() : found
    }

    private func contains(_ range: KeyRange, _ key: [UInt8]) -> Bool {
        guard !key.lexicographicallyPrecedes(range.lower) else { return false }
        guard let upper = range.upper else { return true }
        return key.lexicographicallyPrecedes(upper)
    }
}
