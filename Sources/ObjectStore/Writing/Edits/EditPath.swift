import HoldfastRows

/// The path from an object to a value in it, made from the schema only: the properties, and the elements if they exist.
package struct EditPath: Sendable, Equatable {
    /// An element of a collection.
    package enum Element: Sendable, Equatable {
        /// A list's or set's element at an index, or the index at which one can be inserted.
        case index(Int)
        /// Behind a list's last element, or anywhere in a set.
        case end
        /// A map's entry.
        case key([UInt8])
    }

    /// A way into an embedded object: a property, or an element of one.
    package struct Owner: Sendable, Equatable {
        package var member: Int
        package var element: Element?

        /// Names a way.
        package init(member: Int, element: Element?) {
            self.member = member
            self.element = element
        }
    }

    /// The embedded objects on the way, from the outside in.
    package var owners: [Owner] = []
    /// The class of the object that holds the property.
    package var rowClass: RowClass
    /// The property; nil for the object itself.
    package var member: Int?
    /// The element of the property; nil for all of it.
    package var element: Element?
    /// The way on into a `mixed` value: indices and keys.
    package var inner: [[UInt8]] = []

    /// A way to the object itself.
    package init(_ rowClass: RowClass) { self.rowClass = rowClass }

    /// The first property on the way, and whether it leads to an element.
    var root: (member: Int, isElement: Bool)? {
        if let owner = owners.first { return (owner.member, owner.element != nil) }
        return member.map { ($0, element != nil) }
    }

    /// The storage of a single value at the path.
    package var storage: FieldStorage {
        guard let member else { return FieldStorage(.single, .embedded) }
        if !inner.isEmpty { return FieldStorage(.single, .mixed) }
        let storage = rowClass.members[member].storage
        return element == nil ? storage : FieldStorage(.single, storage.element)
    }

    package static func == (a: EditPath, b: EditPath) -> Bool {
        a.owners == b.owners && a.rowClass === b.rowClass && a.member == b.member
            && a.element == b.element && a.inner == b.inner
    }
}

extension EditPath.Element {
    /// The key of an entry of a map.
    var key: [UInt8]? {
        if case .key(let key) = self { key } else { nil }
    }
}

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
