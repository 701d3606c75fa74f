/// A value, or the values of a group, that another object has already.
package struct UniqueViolation: Sendable {
    /// Which of the transaction's operations or import lines wrote it.
    package var source: Int
    /// Where the object stands in what the client wrote, as property names and positions from the outside
    /// in.
    package var path: [DanglingLink.PathStep]
    /// The class of both objects; nil where it is not to be named.
    package var className: String?
    /// The properties of the group, or the one that is unique; none where they are not to be named.
    package var properties: [String]
    /// The other object, for a person to read; nil where it is not to be named.
    package var holder: String?
}
