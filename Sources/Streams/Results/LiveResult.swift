/// A followed result at one version, as far as the next one is compared with it: which objects stand where, but
/// nothing of what they hold.
struct LiveResult: Sendable {
    /// Objects of the result in order; a list is one section.
    struct Section: Sendable {
        /// The key that they have in common, as JSON; empty for a list.
        var key: [UInt8] = []
        /// How many there are, with those that are not shown.
        var count = 0
        /// Those that are shown, by their object keys.
        var objects: [UInt64] = []
    }

    /// The place of an object.
    struct Index: Hashable, Sendable {
        var section: Int
        var item: Int
    }

    /// The objects; none of an aggregate.
    var sections: [Section] = []
    /// Hashes of what is shown of the objects, by their object keys, where the followers may not read everything; none where they may.
    var contents: [UInt64: Int] = [:]
    /// A hash of the reply of an aggregate.
    var value: UInt128 = 0

    /// Whether an object is known to be shown as it was in another result.
    func isSame(_ key: UInt64, as other: LiveResult) -> Bool {
        contents[key].map { other.contents[key] == $0 } ?? false
    }
}
