import HoldfastObjectStore

/// A place among the writes that wait for a store's writer: one that changes nothing, and tells when it has come.
final class PlaceInQueue: PendingWrite {
    private let ready: @Sendable () -> Void

    /// - `ready`: Called once, on the writer's thread as a rule, and has to return at once.
    init(_ ready: @escaping @Sendable () -> Void) { self.ready = ready }

    func run(_ transaction: WriteTransaction) {}

    /// A place that is refused has come, too: the write that begins then is told why.
    func finish(_ outcome: WriteOutcome) { ready() }
}
