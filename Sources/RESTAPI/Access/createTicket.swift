import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `POST /v1/tickets`: a ticket for the event stream of one URL.
    func createTicket(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let body = try json(request)
        guard body.kind == .object, body.count == 1,
            let url = body.member(named: "url")?.string
        else {
            throw RequestFault(
                .malformed, "invalid-body",
                "The body is a JSON object with the URL of a stream and nothing else, such as "
                    + "{\"url\":\"/v1/classes/Task/changes?filter=done == false\"}.")
        }
        let token = request.user == nil ? nil : try AccessPolicy.token(of: request)
        let byteCount = url.utf8.count + StreamTickets.parameterByteCount(token)
        guard byteCount <= options.targetByteCountMax else {
            throw .single(
                .malformed, "invalid-body",
                "With its ticket the URL has \(byteCount) bytes; \(options.targetByteCountMax) are allowed "
                    + "(--max-target). Shorten the filter or the selection in it.", pointer: "/url")
        }
        guard let target = TargetIdentity(url, leavingOut: StreamTickets.parameter),
            Operation.all.contains(where: { $0.isEndless && $0.isAt(target.segments) })
        else {
            throw .single(
                .invalid, "not-a-stream",
                "A ticket is for the URL of an event stream, from its path on, such as "
                    + "/v1/classes/Task/changes?filter=done == false.", pointer: "/url")
        }
        let ticket = try tickets.make(
            for: target, owner: request.grant?.owner ?? 0, token, client: caller(request).client)
        let response = Response.object(201) { object in
            object.member("ticket").string(ticket)
            object.member("expiresIn").int(Int64(self.options.limits.ticketSeconds))
        }
        return .respond(response.with(.cacheControl, "no-store"))
    }
}
