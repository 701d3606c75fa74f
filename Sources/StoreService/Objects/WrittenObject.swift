import ObjectStore

/// One object of several that were written.
struct WrittenObject: Sendable {
    /// Whether it is new.
    var isCreated: Bool
    /// The object as the transaction leaves it; nil when the reply doesn't show it.
    var object: StoredObject?
}
