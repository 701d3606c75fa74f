/// Why an issuer's keys can't be had.
package struct SigningKeyFailure: Error, Sendable, CustomStringConvertible {
    /// A clause for the operator.
    package let description: String

    /// Says what happened.
    package init(_ description: String) { self.description = description }
}
