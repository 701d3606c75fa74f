import Bytes
import JSON
import ObjectJSON
import ObjectStore
import Rows

/// Applies the steps of a JSON patch to the elements of one collection. The writer's thread uses it, while the
/// transaction's body runs.
final class ElementPatcher {
    private unowned let patchers: ElementPatchers
    private let member: Int
    private let view: ReadTransaction
    private let text = ByteBuffer(capacity: 256)
    private let elements = ByteBuffer(capacity: 256)

    init(_ patchers: ElementPatchers, _ member: Int) {
        self.patchers = patchers
        self.member = member
        view = patchers.transaction.view()
    }

    private var rowClass: RowClass { patchers.rowClass }
    private var names: SchemaNames { patchers.names }
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
    /// - Throws: ``WriteFailure``: a ``RequestFault`` `.conflict` for a `test` that fails, `.invalid` for a path that is not there
    ///   or a value that does not fit, with the step's pointer.
    func apply(_ operation: JSONPatch.Operation, _ step: ElementSteps.Step) throws(WriteFailure) {
        if !step.rest.isEmpty { return try applyInside(operation, step) }
        let needsValue = operation.kind == .add || operation.kind == .replace
        // Reading it may change the collection, so its place is looked for afterwards.
        let value = needsValue ? try read(operation.value, step) : nil
        let editor = try patchers.editor(member)
        switch (operation.kind, try place(operation, step, editor), value) {
        case (.add, .gap(let index), let value?): editor.insert(value, at: index)
        case (.add, .element(let index), let value?):
            if storage.shape == .list {
                editor.insert(value, at: index)
            } else {
                try replace(index, by: value, editor)
            }
        case (.add, .anywhere, let value?):
            guard let found = editor.find(value, 0) else { throw missing(operation, step) }
            if !found.isThere { editor.insert(value, at: found.index) }
        case (.replace, .element(let index), let value?): try replace(index, by: value, editor)
        case (.remove, .element(let index), _):
            try WriteFailure.storing { () throws(StoreError) in try editor.remove(at: index) }
        case (.test, .element(let index), _):
            let found = try node(index, editor, step)
            guard let value = operation.value, found.isEqual(value) else {
                throw problem(
                    .conflict, "test-failed",
                    "The value at '\(operation.pathText)' is not the one that is tested for.",
                    "/\(step.index)/value")
            }
        default: throw missing(operation, step)
        }
    }

    private func replace(_ index: Int, by value: LeafView, _ editor: any ElementEditor)
        throws(WriteFailure)
    {
        try WriteFailure.storing { () throws(StoreError) in
            try editor.replace(at: index, by: LeafSlice(value, 0..<value.count))
        }
    }

    private func place(
        _ operation: JSONPatch.Operation, _ step: ElementSteps.Step, _ editor: any ElementEditor
    ) throws(WriteFailure) -> Place {
        switch storage.shape {
        case .map:
            let key = Array(step.place.utf8)
            let found = key.withUnsafeBytes { editor.find(key: $0) }
            guard let found else { throw missing(operation, step) }
            return found.isThere ? .element(found.index) : .gap(found.index)
        case .set where operation.kind != .test:
            if operation.kind == .add, step.place == "-" { return .anywhere }
            throw problem(
                .invalid, "set-index",
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
    private func applyInside(_ operation: JSONPatch.Operation, _ step: ElementSteps.Step)
        throws(WriteFailure)
    {
        let root = try node(try element(operation, step), try patchers.editor(member), step)
        var inner = operation
        inner.path = step.rest
        let patch = JSONPatch(operations: [inner])
        do throws(RequestFault) {
            try patch.apply(
                to: root, names.schema.classes[rowClass.members[member].classIndex], names.schema,
                depthMax: patchers.depthMax)
        } catch {
            var problem = error
            for position in problem.errors.indices {
                problem.errors[position].pointer = problem.errors[position].pointer.map {
                    "/\(step.index)" + $0.dropFirst(2)
                }
            }
            throw .request(problem)
        }
        if operation.kind == .test { return }
        let changed = try read(root, step)
        // Reading it may have changed the collection.
        try replace(try element(operation, step), by: changed, try patchers.editor(member))
    }

    /// Where the element of a step stands.
    private func element(_ operation: JSONPatch.Operation, _ step: ElementSteps.Step)
        throws(WriteFailure) -> Int
    {
        guard case .element(let index) = try place(operation, step, try patchers.editor(member))
        else { throw missing(operation, step) }
        return index
    }

    // MARK: Values

    /// The element at an index as JSON.
    private func node(_ index: Int, _ editor: any ElementEditor, _ step: ElementSteps.Step)
        throws(WriteFailure) -> JSONNode
    {
        guard let (part, place) = editor.element(index) else {
            throw problem(
                .invalid, "path-missing", "There is no element \(index).", "/\(step.index)/path")
        }
        text.removeAll()
        var writer = ObjectWriter(text, names: names, read: view, epoch: view.epoch)
        writer.writeElement(
            place, of: part.values, FieldSelection(only: member, of: rowClass, named: "value"))
        try WriteFailure.storing { () throws(StoreError) in try view.checkFailure() }
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
            draft = patchers.scratch.reader.readChange(json, of: rowClass, names: names)
        }
        guard let draft else { throw fault(step) }
        // An object that it nests may be this one, or link to it and take elements along.
        if draft.writesObjects { try patchers.finish() }
        return try WriteFailure.storing { () throws(StoreError) in
            try patchers.transaction.encode(draft, member, patchers.key, elements)
        }
    }

    /// The reader's faults, with the places that they have in the patch.
    private func fault(_ step: ElementSteps.Step) -> WriteFailure {
        var problem = patchers.scratch.reader.problem()
        for position in problem.errors.indices {
            let steps = problem.errors[position].pointer.flatMap { JSONPointer($0) }?.steps ?? []
            var pointer = JSONPointer().appending(index: step.index).appending("value")
            // Behind the property and the element stands what the client wrote.
            for name in steps.dropFirst(2) { pointer = pointer.appending(name) }
            problem.errors[position].pointer = pointer.description
        }
        return .request(problem)
    }

    private func parse(_ buffer: ByteBuffer) throws(WriteFailure) -> JSONValue {
        do throws(JSONError) {
            return try patchers.scratch.parser.parse(buffer.bytes, depthMax: patchers.depthMax)
        } catch {
            throw .request(RequestFault(error, in: buffer.bytes))
        }
    }

    // MARK: Failures

    private func missing(_ operation: JSONPatch.Operation, _ step: ElementSteps.Step)
        -> WriteFailure
    {
        problem(
            .invalid, "path-missing", "There is nothing at '\(operation.pathText)' in the object.",
            "/\(step.index)/path")
    }

    private func problem(
        _ kind: RequestFault.Kind, _ code: String, _ detail: String, _ pointer: String
    )
        -> WriteFailure
    {
        .request(
            RequestFault(
                kind, code, detail,
                errors: [RequestFault.Entry(code: code, detail: detail, pointer: pointer)]))
    }
}

extension JSONNode {
    /// Whether it is null.
    fileprivate var isNull: Bool {
        if case .plain(let text) = content { return text.elementsEqual("null".utf8) }
        return false
    }
}
