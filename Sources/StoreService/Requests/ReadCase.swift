import HoldfastObjectJSON
import HoldfastObjectStore

/// A use case that reads: one view of the store, one reply.
package protocol ReadCase: Sendable {
    /// The reply, which is valid without the view: its JSON is in a buffer, or in ``RequestScratch/reply`` of the thread.
    associatedtype Reply

    var caller: Caller { get }
    /// The pin of the version that it reads; nil for the newest.
    var pin: SnapshotPin? { get set }

    /// Makes the reply if that is sure to be short; nil where it takes a job.
    ///
    /// - Throws: ``RequestFault`` with every fault.
    mutating func replyIfShort(
        _ read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> Reply?

    /// Makes the reply. May run more than once.
    ///
    /// - Throws: ``RequestFault`` with every fault.
    func reply(_ read: ReadTransaction, _ served: ServedStore) throws(RequestFault) -> Reply

    func reply(_ served: ServedStore, in job: Job) throws(RequestFault) -> JobOutcome<Reply>
}

extension ReadCase {
    package func reply(
        _ served: ServedStore, in job: Job
    ) throws(RequestFault) -> JobOutcome<Reply> {
        try served.withRead(for: caller, of: pin, in: job) { read throws(RequestFault) in
            try reply(read, served)
        }
    }
}

/// Bytes of a request in place, such as its body, which their owner keeps where they are.
///
/// They have to be valid until the request is answered.
package struct RequestBytes: @unchecked Sendable {
    // Unchecked: the bytes are constant as long as the owner is used for the request.

    /// The bytes. Behind a body stands the padding that the JSON parser needs.
    package let bytes: UnsafeRawBufferPointer
    private let owner: AnyObject

    /// Names bytes that `owner` holds.
    package init(_ bytes: UnsafeRawBufferPointer, of owner: AnyObject) {
        self.bytes = bytes
        self.owner = owner
    }
}
