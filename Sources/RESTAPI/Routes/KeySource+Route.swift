// How a path and an operation's id say where the key of an object stands.
extension KeySource {
    /// The rest of the path behind the path of the class.
    var path: String { self == .path ? "/objects/{id}" : "/object" }

    /// The ending of the operation's id.
    var ending: String { self == .path ? "" : "ByKey" }

    /// The parameter with the key.
    var key: [Parameter] { self == .path ? [] : [.key] }
}
