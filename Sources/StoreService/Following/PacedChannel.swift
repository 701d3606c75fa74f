import ObjectStore

/// A channel whose followers are told in intervals: what happens within one is folded into one event.
///
/// Lives on the feed's thread.
final class PacedChannel: StreamChannel, @unchecked Sendable {
    // Unchecked: everything is touched on the feed's thread alone.

    /// What has happened since ``toldThrough``.
    private var folded = FoldedEvents()
    /// The last version before what is folded.
    private var toldThrough: UInt64 = 0

    override func holdsThrough(_ version: UInt64) -> UInt64 {
        folded.isEmpty ? version : toldThrough
    }

    override func publish(
        _ events: [QueryEvent], from start: UInt64, to version: UInt64, _ step: ChangeStep
    ) {
        if folded.isEmpty { toldThrough = start }
        for event in counted(events, step) { folded.add(event, step.after) }
        if let failure = step.after.failure {
            fail(hub.fault(.storage(failure)))
            return forgetIfEmpty()
        }
        if isDue || folded.isFull {
            settle(step.after, version)
        } else {
            delay { position in
                self.settle(position.transaction, position.version)
                self.forgetIfEmpty()
            }
        }
        forgetIfEmpty()
    }

    override func settle(_ transaction: ReadTransaction, _ version: UInt64) {
        if folded.isEmpty { return }
        beginInterval()
        tell(folded.take(), version, nil, transaction)
    }

    override func invalidate() {
        // Who catches up learns it from the change log.
        folded = FoldedEvents()
        super.invalidate()
    }
}
