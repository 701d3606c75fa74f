// What happens to exchanges whose grant ends while they go on.
extension Server {
    /// The refusal of a request whose grant has ended; nil while it holds, and for one without.
    func accessRefusal(_ request: Request) -> Response? {
        request.admission?.ending.map { accessEnded($0) }
    }

    /// The refusal of what a grant that has ended does not allow any more.
    func accessEnded(_ end: Grant.End) -> Response {
        let fault = Self.accessEnded(end)
        let response = options.makeProblem(fault)
        // RFC 6750, section 3.
        guard fault.status == 401 else { return response }
        return response.with(.wwwAuthenticate, "Bearer realm=\"holdfast\", error=\"invalid_token\"")
    }

    /// The fault for clients whose grant has ended.
    static func accessEnded(_ end: Grant.End) -> ServerFault {
        switch end {
        case .revoked:
            ServerFault(
                401, .accessEnded,
                "The token was revoked or changed or has expired, its user was signed out, or this service did not need one when the request began and "
                    + "does now. Send a valid token to go on.")
        case .lowered:
            ServerFault(
                403, .accessEnded,
                "The token's right was lowered, or other rules hold for its user; it does not allow this any more, or not as it was begun."
            )
        }
    }
}

extension SocketLoop {
    /// The parts into which the streams are divided, so that events do not wait while all of some thousands are looked at.
    static let accessPartCount: UInt64 = 8

    /// Ends the streams of a part whose admission has ended: with an event that says so in place of what is queued.
    func endAccess(inPart part: UInt64) {
        for token in roles.keys where token % Self.accessPartCount == part {
            guard case .stream(let socket) = roles[token], let end = socket.admission?.ending else {
                continue
            }
            socket.admission = nil
            socket.stream.end(with: server.options.makeEvent(Server.accessEnded(end)))
        }
    }
}
