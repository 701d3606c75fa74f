/// The end of a path to one value: links and embedded objects to follow, one after the other, then a property.
package struct ValuePlace: Hashable, Sendable {
    /// Steps along to-one links and into embedded objects.
    package var steps: [PathStep]
    /// The property, by position in the class where the steps end: a single plain value.
    package var member: Int

    /// Makes the end of a path.
    package init(steps: [PathStep], member: Int) {
        self.steps = steps
        self.member = member
    }
}
