import Bytes
import JSON
import ObjectStore
import Rows

/// Applies the steps of a JSON patch to the elements of one collection outside its row. The writer's thread
/// uses it, while the transaction's body runs.
final class ElementPatcher {
    let editor: CollectionEditor
    private let rowClass: RowClass
    private let member: Int
    private let names: SchemaNames
    private let scratch: RequestScratch
    private let view: ReadTransaction
    private let depthMax: Int
    private let text = ByteBuffer(capacity: 256)
    private let elements = ByteBuffer(capacity: 256)

    init(
        _ editor: CollectionEditor, _ rowClass: RowClass, _ member: Int, _ names: SchemaNames,
        _ scratch: RequestScratch, _ view: ReadTransaction, depthMax: Int
    ) {
        self.editor = editor
        self.rowClass = rowClass
        self.member = member
        self.names = names
        self.scratch = scratch
        self.view = view
        self.depthMax = depthMax
    }

    private var storage: FieldStorage { rowClass.members[member].storage }
    private var name: String { rowClass.definition.properties[member].name }

    /// Where a step leads.
    private enum Place {
        /// To the element that is there.
        case element(Int)
        /// To where one can be put, by a list's index or a map's key.
        case gap(Int)
        /// To a set's new element.
        case anywhere
    }

    /// Applies a step.
    ///
    /// - Throws: ``WriteFailure``: a ``Problem`` 409 for a `test` that fails, 422 for a path that is not there
    ///   or a value that does not fit, with the step's pointer.
    func apply(_ operation: JSONPatch.Operation, _ step: ElementSteps.Step) throws(WriteFailure) {
        let place = try place(operation, step)
        if !step.rest.isEmpty {
            guard case .element(let index) = place else { throw missing(operation, step) }
            return try applyInside(index, operation, step)
        }
        switch (operation.kind, place) {
        case (.add, .gap(let index)), (.add, .element(let index)):
            let added = try read(operation.value, step)
            if storage.shape == .list {
                editor.insert(added, at: index)
            } else {
                try store { () throws(StoreError) in try editor.add(added) }
            }
        case (.add, .anywhere):
            let added = try read(operation.value, step)
            try store { () throws(StoreError) in try editor.add(added) }
        case (.replace, .element(let index)):
            let changed = try read(operation.value, step)
            try store { () throws(StoreError) in
                try editor.replace(at: index, by: LeafSlice(changed, 0..<changed.count))
            }
        case (.remove, .element(let index)):
            try store { () throws(StoreError) in try editor.remove(at: index) }
        case (.test, .element(let index)):
            let found = try node(index, step)
            guard let value = operation.value, found.isEqual(value) else {
                throw problem(
                    409, "test-failed",
                    "The value at '\(operation.pathText)' is not the one that is tested for.",
                    "/\(step.index)/value")
            }
        default: throw missing(operation, step)
        }
    }

    private func place(_ operation: JSONPatch.Operation, _ step: ElementSteps.Step)
        throws(WriteFailure) -> Place
    {
        switch storage.shape {
        case .map:
            let key = Array(step.place.utf8)
            let found = key.withUnsafeBytes { editor.find(key: $0) }
            guard let found else { throw missing(operation, step) }
            return found.isThere ? .element(found.index) : .gap(found.index)
        case .set where operation.kind != .test:
            if operation.kind == .add, step.place == "-" { return .anywhere }
            throw problem(
                422, "set-index",
                "'\(name)' is a set, whose elements have no positions: add with \"/-\", or replace "
                    + "the whole set.", "/\(step.index)/path")
        default:
            if step.place == "-" { return .gap(editor.count) }
            guard let index = JSONPatch.index(step.place), index <= editor.count else {
                throw missing(operation, step)
            }
            return index < editor.count ? .element(index) : .gap(index)
        }
    }

    /// Applies a step that leads into an embedded object.
    private func applyInside(
        _ index: Int, _ operation: JSONPatch.Operation, _ step: ElementSteps.Step
    ) throws(WriteFailure) {
        let root = try node(index, step)
        var inner = operation
        inner.path = step.rest
        let patch = JSONPatch(operations: [inner])
        do throws(Problem) {
            try patch.apply(
                to: root, names.schema.classes[rowClass.members[member].classIndex], names.schema,
                depthMax: depthMax)
        } catch {
            var problem = error
            for position in problem.errors.indices {
                problem.errors[position].pointer = problem.errors[position].pointer.map {
                    "/\(step.index)" + $0.dropFirst(2)
                }
            }
            throw .problem(problem)
        }
        if operation.kind == .test { return }
        let changed = try read(root, step)
        try store { () throws(StoreError) in
            try editor.replace(at: index, by: LeafSlice(changed, 0..<changed.count))
        }
    }

    // MARK: Values

    /// The element at an index as JSON.
    private func node(_ index: Int, _ step: ElementSteps.Step) throws(WriteFailure) -> JSONNode {
        guard let (part, place) = editor.element(index) else {
            throw problem(
                422, "path-missing", "There is no element \(index).", "/\(step.index)/path")
        }
        text.removeAll()
        var writer = ObjectWriter(text, names: names, read: view, epoch: view.epoch)
        writer.writeElement(
            place, of: part.values, FieldSelection(only: member, of: rowClass, named: "value"))
        try store { () throws(StoreError) in try view.checkFailure() }
        return JSONNode(try parse(text))
    }

    /// Reads a value as a collection of one element, or of the step's entry.
    private func read(_ value: JSONNode?, _ step: ElementSteps.Step) throws(WriteFailure)
        -> LeafView
    {
        let node = value ?? JSONNode(.plain(Array("null".utf8)))
        let compiled = rowClass.members[member]
        let draft: ObjectDraft?
        if storage.shape == .map, node.isNull, compiled.isOptional {
            let entry = ObjectDraft(rowClass, isMerge: false)
            let key = Array(step.place.utf8)
            key.withUnsafeBytes { entry.addEntry($0, .null) }
            entry.setEntries(member, from: 0)
            draft = entry
        } else {
            let content: JSONNode.Content =
                storage.shape == .map
                ? .object(JSONMembers([(Array(step.place.utf8), node)])) : .array([node])
            let whole = JSONNode(
                .object(JSONMembers([(Array(name.utf8), JSONNode(content))])))
            text.removeAll()
            whole.write(to: JSONWriter(text))
            let json = try parse(text)
            draft = scratch.reader.readChange(json, of: rowClass, names: names)
        }
        guard let draft else { throw fault(step) }
        return try store { () throws(StoreError) in try editor.encode(draft, elements) }
    }

    /// The reader's faults, with the places that they have in the patch.
    private func fault(_ step: ElementSteps.Step) -> WriteFailure {
        var problem = scratch.reader.problem()
        for position in problem.errors.indices {
            let steps = problem.errors[position].pointer.flatMap { JSONPointer($0) }?.steps ?? []
            var pointer = JSONPointer().appending(index: step.index).appending("value")
            // Behind the property and the element stands what the client wrote.
            for name in steps.dropFirst(2) { pointer = pointer.appending(name) }
            problem.errors[position].pointer = pointer.description
        }
        return .problem(problem)
    }

    private func parse(_ buffer: ByteBuffer) throws(WriteFailure) -> JSONValue {
        do throws(JSONError) {
            return try scratch.parser.parse(buffer.bytes, depthMax: depthMax)
        } catch {
            throw .problem(Problem(error, in: buffer.bytes))
        }
    }

    // MARK: Failures

    private func store<Result>(_ body: () throws(StoreError) -> Result) throws(WriteFailure)
        -> Result
    {
        do throws(StoreError) { return try body() } catch { throw .store(error) }
    }

    private func missing(_ operation: JSONPatch.Operation, _ step: ElementSteps.Step)
        -> WriteFailure
    {
        problem(
            422, "path-missing", "There is nothing at '\(operation.pathText)' in the object.",
            "/\(step.index)/path")
    }

    private func problem(_ status: UInt16, _ code: String, _ detail: String, _ pointer: String)
        -> WriteFailure
    {
        .problem(
            Problem(
                status, code, detail,
                errors: [Problem.Fault(code: code, detail: detail, pointer: pointer)]))
    }
}

extension JSONNode {
    /// Whether it is null.
    fileprivate var isNull: Bool {
        if case .plain(let text) = content { return text.elementsEqual("null".utf8) }
        return false
    }
}
