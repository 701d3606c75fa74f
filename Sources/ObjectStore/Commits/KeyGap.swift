import HoldfastBytes
import HoldfastStorage

/// A gap between two keys of a snapshot, beside a key that it does not have.
///
/// A load tends to bring primary keys that rise: behind the last one of a class, or between two, the
/// snapshot would be searched in vain for each of them. The writer's thread alone uses it, with one
/// snapshot.
struct KeyGap {
    /// After so many unsuccessful searches outside the current gap another one is looked for: a search for a gap
    /// may have to step over many keys that are removed.
    private static let missCountMin = 32

    /// The same, doubled with each gap that no key fell into: keys that do not rise have no use for one.
    private var missCountLimit = missCountMin
    private var isUsed = true

    /// A key in the gap, if there is one: the snapshot has none from here on.
    private var lower: [UInt8] = []
    /// The snapshot's next key; nil where it ends.
    private var upper: [UInt8]?
    private var missCount = 0

    /// Whether the snapshot is known to have no such key.
    mutating func contains(_ key: UnsafeRawBufferPointer) -> Bool {
        if lower.isEmpty || lower.withUnsafeBytes({ compareKeys(key, $0) }) < 0 { return false }
        if let upper, upper.withUnsafeBytes({ compareKeys(key, $0) }) >= 0 { return false }
        isUsed = true
        return true
    }

    /// Takes notice of a key that the snapshot was searched for in vain.
    mutating func note(
        _ key: UnsafeRawBufferPointer, _ snapshot: any StorageSnapshot
    ) throws(StorageError) {
        missCount += 1
        guard missCount >= missCountLimit else { return }
        missCount = 0
        missCountLimit = isUsed ? Self.missCountMin : 2 * missCountLimit
        isUsed = false
        let start = Array(key)
        var next: [UInt8]?
        try snapshot.scan(KeyRange(lower: start, upper: nil), reversed: false, expecting: 1) {
            found, _ in
            next = Array(found)
            return false
        }
        lower = start
        upper = next
    }
}
