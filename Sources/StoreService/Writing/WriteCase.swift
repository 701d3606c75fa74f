import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

/// The work of a write, from its request to its reply: a value for each use case, which ``ServedWrite`` takes to the
/// writer and back. One thread at a time has it.
package protocol WriteCase: Sendable {
    /// The caller that it is made for.
    var caller: Caller { get }

    /// How the caller wants the reply.
    var form: ReplyForm { get }

    /// Reads the request under a schema, and again if that has changed before its turn comes, or if it was left in the
    /// middle: drafts and queries belong to one schema.
    ///
    /// - Throws: ``RequestFault`` with every fault.
    mutating func prepare(_ names: SchemaNames, _ scratch: RequestScratch) throws(RequestFault)

    /// Makes the changes. Writer's thread; may run more than once, each time from the beginning.
    ///
    /// - Throws: ``StoreError``; `.refused` with a ``RequestFault`` where the request is at fault.
    mutating func run(_ transaction: WriteTransaction) throws(StoreError)

    /// Makes the reply to the last ``run(_:)``.
    func reply(_ writer: ReplyWriter) throws(RequestFault) -> WriteReply

    /// Whether making the reply would hold up a connection's thread.
    var hasLongReply: Bool { get }

    /// The fault that the caller is told when the write failed.
    func fault(_ error: StoreError) -> RequestFault

    /// Lets go of the request and of memory that other writes can use.
    mutating func end(_ scratch: RequestScratch)
}

extension WriteCase {
    package var form: ReplyForm { ReplyForm() }
    package var hasLongReply: Bool { false }
    package func end(_ scratch: RequestScratch) {}

    /// Reads the request within the bounds of one body.
    mutating func read(
        _ schema: RowSchema, _ scratch: RequestScratch, _ served: ServedStore
    ) throws(RequestFault) {
        scratch.reader.reset(operationCountMax: served.store.options.operationCountMax)
        try prepare(scratch.names(of: schema, served), scratch)
    }
}

/// How a caller wants the reply to a read or a write.
package struct ReplyForm: Sendable, Equatable {
    /// Whether the reply to a write has no object.
    package var isMinimal = false
    /// Whether ints beyond 2^53 are strings.
    package var quotesLargeInts = false

    /// The default form.
    package init() {}
}

/// The reply to a write, beside the JSON in ``RequestScratch/reply``.
package struct WriteReply: Sendable {
    /// The version that the write made.
    package var version: StoreVersion
    /// The version of the one object that it was about.
    package var etag: StoreVersion?
    package var isCreated = false
    /// The address of the created object, if it can be read by itself.
    package var created: CreatedPath?
    package var hasJSON = false
    /// Whether that is a document about several objects, with members of its own beside theirs; else it is an object's.
    package var isDocument = false
    /// Whether the objects are missing, because the caller wants a minimal reply or there was no room for them.
    package var isMinimal = false
    /// Whether it was made for a restricted caller, so that its JSON, which has counts, shows nothing of any object.
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
