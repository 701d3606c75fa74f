import ObjectJSON
import ObjectStore

extension RESTService {
    /// Runs an operation on the store and turns its error into a problem; what went wrong inside is
    /// logged.
    func stored<Result>(_ body: () throws(StoreError) -> Result) throws(RequestFault) -> Result {
        do { return try body() } catch { throw problem(error) }
    }

    /// The problem of a failed operation; what clients are not told is logged.
    package func problem(_ error: StoreError) -> RequestFault {
        let problem = RequestFault(error)
        if case .storage(let cause) = error {
            logger.log(
                problem.kind == .unavailable ? .warning : .error, "storage failed",
                ("code", .text(cause.code.rawValue)), ("operation", .text(cause.operation)),
                ("native", .text(cause.native ?? "")))
        }
        return problem
    }

    /// Runs `body` with a view of the last commit, if it needs one, and closes it.
    func withLinks<Result>(
        _ isNeeded: Bool, _ body: (ReadTransaction?) -> Result
    ) throws(RequestFault) -> Result {
        guard isNeeded else { return body(nil) }
        let read = try stored { () throws(StoreError) in try store.read() }
        defer { read.close() }
        let result = body(read)
        try stored { () throws(StoreError) in try read.checkFailure() }
        return result
    }
}
