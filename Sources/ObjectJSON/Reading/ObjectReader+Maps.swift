import HoldfastJSON
import HoldfastObjectModel
import HoldfastRows

extension MapKey.Fault {
    /// The stable name of the fault.
    package var code: String {
        switch self {
        case .character: "invalid-map-key"
        case .tooLong: "too-long"
        }
    }

    /// A sentence that names the fault and the next step.
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
            guard mayContinue() else { break }
            guard isKey(json.name, draft.rowClass, member) else { continue }
            guard json.value.isNull else {
                addEntry(json.value, under: json.name, member, into: draft)
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
                        + "optional, so they can't be null.", at: json.name)
            }
        }
        for position in draft.setEntries(member, from: start) {
            repeated(draft.key(of: draft.entries[position]))
        }
    }

    /// Reads the value of an entry; of a plain value the collection has been reset.
    ///
    /// - `isRootValue`: Whether the value stands alone, and not in a map. It replaces an embedded object then.
    /// - `depth`: The number of lists and maps of a `mixed` value around it.
    func addEntry(
        _ json: JSONValue, under key: UnsafeRawBufferPointer, _ member: Int,
        isRootValue: Bool = false, depth: Int = 0, into draft: ObjectDraft
    ) {
        let rowClass = draft.rowClass
        switch rowClass.members[member].storage.element {
        case .link, .mixed, .embedded: break
        default:
            if append(json, member, of: rowClass, at: isRootValue ? nil : key, element: nil),
                let last = collection.last
            {
                draft.addEntry(key, bytes: last)
            }
            return
        }
        if !isRootValue { path.append(.name(key)) }
        defer { if !isRootValue { path.removeLast() } }
        switch rowClass.members[member].storage.element {
        case .link:
            if addReference(json, member, element: nil, to: draft) {
                draft.addEntry(key, .reference(draft.references.count - 1))
            }
        case .mixed: readMixedEntry(json, under: key, member, depth: depth, into: draft)
        default:
            if json.kind == .object {
                let isMerge = draft.isMerge && !isRootValue
                if let child = embedded(json, draft, member, isMerge: isMerge) {
                    draft.addEntry(key, .child(draft.addChild(child)))
                }
            } else if isRootValue {
                scalarFault(json, rowClass, member, at: nil, element: nil)
            } else {
                fault(
                    "wrong-type",
                    "The values of '\(rowClass.definition.properties[member].name)' are "
                        + "objects; found \(Self.describe(json)).")
            }
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
