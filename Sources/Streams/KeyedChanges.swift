/// The changes of a set or map over several steps, one for each key.
struct KeyedChanges {
    /// The change of a key.
    enum Change {
        /// The key was removed. It is kept as JSON, because the object that it names may be gone.
        case removed([UInt8])
        case inserted
        /// The key has another value.
        case modified
    }

    /// The changes by the stored bytes of the keys; nil for null.
    private(set) var changes: [[UInt8]?: Change] = [:]

    var inOrder: [(key: [UInt8]?, change: Change)] {
        changes.sorted { ($0.key ?? []).lexicographicallyPrecedes($1.key ?? []) }
            .map { ($0.key, $0.value) }
    }
    /// Whether a key has a value, which may be different when the key comes back.
    private let hasValues: Bool

    /// Makes an empty set of changes.
    ///
    /// - `hasValues`: True for a map and for a set of objects.
    init(hasValues: Bool) { self.hasValues = hasValues }

    /// Adds a change of a key that follows all noted changes.
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
