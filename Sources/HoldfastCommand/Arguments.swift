import HoldfastObjectJSON
import HoldfastRESTAPI

/// The options and operands of one call, checked against the verb's list.
struct Arguments: Sendable {
    private var values: [String: [String]] = [:]
    /// The operands behind the options.
    private(set) var operands: [String] = []
    /// Whether `--help` stands among them.
    private(set) var wantsHelp = false
    private let verb: Verb

    /// Reads the words behind the verb, and the environment for options that are not among them.
    ///
    /// - Throws: A usage failure that names the unknown option's nearest neighbour, a value that is
    ///   missing or too much, or operands that are too few or too many.
    init(_ words: some Sequence<String>, verb: Verb, environment: [String: String])
        throws(CommandFailure)
    {
        self.verb = verb
        var rest = Array(words)[...]
        var isOptions = true
        while let word = rest.popFirst() {
            if !isOptions || !word.hasPrefix("-") || word == "-" {
                operands.append(word)
            } else if word == "--" {
                isOptions = false
            } else if word == "--help" || word == "-h" {
                wantsHelp = true
                return
            } else {
                try take(word, &rest)
            }
        }
        guard verb.operandCount.contains(operands.count) else {
            let expected = verb.operands.isEmpty ? "no operand" : verb.operands
            let hint =
                operands.count > verb.operandCount.upperBound
                ? verb.option(forOperandsOf: operands, beside: values.keys) : nil
            throw .usage(
                "expected \(expected), found \(operands.isEmpty ? "nothing" : operands.joined(separator: " "))"
                    + (hint.map { "; did you mean \($0)?" } ?? ""))
        }
        // An explicit folder takes precedence over a service that a variable names.
        let isFolderStated = values["data"] != nil
        if isFolderStated, values["url"] != nil {
            throw .usage("--data names a folder and --url a running service: give one of them")
        }
        for option in verb.options where values[option.name] == nil {
            if isFolderStated, option.name == "url" { continue }
            guard let text = environment[option.variable], !text.isEmpty else { continue }
            if option.value == nil {
                guard let isSet = Self.flags[text.lowercased()] else {
                    throw .usage("\(option.variable) is 'true' or 'false', not '\(text)'")
                }
                if isSet { values[option.name] = [""] }
            } else {
                values[option.name] =
                    option.isRepeatable ? text.split(separator: ",").map(String.init) : [text]
            }
        }
    }

    private static let flags = [
        "1": true, "true": true, "yes": true, "0": false, "false": false, "no": false,
    ]

    private mutating func take(_ word: String, _ rest: inout ArraySlice<String>)
        throws(CommandFailure)
    {
        let equals = word.firstIndex(of: "=")
        let spelt = String(word[..<(equals ?? word.endIndex)])
        let name = String(spelt.drop { $0 == "-" })
        guard spelt.hasPrefix("--"), let option = verb.options.first(where: { $0.name == name })
        else {
            let value = equals.map { String(word[word.index(after: $0)...]) } ?? rest.first
            let hint = verb.option(meantBy: name, value: value)
            throw .usage(
                "there is no option \(spelt)" + (hint.map { "; did you mean \($0)?" } ?? ""))
        }
        guard option.value != nil else {
            guard equals == nil else { throw .usage("--\(name) is a flag and takes no value") }
            values[name] = [""]
            return
        }
        let value: String
        if let equals {
            value = String(word[word.index(after: equals)...])
        } else {
            guard let next = rest.popFirst() else { throw .usage("--\(name) needs a value") }
            value = next
        }
        if option.isRepeatable {
            values[name, default: []].append(value)
        } else {
            guard values[name] == nil else { throw .usage("--\(name) is given twice") }
            values[name] = [value]
        }
    }

    // MARK: Values

    /// Whether a flag is set.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// The text of an option; nil when it is not given.
    func text(_ name: String) -> String? { values[name]?.last }

    /// All texts of a repeatable option.
    func texts(_ name: String) -> [String] { values[name] ?? [] }

    /// The text of an option that the verb can't do without.
    func required(_ name: String) throws(CommandFailure) -> String {
        if let text = text(name), !text.isEmpty { return text }
        throw .usage("--\(name) is needed")
    }

    /// One of several words.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ fallback: Choice
    ) throws(CommandFailure) -> Choice where Choice.RawValue == String {
        try choice(name, fallback, of: Array(Choice.allCases)) { $0.rawValue }
    }

    /// One of several values, each by its word.
    func choice<Choice>(
        _ name: String, _ fallback: Choice, of choices: [Choice], _ word: (Choice) -> String
    ) throws(CommandFailure) -> Choice {
        guard let text = text(name) else { return fallback }
        if let choice = choices.first(where: { word($0) == text }) { return choice }
        throw .usage(
            "--\(name) is one of \(choices.map(word).joined(separator: ", ")), not '\(text)'")
    }

    func number(_ name: String, in range: ClosedRange<Int>) throws(CommandFailure) -> Int? {
        guard let text = text(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .usage(
                "--\(name) is a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'"
            )
        }
        return number
    }

    /// A duration such as `60s` or `7d`, in seconds.
    func seconds(_ name: String) throws(CommandFailure) -> Int? {
        try quantity(name, Self.durations, "a duration such as 60s, 5m, 12h or 7d")
    }

    /// A duration such as `500ms`, in milliseconds.
    func milliseconds(_ name: String) throws(CommandFailure) -> Int? {
        var units = Self.durations.mapValues { $0 * 1000 }
        units["ms"] = 1
        return try quantity(name, units, "a duration such as 500ms, 2s or 1m")
    }

    /// A size such as `32MiB`, in bytes.
    ///
    /// - `min`: The least that it may be.
    func byteCount(_ name: String, min: Int = 1) throws(CommandFailure) -> Int? {
        try quantity(name, Self.sizes, "a size such as 512KiB, 32MiB or 1TiB", min: min)
    }

    private static let durations = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    private static let sizes = [
        "": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
        "kB": 1000, "MB": 1_000_000, "GB": 1_000_000_000, "TB": 1_000_000_000_000,
    ]

    private func quantity(
        _ name: String, _ units: [String: Int], _ form: String, min: Int = 1
    ) throws(CommandFailure) -> Int? {
        guard let text = text(name) else { return nil }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), let unit = units[String(text.dropFirst(digits.count))]
        else { throw .usage("--\(name) is \(form), not '\(text)'") }
        let (product, isTooLarge) = number.multipliedReportingOverflow(by: unit)
        guard !isTooLarge else { throw .usage("--\(name) is too large: '\(text)'") }
        guard product >= min else { throw .usage("--\(name) has to be more than '\(text)'") }
        return product
    }
}
