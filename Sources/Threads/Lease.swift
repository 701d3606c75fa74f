/// Something that is given back when the last reference to this goes, on whatever thread that is.
package final class Lease: Sendable {
    private let giveBack: @Sendable () -> Void

    /// Has something given back once.
    package init(givenBack: @escaping @Sendable () -> Void) { giveBack = givenBack }

    deinit { giveBack() }
}
