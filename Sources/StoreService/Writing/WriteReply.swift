import HoldfastObjectStore

/// The reply to a write, beside the JSON in ``RequestScratch/reply``.
package struct WriteReply: Sendable {
    /// The version that the write made.
    package var version: StoreVersion
    /// The version of the one object that it was about.
    package var etag: StoreVersion?
    /// Whether the write has created anything.
    package var isCreated = false
    /// The names of what it has created and can be read by itself.
    package var created: CreatedPath?
    /// Whether there is JSON.
    package var hasJSON = false
    /// Whether that is a document about several objects, with members of its own beside theirs; else it is an object's.
    package var isDocument = false
    /// Whether that lacks the objects, because the caller wants none or there was no room for them.
    package var isMinimal = false
    /// Whether it was made for somebody who may not read everything, so that its JSON, which counts what was done, shows nothing of any object.
    package var hasNoObjects = false
    /// Whether ints beyond 2^53 are strings there.
    package var quotesLargeInts = false
    /// How many objects the caller has allowed to be changed.
    package var affectedCountMax: Int?
    /// Whether it was made to an earlier request with the same idempotency key.
    package var isRepeat = false

    /// A reply without anything else.
    package init(_ version: StoreVersion) { self.version = version }
}
