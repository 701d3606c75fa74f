import Glibc

/// The environment variables of this program.
enum Environment {
    /// The variables that begin with `HOLDFAST_`.
    static func variables() -> [String: String] {
        var variables: [String: String] = [:]
        var pointer = environ
        while let entry = pointer.pointee {
            let text = String(cString: entry)
            if text.hasPrefix("HOLDFAST_"), let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            pointer += 1
        }
        return variables
    }

    /// The address of the service, for verbs that have no such option.
    static var listen: String? { variables()["HOLDFAST_LISTEN"] }
}
