import HoldfastJSON
import HoldfastObjectModel
import HoldfastRows
import HoldfastText

extension ObjectReader {
    // MARK: Embedded objects

    func readEmbedded(
        _ json: JSONValue, _ name: UnsafeRawBufferPointer, _ member: Int, into draft: ObjectDraft
    ) {
        guard json.kind == .object else { return wrongType(json, name, draft.rowClass, member) }
        path.append(.name(name))
        defer { path.removeLast() }
        if let child = embedded(json, draft, member, isMerge: draft.isMerge) {
            draft.set(member, child: child)
        }
        let indexes = draft.rowClass.searchIndexes
        if indexes.contains(where: { $0.member == member && $0.kind == .geo }) {
            requireOnEarth(json, draft.rowClass.definition.properties[member].name)
        }
    }

    /// Notes a point that does not lie on the Earth: its index would not find it.
    private func requireOnEarth(_ json: JSONValue, _ property: String) {
        guard let coordinates = json.member(named: "coordinates"), coordinates.kind == .array
        else { return }
        let limits = [("longitude", 180), ("latitude", 90)]
        for (index, (json, (axis, limit))) in zip(coordinates.elements, limits).enumerated() {
            guard let degrees = json.double, abs(degrees) > Double(limit) else { continue }
            fault(
                "out-of-range",
                "'\(property)' has a geographic index, and the \(axis) \(degrees) is not from "
                    + "-\(limit) to \(limit); coordinates are [longitude, latitude].",
                at: "coordinates", element: index)
        }
    }

    func readEmbeddedList(_ json: JSONValue, _ member: Int, into draft: ObjectDraft) {
        var children: [ObjectDraft] = []
        for (index, json) in json.elements.enumerated() {
            guard mayContinue() else { break }
            path.append(.element(index))
            defer { path.removeLast() }
            guard json.kind == .object else {
                fault(
                    "wrong-type",
                    "The elements of '\(draft.rowClass.definition.properties[member].name)' are "
                        + "objects; found \(Self.describe(json)).")
                continue
            }
            let child = embedded(json, draft, member, isMerge: false, keeps: false)
            if let child { children.append(child) }
        }
        draft.set(member, children: children)
    }

    func embedded(
        _ json: JSONValue, _ draft: ObjectDraft, _ member: Int, isMerge: Bool, keeps: Bool = true
    ) -> ObjectDraft? {
        guard let names else { return nil }
        guard embeddingDepth < ModelLimits.embeddingDepthMax else {
            fault(
                "too-deep",
                "Embedded objects nest deeper than \(ModelLimits.embeddingDepthMax) levels.")
            return nil
        }
        embeddingDepth += 1
        defer { embeddingDepth -= 1 }
        let target = names.schema.classes[draft.rowClass.members[member].classIndex]
        let child = makeDraft(target, isMerge: isMerge)
        readMembers(json, into: child, keeps: keeps) { _ in false }
        return child
    }

    // MARK: Links

    func readLink(
        _ json: JSONValue, _ name: UnsafeRawBufferPointer, _ member: Int, into draft: ObjectDraft
    ) {
        path.append(.name(name))
        defer { path.removeLast() }
        if addReference(json, member, element: nil, to: draft) { draft.setReference(member) }
    }

    func readLinks(_ json: JSONValue, _ member: Int, into draft: ObjectDraft) {
        let start = draft.references.count
        for (index, json) in json.elements.enumerated() {
            guard mayContinue() else { break }
            path.append(.element(index))
            defer { path.removeLast() }
            _ = addReference(json, member, element: index, to: draft)
        }
        draft.setReferences(member, from: start)
    }

    /// Adds the target that `json` names to the draft; false if it names no object.
    func addReference(
        _ json: JSONValue, _ member: Int, element: Int?, to draft: ObjectDraft
    ) -> Bool {
        guard let names else { return false }
        let target = names.schema.classes[draft.rowClass.members[member].classIndex]
        if json.kind == .object {
            if let link = json.member(named: "$link") {
                guard let key = keyOfLink(link, json, target) else { return false }
                return addReference(key, target, member, element: element, isLong: true, to: draft)
            }
            if references != nil, json.member(named: "$ref") != nil {
                return addNamedReference(json, target, member, element: element, to: draft)
            }
            guard let child = nested(json, target) else { return false }
            draft.addReference(member, element: element, child: child)
            return true
        }
        return addReference(json, target, member, element: element, isLong: false, to: draft)
    }

    /// Adds a target by its key. `isLong` says that the key stands in `{"$link":…}`, where alone null names an object.
    func addReference(
        _ json: JSONValue, _ target: RowClass, _ member: Int, element: Int?,
        mixed: MixedLinkPosition? = nil, isLong: Bool, to draft: ObjectDraft
    ) -> Bool {
        if isLong, references != nil, json.kind == .object {
            return addNamedReference(
                json, target, member, element: element, mixed: mixed, to: draft)
        }
        guard let keyMember = target.primaryKeyIndex else {
            if let key = ScalarText.int(json), key >= 0 {
                draft.addReference(member, element: element, mixed: mixed, objectKey: UInt64(key))
                return true
            }
            wrongKey(json, target)
            return false
        }
        let compiled = target.members[keyMember]
        if json.isNull, isLong, compiled.isOptional {
            draft.addReference(member, element: element, mixed: mixed) {
                OrderedKey.appendNull(to: $0)
            }
            return true
        }
        if let key = PlainValue(json, compiled.storage.element, bytes) {
            draft.addReference(member, element: element, mixed: mixed) {
                OrderedKey.append(key: key, to: $0)
            }
            return true
        }
        wrongKey(json, target)
        return false
    }

    /// Adds a target that another operation of the transaction makes: `{"$ref": "name"}`.
    func addNamedReference(
        _ json: JSONValue, _ target: RowClass, _ member: Int, element: Int?,
        mixed: MixedLinkPosition? = nil, to draft: ObjectDraft
    ) -> Bool {
        guard json.count == 1, let name = json.member(named: "$ref")?.string else {
            fault("invalid-ref", "A reference has the form {\"$ref\":\"name\"} and nothing else.")
            return false
        }
        guard let named = references?[name] else {
            fault(
                "unknown-ref", "No operation of this transaction has the 'ref' '\(name)'.",
                hint: NearestName.of(name, among: references?.texts ?? []))
            return false
        }
        if let index = named.classIndex, index != target.index {
            fault(
                "wrong-class",
                "This link leads to class '\(target.definition.name)'; '\(name)' is an object of "
                    + "another.")
            return false
        }
        draft.addReference(member, element: element, mixed: mixed, named: named.number)
        return true
    }

    private func wrongKey(_ json: JSONValue, _ target: RowClass) {
        fault("wrong-type", "\(Self.linkForm(target)); found \(Self.describe(json)).")
    }

    /// Names the forms of a link to a class.
    private static func linkForm(_ target: RowClass) -> String {
        let key: String
        if let member = target.primaryKeyIndex {
            let property = target.definition.properties[member]
            key = "'\(property.name)' (\(Self.describe(property)))"
        } else {
            key = "\"$id\" (an integer)"
        }
        return "A link to '\(target.definition.name)' is given by its \(key), or as an object"
    }

    /// Reads the key in `{"$link":{"class","id"}}`.
    private func keyOfLink(_ link: JSONValue, _ json: JSONValue, _ target: RowClass) -> JSONValue? {
        var className: JSONValue?
        var id: JSONValue?
        var isWellFormed = link.kind == .object && json.count == 1
        for member in link.members {
            if member.isNamed("class"), className == nil {
                className = member.value
            } else if member.isNamed("id"), id == nil {
                id = member.value
            } else {
                isWellFormed = false
            }
        }
        guard isWellFormed, let id, let name = className?.string else {
            fault(
                "invalid-link",
                "A link in the long form is {\"$link\":{\"class\":\"\(target.definition.name)\",\"id\":…}} "
                    + "and nothing else.")
            return nil
        }
        guard name.isSame(as: target.definition.name) else {
            fault(
                "wrong-class",
                "This link leads to class '\(target.definition.name)', not '\(name)'.")
            return nil
        }
        return id
    }

    // MARK: Nested objects

    /// Reads an object that stands in the place of a link and is written in the same transaction.
    private func nested(_ json: JSONValue, _ target: RowClass) -> ObjectDraft? {
        let outer = embeddingDepth
        embeddingDepth = 0
        defer { embeddingDepth = outer }
        let before = faultCount
        var statedID: JSONValue?
        let child = makeDraft(target, isMerge: true)
        readMembers(json, into: child) { json in
            if json.isNamed("$id") {
                if statedID != nil { repeated(json.name) }
                statedID = json.value
                return true
            }
            if json.isNamed("$version") {
                fault(
                    "version-not-allowed",
                    "Only the object that is written can state its \"$version\"; leave it out here.",
                    at: json.name)
                return true
            }
            if json.isNamed("$ref") {
                fault(
                    "unknown-property",
                    "Only operations of a transaction name objects by \"$ref\". \(Self.linkForm(target)).",
                    at: json.name)
                return true
            }
            return false
        }
        var reading = ObjectReading(draft: child)
        identify(&reading, statedID, nil)
        child.objectKey = reading.objectKey
        return faultCount == before ? child : nil
    }
}
