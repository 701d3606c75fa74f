import HoldfastBytes
import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// The forms of a statement of an object in the names of a projection.
package enum ProjectedForm: Sendable {
    /// A merge patch of an existing object.
    case patch
    /// A merge patch of an object that is created if it does not exist.
    case merge
    /// The object as the projection shows it. Omitted projected properties get their defaults. A link on a path may be null if
    /// the body states no property behind it.
    case whole
    /// The same, of an object that is created and must not exist.
    case new

    /// Whether an omitted property gets its default.
    package var isWhole: Bool { self == .whole || self == .new }
}

/// The changes that a statement of a projected object makes to one object, and to the objects that its paths lead to.
///
/// Made from the body only. The objects that the links lead to are found when the change is applied. One thread at a
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
        /// Whether the object must exist.
        package var isDemanded: Bool
    }

    package let rowClass: RowClass
    /// The stated values of the object itself, embedded objects included.
    package let draft: ObjectDraft
    /// The primary key that is stated, in the form of ``OrderedKey``: keys never change, so it has to be the object's.
    package private(set) var statedKey: [UInt8]?
    /// The key for an object that is made.
    private var keyOfNew: DraftField?
    package private(set) var children: [Child] = []
    /// The properties that are stated, and where in the body.
    package private(set) var written: [Int: JSONPointer] = [:]

    /// Makes the change of the object that a body is about, which counts as one write.
    ///
    /// - `isWhole`: Whether a map is stated with all of its entries.
    /// - `reader`: Makes the draft, and counts the memory that it takes.
    package convenience init(_ rowClass: RowClass, isWhole: Bool, _ reader: ObjectReader) {
        self.init(reader.makeDraft(rowClass, isMerge: true), isWhole: isWhole)
    }

    private init(_ draft: ObjectDraft, isWhole: Bool) {
        rowClass = draft.rowClass
        self.draft = draft
        draft.statesWholeMaps = isWhole
    }

    /// Whether the statement is of a whole object, which includes unchanged properties.
    package var isWhole: Bool { draft.statesWholeMaps }

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

    /// Returns the change of the object behind a single link or embedded object; nil when the property itself is stated.
    ///
    /// - `reader`: Makes the draft, and counts the memory that it takes.
    package func descend(
        _ member: Int, to target: RowClass, at pointer: JSONPointer, makesObject: Bool,
        isDemanded: Bool = true, _ reader: ObjectReader
    ) -> ProjectedChange? {
        if written[member] != nil { return nil }
        let isLink = rowClass.members[member].storage.element == .link
        if let index = children.firstIndex(where: { $0.member == member }) {
            if makesObject, !isLink { children[index].makesObject = true }
            if isDemanded { children[index].isDemanded = true }
            return children[index].change
        }
        // No write of its own: often nothing is stated of the object, and the store counts written objects.
        let change = ProjectedChange(
            reader.makeDraft(target, isMerge: true, isOperation: false),
            isWhole: draft.statesWholeMaps)
        children.append(
            Child(
                member: member, change: change, pointer: pointer, isLink: isLink,
                makesObject: makesObject && !isLink, isDemanded: isDemanded))
        return change
    }

    /// Sets a property to its default, unless the body states the property or something that it leads to. Never resets a
    /// primary key.
    package func reset(_ member: Int) {
        guard member != rowClass.primaryKeyIndex, written[member] == nil,
            !children.contains(where: { $0.member == member })
        else { return }
        draft.reset(member)
    }

    /// Puts the stated properties of embedded objects into the drafts of their owners, after everything is read.
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

    /// Puts an embedded object into the draft, or nothing if the object does not exist and no statement makes it.
    package func settle(_ child: Child, isThere: Bool) {
        if child.isLink { return }
        if !isThere, !child.makesObject {
            draft.clear(child.member)
        } else if draft.fields[child.member].state == .absent, child.change.hasStatements {
            draft.set(child.member, child: child.change.draft)
        }
    }

    /// Takes the key of a new object: the key that the draft states, that names the object, or that is made for it.
    ///
    /// - `key`: Names the object; nil if only the body does.
    /// - `statedID`: The `$id` of the body.
    /// - `reader`: Notes the faults.
    /// - Returns: The object's key, as far as it is known before the object is made.
    package func takeKey(_ key: Value?, _ statedID: JSONValue?, _ reader: ObjectReader) -> Value? {
        var reading = ObjectReading(draft: draft)
        reader.identify(&reading, statedID, key)
        guard let member = rowClass.primaryKeyIndex, draft.fields[member].state != .absent else {
            return key ?? reading.objectKey.map { .int(Int64(clamping: $0)) }
        }
        keyOfNew = draft.fields[member]
        return draft.primaryKey
    }

    /// The draft of a new object, with its key.
    package func draftOfNew() -> ObjectDraft {
        if let member = rowClass.primaryKeyIndex, let keyOfNew { draft.set(member, keyOfNew) }
        return draft
    }

    /// The draft of an existing object, without the key, which never changes.
    package func draftOfChange() -> ObjectDraft {
        if keyOfNew != nil, let member = rowClass.primaryKeyIndex { draft.clear(member) }
        return draft
    }

    /// Finds the position in the body that states the property at the end of a path of names, and how many of the names
    /// lead there.
    package func location(of path: [DanglingLink.PathStep]) -> (
        pointer: JSONPointer, stepCount: Int
    )? {
        guard case .property(let name)? = path.first, let member = rowClass.names.position(of: name)
        else { return nil }
        if let pointer = written[member] { return (pointer, 1) }
        guard let child = children.first(where: { $0.member == member && !$0.isLink }),
            let inner = child.change.location(of: Array(path.dropFirst()))
        else { return nil }
        return (inner.pointer, inner.stepCount + 1)
    }
}
