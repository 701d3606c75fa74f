/// A difference that the fuzzer found.
struct FuzzFailure: Error, CustomStringConvertible {
    let description: String
}

/// Throws unless a condition holds.
func expect(_ condition: Bool, _ text: @autoclosure () -> String) throws {
    if !condition { throw FuzzFailure(description: text()) }
}
