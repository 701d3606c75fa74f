import ObjectJSON
import ObjectStore

/// Why a write failed in its body. All that it has done is rolled back.
package enum WriteFailure: Error {
    /// The store refuses it.
    case store(StoreError)
    /// The request is at fault.
    case request(RequestFault)

    /// Runs an operation on the store.
    package static func storing<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(WriteFailure) -> Result {
        do { return try body() } catch { throw .store(error) }
    }

    /// Runs what reads the request.
    package static func reading<Result>(
        _ body: () throws(RequestFault) -> Result
    ) throws(WriteFailure) -> Result {
        do { return try body() } catch { throw .request(error) }
    }
}
