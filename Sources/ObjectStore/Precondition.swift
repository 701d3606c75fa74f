/// What must hold of an object for a write to happen.
package enum Precondition: Sendable, Equatable {
    /// Nothing.
    case none
    /// The object exists and its version is one of these; `If-Match` with ETags.
    case matches([StoreVersion])
    /// The object exists; `If-Match: *`.
    case exists
    /// The object does not exist; `If-None-Match: *`.
    case absent

    /// The object as it is, for the reply to a failed precondition.
    package struct Failure: Sendable {
        /// The object's key and row; nil when there is no object.
        package var current: StoredObject?

        /// Describes a failure.
        package init(current: StoredObject?) { self.current = current }
    }
}
