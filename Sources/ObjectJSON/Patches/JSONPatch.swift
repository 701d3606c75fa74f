import JSON
import Text

/// A JSON patch (RFC 6902), read and ready to be applied to any number of objects.
///
/// It is never changed after it was read; one thread at a time applies it.
package final class JSONPatch: @unchecked Sendable {
    // Unchecked: its nodes are only copied from and compared with once it is made.

    /// One step of a patch.
    package struct Operation {
        package enum Kind: String, CaseIterable { case add, remove, replace, move, copy, test }
        package var kind: Kind
        package var path: [String]
        /// ``path`` as the client wrote it.
        package var pathText: String
        /// Of `move` and `copy` where the value comes from.
        package var from: [String] = []
        /// Of `add`, `replace` and `test`.
        package var value: JSONNode?
    }

    package let operations: [Operation]

    /// Makes a patch of steps that were read.
    package init(operations: [Operation]) { self.operations = operations }

    /// Reads a patch.
    ///
    /// - Throws: ``RequestFault`` `.malformed` with every fault of its form, `.invalid` for more operations than
    ///   `operationCountMax`.
    package init(_ json: JSONValue, operationCountMax: Int) throws(RequestFault) {
        guard json.kind == .array else {
            let detail =
                "A JSON patch is an array of operations, such as "
                + "[{\"op\":\"replace\",\"path\":\"/name\",\"value\":\"x\"}]; found "
                + "\(ObjectReader.describe(json))."
            throw RequestFault(
                .malformed, "invalid-patch", detail,
                errors: [
                    RequestFault.Entry(code: "invalid-patch", detail: detail, pointer: "")
                ])
        }
        guard json.count <= operationCountMax else {
            let detail = "A JSON patch has at most \(operationCountMax) operations."
            throw RequestFault(
                .invalid, "too-many-operations", detail,
                errors: [
                    RequestFault.Entry(code: "too-many-operations", detail: detail, pointer: "")
                ])
        }
        var operations: [Operation] = []
        var faults: [RequestFault.Entry] = []
        for (index, element) in json.elements.enumerated() {
            let place = JSONPointer().appending(index: index)
            if let operation = Self.read(element, place, &faults) {
                operations.append(operation)
            }
        }
        if !faults.isEmpty {
            throw RequestFault(
                .malformed, "invalid-patch", faults[0].detail,
                errors: Array(faults.prefix(ObjectReader.faultCountMax)))
        }
        self.operations = operations
    }

    private static func read(
        _ json: JSONValue, _ place: JSONPointer, _ faults: inout [RequestFault.Entry]
    ) -> Operation? {
        func fault(_ detail: String, _ member: String? = nil, hint: String? = nil) {
            let pointer = member.map { place.appending($0) } ?? place
            faults.append(
                RequestFault.Entry(
                    code: "invalid-patch", detail: detail, pointer: pointer.description, hint: hint)
            )
        }
        guard json.kind == .object, json.repeatedName == nil else {
            fault("An operation of a JSON patch is an object with each member once.")
            return nil
        }
        let before = faults.count
        let kinds = Operation.Kind.allCases.map(\.rawValue)
        let name = json.member(named: "op")?.string
        let kind = name.flatMap { Operation.Kind(rawValue: $0) }
        if kind == nil {
            fault(
                "'op' is one of \(kinds.joined(separator: ", ")).", "op",
                hint: name.flatMap { NearestName.of($0, among: kinds) })
        }
        func path(_ member: String) -> (text: String, steps: [String]) {
            if let text = json.member(named: member)?.string, let pointer = JSONPointer(text) {
                return (text, pointer.steps)
            }
            fault("'\(member)' is a JSON pointer such as \"/name\" or \"/names/0\".", member)
            return ("", [])
        }
        let (pathText, steps) = path("path")
        var operation = Operation(kind: kind ?? .test, path: steps, pathText: pathText)
        switch kind {
        case .move, .copy: operation.from = path("from").steps
        case .add, .replace, .test:
            operation.value = json.member(named: "value").map { JSONNode($0) }
            if operation.value == nil { fault("'\(name ?? "")' needs a 'value'.", "value") }
        case .remove, nil: break
        }
        return faults.count == before ? operation : nil
    }

    /// Where in the patch a place of the patched object was stated last; nil when the patch did not touch
    /// it.
    package func place(of pointer: String) -> JSONPointer? {
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
