import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// A JSON patch (RFC 6902) compiled to edits of the objects of one class, before any of them is looked at.
///
/// It is never changed after it was read; one thread at a time applies it.
package struct JSONPatch: Sendable {
    /// One step of a patch.
    package struct Operation: Sendable {
        package var edit: ObjectEdit
        /// The path as the client wrote it.
        package var pathText: String
        /// The path in the object, which a projection has under other names.
        var objectPathText: String
    }

    package let operations: [Operation]
    /// The position of the first of these among the client's operations.
    package let firstIndex: Int

    /// Reads a patch.
    ///
    /// - `reader`: Reads its values, and knows the objects that links may name by `{"$ref": …}`. Its own faults stay unchanged.
    /// - Throws: ``RequestFault`` `.malformed` with every fault of its form, else `.invalid` with every value that does not fit
    ///   its place and every path that no object of the class has; `.invalid` for more operations than `operationCountMax`.
    package init(
        _ json: JSONValue, of rowClass: RowClass, _ names: SchemaNames, _ reader: ObjectReader,
        operationCountMax: Int
    ) throws(RequestFault) {
        var compiler = JSONPatchCompiler(rowClass, names, reader)
        self.init(try compiler.compile(Self.steps(json, countMax: operationCountMax)))
    }

    /// Makes a patch of operations of which the first is the client's at an index.
    init(_ operations: [Operation], firstIndex: Int = 0) {
        self.operations = operations
        self.firstIndex = firstIndex
    }

    /// Reads the steps of a patch as they are written.
    ///
    /// - Throws: ``RequestFault`` `.malformed` with every fault of the form; `.invalid` for too many.
    static func steps(_ json: JSONValue, countMax: Int) throws(RequestFault) -> [JSONPatchStep] {
        guard json.kind == .array else {
            throw .single(
                .malformed, "invalid-patch",
                "A JSON patch is an array of operations, such as "
                    + "[{\"op\":\"replace\",\"path\":\"/name\",\"value\":\"x\"}]; found "
                    + "\(ObjectReader.describe(json)).", pointer: "")
        }
        guard json.count <= countMax else {
            throw .single(
                .invalid, "too-many-operations",
                "A JSON patch has at most \(countMax) operations.", pointer: "")
        }
        var steps: [JSONPatchStep] = []
        var faults = FaultList()
        for (index, element) in json.elements.enumerated() {
            let position = JSONPointer().appending(index: index)
            if let step = JSONPatchStep(element, position, &faults) { steps.append(step) }
        }
        if !faults.isEmpty {
            throw .several(.malformed, "invalid-patch", faults, "The patch is refused.")
        }
        return steps
    }

    /// Finds the position in the patch that a pointer leads to; nil if no operation states a value there. The
    /// pointer begins in the patched object, or at an operation's value as an edit's draft states it.
    package func position(of pointer: String) -> JSONPointer? {
        let steps = JSONPointer(pointer)?.steps ?? []
        guard steps.count >= 2, let index = Int(steps[0]),
            operations.indices.contains(index - firstIndex)
        else { return positionOfLastStatement(of: pointer) }
        // A draft states the property, and of a collection the one element.
        let path = operations[index - firstIndex].edit.path
        let stated = path.member == nil ? 0 : path.element == nil ? 1 : 2
        return steps.dropFirst(2 + stated).reduce(
            JSONPointer().appending(index: index).appending("value")
        ) { $0.appending($1) }
    }

    /// Finds the position in the patch that stated a part of the patched object last.
    private func positionOfLastStatement(of pointer: String) -> JSONPointer? {
        for (index, operation) in operations.enumerated().reversed() {
            let step = JSONPointer().appending(index: firstIndex + index)
            var path = operation.objectPathText
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
