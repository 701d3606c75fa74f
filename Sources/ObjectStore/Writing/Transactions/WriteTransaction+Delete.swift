import HoldfastRows

extension WriteTransaction {
    /// Deletes an object, the embedded objects it owns, and every link to it. The deletion rule of a link's property decides
    /// about the object that contains the link.
    ///
    /// - `source`: The operation that states it, by which errors name it.
    /// - Throws: ``StoreError`` `.objectNotFound`, a failed precondition, too many operations, or failing storage.
    package func delete(
        _ rowClass: RowClass, key: UInt64, precondition: Precondition = .none, source: Int = 0
    ) throws(StoreError) {
        try beginChange(of: rowClass, key, precondition)
        judge?.deleted(ObjectIdentity(classIndex: rowClass.index, key: key), source: source)

        // A list instead of recursion, so that a chain of any length can be walked.
        var deletion = Deletion(source: source)
        deletion.waiting = [ObjectIdentity(classIndex: rowClass.index, key: key)]
        var isFirst = true
        while let target = deletion.waiting.popLast() {
            let targetClass = rows.classes[target.classIndex]
            guard let stored = try storedRow(targetClass, target.key) else { continue }
            // Errors about a limit of operations do not reveal objects that the writer does not see. The limit of bytes holds for
            // the writer as well.
            if !isFirst { try judge?.sees(target) ?? true ? countOperation() : requireRoom() }
            isFirst = false
            try release(target, stored, &deletion)
            try inverseLinks.removeAll(to: targetClass, target.key)
            try remove(targetClass, target.key, stored)
        }
    }

    /// Counts an operation on an object, which has to be there and to meet the precondition.
    func beginChange(of rowClass: RowClass, _ key: UInt64, _ precondition: Precondition)
        throws(StoreError)
    {
        try countOperation()
        try requirePresent(rowClass)
        let stored = try row(rowClass, key)
        try check(precondition, rowClass, key: key, stored)
        guard stored != nil else { throw .objectNotFound }
    }

    /// A deletion under way, with the objects that go with the one that is deleted.
    private struct Deletion {
        let source: Int
        /// The objects that are still to go.
        var waiting: [ObjectIdentity] = []
        /// All that ever waited.
        var doomed: Set<ObjectIdentity> = []
    }

    /// Applies the deletion rules of the properties that link to a deleted object.
    private func release(
        _ target: ObjectIdentity, _ stored: RowView, _ deletion: inout Deletion
    ) throws(StoreError) {
        let targetClass = rows.classes[target.classIndex]
        // Nothing links to an asymmetric class.
        guard !targetClass.isAsymmetric else { return }
        let links = try inverseLinks.incoming(of: targetClass, target.key)
            .filter { $0.origin != target }
        guard !links.isEmpty else { return }
        for link in links where link.onDelete == .cascade && link.isOwn {
            if deletion.doomed.insert(link.origin).inserted { deletion.waiting.append(link.origin) }
        }
        var held = DeniedTargets.Target(
            source: deletion.source, object: target, text: "", holders: [])
        // Whether embedded objects go, for each object that stays without its links.
        var unlinked: [ObjectIdentity: Bool] = [:]
        for link in links where !deletion.doomed.contains(link.origin) {
            if link.onDelete == .deny {
                held.holders.append((link.origin, link.property))
            } else {
                unlinked[link.origin, default: false] =
                    unlinked[link.origin, default: false] || link.onDelete == .cascade
            }
        }
        for link in links {
            guard let isCut = unlinked.removeValue(forKey: link.origin) else { continue }
            try unlink(
                link.origin, from: target, isCut: isCut, WriteOrigin(source: deletion.source))
        }
        guard !held.holders.isEmpty else { return }
        held.text = targetClass.objectText(target.key, stored)
        heldTargets.add(held)
    }

    private func remove(_ rowClass: RowClass, _ key: UInt64, _ stored: RowView) throws(StoreError) {
        let change = RowChange(rowClass: rowClass, key: key, old: stored, new: nil)
        index(change, WriteOrigin(source: 0))
        inverseLinks.change(change)
        try leaveMigration(rowClass, key, stored)

        let former = formerValues(rowClass, key, stored)
        var primaryKey: [UInt8] = []
        if let member = rowClass.primaryKeyIndex {
            let field = rowClass.field(member, in: stored)
            let storage = rowClass.members[member].storage
            primaryKey = Array(rowBuffer.making { field.appendTagged(storage, to: $0) })
            overlay.remove(
                keyBuffer.making { StoreKey.appendPrimaryKey(of: stored, rowClass, member, to: $0) }
            )
        }
        overlay.remove(keyBuffer.making { StoreKey.appendRow(rowClass, key, to: $0) })
        // Its staged row may have out-of-line values although its row does not.
        let leavesOverflow = group.migration?.leavesOverflow(rowClass, key) ?? false
        if stored.holdsOverflow || leavesOverflow {
            try group.freeAllOverflow(rowClass, key)
            try overflow.requireReadable()
        }
        try counters.change(rowClass) { $0.count -= min($0.count, 1) }
        recorder.deleted(rowClass, key, primaryKey: primaryKey, former: former)
    }

    /// Rewrites an object without its links to a deleted one. The inverse links of that one stay.
    ///
    /// - `isCut`: Whether embedded objects go with it, which may have held more than links to it.
    private func unlink(
        _ object: ObjectIdentity, from target: ObjectIdentity, isCut: Bool, _ origin: WriteOrigin
    ) throws(StoreError) {
        let rowClass = rows.classes[object.classIndex]
        // An object may be held by any number of others, each of which is rewritten.
        try requireRoom()
        guard let stored = try storedRow(rowClass, object.key) else { return }
        let before = isCut ? inverseLinks.count(rowClass, stored) : []
        // The row that is staged shares the trees, which are about to change.
        if stored.holdsOverflow { try leaveMigration(rowClass, object.key, stored) }
        prepareRow(rowClass, object.key)
        let bytes = rowBuffer.making {
            rowBuilder.append(
                stored, rowClass, withoutLinksTo: target.key, classIndex: target.classIndex,
                schema: rows, version: version, to: $0)
        }
        // Trees were changed in place. The values that their embedded objects no longer refer to cannot be found by comparing
        // rows.
        let sweeps =
            stored.holdsOverflow && (isCut || group.holdsEmbeddedOutOfLine(rowClass, stored))
        var how = RowReplacement(isAct: false, changesLinks: false, entersMigration: !sweeps)
        for member in rowClass.listMembers {
            guard let edits = overflow.listEdits[rowClass.members[member].number] else { continue }
            how.lists[member] = edits
            if !edits.isEmpty { how.changed.insert(member) }
        }
        let written = try replace(rowClass, object.key, stored, by: bytes, origin, how)
        if sweeps { try group.sweepOverflow(rowClass, object.key, written.row) }
        // The row does not refer to staged values, so they come after that.
        if stored.holdsOverflow, sweeps || !written.isChanged {
            try enterMigration(rowClass, object.key, written.row)
        }
        guard isCut else { return }
        // For the same reason only now is known which links are left.
        let after = inverseLinks.count(rowClass, written.row)
        inverseLinks.change(rowClass, object.key, from: before, to: after)
    }
}
