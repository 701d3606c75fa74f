import HoldfastRows

/// One edit of an object that is there, made without looking at what is stored.
///
/// A value is what a draft of the class of the path's last object states: of the property, or as the one
/// element of its collection. Never changed once made; one thread at a time uses it.
package struct ObjectEdit: @unchecked Sendable {
    // Unchecked: drafts are not changed by being written.

    /// The action at the end of the path.
    package enum Action {
        /// States a property, or brings an element, an entry or a value inside `mixed`. A set takes it if it lacks it.
        case place(ObjectDraft, Placement)
        /// Gives a property its default, or takes an element away.
        case remove
        /// Takes an element from a set, or each that equals it from a list.
        case removeEqual(ObjectDraft)
        /// Takes a value from another path and adds it.
        case move(from: EditPath)
        /// Adds the value of another path.
        case copy(from: EditPath)
        /// States the object key, or compares with it; nil is none.
        case key(UInt64?, isTest: Bool)
        /// Compares; nil is a value that can't stand there.
        case test(ObjectDraft?)
    }

    /// Where.
    package var path: EditPath
    /// What.
    package var action: Action

    /// Makes an edit.
    package init(_ path: EditPath, _ action: Action) {
        self.path = path
        self.action = action
    }
}
