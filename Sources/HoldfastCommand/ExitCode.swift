import HoldfastObjectJSON

/// The exit codes of the process.
enum ExitCode: Int32, Sendable {
    /// All went well.
    case success = 0
    /// The operation failed; a message says why.
    case failure = 1
    /// The command line is wrong; nothing was done.
    case usage = 2
    /// The store is damaged.
    case damage = 3

    static let help = "exit codes: 0 done, 1 failed, 2 wrong usage, 3 damage found"
}

/// Why a verb could not do its work.
struct CommandFailure: Error {
    var code: ExitCode
    /// The failure and the remedy.
    var message: String
    /// Whether the store to be read is unfinished: its creation was interrupted, and it contains nothing.
    var isOfUnfinishedStore = false

    /// A failure of the operation, or of another kind.
    init(_ message: String, code: ExitCode = .failure) {
        self.code = code
        self.message = message
    }

    /// The refusal of a use case, with the name that is meant perhaps.
    init(_ fault: RequestFault) {
        // A text that names several parts has their hints in it.
        let isHinted = fault.detail.contains("did you mean")
        let hint = isHinted ? nil : fault.errors.lazy.compactMap(\.hint).first
        let end = hint != nil && fault.detail.last == "." ? 1 : 0
        self.init(fault.detail.dropLast(end) + (hint.map { "; did you mean '\($0)'?" } ?? ""))
    }

    /// Runs a use case.
    ///
    /// - Throws: A failure with the text of its refusal.
    static func telling<Result>(
        _ body: @autoclosure () throws(RequestFault) -> Result
    ) throws(CommandFailure) -> Result {
        do { return try body() } catch { throw CommandFailure(error) }
    }

    /// A damaged store.
    static func damage(_ message: String) -> CommandFailure {
        CommandFailure("\(message)\n\(damageAdvice)", code: .damage)
    }

    /// The remedy for a damaged store.
    static let damageAdvice =
        "restore a backup into a new directory: holdfast restore --data NEWDIR FILE "
        + "(docs/moving-data.md, \"Damaged stores\")"

    /// A wrong command line.
    static func usage(_ message: String) -> CommandFailure { CommandFailure(message, code: .usage) }
}
