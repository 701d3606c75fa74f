import HoldfastAccess
import HoldfastStoreService

extension Verb {
    private static let accountNotes = """
        An account is a login and a password with which a user signs in: docs/accounts.md. The
        command asks a running service over HTTP, with an admin token.
        """
    private static let loginOption = Option("login", "LOGIN", "the login of the account")

    static let accountCreate = Verb(
        name: "account create", summary: "Makes an account and prints the id of its user.",
        operands: "PASSWORD-FILE|-", operandCount: 1...1,
        options: ServiceClient.options + [loginOption],
        notes: accountNotes
            + "\nThe password is the first line of the file, or of the standard input."
    ) { arguments throws(CommandFailure) in
        let client = try ServiceClient.required(arguments, for: "the accounts")
        let login = try arguments.required("login")
        let line = try FileSystem.firstLine(
            arguments.operands.first ?? "-",
            byteCountMax: Account.passwordByteCounts.upperBound * 2)
        guard let password = String(validating: line, as: UTF8.self) else {
            throw CommandFailure("the password is not UTF-8")
        }
        Terminal.write(try client.createAccount(login: login, password: password) + "\n")
        return .success
    }

    static let accountList = Verb(
        name: "account list", summary: "Lists the accounts: id, time of creation, login.",
        options: ServiceClient.options, notes: accountNotes
    ) { arguments throws(CommandFailure) in
        Terminal.write(try ServiceClient.required(arguments, for: "the accounts").listAccounts())
        return .success
    }

    static let accountReset = Verb(
        name: "account reset", summary: "Makes a code that resets a password once, and prints it.",
        options: ServiceClient.options + [loginOption], notes: accountNotes
    ) { arguments throws(CommandFailure) in
        let code = try ServiceClient.required(arguments, for: "the accounts").resetCode(
            login: try arguments.required("login"))
        Terminal.write(code + "\n")
        return .success
    }

    static let accountDelete = Verb(
        name: "account delete", summary: "Removes an account, and ends its sessions.",
        options: ServiceClient.options + [loginOption], notes: accountNotes
    ) { arguments throws(CommandFailure) in
        try ServiceClient.required(arguments, for: "the accounts").deleteAccount(
            login: try arguments.required("login"))
        return .success
    }
}
