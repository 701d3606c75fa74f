/// An act on an object that the writer has no right to.
package struct RefusedAct: Hashable, Sendable {
    /// The kinds of what is done.
    package enum Action: String, Sendable {
        case create, update, delete
    }

    /// The operation or line that stated it.
    package var source: Int
    /// Who did it: for the log alone; nil where nobody has signed in.
    package var user: String?
    /// The object's class.
    package var className: String
    /// The action.
    package var action: Action
    /// The property that may not be stated or changed; nil where nothing of the object may.
    package var property: String?
    /// The rules that do not allow it, of the roles that hold, by where they stand in the access document: for the log alone. Where a
    /// role has none for the action, its rules for the class.
    package var rules: [String]
}
