/// A required property that a write did not state.
package struct UnstatedProperty: Sendable {
    /// The class that requires it.
    package var className: String
    /// Its name.
    package var property: String
    /// The way from the object that the client wrote to the one that lacks it.
    package var path: [DanglingLink.PathStep]
}
