import HoldfastJSON
import HoldfastText

/// One step of a JSON patch as it is written.
struct JSONPatchStep {
    enum Kind: String, CaseIterable { case add, remove, replace, move, copy, test }

    var kind: Kind
    var path: [String]
    /// ``path`` as the client wrote it.
    var pathText: String
    /// ``path`` in the object, where a projection has it under other names; nil where it is the same.
    var objectPathText: String?
    /// Of `move` and `copy` where the value comes from.
    var from: [String] = []
    /// ``from`` as the client wrote it.
    var fromText = ""
    /// Of `add`, `replace` and `test`.
    var value: JSONValue?

    private static let foreignKinds = ForeignWords([
        "replace": "set update put change modify", "remove": "delete unset",
        "add": "insert push append create",
    ])

    /// Reads a step; nil, with faults, for other JSON.
    init?(_ json: JSONValue, _ position: JSONPointer, _ faults: inout FaultList) {
        func fault(_ detail: String, _ member: String? = nil, hint: String? = nil) {
            faults.note(
                "invalid-patch", detail, at: member.map { position.appending($0) } ?? position,
                hint: hint)
        }
        guard json.kind == .object, json.repeatedName == nil else {
            fault("An operation of a JSON patch is an object with each member once.")
            return nil
        }
        let before = faults.count
        let kinds = Kind.allCases.map(\.rawValue)
        let name = json.member(named: "op")?.string
        let kind = name.flatMap { Kind(rawValue: $0) }
        if kind == nil {
            fault(
                "'op' is one of \(kinds.joined(separator: ", ")).", "op",
                hint: name.flatMap { Self.foreignKinds.word(for: $0, among: kinds) })
        }
        func path(_ member: String) -> (text: String, steps: [String]) {
            if let text = json.member(named: member)?.string, let pointer = JSONPointer(text) {
                return (text, pointer.steps)
            }
            fault("'\(member)' is a JSON pointer such as \"/name\" or \"/names/0\".", member)
            return ("", [])
        }
        let (pathText, steps) = path("path")
        self.kind = kind ?? .test
        self.path = steps
        self.pathText = pathText
        switch kind {
        case .move, .copy: (fromText, from) = path("from")
        case .add, .replace, .test:
            value = json.member(named: "value")
            if value == nil { fault("'\(name ?? "")' needs a 'value'.", "value") }
        case .remove, nil: break
        }
        if faults.count > before { return nil }
    }
}
