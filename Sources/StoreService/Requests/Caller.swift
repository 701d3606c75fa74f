import HoldfastAccess
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastThreads

/// The caller of a use case. The data of a use case comes from the view of its caller (``ServedStore/withRead(for:of:_:)``).
///
/// Whether they may ask for it at all was decided before, by the right that the operation needs.
package struct Caller: Sendable, Hashable {
    /// The number of its token; nil if no token is needed.
    package let token: UInt64?
    private let address: String
    /// The source of its rights; nil if it may read everything.
    package let visibility: (any VisibilitySource)?

    /// Makes the caller of a request.
    ///
    /// - `token`: The number of its token; nil if no token is needed.
    /// - `address`: The address it came from, such as `127.0.0.1:50312`.
    /// - `visibility`: The source of its rights; nil if it may read everything.
    package init(token: UInt64?, address: String, visibility: (any VisibilitySource)? = nil) {
        self.token = token
        self.address = address
        self.visibility = visibility
    }

    /// Makes the view that is theirs of one that shows everything.
    ///
    /// - Throws: ``RequestFault`` if its rights can't be evaluated.
    func view(of read: StoreView) throws(RequestFault) -> ReadTransaction {
        guard let visibility else { return read }
        return read.restricted(to: try visibility.visibility(in: read))
    }

    /// Restricts a transaction to the caller's rights, before it changes anything, and tells it the caller's user. Cost for a
    /// caller with every right: a comparison.
    ///
    /// - Throws: ``StoreError`` `.refused` with a ``RequestFault`` if its rights can't be evaluated.
    package func keep(_ transaction: WriteTransaction, in served: ServedStore) throws(StoreError) {
        guard let visibility else { return }
        transaction.user = visibility.user
        let deadline = served.queryDeadline
        try transaction.keep(
            to: { read throws(StoreError) in
                read.limitFollowing(
                    until: min(deadline, monotonicMilliseconds() + ServedStore.factsMilliseconds))
                defer { read.limitFollowing(until: deadline) }
                do throws(RequestFault) { return try visibility.rights(in: read) } catch {
                    throw .refused(error)
                }
            }, until: deadline)
    }

    package static func == (a: Caller, b: Caller) -> Bool {
        a.token == b.token && a.address == b.address && a.visibility === b.visibility
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(token)
        hasher.combine(address)
    }

    /// The operator of the program, and the service itself.
    package static let program = Caller(token: nil, address: "")

    /// Their share of the threads: that of their token, where one is needed, else of their address.
    package var client: ClientKey {
        token.map { ClientKey(token: $0) } ?? ClientKey(address: address)
    }
}
