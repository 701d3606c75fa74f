/// A write that waits for its turn.
package protocol PendingWrite: AnyObject, Sendable {
    /// Makes the changes. Runs on the writer's thread, perhaps more than once, each time from the
    /// beginning on a newer state; it must not block.
    func run(_ transaction: WriteTransaction) throws(StoreError)

    /// Learns what became of it. Runs on the writer's thread after the sync, once; must not block.
    func finish(_ outcome: WriteOutcome)
}
