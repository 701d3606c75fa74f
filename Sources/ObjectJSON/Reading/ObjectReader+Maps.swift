import JSON
import ObjectModel
import Rows

extension MapKey.Fault {
    /// The stable name of the fault.
    package var code: String {
        switch self {
        case .character: "invalid-map-key"
        case .tooLong: "too-long"
        }
    }

    /// What is wrong and what to do instead.
    package var detail: String {
        switch self {
        case .character(let character):
            "A key of a map has no '.' and no '$'; percent-encode it: write "
                + "'\(character == "." ? "%2E" : "%24")' for '\(character)'."
        case .tooLong: "A key of a map has at most \(ModelLimits.keyByteCountMax) bytes."
        }
    }
}

extension ObjectReader {
    /// Reads a map. In a merge null takes an entry away, else it is a value.
    func readMap(_ json: JSONValue, _ member: Int, into draft: ObjectDraft) {
        let compiled = draft.rowClass.members[member]
        let start = draft.entries.count
        if compiled.classIndex < 0 { collection.reset(compiled.storage.element) }
        for json in json.members {
            guard isKey(json.name, draft.rowClass, member) else { continue }
            guard json.value.isNull else {
                readEntry(json, member, compiled, into: draft)
                continue
            }
            if draft.isMerge {
                draft.addEntry(json.name, .removed)
            } else if compiled.isOptional {
                draft.addEntry(json.name, .null)
            } else {
                fault(
                    "null-not-allowed",
                    "The values of '\(draft.rowClass.definition.properties[member].name)' are not "
                        + "optional, so none can be null.", at: json.name)
            }
        }
        for position in draft.setEntries(member, from: start) {
            repeated(draft.key(of: draft.entries[position]))
        }
    }

    /// Reads an entry whose value is not null.
    private func readEntry(
        _ json: JSONMember, _ member: Int, _ compiled: RowClass.Member, into draft: ObjectDraft
    ) {
        switch compiled.storage.element {
        case .link:
            path.append(.name(json.name))
            defer { path.removeLast() }
            if addReference(json.value, member, element: nil, to: draft) {
                draft.addEntry(json.name, .reference(draft.references.count - 1))
            }
        case .mixed: readMixedEntry(json, member, into: draft)
        case .embedded:
            path.append(.name(json.name))
            defer { path.removeLast() }
            guard json.value.kind == .object else {
                return fault(
                    "wrong-type",
                    "The values of '\(draft.rowClass.definition.properties[member].name)' are "
                        + "objects; found \(Self.describe(json.value)).")
            }
            if let child = embedded(json.value, draft, member, isMerge: draft.isMerge) {
                draft.addEntry(json.name, .child(draft.addChild(child)))
            }
        default:
            guard append(json.value, compiled), let last = collection.last else {
                return scalarFault(
                    json.value, draft.rowClass, member, at: json.name, element: nil)
            }
            if compiled.hasCases, let cases = draft.rowClass.cases[member],
                !cases.holds(last, compiled.storage.element, scratch: bytes)
            {
                return noCase(draft.rowClass, member, at: json.name, element: nil)
            }
            draft.addEntry(json.name, bytes: last)
        }
    }

    /// Whether a map may have a key; if not, a fault says why.
    func isKey(_ key: UnsafeRawBufferPointer, _ rowClass: RowClass, _ member: Int) -> Bool {
        guard let fault = MapKey.fault(of: key) else { return true }
        let name = rowClass.definition.properties[member].name
        switch fault {
        case .character: self.fault(fault.code, "In '\(name)': \(fault.detail)", at: key)
        // Its pointer would be as long.
        case .tooLong: self.fault(fault.code, "In '\(name)': \(fault.detail)")
        }
        return false
    }
}
