import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `POST /v1/accounts`: makes an account, for an admin, and for anybody where the access document says so.
    func createAccount(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        var tries: SignInTries.Subject?
        if !isAdmin(request) {
            try requireSignUp(request)
            // They don't count less when they succeed: an account costs more than a session.
            tries = tried(request, isCountedAlways: true)
        }
        let texts = try accountTexts(
            request, [AccountBody.login, AccountBody.password], isNew: true)
        let audit = auditLine(request)
        return try answerHashing(request, tries) { worker throws(RequestFault) in
            let hash = try self.hash(texts[1], worker)
            return { () throws(RequestFault) in
                let account = try self.storing { () throws(RequestFault) in
                    try self.accounts.create(login: texts[0], passwordHash: hash)
                }
                audit.write(account: account.id.description)
                return Response.object(201) { account.write(to: &$0) }.with(
                    .location, "/v1/accounts/\(account.id)")
            }
        }
    }

    /// Whether a request is of a token of the store that may do everything, or none is needed.
    private func isAdmin(_ request: Request) -> Bool {
        guard request.grant != nil, request.user == nil else { return !needsToken }
        return !access.hasDocument || principal(of: request) == nil
    }

    private func requireSignUp(_ request: Request) throws(RequestFault) {
        if access.allowsSignUp { return }
        guard request.grant == nil else {
            throw RequestFault(
                .forbidden, "not-allowed",
                "Accounts are made by admins: the access document does not say 'signUp'.")
        }
        throw RequestFault(
            .unauthenticated, "token-missing",
            "Accounts are made with a token of the right 'admin': the access document does not say 'signUp'."
        )
    }

    /// Stores something after which requests may need a token, where they need none.
    private func storing<Result>(
        _ body: () throws(RequestFault) -> Result
    ) throws(RequestFault) -> Result {
        guard let tokens, !tokens.isEnforced else { return try body() }
        return try tokens.change { _ throws(RequestFault) in try body() }
    }
}
