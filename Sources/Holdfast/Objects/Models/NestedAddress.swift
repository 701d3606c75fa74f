import HoldfastObjectStore

/// The path to a nested value, for use in any realm of its store. Any thread may hold it.
///
/// List elements are identified by their positions in one version, and followed from there. The address keeps that version.
struct NestedAddress: Sendable {
    private let steps: [NestedPath.Step]
    private let isCollection: Bool
    /// The realm of the version in which ``steps`` lead there. Nil for a path that is the same in all versions, and for a value
    /// that is not in any version yet.
    private let origin: RealmCore?
    /// Whether the write in progress has created the value.
    private let isNew: Bool

    init(_ way: NestedPath, of root: ObjectIdentity, in realm: RealmCore) {
        isCollection = way.isCollection
        if !way.isInCollection {
            (steps, origin, isNew) = (way.steps, nil, false)
        } else if !realm.isInWrite {
            (steps, origin, isNew) = (way.steps, realm.freeze(), false)
        } else if let steps = realm.stepsBeforeWrite(way, of: root) {
            (self.steps, origin, isNew) = (steps, realm.freeze(), false)
        } else {
            (steps, origin, isNew) = (way.steps, nil, true)
        }
    }

    /// Returns the path in a realm; nil if the value is known to be gone.
    func way(in realm: RealmCore, of root: ObjectIdentity) -> NestedPath? {
        if isNew, realm.isFrozen { return nil }
        let rootClass = realm.schema.rows.classes[root.classIndex]
        let moved = NestedPath(steps, of: rootClass, isCollection: isCollection)
        if let origin, origin !== realm {
            realm.movement(from: origin.source, of: root)?.follow([moved], of: root)
        }
        if moved.isGone { return nil }
        return realm.way(moved.steps, of: rootClass, root.key, isCollection: isCollection)
    }
}
