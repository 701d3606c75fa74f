import HoldfastRows

/// One edit of an existing object, made without reading the stored object.
///
/// A value is the content of a draft of the class of the path's last object: the value of the property, or the one element of its
/// collection. Immutable; one thread at a time uses it.
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
        /// Encodes the object key, or compares with it; nil for null.
        case key(UInt64?, isTest: Bool)
        /// Compares; nil is a value that can't stand there.
        case test(ObjectDraft?)
    }

    package var path: EditPath
    /// The operation.
    package var action: Action

    package init(_ path: EditPath, _ action: Action) {
        self.path = path
        self.action = action
    }
}
