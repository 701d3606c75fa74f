/// The parsed command line.
struct FuzzOptions {
    /// The seconds to go on for.
    var seconds = 60
    /// The first round's seed.
    var seed = UInt64.random(in: 0..<1_000_000_000)
    /// The only target; nil for all in turn.
    var only: String?
    /// The most rounds.
    var rounds = Int.max

    /// The help text of the command line.
    static let usage = """
        usage: Fuzz [--seconds N] [--seed S] [--only TARGET] [--rounds N]
        Tries parts of the program with random input and compares them with simple models, one round
        of each target in turn. Ends with status 1 at the first fault, and tells how to repeat it.
        """

    /// Reads the arguments; nil when they make no sense.
    init?(_ arguments: [String], targets: [String]) {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { return nil }
            switch option {
            case "--seconds":
                guard let number = Int(value), number > 0, number < 1 << 31 else { return nil }
                seconds = number
            case "--seed":
                guard let number = UInt64(value) else { return nil }
                seed = number
            case "--rounds":
                guard let number = Int(value), number > 0 else { return nil }
                rounds = number
            case "--only":
                guard targets.contains(value) else { return nil }
                only = value
            default: return nil
            }
        }
    }
}

/// A difference that the fuzzer found.
struct FuzzFailure: Error, CustomStringConvertible {
    let description: String
}

/// Throws unless a condition holds.
func expect(_ condition: Bool, _ text: @autoclosure () -> String) throws {
    if !condition { throw FuzzFailure(description: text()) }
}
