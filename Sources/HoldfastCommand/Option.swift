/// One option of a verb: `--name VALUE`, `--name=VALUE`, or a flag `--name`; also the variable
/// `HOLDFAST_NAME`.
struct Option: Sendable {
    /// The name without the dashes.
    var name: String
    /// The name of its value in the help; nil for a flag.
    var value: String?
    /// The summary, one line.
    var help: String
    /// The default, as the help states it; nil for none.
    var fallback: String?
    /// Whether it may be given more than once.
    var isRepeatable = false

    /// An option with a value.
    init(
        _ name: String, _ value: String, _ help: String, fallback: String? = nil,
        isRepeatable: Bool = false
    ) {
        self.name = name
        self.value = value
        self.help = help
        self.fallback = fallback
        self.isRepeatable = isRepeatable
    }

    /// A flag.
    init(flag name: String, _ help: String) {
        self.name = name
        self.help = help
    }

    /// The environment variable that gives the option.
    var variable: String {
        "HOLDFAST_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }
}
