import Glibc
import HoldfastRESTAPI

/// The executable `holdfast`: finds the verb, reads its options and runs it.
@main
enum App {
    /// Every verb, in the order of the help.
    static let verbs: [Verb] = [
        .serve, .importObjects, .exportObjects, .schemaGet, .schemaPut,
        .schemaGuess, .schemaTypeScript, .backup, .restore, .compact, .check, .health,
        .accessGet, .accessPut, .accessExplain, .accountCreate, .accountList, .accountReset,
        .accountDelete, .tokenCreate,
        .tokenList, .tokenChange, .tokenRevoke, .version,
    ]

    static func main() {
        // A reader that goes away is an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        exit(run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }

    private static func run(_ words: [String]) -> ExitCode {
        if words.isEmpty || words == ["--help"] || words == ["-h"] || words == ["help"] {
            Terminal.write(help)
            return words.isEmpty ? .usage : .success
        }
        if words == ["--version"] { return run(["version"]) }
        if words[0] == "help" { return run(words.dropFirst() + ["--help"]) }
        guard let verb = find(words) else { return unknownVerb(words) }
        let rest = words.dropFirst(verb.name.split(separator: " ").count)
        do throws(CommandFailure) {
            let arguments = try Arguments(rest, verb: verb, environment: Environment.variables())
            if arguments.wantsHelp {
                Terminal.write(verb.help)
                return .success
            }
            return try verb.run(arguments)
        } catch {
            Terminal.complain(error.message)
            if error.code == .usage { Terminal.complain("see: holdfast \(verb.name) --help") }
            return error.code
        }
    }

    private static func find(_ words: [String]) -> Verb? {
        verbs.first { verb in
            let parts = verb.name.split(separator: " ").map(String.init)
            return Array(words.prefix(parts.count)) == parts
        }
    }

    private static func unknownVerb(_ words: [String]) -> ExitCode {
        let family = verbs.filter { $0.name.hasPrefix(words[0] + " ") }
        if !family.isEmpty {
            let names = family.map { "holdfast \($0.name)" }.joined(separator: ", ")
            let wantsHelp = words.dropFirst().first.map { $0 == "--help" || $0 == "-h" } ?? false
            if wantsHelp {
                Terminal.write(family.map(\.help).joined(separator: "\n"))
                return .success
            }
            Terminal.complain("'\(words[0])' goes on: \(names)")
            return .usage
        }
        let hint = Verb.meant(by: words, among: verbs)
        Terminal.complain(
            "there is no verb '\(words[0])'" + (hint.map { "; did you mean '\($0)'?" } ?? ""))
        if case .advice(let text)? = Verb.foreignVerbAdvice.help(with: words[0]) {
            Terminal.complain(text)
        }
        Terminal.complain("see: holdfast --help")
        return .usage
    }

    private static var help: String {
        var text = "usage: holdfast VERB [options]\n\nA self-hosted object database.\n\n"
        let width = (verbs.map(\.name.count).max() ?? 0) + 2
        for verb in verbs {
            text +=
                "  \(verb.name)\(String(repeating: " ", count: width - verb.name.count))\(verb.summary)\n"
        }
        return text + "\nholdfast VERB --help lists the options of each. \(ExitCode.help).\n"
    }
}
