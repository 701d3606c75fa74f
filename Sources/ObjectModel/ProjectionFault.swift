/// One thing that is wrong with a projection.
package struct ProjectionFault: Error, Equatable, Sendable {
    /// The projection that has the fault.
    package var projection: String
    /// The property that has the fault; nil when it is the projection's own.
    package var property: String?
    /// A sentence that says what is wrong and what to do instead.
    package var detail: String
    /// The nearest known name to an unknown one is among these.
    package var known: [String] = []
    /// The name that is not known.
    package var unknown: String?
}
