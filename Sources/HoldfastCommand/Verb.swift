/// One verb of the command: its options, its help and its action.
struct Verb: Sendable {
    /// The words that call it, such as `token create`.
    var name: String
    /// The summary, one line.
    var summary: String
    /// The operands behind the options, such as `FILE`; may be empty.
    var operands: String = ""
    var operandCount: ClosedRange<Int> = 0...0
    /// The options, in the order of the help.
    var options: [Option] = []
    /// More for the help, such as examples.
    var notes: String = ""
    /// Does it; returns the exit code.
    var run: @Sendable (Arguments) throws(CommandFailure) -> ExitCode

    /// The text of `--help`.
    var help: String {
        var text = "usage: holdfast \(name)"
        if !options.isEmpty { text += " [options]" }
        if !operands.isEmpty { text += " \(operands)" }
        text += "\n\n\(summary)\n"
        if !options.isEmpty {
            let example = options.first { $0.value != nil } ?? options[0]
            text +=
                "\noptions (each also as a variable: --\(example.name) as \(example.variable)):\n"
            let heads = options.map { "  --\($0.name)\($0.value.map { " \($0)" } ?? "")" }
            let width = min(30, (heads.map(\.count).max() ?? 0) + 2)
            for (option, head) in zip(options, heads) {
                let gap =
                    head.count < width
                    ? String(repeating: " ", count: width - head.count)
                    : "\n" + String(repeating: " ", count: width)
                text += head + gap + option.help
                if let fallback = option.fallback { text += " (default: \(fallback))" }
                text += "\n"
            }
        }
        if !notes.isEmpty { text += "\n\(notes)\n" }
        return text
    }
}
