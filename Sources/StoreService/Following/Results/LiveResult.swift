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
    /// The reply of an aggregate.
    var value: [UInt8] = []
}
