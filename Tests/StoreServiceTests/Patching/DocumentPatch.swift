import HoldfastJSON
import HoldfastObjectJSON

/// A JSON patch (RFC 6902) that is applied to a document: what the tests take to be right.
struct DocumentPatch {
    /// One step of a patch.
    struct Operation {
        enum Kind: String { case add, remove, replace, move, copy, test }
        var kind: Kind
        var path: [String]
        /// ``path`` as the client wrote it.
        var pathText: String
        /// Of `move` and `copy` where the value comes from.
        var from: [String] = []
        /// Of `add`, `replace` and `test`.
        var value: DocumentNode?
    }

    let operations: [Operation]

    /// Reads a patch that is well-formed.
    init(_ json: JSONValue) {
        operations = json.elements.map { step in
            func steps(_ name: String) -> [String] {
                step.member(named: name)?.string.flatMap { JSONPointer($0) }?.steps ?? []
            }
            let kind = step.member(named: "op" as String)?.string.flatMap(Operation.Kind.init)
            return Operation(
                kind: kind ?? .test, path: steps("path"),
                pathText: step.member(named: "path" as String)?.string ?? "", from: steps("from"),
                value: step.member(named: "value" as String).map { DocumentNode($0) })
        }
    }

    /// Where in the patch a place of the patched object was stated last; nil when the patch did not touch
    /// it.
    func position(of pointer: String) -> JSONPointer? {
        for (index, operation) in operations.enumerated().reversed() {
            let step = JSONPointer().appending(index: index)
            var path = operation.pathText
            if path.hasSuffix("/-") {
                // Which element it became is not known here.
                path.removeLast(2)
                if pointer.hasPrefix(path + "/") { return step.appending("value") }
                continue
            }
            if pointer == path { return step.appending("value") }
            if pointer.hasPrefix(path + "/") {
                let inner = JSONPointer(String(pointer.dropFirst(path.utf8.count)))
                return (inner?.steps ?? []).reduce(step.appending("value")) { $0.appending($1) }
            }
            if path.hasPrefix(pointer + "/") { return step }
        }
        return nil
    }
}
