import HoldfastAccess
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService
import HoldfastThreads

/// A service with its HTTP server, from start to stop.
package final class RunningService: Sendable {
    package let server: Server
    let service: RESTService

    /// Starts serving a store.
    ///
    /// - `serverOptions`: The addresses to listen at and the server's limits; limits that ``RESTOptions`` has too
    ///   are taken from there.
    /// - `access`: The rights of clients; nil gives every client every right.
    /// - `mailbox`: The source of operators' commands; nil for a store without a folder.
    /// - Throws: ``ServerError`` when the address can't be used.
    package init(
        _ service: RESTService, serverOptions: ServerOptions, access: AccessPolicy?,
        mailbox: TokenMailbox? = nil
    ) throws(ServerError) {
        var serverOptions = serverOptions
        serverOptions.bodyByteCountMax = service.options.bodyByteCountMax
        serverOptions.targetByteCountMax = service.options.targetByteCountMax
        serverOptions.headerByteCountMax = service.options.headerByteCountMax
        serverOptions.connectionCountMax = service.options.connectionCountMax
        serverOptions.messageByteCountMax = service.options.messageByteCountMax
        serverOptions.replyByteRateMin = service.options.replyByteRateMin
        serverOptions.replyRateSeconds = service.options.limits.rateSeconds
        serverOptions.makeProblem = { Problem.response($0) }
        serverOptions.nextStep = NextStep.after
        serverOptions.answerUnrouted = { request in
            WebFiles.reply(to: request, hasConsole: service.options.hasConsole)
                ?? service.publicReply { folder throws(PublicFolder.Failure) in
                    try folder.reply(to: request)
                }
        }
        let routes = Operation.all.map { $0.route(service) }
        let pins = service.served.pins
        serverOptions.watchAccess = {
            pins.endOverdue()
            service.giveBackMemory()
            service.tokens?.endOverdue()
            service.passwords.refuseOverdue()
            service.noteSessionUses(at: monotonicMilliseconds() / 1000)
            if let mailbox, mailbox.hasRequest { service.takeUpCommand(in: mailbox) }
        }
        if let access {
            serverOptions.cors.admitsAll = access.admitsAllOrigins
            // No more of each operation than is asked: a copy of a whole one counts references, in memory
            // that all threads share, at every request.
            let needs = Operation.all.map {
                (
                    right: $0.right, isEndless: $0.isEndless, users: $0.users,
                    takesJSON: $0.takesJSON, takesPatch: $0.takesPatch,
                    takesLinks: $0.id == "createToken"
                )
            }
            let tickets = service.tickets
            let rateMax = service.options.requestRateMax
            let rate = rateMax > 0 ? Rate<ClientKey>(rateMax) : nil
            let events = service.events
            serverOptions.makeEvent = { Bytes(events.error(code: $0.code.rawValue, $0.detail)) }
            serverOptions.admit = { request in
                let (right, isEndless, users, takesJSON, takesPatch, takesLinks) =
                    needs[request.routeNumber]
                let refusal =
                    access.refusal(
                        of: request, needing: right, byUsers: users,
                        orBy: isEndless ? tickets : nil,
                        nobody: users == .byDocument ? service.nobody : nil,
                        takesLinks: takesLinks)
                    ?? service.refusal(ofUserOf: request, asking: users)
                    ?? (takesJSON
                        ? BodyType.refusal(ofAwaitedBodyOf: request, isPatch: takesPatch) : nil)
                if service.principal(of: request) != nil { request.end(with: service.usersWork) }
                guard let rate, right != nil || users == .anyone else { return refusal }
                return rate.take(service.caller(request).client)
                    ? refusal : Response(.tooManyRequests)
            }
        }
        server = try Server(options: serverOptions, routes: routes)
        self.service = service
        let metrics = server.metrics
        service.serverMetrics.withLock { $0 = metrics }
    }

    /// Stops gracefully: no new connections, streams end, requests under way get their replies. Returns
    /// when nothing uses the store any more; closing the store is the caller's.
    package func stop(graceSeconds: Int = 10) {
        service.endWaiting()
        server.stop(graceSeconds: graceSeconds)
        service.stop()
    }
}

/// Notices when many connections were closed: each leaves some 30 KiB with the allocator, which keeps them.
struct ClosedConnections {
    /// The number of closed connections from which on their memory is returned to the system.
    static let countMin = 1000

    /// The most that were open since memory was given back.
    private var openCountMax = 0

    /// Takes notice of the number of open connections.
    ///
    /// - Returns: Whether their memory is to be given back.
    mutating func note(openCount: Int) -> Bool {
        openCountMax = max(openCountMax, openCount)
        guard openCountMax - openCount >= Self.countMin else { return false }
        openCountMax = openCount
        return true
    }
}

extension RequestFault {
    fileprivate static let tooManyRequests = RequestFault(
        .tooOften, "too-many-requests",
        "This token, user or address makes more requests in a second than --rate-limit allows.",
        retryAfterSeconds: 1)
}
