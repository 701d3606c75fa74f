import HoldfastObjectJSON
import HoldfastRows

extension DocumentPatch {
    /// Changes a document, which is left half-changed when a step fails.
    ///
    /// - `rowClass`, `schema`: Of the object that the document shows, for what sets can't do.
    /// - Throws: ``RequestFault`` `.conflict` for a `test` that fails, `.invalid` for a path that is not there, with the
    ///   pointer of the step.
    func apply(
        to root: DocumentNode, _ rowClass: RowClass, _ schema: RowSchema
    ) throws(RequestFault) {
        for (index, operation) in operations.enumerated() {
            do throws(Fault) {
                try requireNoSetIndex(operation, rowClass, schema)
                try apply(operation, to: root)
            } catch {
                let pointer = "/\(index)/\(error.member)"
                throw RequestFault(
                    error.kind, error.code, error.detail,
                    errors: [
                        RequestFault.Entry(code: error.code, detail: error.detail, pointer: pointer)
                    ])
            }
        }
    }

    /// Why a step failed.
    private struct Fault: Error {
        var kind = RequestFault.Kind.invalid
        var code = "path-missing"
        var detail: String
        var member = "path"
    }

    private func apply(_ operation: Operation, to root: DocumentNode)
        throws(Fault)
    {
        switch operation.kind {
        case .add: try add(operation.value?.copy(), at: operation.path, in: root)
        case .replace:
            let replaced = try value(at: operation.path, in: root, "path")
            guard let value = operation.value?.copy() else { return }
            replaced.content = value.content
        case .remove: _ = try remove(operation.path, in: root, "path")
        case .move:
            if operation.path.count > operation.from.count,
                operation.path.prefix(operation.from.count).elementsEqual(operation.from)
            {
                throw Fault(
                    code: "invalid-patch", detail: "A value can't be moved into itself.",
                    member: "from")
            }
            let moved = try remove(operation.from, in: root, "from")
            try add(moved, at: operation.path, in: root)
        case .copy:
            let original = try value(at: operation.from, in: root, "from")
            try add(original.copy(), at: operation.path, in: root)
        case .test:
            let found = try value(at: operation.path, in: root, "path")
            guard let value = operation.value, found.isEqual(value) else {
                throw Fault(
                    kind: .conflict, code: "test-failed",
                    detail:
                        "The value at '\(operation.pathText)' is not the expected one.",
                    member: "value")
            }
        }
    }

    private func missing(_ path: some Sequence<String>, _ member: String) -> Fault {
        let text = path.map { "/" + $0 }.joined()
        return Fault(
            detail: "There is nothing at '\(text)' in the object.", member: member)
    }

    /// The value at a path.
    private func value(at path: some Sequence<String>, in root: DocumentNode, _ member: String)
        throws(Fault) -> DocumentNode
    {
        var node = root
        for step in path {
            switch node.content {
            case .object(let members):
                guard let found = members[Array(step.utf8)] else { throw missing(path, member) }
                node = found
            case .array(let elements):
                guard let index = Self.index(step), index < elements.count else {
                    throw missing(path, member)
                }
                node = elements[index]
            case .plain, .string: throw missing(path, member)
            }
        }
        return node
    }

    private func add(
        _ value: DocumentNode?, at path: [String], in root: DocumentNode
    ) throws(Fault) {
        guard let value else { return }
        guard let last = path.last else {
            root.content = value.content
            return
        }
        let parent = try self.value(at: path.dropLast(), in: root, "path")
        switch parent.content {
        case .object(let members): members.set(Array(last.utf8), value)
        case .array(var elements):
            guard let index = last == "-" ? elements.count : Self.index(last),
                index <= elements.count
            else { throw missing(path, "path") }
            // The array is taken out first, so that it is changed in place.
            parent.content = .plain([])
            elements.insert(value, at: index)
            parent.content = .array(elements)
        case .plain, .string: throw missing(path, "path")
        }
    }

    private func remove(
        _ path: [String], in root: DocumentNode, _ member: String
    ) throws(Fault) -> DocumentNode {
        guard let last = path.last else {
            throw Fault(
                code: "invalid-patch",
                detail: "The object itself can't be removed or moved by a patch; use DELETE.",
                member: member)
        }
        let removed = try value(at: path, in: root, member)
        let parent = try value(at: path.dropLast(), in: root, member)
        switch parent.content {
        case .object(let members): members.remove(Array(last.utf8))
        case .array(var elements):
            if let index = Self.index(last) {
                parent.content = .plain([])
                elements.remove(at: index)
            }
            parent.content = .array(elements)
        case .plain, .string: throw missing(path, member)
        }
        return removed
    }

    /// An index as RFC 6901 writes it: digits without leading zeros.
    static func index(_ step: String) -> Int? {
        let digits = step.utf8
        guard let first = digits.first, digits.allSatisfy({ (48...57).contains($0) }),
            digits.count == 1 || first != 48
        else { return nil }
        return Int(step)
    }

    // MARK: Sets

    /// Refuses what names an element of a set by its position: sets have an order only in replies.
    private func requireNoSetIndex(
        _ operation: Operation, _ rowClass: RowClass, _ schema: RowSchema
    ) throws(Fault) {
        if operation.kind != .test, let property = set(at: operation.path, rowClass, schema),
            !(operation.path.last == "-"
                && [Operation.Kind.add, .copy, .move].contains(operation.kind))
        {
            throw refused(property, "path")
        }
        if operation.kind == .move, let property = set(at: operation.from, rowClass, schema) {
            throw refused(property, "from")
        }
    }

    private func refused(_ property: String, _ member: String) -> Fault {
        Fault(
            code: "set-index",
            detail: "'\(property)' is a set, whose elements have no positions: add with \"/-\", or "
                + "replace the whole set.", member: member)
    }

    /// The set that a path leads into.
    private func set(at path: [String], _ rowClass: RowClass, _ schema: RowSchema) -> String? {
        var rowClass = rowClass
        var rest = path[...]
        while let name = rest.popFirst() {
            guard
                let member = rowClass.definition.properties.firstIndex(where: { $0.name == name })
            else { return nil }
            let compiled = rowClass.members[member]
            switch (compiled.storage.shape, compiled.storage.element) {
            case (.set, _): return rest.isEmpty ? nil : name
            case (.single, .embedded): rowClass = schema.classes[compiled.classIndex]
            case (.list, .embedded), (.map, .embedded):
                guard rest.popFirst() != nil else { return nil }
                rowClass = schema.classes[compiled.classIndex]
            default: return nil
            }
        }
        return nil
    }
}
