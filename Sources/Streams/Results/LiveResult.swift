/// A followed result at one version, as far as the next one is compared with it: the positions of the objects, but not their
/// content.
struct LiveResult: Sendable {
    /// Objects of the result in order; a list is one section.
    struct Section: Sendable {
        /// The key that the objects have in common, as JSON; empty for a list.
        var key: [UInt8] = []
        /// The number of objects, including objects that are not shown.
        var count = 0
        /// The object keys of the shown objects.
        var objects: [UInt64] = []
    }

    /// The position of an object.
    struct Index: Hashable, Sendable {
        var section: Int
        var item: Int
    }

    /// The objects; empty for an aggregate.
    var sections: [Section] = []
    /// Hashes of the objects as they are shown, by object key, if the followers may not read everything; empty if they may.
    var contents: [UInt64: Int] = [:]
    /// A hash of the reply of an aggregate.
    var value: UInt128 = 0

    /// Whether an object is known to be shown as in another result.
    func isSame(_ key: UInt64, as other: LiveResult) -> Bool {
        contents[key].map { other.contents[key] == $0 } ?? false
    }
}
