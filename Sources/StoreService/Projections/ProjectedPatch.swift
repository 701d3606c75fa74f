import Bytes
import JSON
import ObjectJSON
import ObjectModel
import ObjectStore
import Rows

/// A patch of a projected object, ready to be applied under one schema. One thread at a time uses it.
struct ProjectedPatch {
    /// Which object the request names.
    let target: ObjectTarget
    /// What changes of it and of what its paths lead to.
    let change: ProjectedChange
    /// What the reply shows.
    let selection: FieldSelection
    /// What must hold of the object.
    let precondition: Precondition
    /// What was changed when it last ran.
    private(set) var applied: [Step] = []

    /// One object that is changed.
    struct Step {
        let change: ProjectedChange
        let key: UInt64
    }

    /// The objects that are changed, found in the state before the patch.
    private struct Steps {
        var all: [Step] = []
        var faults: [RequestFault.Entry] = []
        /// Who states a property of an object.
        private var statedBy: [ObjectIdentity: [Int: JSONPointer]] = [:]

        mutating func fault(_ code: String, _ detail: String, at pointer: JSONPointer) {
            faults.append(
                RequestFault.Entry(code: code, detail: detail, pointer: pointer.description))
        }

        /// Two paths may lead to the same object, and then must not state the same of it.
        mutating func add(_ change: ProjectedChange, _ key: UInt64) {
            let identity = ObjectIdentity(classIndex: change.rowClass.index, key: key)
            var pointers = change.written
            for child in change.children where !child.isLink {
                pointers[child.member] = child.pointer
            }
            for (member, pointer) in pointers {
                if let other = statedBy[identity]?[member] {
                    fault(
                        "conflicting-properties",
                        "'\(pointer)' and '\(other)' both change "
                            + "'\(change.rowClass.definition.properties[member].name)' of the same "
                            + "'\(change.rowClass.definition.name)'; state one of them.",
                        at: pointer)
                }
                statedBy[identity, default: [:]][member] = pointer
            }
            all.append(Step(change: change, key: key))
        }
    }

    /// Applies the patch. Writer's thread.
    ///
    /// - Returns: The object, as it is at the end.
    /// - Throws: ``StoreError``; nothing may be committed then.
    mutating func apply(_ transaction: WriteTransaction) throws(StoreError) -> (
        key: UInt64, row: RowView
    ) {
        var steps = Steps()
        let (key, found) = try transaction.require(target, precondition)
        try transaction.check(precondition, target.rowClass, key: key, found)
        try collect(change, key, found, &steps, transaction)
        if let first = steps.faults.first {
            let more = steps.faults.count - 1
            throw .refused(
                RequestFault(
                    .invalid, first.code,
                    first.detail + (more > 0 ? " (\(more) more, see errors.)" : ""),
                    errors: steps.faults))
        }
        applied = steps.all
        for (position, step) in applied.enumerated() where step.change.hasStatements {
            transaction.source = position
            _ = try transaction.update(step.change.draft, key: step.key)
        }
        guard let row = try transaction.row(target.rowClass, key) else { throw .objectNotFound }
        return (key, row)
    }

    /// Finds the object of a change and those behind it.
    private func collect(
        _ change: ProjectedChange, _ key: UInt64, _ row: RowView, _ steps: inout Steps,
        _ transaction: WriteTransaction
    ) throws(StoreError) {
        if let stated = change.statedKey, let member = change.rowClass.primaryKeyIndex {
            let own = ByteBuffer(capacity: 64)
            OrderedKey.append(
                change.rowClass.field(member, in: row),
                change.rowClass.members[member].storage.element, to: own)
            if own.array != stated {
                steps.fault(
                    "key-mismatch",
                    "'\(change.rowClass.definition.properties[member].name)' names the object and never "
                        + "changes; leave it out of the patch.",
                    at: change.written[member] ?? JSONPointer())
            }
        }
        steps.add(change, key)
        try collectBehind(change, row, &steps, transaction)
    }

    /// Goes on behind an object, or an embedded one that is nil when it is made by the patch.
    private func collectBehind(
        _ change: ProjectedChange, _ row: RowView?, _ steps: inout Steps,
        _ transaction: WriteTransaction
    ) throws(StoreError) {
        for child in change.children {
            let rowClass = change.rowClass
            if !child.isLink {
                let inner = row.flatMap { rowClass.embedded(child.member, in: $0) }
                if inner == nil, !child.makesObject {
                    noObject(child, rowClass, &steps)
                } else {
                    try collectBehind(child.change, inner, &steps, transaction)
                }
                continue
            }
            let field = row.map { rowClass.field(child.member, in: $0) }
            guard let field, !field.isNull,
                let target = try transaction.row(
                    child.change.rowClass, field.load(UInt64.self))
            else {
                noObject(child, rowClass, &steps)
                continue
            }
            try collect(
                child.change, field.load(UInt64.self), target, &steps, transaction)
        }
    }

    private func noObject(
        _ child: ProjectedChange.Child, _ rowClass: RowClass, _ steps: inout Steps
    ) {
        steps.fault(
            "null-on-path",
            "'\(rowClass.definition.properties[child.member].name)' of '\(rowClass.definition.name)' is "
                + "null, so there is no object behind it to change.", at: child.pointer)
    }

    /// What the client is told when the write failed.
    func fault(_ error: StoreError, _ served: ServedStore) -> RequestFault {
        guard case .danglingLinks(let links) = error else { return served.fault(error) }
        return RequestFault(
            dangling: links.map { link in
                guard applied.indices.contains(link.source),
                    let location = applied[link.source].change.location(of: link.path)
                else { return link }
                var link = link
                link.path =
                    location.pointer.steps.map { .property($0) }
                    + link.path.dropFirst(location.stepCount)
                return link
            }
        ) { _ in JSONPointer() }
    }
}
