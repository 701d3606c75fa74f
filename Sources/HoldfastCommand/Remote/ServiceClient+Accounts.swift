import HoldfastAccess
import HoldfastJSON
import HoldfastRESTAPI
import HoldfastStoreService

// The accounts of a running service.
extension ServiceClient {
    /// Makes an account. Returns its id.
    func createAccount(login: String, password: String) throws(CommandFailure) -> String {
        let body = AccountBody.json(login: login, password: password)
        return try told("id", by: text("POST", "/v1/accounts", json: body))
    }

    /// The accounts, a line each: id, time of creation and login.
    func listAccounts() throws(CommandFailure) -> String {
        var lines = ""
        var next: String?
        repeat {
            let page = try accounts(next.map { "?cursor=" + ObjectPath.segment($0) } ?? "")
            for account in page.accounts {
                lines += "\(account.id)\t\(account.created)\t\(account.login)\n"
            }
            next = page.next
        } while next != nil
        return lines
    }

    func deleteAccount(login: String) throws(CommandFailure) {
        try text("DELETE", "/v1/accounts/\(try accountID(login))")
    }

    /// Makes the code that resets the password of the account of a login. Returns its text, which the service tells this once.
    func resetCode(login: String) throws(CommandFailure) -> String {
        try told("code", by: text("POST", "/v1/accounts/\(try accountID(login))/reset-code"))
    }

    /// Some of the accounts, and the cursor that leads to more.
    private struct AccountPage {
        var accounts: [(id: String, login: String, created: String)] = []
        var next: String?
    }

    private func accountID(_ login: String) throws(CommandFailure) -> String {
        guard let account = try accounts("?login=" + ObjectPath.segment(login)).accounts.first
        else { throw CommandFailure("there is no account with the login '\(login)'") }
        return account.id
    }

    private func accounts(_ query: String) throws(CommandFailure) -> AccountPage {
        func told(_ value: JSONValue, _ name: StaticString) -> String {
            value.member(named: name)?.string ?? ""
        }
        return try Self.find("which accounts it has", in: text("GET", "/v1/accounts" + query)) {
            root in
            root.member(named: "accounts").map { list in
                AccountPage(
                    accounts: list.elements.map {
                        (told($0, "id"), told($0, "login"), told($0, "created"))
                    }, next: root.member(named: "next")?.string)
            }
        }
    }

    private func told(_ name: StaticString, by reply: [UInt8]) throws(CommandFailure) -> String {
        try Self.find("the \(name)", in: reply) { $0.member(named: name)?.string }
    }
}
