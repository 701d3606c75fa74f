import HoldfastAccess
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

// Shared parts of the operations on tokens.
extension RESTService {
    /// The tokens and barred users of the store, to be read.
    var storedTokens: StoredTokens { StoredTokens(store, fault: served.fault) }

    /// Changes them on a thread of the scheduler, and has the table of tokens know it before it answers.
    func changeTokens(
        _ body: @escaping @Sendable (StoredTokens) throws(RequestFault) -> Response
    ) -> Outcome {
        answerScheduled { () throws(RequestFault) in
            guard let tokens = self.tokens else { return try body(self.storedTokens) }
            return try tokens.change(body)
        }
    }

    /// The caller of a change, for the log.
    func auditLine(_ request: Request) -> AuditLine {
        AuditLine(request, by: token(of: request), needsToken: needsToken, trail: auditTrail)
    }

    /// The token of a request or of its ticket; nil if no token is needed.
    func token(of request: Request) -> Token? {
        (request.grant?.owner).flatMap { tokens?.token(ofNumber: $0) }
    }

    /// Reads a body that describes a token.
    func tokenMembers(_ request: Request) throws(RequestFault) -> TokenMembers {
        let members = try TokenMembers(json(request))
        try members.checkEnd()
        return members
    }

    /// `POST /v1/tokens`: makes a token, which is told this once.
    func createToken(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        // Its reply would be stored for a repeat, and the token with it.
        let (name, terms) = try tokenMembers(request).new()
        let audit = auditLine(request)
        let caller = token(of: request)
        return changeTokens { stored throws(RequestFault) in
            // Two requests with one link: the second one finds the link's token gone.
            if let caller, ConsolePath.isLink(caller) { try stored.revoke(caller.name) }
            let secret = try TokenSecret()
            let token = try stored.add(name, terms, secret.hash)
            audit.write(token: name)
            return Response.object(201) { object in
                token.write(to: &object)
                object.member("token").string(secret.text)
            }.with(.location, "/v1/tokens/\(token.name)").with(.cacheControl, "no-store")
        }
    }

    /// `GET /v1/tokens`: the tokens of the store, by name.
    func listTokens(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        return answerScheduled { () throws(RequestFault) in
            let tokens = try self.storedTokens.read().tokens
            return Response.object(200) { object in
                object.member("tokens").objects(of: tokens) { $0.write(to: &$1) }
            }
        }
    }

    /// `PATCH /v1/tokens/{name}`: gives a token other terms.
    func patchToken(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let name = request.parameter(0).string
        let members = try tokenMembers(request)
        let audit = auditLine(request)
        return changeTokens { stored throws(RequestFault) in
            let token = try stored.change(name, members)
            audit.write()
            return Response.object(200) { token.write(to: &$0) }
        }
    }

    /// `DELETE /v1/tokens/{name}`: ends a token.
    func deleteToken(_ request: Request) throws(RequestFault) -> Outcome {
        let name = request.parameter(0).string
        let audit = auditLine(request)
        return changeTokens { stored throws(RequestFault) in
            try stored.revoke(name)
            audit.write()
            return Response(204)
        }
    }
}

/// The table of tokens with the server's grants.
package typealias AccessTokens = TokenTable<Grant>

extension Grant: AccessGrant {
    package convenience init(of token: Token?) {
        self.init(owner: token?.number ?? 0, bearer: token)
    }

    package func end(_ reason: AccessEnd) {
        switch reason {
        case .revoked: end(End.revoked)
        case .lowered: end(End.lowered)
        }
    }
}

extension AccessTokens {
    /// Reads the tokens of a store; storage that fails later is logged.
    package convenience init(_ store: Store, logger: Logger) throws(RequestFault) {
        try self.init(
            StoredTokens(store) { error in
                logger.log(
                    .error, "the tokens can't be read or changed",
                    ("detail", .text(String(describing: error))))
                return RequestFault(error)
            })
    }
}

extension RESTService {
    /// Has a thread of the scheduler carry out the command that an operator has put into the mailbox. Any thread; a
    /// command that finds no room is taken up when the mailbox is looked at again.
    func takeUpCommand(in mailbox: TokenMailbox) {
        guard let tokens else { return }
        let job = Job(Caller.program.client) { _ in
            do throws(TokenMailbox.Failure) {
                try mailbox.answer { command throws(RequestFault) in
                    let text = try tokens.change { stored throws(RequestFault) in
                        try command.run(stored)
                    }
                    AuditLine.write(command, to: self.auditTrail)
                    return text
                }
            } catch {
                self.logger.log(
                    .error, "an operator's command can't be read or answered",
                    ("detail", .text(String(describing: error))))
            }
        }
        _ = served.scheduler.submit(job)
    }
}
