import HoldfastJSON
import HoldfastStoreService

/// The accounts of a running service.
struct RemoteAccounts {
    private let client: ServiceClient

    init(_ client: ServiceClient) { self.client = client }

    /// Makes an account. Returns its id.
    func create(login: String, password: String) throws(CommandFailure) -> String {
        let body = AccountBody.json(login: login, password: password)
        return try told("id", by: client.text("POST", "/v1/accounts", json: body))
    }

    /// The accounts, a line each: id, time of creation and login.
    func list() throws(CommandFailure) -> String {
        var lines = ""
        var next: String?
        repeat {
            let page = try page(next.map { "?cursor=" + Self.encoded($0) } ?? "")
            for account in page.accounts {
                lines += "\(account.id)\t\(account.created)\t\(account.login)\n"
            }
            next = page.next
        } while next != nil
        return lines
    }

    /// Removes the account of a login.
    func delete(login: String) throws(CommandFailure) {
        try client.text("DELETE", "/v1/accounts/\(try id(login))")
    }

    /// Makes the code that resets the password of the account of a login. Returns its text, which the service tells this once.
    func resetCode(login: String) throws(CommandFailure) -> String {
        try told("code", by: client.text("POST", "/v1/accounts/\(try id(login))/reset-code"))
    }

    private struct Page {
        var accounts: [(id: String, login: String, created: String)] = []
        var next: String?
    }

    private func id(_ login: String) throws(CommandFailure) -> String {
        guard let account = try page("?login=" + Self.encoded(login)).accounts.first else {
            throw CommandFailure("there is no account with the login '\(login)'")
        }
        return account.id
    }

    private func page(_ query: String) throws(CommandFailure) -> Page {
        func text(_ value: JSONValue, _ name: StaticString) -> String {
            value.member(named: name)?.string ?? ""
        }
        return try ServiceClient.find(
            "which accounts it has", in: client.text("GET", "/v1/accounts" + query)
        ) { root in
            root.member(named: "accounts").map { list in
                Page(
                    accounts: list.elements.map {
                        (text($0, "id"), text($0, "login"), text($0, "created"))
                    }, next: root.member(named: "next")?.string)
            }
        }
    }

    private func told(_ name: StaticString, by reply: [UInt8]) throws(CommandFailure) -> String {
        try ServiceClient.find("the \(name)", in: reply) { $0.member(named: name)?.string }
    }

    private static func encoded(_ text: String) -> String { TargetQuery.encoded(text) }
}
