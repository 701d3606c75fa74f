// How a path and an operation's id say where the key of an object stands.
extension KeySource {
    /// What follows the path of the class.
    var path: String { self == .path ? "/objects/{id}" : "/object" }

    /// What the operation's id ends with.
    var ending: String { self == .path ? "" : "ByKey" }

    /// The parameter with the key.
    var key: [Parameter] { self == .path ? [] : [.key] }
}
