import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

/// The objects that a merge patch in projected names changes, found in the state before it.
struct ProjectedChangeSteps {
    /// One object that is changed.
    struct Step {
        let change: ProjectedChange
        let key: UInt64
    }

    private(set) var all: [Step] = []
    /// For a whole object, the objects with a property that two paths state. Such a property may only be stated with
    /// its present value.
    private var conflicts: [ObjectIdentity: RequestFault.Entry] = [:]
    private let transaction: WriteTransaction
    private var faults = FaultList()
    /// The operation that states a property of an object.
    private var statedBy: [ObjectIdentity: [Int: JSONPointer]] = [:]

    /// Finds the object of a change and the objects behind it.
    ///
    /// - Throws: ``StoreError`` with every fault.
    init(
        _ change: ProjectedChange, _ key: UInt64, _ row: RowView, _ transaction: WriteTransaction
    ) throws(StoreError) {
        self.transaction = transaction
        try collect(change, key, row)
        try requireNoFault()
    }

    private init(_ transaction: WriteTransaction) { self.transaction = transaction }

    /// Requires that the body of a new object states no property behind its links, which are null.
    ///
    /// - Throws: ``StoreError`` with every fault.
    static func requireNothingBehind(
        _ change: ProjectedChange, _ transaction: WriteTransaction
    ) throws(StoreError) {
        var steps = ProjectedChangeSteps(transaction)
        try steps.collectBehind(change, nil)
        try steps.requireNoFault()
    }

    private func requireNoFault() throws(StoreError) {
        guard let first = faults.entries.first else { return }
        throw .refused(RequestFault.several(.invalid, first.code, faults, first.detail))
    }

    /// Refuses a step that has changed an object with a property that two paths state.
    func requireNoConflict(_ written: WriteResult) throws(StoreError) {
        let identity = ObjectIdentity(classIndex: written.classIndex, key: written.key)
        guard written.isChanged, let fault = conflicts[identity] else { return }
        throw .refused(
            RequestFault(.invalid, fault.code, fault.detail, errors: [fault]) as RequestFault)
    }

    /// Two paths may lead to the same object, and then must not state the same of it.
    private mutating func add(_ change: ProjectedChange, _ key: UInt64) {
        let identity = ObjectIdentity(classIndex: change.rowClass.index, key: key)
        var pointers = change.written
        for child in change.children where !child.isLink { pointers[child.member] = child.pointer }
        for (member, pointer) in pointers {
            if let other = statedBy[identity]?[member] {
                let fault = RequestFault.Entry(
                    code: "conflicting-properties",
                    detail: "'\(pointer)' and '\(other)' both change "
                        + "'\(change.rowClass.definition.properties[member].name)' of the same "
                        + "'\(change.rowClass.definition.name)'; state one of them.",
                    pointer: pointer.description)
                if change.isWhole { conflicts[identity] = fault } else { faults.note(fault) }
            }
            statedBy[identity, default: [:]][member] = pointer
        }
        all.append(Step(change: change, key: key))
    }

    private mutating func collect(
        _ change: ProjectedChange, _ key: UInt64, _ row: RowView
    ) throws(StoreError) {
        if let stated = change.statedKey, let member = change.rowClass.primaryKeyIndex {
            let own = ByteBuffer(capacity: 64)
            OrderedKey.append(
                change.rowClass.field(member, in: row),
                change.rowClass.members[member].storage.element, to: own)
            if own.array != stated {
                faults.note(
                    "key-mismatch",
                    "'\(change.rowClass.definition.properties[member].name)' names the object and never "
                        + "changes; leave it out of the patch.",
                    at: change.written[member] ?? JSONPointer())
            }
        }
        add(change, key)
        try collectBehind(change, row)
    }

    /// Goes on behind an object, or an embedded one that is nil when it is made by the patch.
    private mutating func collectBehind(
        _ change: ProjectedChange, _ row: RowView?
    ) throws(StoreError) {
        for child in change.children {
            let rowClass = change.rowClass
            if !child.isLink {
                let inner = row.flatMap { rowClass.embedded(child.member, in: $0) }
                change.settle(child, isThere: inner != nil)
                if inner == nil, !child.makesObject {
                    if child.isDemanded { noObject(child, rowClass) }
                } else {
                    try collectBehind(child.change, inner)
                }
                continue
            }
            let field = row.map { rowClass.field(child.member, in: $0) }
            guard let field, !field.isNull,
                let target = try transaction.row(child.change.rowClass, field.load(UInt64.self))
            else {
                if child.isDemanded { noObject(child, rowClass) }
                continue
            }
            try collect(child.change, field.load(UInt64.self), target)
        }
    }

    private mutating func noObject(_ child: ProjectedChange.Child, _ rowClass: RowClass) {
        faults.note(
            "null-on-path",
            "'\(rowClass.definition.properties[child.member].name)' of '\(rowClass.definition.name)' is "
                + "null, so there is no object behind it to change.", at: child.pointer)
    }
}
