import RESTAPI
import StoreService

extension Verb {
    private static let tokenNotes = """
        A token has one right: read, write (which includes read) or admin (which includes both and
        changes the schema). Only its SHA-256 is kept, in the file 'tokens' of the store's directory. A
        running service notices a change within a second or two.
        """

    /// `holdfast token create`
    static let tokenCreate = Verb(
        name: "token create", summary: "Makes a token and prints it, this once.",
        options: [
            OpenStore.data, Option("name", "NAME", "what to call it"),
            Option("rights", "read|write|admin", "what it allows"),
        ], notes: tokenNotes
    ) { arguments throws(CommandFailure) in
        let file = try tokenFile(arguments)
        let name = try arguments.required("name")
        _ = try arguments.required("rights")
        let right = try arguments.choice("rights", Right.read)
        do throws(TokenFile.Failure) {
            Terminal.write(try file.create(name: name, right: right) + "\n")
        } catch {
            throw CommandFailure(error.description)
        }
        return .success
    }

    /// `holdfast token list`
    static let tokenList = Verb(
        name: "token list", summary: "Lists the tokens: name, right, time of creation.",
        options: [OpenStore.data], notes: tokenNotes
    ) { arguments throws(CommandFailure) in
        let file = try tokenFile(arguments)
        do throws(TokenFile.Failure) {
            for entry in try file.read() ?? [] {
                Terminal.write("\(entry.name)\t\(entry.right.rawValue)\t\(entry.created)\n")
            }
        } catch {
            throw CommandFailure(error.description)
        }
        return .success
    }

    /// `holdfast token revoke`
    static let tokenRevoke = Verb(
        name: "token revoke", summary: "Ends a token.",
        options: [OpenStore.data, Option("name", "NAME", "which one")], notes: tokenNotes
    ) { arguments throws(CommandFailure) in
        let file = try tokenFile(arguments)
        let name = try arguments.required("name")
        do throws(TokenFile.Failure) {
            guard try file.revoke(name: name) else {
                throw TokenFile.Failure("there is no token named '\(name)'")
            }
        } catch {
            throw CommandFailure(error.description)
        }
        return .success
    }

    private static func tokenFile(_ arguments: Arguments) throws(CommandFailure) -> TokenFile {
        let directory = OpenStore.directory(arguments)
        guard FileSystem.isDirectory(directory) else {
            throw CommandFailure("there is no directory '\(directory)'")
        }
        return TokenFile(directory: directory)
    }
}
