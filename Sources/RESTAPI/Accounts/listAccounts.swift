import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `GET /v1/accounts`: the accounts by their logins, page by page, or that of a login.
    func listAccounts(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let limits = served.limits
        let limit = try request.count("limit") ?? limits.pageObjectCountDefault
        guard (1...limits.pageObjectCountMax).contains(limit) else {
            throw .single(
                .malformed, "limit-out-of-range",
                "'limit' is a number from 1 to \(limits.pageObjectCountMax).", parameter: "limit")
        }
        let login = request[query: "login"]?.string
        let last = request[query: "cursor"]?.string ?? ""
        return answerScheduled { () throws(RequestFault) in
            var found: [Account]
            if let login {
                found = try self.accounts.account(login: login).map { [$0.account] } ?? []
            } else {
                found = try self.accounts.accounts(after: last, countMax: limit + 1)
            }
            let hasMore = found.count > limit
            if hasMore { found.removeLast() }
            return Response.object(200) { [found] object in
                object.member("accounts").objects(of: found) { $0.write(to: &$1) }
                if hasMore, let last = found.last {
                    object.member("next").string(last.login)
                }
            }
        }
    }
}
