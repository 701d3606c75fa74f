import HoldfastAccess
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

extension Verb {
    private static let tokenNotes = """
        A token has one right, which includes those before it: metrics (for a scraper), read, write or
        admin (which changes the schema). It is of a user, of whom something may be claimed, or of
        none. A claim's value is JSON, such as 3 or '["editor"]'; any other is a text. Only the SHA-256
        of a token is kept, in the store. Where a service has the store, it carries the command out,
        within a second or two; with --url it is asked over HTTP, with a token that has the right admin.
        """
    private static let nameOption = Option("name", "NAME", "which one")
    private static let rightsOption = Option(
        "rights", Right.allCases.map(\.rawValue).joined(separator: "|"), "the right")
    private static let claimOption = Option(
        "claim", "NAME=VALUE", "a claim about the user; repeat it for more", isRepeatable: true)
    private static let classOption = Option(
        "class", "CLASS", "a class that the token is restricted to; repeat it for more",
        isRepeatable: true)
    private static let expiresOption = Option(
        "expires", "DURATION", "when it ends, from now, such as 30d", fallback: "never")
    private static let storeOptions = [OpenStore.data] + ServiceClient.options + [OpenStore.mapSize]

    static let tokenCreate = Verb(
        name: "token create", summary: "Makes a token and prints it, this once.",
        options: storeOptions + [
            Option("name", "NAME", "the name"), rightsOption,
            Option("user", "ID", "the user that it is of"), claimOption, classOption, expiresOption,
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
        name: "token change", summary: "Gives a token another right, other claims or another end.",
        options: storeOptions + [
            nameOption, rightsOption, claimOption, classOption, expiresOption,
            Option(flag: "all-classes", "have it be for all classes"),
            Option(flag: "never-expires", "have it end no more by itself"),
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
        name: "token revoke", summary: "Ends a token.",
        options: storeOptions + [
            nameOption,
            Option(
                flag: "all",
                "end all tokens, so that requests need no token any more; the service has to be stopped"
            ),
        ], notes: tokenNotes
    ) { arguments throws(CommandFailure) in
        let client = try ServiceClient(arguments)
        guard arguments.has("all") else {
            _ = try carryOut(.revoke(name: tokenName(arguments)), arguments)
            return .success
        }
        guard client == nil else {
            throw .usage(
                "--all ends the tokens of a stopped service: give its --data in place of --url")
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
        if let client = try ServiceClient(arguments) {
            return try client.run(command)
        }
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
                    "the store is in use by another process, which did not take the command up; when that is "
                        + "no service, such as 'holdfast compact', wait for its end")
            case .system(let code):
                throw CommandFailure(
                    "the service that has '\(directory)' can't be told: \(FileSystem.describe(code))"
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
                throw .usage("--expires lies behind the year 9999; leave it out for never")
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
