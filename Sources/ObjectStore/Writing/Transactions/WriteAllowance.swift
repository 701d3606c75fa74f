import HoldfastRows

/// The maximum work of a transaction, and the work that it has done.
struct WriteAllowance {
    /// The most writes and deletions that the transaction may contain.
    private var operationCountMax: Int
    /// The most bytes that the transaction may change, and read for changes.
    private var byteCountMax: Int
    /// The bytes that the group's changes took when the transaction began.
    private var byteCountBefore = 0
    /// The number of writes and deletions so far.
    var operationCount = 0
    /// The bytes that were read for changes.
    private var readByteCount = 0

    /// Makes the allowance of transactions of a store.
    init(_ options: StoreOptions) {
        operationCountMax = options.operationCountMax
        byteCountMax = options.transactionByteCountMax
    }

    /// Counts from nothing.
    ///
    /// - `byteCount`: The bytes that the group's changes take.
    mutating func begin(byteCount: Int) {
        byteCountBefore = byteCount
        operationCount = 0
        readByteCount = 0
    }

    /// Allows any number of operations and bytes, because the caller bounds them.
    mutating func lift() {
        operationCountMax = .max
        byteCountMax = .max
    }

    /// Counts a write or deletion.
    ///
    /// - Throws: ``StoreError`` `.tooManyOperations`.
    mutating func countOperation() throws(StoreError) {
        operationCount += 1
        if operationCount > operationCountMax { throw .tooManyOperations(limit: operationCountMax) }
    }

    /// Counts bytes that were read for a change.
    mutating func countReading(_ byteCount: Int) { readByteCount += byteCount }

    /// Refuses a transaction with too many bytes of changes, which wait in memory.
    ///
    /// - `byteCount`: The bytes that the group's changes take by now.
    /// - Throws: ``StoreError`` `.transactionTooLarge`.
    func requireRoom(_ byteCount: Int) throws(StoreError) {
        if byteCount - byteCountBefore + readByteCount > byteCountMax {
            throw .transactionTooLarge(byteCountMax: byteCountMax)
        }
    }
}

/// The state of an object that a write requires.
package enum Precondition: Sendable, Equatable {
    case none
    /// The object exists and its version is one of these; `If-Match` with ETags.
    case matches([StoreVersion])
    /// The object exists; `If-Match: *`.
    case exists
    /// The object does not exist; `If-None-Match: *`.
    case absent

    /// Whether it holds of an object that has a version; nil for one that is not there.
    package func holds(of version: StoreVersion?) -> Bool {
        switch self {
        case .none: true
        case .matches(let versions): version.map { versions.contains($0) } ?? false
        case .exists: version != nil
        case .absent: version == nil
        }
    }

    /// Whether a client that names these versions knows the state that a view shows, from one of them.
    ///
    /// The visible state of a version depends on the rules and on other objects, and differs between users; `*` is any state.
    package func knows(_ version: StoreVersion, in read: ReadTransaction) -> Bool {
        switch self {
        case .none, .absent: false
        case .exists: true
        case .matches: !read.showsPart && holds(of: version)
        }
    }
}

/// The way in which a row replaces another one, see ``WriteTransaction/replace(_:_:_:by:path:_:)``.
struct RowReplacement {
    /// Whether the transaction's writer makes the change; false if it follows from another change.
    var isAct = true
    /// Whether the inverse links follow; false if the caller changes them.
    var changesLinks = true
    /// Whether a migration under way takes the object; false if the caller passes it on.
    var entersMigration = true
    /// The properties that are known to differ: a tree that one transaction changes again has the same reference.
    var changed = MemberSet()
    /// The known edits of lists, by member.
    var lists: [Int: ListEdits] = [:]

    /// The edits of the changed lists, except the lists that were replaced.
    func listChanges(
        _ rowClass: RowClass, _ changed: MemberSet, from old: RowView, to new: RowView
    ) -> [ListChange] {
        var changes: [ListChange] = []
        for member in rowClass.listMembers where changed.contains(member) {
            var edits = lists[member] ?? ListEdits()
            if edits.isReplaced || edits.splices.isEmpty {
                let (before, after) = (
                    rowClass.field(member, in: old), rowClass.field(member, in: new)
                )
                if before.isOutOfLine || after.isOutOfLine { continue }
                let element = rowClass.members[member].storage.element
                edits = ListEdits(
                    from: CollectionView(before.heap, element: element),
                    to: CollectionView(after.heap, element: element))
            }
            if edits.isReplaced { continue }
            changes.append(ListChange(property: rowClass.members[member].number, edits: edits))
        }
        return changes
    }
}
