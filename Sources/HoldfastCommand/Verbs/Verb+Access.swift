import HoldfastAccess
import HoldfastObjectJSON
import HoldfastStoreService

extension Verb {
    private static let accessNotes = """
        The access document states the rights of users: docs/users-and-rules.md. The command asks a
        running service over HTTP, with an admin token.
        """

    static let accessGet = Verb(
        name: "access get", summary: "Prints the access document as JSON.",
        options: ServiceClient.options, notes: accessNotes
    ) { arguments throws(CommandFailure) in
        let text = try ServiceClient.required(arguments, for: "the document").text(
            "GET", "/v1/access")
        Terminal.write(text + [UInt8(ascii: "\n")], to: 1)
        return .success
    }

    static let accessPut = Verb(
        name: "access put", summary: "Sets the access document to the one in a file.",
        operands: "FILE|-", operandCount: 1...1,
        options: ServiceClient.options + [Option(flag: "dry-run", "only check it")],
        notes: accessNotes
    ) { arguments throws(CommandFailure) in
        let client = try ServiceClient.required(arguments, for: "the document")
        let bytes = try FileSystem.read(
            arguments.operands.first ?? "-", byteCountMax: AccessDocument.byteCountMax * 2)
        let isDryRun = arguments.has("dry-run")
        let reply = try client.text(
            "PUT", "/v1/access" + (isDryRun ? "?dryRun=true" : ""), json: bytes)
        let revision = ServiceClient.read(reply) { root -> Int64? in
            for warning in root.member(named: "warnings").map({ Array($0.elements) }) ?? [] {
                Terminal.complain("warning: \(warning.member(named: "detail")?.string ?? "")")
            }
            return root.member(named: "revision")?.exactInt64
        }
        Terminal.write(
            (isDryRun ? "access: would be" : "access:")
                + " revision \(revision.map(String.init) ?? "unknown")\n")
        return .success
    }

    static let accessExplain = Verb(
        name: "access explain", summary: "Explains the rights of a user, as JSON.",
        options: ServiceClient.options + [
            Option("user", "ID", "the user; without it, an anonymous visitor"),
            Option(
                "claim", "NAME=VALUE", "a claim about the user; repeat it for more",
                isRepeatable: true), Option("class", "CLASS", "the class of an object"),
            Option("key", "JSON", "the key of the object, such as 7 or '\"a\"'"),
        ], notes: accessNotes
    ) { arguments throws(CommandFailure) in
        let client = try ServiceClient.required(arguments, for: "the document")
        guard (arguments.text("class") == nil) == (arguments.text("key") == nil) else {
            throw .usage("--class and --key belong together: they name one object")
        }
        let question = try CommandFailure.telling(
            AccessQuestion.json(
                user: arguments.text("user"), claims: arguments.texts("claim"),
                className: arguments.text("class"), key: arguments.text("key")))
        let text = try client.text("POST", "/v1/access/explain", json: question)
        Terminal.write(text + [UInt8(ascii: "\n")], to: 1)
        return .success
    }
}
