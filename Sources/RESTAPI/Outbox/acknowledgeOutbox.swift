import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `DELETE /v1/classes/{class}/outbox?through=`: acknowledges what was consumed up to a position.
    func acknowledgeOutbox(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let name = request.parameter(0).string
        let caller = caller(request)
        try served.requireOutbox(of: name, for: caller)
        guard let text = request[query: "through"]?.string else {
            throw .parameter(
                "through",
                "State in 'through' up to where the outbox was consumed: the \"through\" of a reply, "
                    + "or the id of an event.")
        }
        return .later { exchange in
            let done: OutboxAcknowledgement.Completion = { result in
                exchange.respond {
                    self.replying(to: exchange.request.grant) { () throws(RequestFault) in
                        let (count, version) = try result.get()
                        var response = Response.object(200) { object in
                            object.member("affected").int(Int64(count))
                            object.member("version").string(version.description)
                        }
                        response.headers.addStoreVersion(version)
                        return response
                    }
                }
            }
            self.schedule(for: exchange) { job in
                do throws(RequestFault) {
                    let outcome = try self.served.acknowledge(
                        name, through: text, "through", for: caller, in: job, completion: done)
                    if case .gone = outcome { exchange.abandon() }
                } catch {
                    done(.failure(error))
                }
            }
        }
    }
}
