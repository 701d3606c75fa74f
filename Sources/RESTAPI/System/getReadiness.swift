import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore

extension RESTService {
    /// `GET /health/ready`: the store can be read, and nothing has ended writing.
    func getReadiness(_ request: Request) -> Outcome {
        do throws(StoreError) {
            _ = try store.withRead { read throws(StoreError) in try read.state() }
        } catch {
            logger.log(.error, "the store can't be read", ("error", .text("\(error)")))
            return .respond(
                response(
                    RequestFault(
                        .unavailable, "not-ready", "The store can't be read.", retryAfterSeconds: 5)
                ))
        }
        if store.hasStoppedWriting {
            return .respond(
                response(
                    RequestFault(
                        .unavailable, "not-ready",
                        "A write failed, and no more are taken until the server is restarted; reads go "
                            + "on. The log has the reason.")))
        }
        return .respond(Response(200, .json, Bytes("{\"status\":\"ok\"}" as StaticString)))
    }
}
