import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

extension ObjectReader {
    private static let keyMismatch =
        "The key in the body is not the one that the request names; keys never change, so leave it out "
        + "or write the object that has it."

    /// Reads `$version`; nil, with a fault, if it is no version.
    func version(_ json: JSONValue, _ name: UnsafeRawBufferPointer) -> StoreVersion? {
        if let version = json.string.flatMap({ StoreVersion(text: $0) }) { return version }
        fault(
            "invalid-version",
            "\"$version\" is an ETag's text without quotes, such as a reply carries; leave it out to "
                + "write regardless of the object's version.", at: name)
        return nil
    }

    /// Settles which object is meant: by the path, by the primary key or `$id` in the body, or by a
    /// generated key. They have to agree.
    func identify(_ reading: inout ObjectReading, _ statedID: JSONValue?, _ key: Value?) {
        let draft = reading.draft
        let rowClass = draft.rowClass
        let stated = statedID.flatMap { KeyText.value($0, of: rowClass) }
        if statedID != nil, stated == nil {
            return fault("wrong-type", KeyText.wrongType(rowClass).detail, at: "$id")
        }
        if let stated, let key, stated != key {
            return fault("key-mismatch", Self.keyMismatch, at: "$id")
        }
        guard let member = rowClass.primaryKeyIndex else {
            if case .int(let number)? = stated { reading.objectKey = UInt64(clamping: number) }
            return
        }
        guard let named = key ?? stated else {
            if draft.fields[member].state == .absent { generateKey(draft, member) }
            return
        }
        if draft.fields[member].state == .absent {
            _ = draft.set(member, value: named)
            return
        }
        bytes.removeAll()
        guard draft.appendPrimaryKey(to: bytes) else { return }
        let end = bytes.count
        OrderedKey.append(named, to: bytes)
        let both = bytes.bytes
        if !both[..<end].elementsEqual(both[end...]) {
            fault("key-mismatch", Self.keyMismatch, at: rowClass.names.name(member))
        }
    }

    private func generateKey(_ draft: ObjectDraft, _ member: Int) {
        switch draft.rowClass.members[member].storage.element {
        case .objectID: draft.set(member, inline: InlineValue(ObjectID.generate()))
        case .uuid: draft.set(member, inline: InlineValue(UUID128.random()))
        case .int where draft.rowClass.numbersKeys: break
        default:
            // A value that was refused is missing too, and was reported.
            let property = draft.rowClass.definition.properties[member]
            guard !hasFault(at: property.name) else { return }
            fault(
                "missing-key",
                "'\(property.name)' is the primary key of class '\(draft.rowClass.definition.name)' "
                    + "and has to be stated; only keys of the types objectId and uuid, and those whose default "
                    + "is \"$next\", are generated.", at: draft.rowClass.names.name(member))
        }
    }

    private func hasFault(at name: String) -> Bool {
        var pointer = pointer(at: nil)
        pointer.append(name)
        let text = pointer.description
        return faults.contains { $0.pointer == text }
    }

    /// Reads a merge patch that names no object, because it changes many; nil when something is wrong.
    package func readChange(_ json: JSONValue, of rowClass: RowClass, names: SchemaNames)
        -> ObjectDraft?
    {
        self.names = names
        let before = faultCount
        guard json.kind == .object else {
            fault(
                "wrong-type",
                "Expected an object with the properties of class '\(rowClass.definition.name)' that "
                    + "change, found \(Self.describe(json)).")
            return nil
        }
        func refuse(_ name: UnsafeRawBufferPointer) {
            fault(
                "key-not-allowed",
                "'\(Self.text(name))' differs by object; leave it out of a change of many.",
                at: name)
        }
        let draft = ObjectDraft(rowClass, isMerge: true)
        readMembers(json, into: draft) { json in
            guard json.isNamed("$id") || json.isNamed("$version") else { return false }
            refuse(json.name)
            return true
        }
        if let member = rowClass.primaryKeyIndex, draft.fields[member].state != .absent {
            refuse(rowClass.names.name(member))
        }
        return faultCount == before ? draft : nil
    }

    /// Notes that a new object can't choose its `$id`.
    ///
    /// - Parameter element: The object's position in the body's array.
    package func refuseID(element: Int?) {
        if let element { path.append(.element(element)) }
        defer { if element != nil { path.removeLast() } }
        fault(
            "id-not-allowed",
            "The store chooses the \"$id\" of a new object; leave it out, or use mode=merge, replace or "
                + "ignore for an existing object.", at: "$id")
    }
}

/// One object as a body states it: a draft, and the object's identity.
package struct ObjectReading {
    /// The object as stated. A class's primary key is stated in it, unless it has to be and was not.
    package var draft: ObjectDraft
    /// `$id` of an object of a class without a primary key.
    package var objectKey: UInt64?
    /// `$version`: the write is to happen only if the object still has it.
    package var version: StoreVersion?
}
