/// The behaviour of a write when the object is there, and when it is not.
package enum WriteMode: String, Sendable, CaseIterable {
    /// Creates; an existing object is an error.
    case create
    /// Creates, or changes the stated properties of an existing object.
    case merge
    /// Creates, or replaces an existing object.
    case replace
    /// Creates; an existing object stays as it is.
    case ignore
    /// Changes the stated properties; a missing object is an error.
    case update
    /// Replaces; a missing object is an error.
    case replaceExisting
}
