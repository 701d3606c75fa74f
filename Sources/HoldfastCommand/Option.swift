import HoldfastRESTAPI

/// One option of a verb: `--name VALUE`, `--name=VALUE`, or a flag `--name`; also the variable `HOLDFAST_NAME`.
struct Option: Sendable {
    /// The name without the dashes.
    var name: String
    /// The name of its value in the help; nil for a flag.
    var value: String?
    /// The summary, one line.
    var help: String
    /// The default, as the help states it; nil without a default.
    var fallback: String?
    /// Whether it may be given more than once.
    var isRepeatable = false

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

    init(flag name: String, _ help: String) {
        self.name = name
        self.help = help
    }

    /// The environment variable that gives the option.
    var variable: String {
        "HOLDFAST_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }
}

/// A limit as an option of `holdfast serve`.
extension Limit {
    var commandOption: Option {
        let value =
            switch form {
            case .size: "SIZE"
            case .duration: "DURATION"
            case .count: "N"
            }
        return Option(option, value, text, fallback: defaultText)
    }

    /// Reads the option, if it is given, and applies it.
    func apply(_ arguments: Arguments, to options: inout ServiceOptions) throws(CommandFailure) {
        let value =
            switch form {
            case .size(let min): try arguments.byteCount(option, min: min)
            case .duration: try arguments.seconds(option)
            case .count(let range): try arguments.number(option, in: range)
            }
        if let value { options[keyPath: path] = value }
    }
}
