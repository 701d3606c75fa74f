/// A function that makes one value of several. Raw values are the words of a list of operations.
package enum AggregateFunction: String, Sendable, CaseIterable {
    case min, max, sum
    case average = "avg"

    /// The operation in a query's text.
    package var name: String { "@" + rawValue }

    /// Returns the type of the result over values of a type; nil where the function does not apply.
    ///
    /// Sums of ints are ints, averages are doubles; of `mixed` values and decimals both are decimals.
    package func result(of scalar: ScalarType) -> ScalarType? {
        switch (self, scalar.widened) {
        case (.min, .date), (.max, .date): .date
        case (.min, .mixed), (.max, .mixed): .mixed
        case (.min, .float), (.max, .float): .float
        case (.min, .int), (.max, .int), (.sum, .int): .int
        case (_, .int), (_, .float), (_, .double): .double
        case (_, .decimal128), (_, .mixed): .decimal128
        default: nil
        }
    }
}
