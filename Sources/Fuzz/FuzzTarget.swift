/// One part of the program that is tried with random input.
protocol FuzzTarget: SendableMetatype {
    /// What `--only` calls it.
    static var name: String { get }

    /// Makes what its rounds share.
    init() throws

    /// Does one round; the same seed does the same.
    ///
    /// - Throws: ``FuzzFailure``, or an error that has no business to happen.
    mutating func round(seed: UInt64) throws
}

/// A difference that the fuzzer found.
struct FuzzFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Throws unless a condition holds.
func expect(_ condition: Bool, _ text: @autoclosure () -> String) throws {
    if !condition { throw FuzzFailure(text()) }
}
