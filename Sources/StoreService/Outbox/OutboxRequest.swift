/// The request of a consumer for objects of the outbox of an asymmetric class.
package struct OutboxRequest: Sendable {
    package let className: String
    /// The position to begin behind, as the consumer states it; nil for the beginning.
    package let since: String?
    /// Where the consumer states that position, for faults.
    package let parameter: String
    /// Objects of a page.
    package let limit: Int
    package let quotesLargeInts: Bool
    /// The consumer.
    package let caller: Caller

    /// Asks for what stands behind a position.
    package init(
        of className: String, since: String?, parameter: String = "since", limit: Int,
        quotesLargeInts: Bool = false, for caller: Caller
    ) {
        self.className = className
        self.since = since
        self.parameter = parameter
        self.limit = limit
        self.quotesLargeInts = quotesLargeInts
        self.caller = caller
    }
}
