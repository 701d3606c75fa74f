import HoldfastJSON
import HoldfastRows
import HoldfastText

extension ObjectReader {
    /// Reads `"$omitted"`, with which a reply names what it leaves out: these properties keep what is stored.
    ///
    /// - `stated`: The properties that the object states.
    /// - `keeps`: Whether it is known what is stored.
    func readOmitted(_ json: JSONValue, _ stated: MemberSet, keeps: Bool, into draft: ObjectDraft) {
        let rowClass = draft.rowClass
        forEachOmitted(json, of: "Class '\(rowClass.definition.name)'", rowClass.names) {
            member, name in
            // An inverse link follows from the links of others; an object does not store it.
            if rowClass.members[member].storage.shape == .none { return nil }
            if !rowClass.members[member].storage.isInHeap || member == rowClass.primaryKeyIndex {
                return ("not-omitted", "'\(name)' is never left out of a reply; state it.")
            }
            if stated.contains(member) { return Self.omittedAndStated(name) }
            guard keeps else {
                return (
                    "nothing-to-keep",
                    "An element of a list is rewritten and keeps nothing; state '\(name)', or change "
                        + "the element by its path."
                )
            }
            draft.keep(member)
            return nil
        }
    }

    /// Makes the fault of a property that an object states and names as left out.
    static func omittedAndStated(_ name: String) -> (code: String, detail: String) {
        (
            "omitted-and-stated",
            "'\(name)' is stated; leave it out of \"$omitted\", or keep it and do not state it."
        )
    }

    /// Hands the properties that `"$omitted"` names to `body`, which gives what is wrong with one.
    ///
    /// - `owner`: The owner of the properties, such as a class, as a sentence names it.
    /// - `hints`: Names that may be meant where there is no property of a name.
    func forEachOmitted(
        _ json: JSONValue, of owner: String, _ names: NameTable, hints: [String] = [],
        _ body: (_ position: Int, _ name: String) -> (code: String, detail: String)?
    ) {
        func fault(_ code: String, _ detail: String, _ index: Int? = nil, hint: String? = nil) {
            self.fault(code, detail, at: "$omitted", element: index, hint: hint)
        }
        guard json.kind == .array else {
            return fault("wrong-type", "\"$omitted\" is an array of names of properties.")
        }
        for (index, json) in json.elements.enumerated() {
            guard let text = json.stringBytes else {
                fault("wrong-type", "A name is a string; found \(Self.describe(json)).", index)
                continue
            }
            let name = Self.text(text)
            if let position = names.position(of: text) {
                if let found = body(position, name) { fault(found.code, found.detail, index) }
            } else {
                fault(
                    "unknown-property", "\(owner) has no property '\(name)'.", index,
                    hint: NearestName.of(name, among: hints))
            }
        }
    }
}
