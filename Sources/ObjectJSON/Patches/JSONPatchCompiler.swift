import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// Compiles the steps of a JSON patch to edits of objects of one class. Reports every fault that does not
/// depend on stored objects.
struct JSONPatchCompiler {
    private let rowClass: RowClass
    private let names: SchemaNames
    private let reader: ObjectReader
    private var faults = FaultList()
    private var hasRepeatedName = false

    init(_ rowClass: RowClass, _ names: SchemaNames, _ reader: ObjectReader) {
        self.rowClass = rowClass
        self.names = names
        self.reader = reader
    }

    /// Compiles steps.
    ///
    /// - `firstIndex`: The position of the first of them among the client's steps.
    /// - Throws: ``RequestFault`` with every fault.
    mutating func compile(
        _ steps: [JSONPatchStep], firstIndex: Int = 0
    ) throws(RequestFault) -> [JSONPatch.Operation] {
        var operations: [JSONPatch.Operation] = []
        for (index, step) in zip(firstIndex..., steps) {
            do throws(PatchRefusal) {
                if let edit = try edit(step, index) {
                    operations.append(
                        JSONPatch.Operation(
                            edit: edit, pathText: step.pathText,
                            objectPathText: step.objectPathText ?? step.pathText))
                }
            } catch {
                faults.note(
                    error.code, error.detail,
                    at: JSONPointer().appending(index: index).appending(error.member))
            }
        }
        if faults.isEmpty { return operations }
        throw .object(faults, hasRepeatedName: hasRepeatedName)
    }

    /// Compiles a step; nil when its value was refused, which is noted.
    private mutating func edit(
        _ step: JSONPatchStep, _ index: Int
    ) throws(PatchRefusal) -> ObjectEdit? {
        if step.path == ["$id"], rowClass.primaryKeyIndex == nil, let value = step.value {
            let key = ScalarText.int(value).flatMap { UInt64(exactly: $0) }
            return ObjectEdit(EditPath(rowClass), .key(key, isTest: step.kind == .test))
        }
        let isCopy = step.kind == .move || step.kind == .copy
        let target = Result<EditPath, PatchRefusal> { () throws(PatchRefusal) in
            try self.path(step, "path")
        }
        if case .failure(let refusal) = target, refusal.code != "path-missing" { throw refusal }
        if step.kind == .move, step.path.count > step.from.count,
            step.path.starts(with: step.from), !step.from.isEmpty
        {
            throw PatchRefusal(
                code: "invalid-patch", detail: "A value can't be moved into itself.",
                member: "from")
        }
        // A missing source is reported before faults of the target.
        let source = isCopy ? try self.path(step, "from") : EditPath(rowClass)
        let path = try target.get()
        let action: ObjectEdit.Action
        switch step.kind {
        case .add, .replace:
            guard let value = step.value, let draft = draft(value, path, index) else { return nil }
            action = .place(draft, step.kind == .add ? .add : .replace)
        case .test: action = .test(step.value.flatMap { draft($0, path, nil) })
        case .remove:
            try requireRemovable(step.path, path, "path")
            action = .remove
        case .move, .copy:
            let isRemoved = step.kind == .move && source != path
            try requireRemovable(step.from, isRemoved ? source : nil, "from")
            action = step.kind == .copy ? .copy(from: source) : .move(from: source)
        }
        return ObjectEdit(path, action)
    }

    /// Refuses to remove a property or a required value of an object.
    ///
    /// - `path`: The end of the steps; nil if nothing is removed there.
    private func requireRemovable(
        _ steps: [String], _ path: EditPath?, _ member: String
    ) throws(PatchRefusal) {
        guard !steps.isEmpty else {
            throw PatchRefusal(
                code: "invalid-patch",
                detail:
                    "The object itself can't be removed, moved or copied by a patch; use DELETE.",
                member: member)
        }
        guard let path, path.element == nil, path.inner.isEmpty, let property = path.member else {
            return
        }
        let definition = path.rowClass.definition
        let name = definition.properties[property].name
        if steps.count == 1, property == rowClass.primaryKeyIndex {
            throw PatchRefusal(
                code: "key-mismatch",
                detail: "'\(name)' names the object and never changes; leave it out of the patch.",
                member: "value")
        }
        if path.rowClass.members[property].isRequired {
            throw PatchRefusal(
                code: "missing-property",
                detail:
                    "'\(name)' of class '\(definition.name)' is required; replace it instead of removing it.",
                member: "value")
        }
    }

    // MARK: Paths

    /// Finds where a path leads in the objects of the class.
    ///
    /// - `member`: Of the step, that holds the path.
    private func path(
        _ patchStep: JSONPatchStep, _ member: String
    ) throws(PatchRefusal) -> EditPath {
        let kind = patchStep.kind
        let isTarget = member == "path"
        let adds = isTarget && [.add, .move, .copy].contains(kind)
        func missing() -> PatchRefusal {
            PatchRefusal(
                detail:
                    "There is nothing at '\(isTarget ? patchStep.pathText : patchStep.fromText)' in the object.",
                member: member)
        }
        var path = EditPath(rowClass)
        var rest = (isTarget ? patchStep.path : patchStep.from)[...]
        while let name = rest.popFirst() {
            let rowClass = path.rowClass
            guard let index = rowClass.names.position(of: name) else {
                guard adds, rest.isEmpty else { throw missing() }
                throw PatchRefusal(
                    code: "unknown-property",
                    detail: "Class '\(rowClass.definition.name)' has no property '\(name)'.",
                    member: "value")
            }
            path.member = index
            let storage = rowClass.members[index].storage
            if storage.shape == .none {
                guard adds, rest.isEmpty else { throw missing() }
                throw PatchRefusal(
                    code: "inverse-link-read-only",
                    detail: "'\(name)' shows which objects link here; change those instead.",
                    member: "value")
            }
            guard !rest.isEmpty else { break }
            if storage.shape != .single, let step = rest.popFirst() {
                if storage.shape == .set, kind == .move || (isTarget && kind != .test),
                    !(adds && rest.isEmpty && step == "-")
                {
                    throw PatchRefusal(
                        code: "set-index",
                        detail: "'\(name)' is a set, whose elements have no positions: add with "
                            + "\"/-\", or replace the whole set.", member: member)
                }
                path.element = try element(step, storage.shape, adds && rest.isEmpty, name)
                if path.element == nil || (path.element == .end && !(adds && rest.isEmpty)) {
                    throw missing()
                }
                if rest.isEmpty { break }
            }
            switch storage.element {
            case .mixed:
                if adds, let key = rest.last { try requireKey(key, name) }
                path.inner = rest.map { Array($0.utf8) }
                return path
            case .embedded:
                path.owners.append(EditPath.Owner(member: index, element: path.element))
                path.rowClass = names.schema.classes[rowClass.members[index].classIndex]
                path.member = nil
                path.element = nil
            default: throw missing()
            }
        }
        return path
    }

    private func element(
        _ step: String, _ shape: FieldStorage.Shape, _ isNew: Bool, _ property: String
    ) throws(PatchRefusal) -> EditPath.Element? {
        if shape == .map {
            if isNew { try requireKey(step, property) }
            return .key(Array(step.utf8))
        }
        return step == "-" ? .end : Self.index(step).map { .index($0) }
    }

    private func requireKey(_ key: String, _ property: String) throws(PatchRefusal) {
        guard let fault = MapKey.fault(of: key) else { return }
        throw PatchRefusal(
            code: fault.code, detail: "In '\(property)': \(fault.detail)", member: "value")
    }

    /// Reads an index as RFC 6901 writes it: digits without leading zeros.
    private static func index(_ step: String) -> Int? {
        let digits = step.utf8
        guard let first = digits.first, digits.allSatisfy({ (48...57).contains($0) }),
            digits.count == 1 || first != 48
        else { return nil }
        return Int(step)
    }

    // MARK: Values

    /// Reads a step's value as its path takes it; nil when it does not fit.
    ///
    /// - `index`: The index of the step for its faults; nil if faults do not matter.
    private mutating func draft(
        _ json: JSONValue, _ path: EditPath, _ index: Int?
    ) -> ObjectDraft? {
        var draft: ObjectDraft?
        let found = reader.collecting(embeddingDepth: path.owners.count) { reader in
            draft = read(json, path, reader)
        }
        if found.faults.isEmpty { return draft }
        guard let index else { return nil }
        hasRepeatedName = hasRepeatedName || found.hasRepeatedName
        for fault in found.faults {
            var fault = fault
            // A property is read with its name.
            let isNamed = path.member != nil && path.element == nil && path.inner.isEmpty
            let steps = JSONPointer(fault.pointer ?? "")?.steps ?? []
            fault.pointer =
                steps.dropFirst(isNamed ? 1 : 0).reduce(
                    JSONPointer().appending(index: index).appending("value")
                ) { $0.appending($1) }.description
            faults.note(fault)
        }
        return nil
    }

    private func read(_ json: JSONValue, _ path: EditPath, _ reader: ObjectReader) -> ObjectDraft? {
        let rowClass = path.rowClass
        guard let member = path.member else {
            let reading = reader.read(json, as: rowClass, names: names, isMerge: false)
            reading?.draft.objectKey = reading?.objectKey
            return reading?.draft
        }
        if path.element == nil, path.inner.isEmpty {
            let draft = ObjectDraft(rowClass, isMerge: false)
            var name = rowClass.definition.properties[member].name
            reader.names = names
            name.withUTF8 { reader.read(json, UnsafeRawBufferPointer($0), member, into: draft) }
            return draft
        }
        return reader.readElement(json, at: path, names)
    }
}

extension ObjectReader {
    /// Runs a separate reading. Its faults are returned, and do not count among the faults found before.
    ///
    /// - `embeddingDepth`: The number of embedded objects around the value that is read.
    func collecting(
        embeddingDepth: Int, _ body: (ObjectReader) -> Void
    ) -> (faults: [RequestFault.Entry], hasRepeatedName: Bool) {
        let before = (found, hasRepeatedName, path, self.embeddingDepth)
        found = FaultList()
        hasRepeatedName = false
        path = []
        self.embeddingDepth = embeddingDepth
        body(self)
        defer { (found, hasRepeatedName, path, self.embeddingDepth) = before }
        return (faults, hasRepeatedName)
    }
}

/// Why a part of a patch can't be taken in any object of the class.
struct PatchRefusal: Error {
    var code = "path-missing"
    var detail: String
    /// The member of the step that has the fault.
    var member = "path"
    /// The nearest known name to an unknown one.
    var hint: String?
}

extension JSONWriter {
    /// Writes the result of a merge patch on a value (RFC 7396): the members of the value in their order, then new ones.
    func merge(_ patch: JSONValue, into value: JSONValue?) {
        guard patch.kind == .object else { return copy(patch) }
        let present = value?.kind == .object ? value : nil
        object { object in
            if let present {
                for member in present.members {
                    let change = patch.member(named: member.name)
                    if change?.isNull ?? false { continue }
                    _ = object.member(named: String(decoding: member.name, as: UTF8.self))
                    if let change { merge(change, into: member.value) } else { copy(member.value) }
                }
            }
            for member in patch.members
            where !member.value.isNull && present?.member(named: member.name) == nil {
                _ = object.member(named: String(decoding: member.name, as: UTF8.self))
                merge(member.value, into: nil)
            }
        }
    }
}
