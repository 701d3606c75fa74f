/// The changes of a set or map over several steps, one for each key.
struct KeyedChanges {
    /// The change of a key.
    enum Change {
        /// It went; as JSON, for what it named may be gone.
        case removed([UInt8])
        case inserted
        /// Something else stands behind it.
        case modified
    }

    /// The changes by the stored bytes of the keys; nil for null.
    private(set) var changes: [[UInt8]?: Change] = [:]

    /// The changes in the order of the keys.
    var inOrder: [(key: [UInt8]?, change: Change)] {
        changes.sorted { ($0.key ?? []).lexicographicallyPrecedes($1.key ?? []) }
            .map { ($0.key, $0.value) }
    }
    /// Whether something stands behind a key, which may be another when the key comes back.
    private let hasValues: Bool

    /// Makes what changes nothing.
    ///
    /// - `hasValues`: As in a map, and in a set of objects.
    init(hasValues: Bool) { self.hasValues = hasValues }

    /// Adds what became of a key after all that is noted.
    mutating func append(_ change: Change, of key: [UInt8]?) {
        switch (changes[key], change) {
        case (.inserted, .removed): changes[key] = nil
        case (.inserted, _): break
        case (.removed, .inserted): changes[key] = hasValues ? .modified : nil
        default: changes[key] = change
        }
    }

    /// Adds later changes.
    mutating func append(_ next: KeyedChanges) {
        for (key, change) in next.changes { append(change, of: key) }
    }
}
