import ObjectJSON
import ObjectStore

/// A channel whose followers are told in intervals: what happens within one is folded into one event.
///
/// Lives on the feed's thread.
class PacedChannel: StreamChannel, @unchecked Sendable {
    // Unchecked: everything is touched on the feed's thread alone.

    /// What has happened since ``toldThrough``.
    private var folded = FoldedEvents()
    /// The last version before what is folded.
    private var toldThrough: UInt64 = 0

    /// Whether nothing is folded.
    var isTold: Bool { folded.isEmpty }
    /// Whether no more should be folded in.
    var isFull: Bool { folded.isFull }

    /// Folds in a step.
    func fold(_ events: [QueryEvent], _ step: ChangeStep) throws(RequestFault) {
        for event in counted(events, step) { folded.add(event, step.after) }
        if let failure = step.after.failure { throw hub.fault(.storage(failure)) }
    }

    /// Tells what is folded, and forgets it.
    func tellFolded(_ transaction: ReadTransaction, _ version: UInt64) {
        tell(folded.take(), version, nil, transaction)
    }

    /// Forgets what is folded.
    func forgetFolded() { folded = FoldedEvents() }

    final override func holdsThrough(_ version: UInt64) -> UInt64 {
        isTold ? version : toldThrough
    }

    final override func publish(
        _ events: [QueryEvent], from start: UInt64, to version: UInt64, _ step: ChangeStep
    ) {
        defer { forgetIfEmpty() }
        if isTold { toldThrough = start }
        do throws(RequestFault) { try fold(events, step) } catch { return fail(error) }
        if isDue || isFull { return settle(step.after, version) }
        delay { position in
            self.settle(position.transaction, position.version)
            self.forgetIfEmpty()
        }
    }

    final override func settle(_ transaction: ReadTransaction, _ version: UInt64) {
        if isTold { return }
        beginInterval()
        tellFolded(transaction, version)
    }

    final override func invalidate() {
        // Who catches up learns it from the change log.
        forgetFolded()
        super.invalidate()
    }
}
