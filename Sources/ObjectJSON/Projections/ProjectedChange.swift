import HoldfastBytes
import HoldfastJSON
import HoldfastObjectStore
import HoldfastRows

/// The changes that a patch of a projected object makes to one object, and to those that its paths lead to.
///
/// Made from the body alone; which objects the links lead to is found when it is applied. One thread at a
/// time uses it.
package final class ProjectedChange {
    /// The change of the object that a property leads to.
    package struct Child {
        package let member: Int
        package let change: ProjectedChange
        /// The property of the body that led here first.
        package let pointer: JSONPointer
        /// Whether it is another object and not an embedded one.
        package let isLink: Bool
        /// Whether an embedded object that is not there is made.
        package var makesObject: Bool
    }

    /// The class of the object.
    package let rowClass: RowClass
    /// The stated values of the object itself, embedded objects included.
    package let draft: ObjectDraft
    /// The primary key that is stated, in the form of ``OrderedKey``: keys never change, so it has to be
    /// the object's.
    package private(set) var statedKey: [UInt8]?
    package private(set) var children: [Child] = []
    /// The properties that are stated, and where in the body.
    package private(set) var written: [Int: JSONPointer] = [:]

    package init(_ rowClass: RowClass) {
        self.rowClass = rowClass
        draft = ObjectDraft(rowClass, isMerge: true)
    }

    /// Whether anything is stated of the object itself.
    package var hasStatements: Bool { draft.fields.contains { $0.state != .absent } }

    /// Notes that a property is stated; false when it is stated already, or a path leads through it.
    package func write(_ member: Int, at pointer: JSONPointer) -> Bool {
        guard written[member] == nil, !children.contains(where: { $0.member == member }) else {
            return false
        }
        written[member] = pointer
        return true
    }

    /// Returns the change of the object behind a single link or embedded object; nil when the property itself is
    /// stated.
    package func descend(
        _ member: Int, to target: RowClass, at pointer: JSONPointer, makesObject: Bool
    ) -> ProjectedChange? {
        if written[member] != nil { return nil }
        if let index = children.firstIndex(where: { $0.member == member }) {
            if makesObject { children[index].makesObject = true }
            return children[index].change
        }
        let change = ProjectedChange(target)
        children.append(
            Child(
                member: member, change: change, pointer: pointer,
                isLink: rowClass.members[member].storage.element == .link,
                makesObject: makesObject))
        return change
    }

    /// Puts what is stated of embedded objects into the drafts of their owners: when everything is read.
    package func finish() {
        for child in children {
            child.change.finish()
            if !child.isLink, child.makesObject || child.change.hasStatements {
                draft.set(child.member, child: child.change.draft)
            }
        }
        if let member = rowClass.primaryKeyIndex, draft.fields[member].state != .absent {
            let buffer = ByteBuffer(capacity: 64)
            if draft.appendPrimaryKey(to: buffer) { statedKey = buffer.array }
            draft.clear(member)
        }
    }

    /// Finds the position in the body that states the property at the end of a path of names, and how many of the names
    /// lead there.
    package func location(of path: [DanglingLink.PathStep]) -> (
        pointer: JSONPointer, stepCount: Int
    )? {
        guard case .property(let name)? = path.first, let member = rowClass.names.position(of: name)
        else {
            return nil
        }
        if let pointer = written[member] { return (pointer, 1) }
        guard let child = children.first(where: { $0.member == member && !$0.isLink }),
            let inner = child.change.location(of: Array(path.dropFirst()))
        else { return nil }
        return (inner.pointer, inner.stepCount + 1)
    }
}
