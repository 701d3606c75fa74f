import HoldfastObjectJSON
import HoldfastObjectStore

extension ServedStore {
    /// Evaluates something on a view, within the time of the job that reads it.
    ///
    /// - Throws: ``RequestFault`` also when storage failed meanwhile, or the time was over: what was found then is not
    ///   what the view holds.
    func evaluate<Result>(
        on read: ReadTransaction, _ body: () throws(RequestFault) -> Result
    ) throws(RequestFault) -> Result {
        read.limitFollowing(until: queryLimits(of: read).deadlineMilliseconds)
        defer { read.limitFollowing(until: .max) }
        return try checked(read, body)
    }
}
