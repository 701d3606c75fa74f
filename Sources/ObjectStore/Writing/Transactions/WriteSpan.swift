/// The time of a transaction, as the views of it see it. The transaction's thread alone uses it.
final class WriteSpan {
    /// Whether the transaction has ended: its changes are no longer where views look for them.
    var hasEnded = false
}
