/// What one transaction of an acknowledgement did.
package struct Acknowledgement: Sendable {
    /// How many objects were taken from the outbox.
    package var count: Int
    /// Whether there may be more that the acknowledgement covers.
    package var goesOn: Bool

    /// Makes a report of what was done.
    package init(count: Int, goesOn: Bool) {
        self.count = count
        self.goesOn = goesOn
    }
}
