import HTTPServer
import ObjectStore

extension RESTService {
    /// `GET /health/ready`: the store can be read.
    func getReadiness(_ request: Request) -> Outcome {
        do { try Parameters.refuseAll(request) } catch { return .respond(response(error)) }
        do throws(StoreError) {
            let transaction = try store.read()
            defer { transaction.close() }
            _ = try transaction.state()
        } catch {
            logger.log(.error, "the store can't be read", ("error", .text("\(error)")))
            return .respond(
                response(
                    Problem(503, "not-ready", "The store can't be read.", retryAfterSeconds: 5)))
        }
        return .respond(Response(200, .json, Bytes("{\"status\":\"ok\"}" as StaticString)))
    }
}
