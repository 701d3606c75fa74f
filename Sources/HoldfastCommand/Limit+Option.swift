import HoldfastRESTAPI

/// A limit as an option of `holdfast serve`.
extension Limit {
    /// The option.
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
    func apply(
        _ arguments: Arguments, to options: inout ServiceOptions
    ) throws(CommandFailure) {
        let value =
            switch form {
            case .size(let min): try arguments.byteCount(option, min: min)
            case .duration: try arguments.seconds(option)
            case .count(let range): try arguments.number(option, in: range)
            }
        if let value { options[keyPath: path] = value }
    }
}
