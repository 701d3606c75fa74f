/// How a caller wants the reply to a read or a write.
package struct ReplyForm: Sendable, Equatable {
    /// Whether the reply to a write has no object.
    package var isMinimal = false
    /// Whether ints beyond 2^53 are strings.
    package var quotesLargeInts = false

    /// The default form.
    package init() {}
}
