import JSON
import Rows

extension ObjectReader {
    /// Reads `"$omitted"`, with which a reply names what it leaves out: these properties keep what is stored.
    ///
    /// - `stated`: The properties that the object states.
    /// - `keeps`: Whether it is known what is stored.
    func readOmitted(_ json: JSONValue, _ stated: MemberSet, keeps: Bool, into draft: ObjectDraft) {
        func fault(_ code: String, _ detail: String, _ index: Int? = nil) {
            Self.omittedName.withUnsafeBytes { name in
                path.append(.name(name))
                if let index { path.append(.element(index)) }
                self.fault(code, detail)
                path.removeLast(index == nil ? 1 : 2)
            }
        }
        guard json.kind == .array else {
            return fault("wrong-type", "\"$omitted\" is an array of names of properties.")
        }
        let rowClass = draft.rowClass
        let properties = names?.classes[rowClass.index].properties
        for (index, json) in json.elements.enumerated() {
            guard let text = json.stringBytes else {
                fault("wrong-type", "A name is a string; found \(Self.describe(json)).", index)
                continue
            }
            let name = Self.text(text)
            guard let member = properties?.position(of: text, next: 0) else {
                fault(
                    "unknown-property",
                    "Class '\(rowClass.definition.name)' has no property '\(name)'.", index)
                continue
            }
            let storage = rowClass.members[member].storage
            if !storage.isInHeap || member == rowClass.primaryKeyIndex {
                fault("not-omitted", "'\(name)' is never left out of a reply; state it.", index)
            } else if stated.contains(member) {
                fault(
                    "omitted-and-stated",
                    "'\(name)' is stated; leave it out of \"$omitted\", or keep it and do not state it.",
                    index)
            } else if !keeps {
                fault(
                    "nothing-to-keep",
                    "An element of a list is rewritten and keeps nothing; state '\(name)', or change "
                        + "the element by its path.", index)
            } else {
                draft.keep(member)
            }
        }
    }

    private static let omittedName = Array("$omitted".utf8)
}
