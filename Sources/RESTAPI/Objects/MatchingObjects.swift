import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

extension RESTService {
    /// Takes in a change of all objects that a filter finds: `patchObjects` and `deleteObjects`.
    func changeMatches(
        _ request: Request, of container: ObjectContainer, _ patch: PatchBody?
    ) throws(RequestFault) -> Outcome {
        let changesAll = try request.flag("all")
        guard request[query: "filter"] != nil || changesAll else {
            throw .parameter(
                "filter", "State a 'filter', or all=true to change every object of the class.")
        }
        try request.requireAccepted("application/json")
        let text = try QueryText(request, parser: RequestScratch.current.parser)
        var change = BulkChange(of: container, text, patch, for: caller(request), in: served)
        change.affectedCountMax = try Preferences(request).affectedCountMax
        return try reading(request, isLong: text.isLong) { [change] () throws(RequestFault) in
            try request.allowing { () throws(RequestFault) in
                _ = try self.served.names(of: self.rows(for: request)).find(container)
            }
            return try self.once(request) { claim throws(RequestFault) in
                let write = try ServedWrite(
                    change, waiter: WriteExchange(service: self, grant: request.grant), claim,
                    in: self.served)
                return .later { self.search(write, $0) }
            }
        }
    }

    /// Finds the objects, and hands the write in.
    private func search(_ write: ServedWrite<BulkChange, WriteExchange>, _ exchange: Exchange) {
        let caller = caller(exchange.request)
        let body = { @Sendable (job: Job) in
            do throws(RequestFault) {
                let outcome = try self.served.withRead(for: caller, in: job) {
                    read throws(RequestFault) in
                    try write.amend { change throws(RequestFault) in try change.search(read) }
                }
                switch outcome {
                case .reply: write.start(exchange)
                case .again: return
                case .gone:
                    write.abandon()
                    exchange.abandon()
                }
            } catch {
                write.abandon()
                exchange.respond(
                    self.response(write.body.advised(error), to: exchange.request.grant))
            }
        }
        do throws(RequestFault) { try submit(for: exchange, body) } catch {
            write.abandon()
            exchange.respond(response(error, to: exchange.request.grant))
        }
    }

    /// `PATCH …/objects?filter=`: changes all objects that match, by a merge patch or a JSON patch that is applied to
    /// each, in the names of the container. Either all of them change or no object does.
    func patchObjects(_ request: Request, _ kind: ContainerKind) throws(RequestFault) -> Outcome {
        try changeMatches(request, of: kind.container(request), request.patchBody())
    }

    /// `DELETE …/objects?filter=`: deletes all objects that match, with the embedded
    /// objects they own and every link to them. Either all of them are deleted or no object is.
    func deleteObjects(_ request: Request, _ kind: ContainerKind) throws(RequestFault) -> Outcome {
        try changeMatches(request, of: kind.container(request), nil)
    }
}
