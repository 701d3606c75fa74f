import HoldfastAccess
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

extension Verb {
    private static let tokenNotes = """
        A token has one right: metrics (for a scraper), read, write or admin (which changes the
        schema). Each right includes the rights before it. A token may belong to a user, with claims
        about the user. A claim's value is JSON, such as 3 or '["editor"]', or else a text. The
        store keeps only the token's SHA-256. A service that has the store open carries out the
        command in a second or two. With --url it is asked over HTTP, with an admin token.
        """
    private static let nameOption = Option("name", "NAME", "the name of the token")
    private static let rightsOption = Option(
        "rights", Right.allCases.map(\.rawValue).joined(separator: "|"), "the right")
    private static let claimOption = Option(
        "claim", "NAME=VALUE", "a claim about the user; repeat it for more", isRepeatable: true)
    private static let classOption = Option(
        "class", "CLASS", "a class that the token is restricted to; repeat it for more",
        isRepeatable: true)
    private static let expiresOption = Option(
        "expires", "DURATION", "how long the token is valid, such as 30d", fallback: "never")
    private static let storeOptions = [OpenStore.data] + ServiceClient.options + [OpenStore.mapSize]

    static let tokenCreate = Verb(
        name: "token create", summary: "Makes a token and prints it, only this once.",
        options: storeOptions + [
            Option("name", "NAME", "the name"), rightsOption,
            Option("user", "ID", "the token's user"), claimOption, classOption, expiresOption,
        ], notes: tokenNotes
    ) { arguments throws(CommandFailure) in
        let name = try tokenName(arguments)
        _ = try arguments.required("rights")
        var members = try tokenMembers(arguments)
        members.name = name
        members.user = arguments.text("user")
        // A service that is asked over HTTP makes the secret itself.
        let secret = try CommandFailure.telling(TokenSecret())
        let made = try carryOut(.create(members, hash: secret.hash), arguments)
        Terminal.write((made.isEmpty ? secret.text : made) + "\n")
        return .success
    }

    static let tokenList = Verb(
        name: "token list", summary: "Lists the tokens: name, right, time of creation, user, end.",
        options: storeOptions, notes: tokenNotes
    ) { arguments throws(CommandFailure) in
        Terminal.write(try carryOut(.list, arguments))
        return .success
    }

    static let tokenChange = Verb(
        name: "token change", summary: "Changes the right, claims, classes or expiry of a token.",
        options: storeOptions + [
            nameOption, rightsOption, claimOption, classOption, expiresOption,
            Option(flag: "all-classes", "remove the restriction to classes"),
            Option(flag: "never-expires", "remove the expiry"),
        ], notes: tokenNotes
    ) { arguments throws(CommandFailure) in
        let name = try tokenName(arguments)
        var members = try tokenMembers(arguments)
        if arguments.has("never-expires") {
            guard members.expiry == nil else {
                throw .usage("--expires and --never-expires exclude each other")
            }
            members.expiry = .never
        }
        if arguments.has("all-classes") {
            guard members.classes == nil else {
                throw .usage("--class and --all-classes exclude each other")
            }
            members.classes = []
        }
        guard members != TokenMembers() else {
            throw .usage(
                "--rights, --claim, --class, --all-classes, --expires or --never-expires is needed")
        }
        _ = try carryOut(.change(name: name, members), arguments)
        return .success
    }

    static let tokenRevoke = Verb(
        name: "token revoke", summary: "Revokes a token.",
        options: storeOptions + [
            nameOption,
            Option(
                flag: "all",
                "revoke all tokens, so that requests need no token any more; stop the service first"
            ),
        ], notes: tokenNotes
    ) { arguments throws(CommandFailure) in
        let client = try ServiceClient(arguments)
        guard arguments.has("all") else {
            _ = try carryOut(.revoke(name: tokenName(arguments)), arguments)
            return .success
        }
        guard client == nil else {
            throw .usage("--all needs a stopped service: give its --data instead of --url")
        }
        guard let store = try OpenStore.openUnlessInUse(arguments) else {
            throw CommandFailure("the store is in use by another process\nstop the service first")
        }
        defer { store.close() }
        try CommandFailure.telling(StoredTokens(store).removeAll())
        return .success
    }

    /// Carries out a command: in the named service, else here, or in the process that has the store open.
    ///
    /// - Returns: The text to print.
    private static func carryOut(
        _ command: TokenCommand, _ arguments: Arguments
    ) throws(CommandFailure) -> String {
        if let client = try ServiceClient(arguments) { return try client.run(command) }
        guard let store = try OpenStore.openUnlessInUse(arguments) else {
            return try ask(command, OpenStore.directory(arguments))
        }
        defer { store.close() }
        return try CommandFailure.telling(command.run(StoredTokens(store)))
    }

    private static func ask(
        _ command: TokenCommand, _ directory: String
    ) throws(CommandFailure) -> String {
        do throws(TokenMailbox.Failure) {
            return try TokenMailbox(directory: directory).ask(command)
        } catch {
            switch error {
            case .refused(let detail): throw CommandFailure(detail)
            case .notTaken:
                throw CommandFailure(
                    "the store is in use by another process, which did not take the command; if it is not a "
                        + "service but, say, 'holdfast compact', wait for its end")
            case .system(let code):
                throw CommandFailure(
                    "the service of '\(directory)' can't be asked: \(FileSystem.describe(code))"
                )
            }
        }
    }

    private static func tokenName(_ arguments: Arguments) throws(CommandFailure) -> String {
        let name = try arguments.required("name")
        guard Token.isName(name) else {
            throw CommandFailure(
                "'\(name)' is not a name for a token: use up to 64 letters, digits, '.', '_', '-' and '@'"
            )
        }
        return name
    }

    /// Reads the right, the claims and the end.
    private static func tokenMembers(_ arguments: Arguments) throws(CommandFailure) -> TokenMembers
    {
        var members = TokenMembers()
        if arguments.text("rights") != nil {
            members.right = try arguments.choice("rights", Right.read)
        }
        if let seconds = try arguments.seconds("expires") {
            guard let expiry = TokenMembers.Expiry(after: seconds) else {
                throw .usage("--expires is after the year 9999; leave it out for never")
            }
            members.expiry = expiry
        }
        let classes = arguments.texts("class")
        if !classes.isEmpty { members.classes = classes }
        let claims = arguments.texts("claim")
        if claims.isEmpty { return members }
        do throws(RequestFault) { members.claims = try Claims(assignments: claims) } catch {
            throw .usage(error.detail)
        }
        return members
    }
}
