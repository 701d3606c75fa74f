import Bytes
import Rows
import Storage

extension WriteTransaction {
    /// Deletes an object, the embedded objects it owns, and every link to it: what a link's property says
    /// of deletion happens to the object that holds it.
    ///
    /// - Throws: ``StoreError`` `.objectNotFound`, a failed precondition, too many operations, or failing
    ///   storage.
    package func delete(
        _ rowClass: RowClass, key: UInt64, precondition: Precondition = .none
    ) throws(StoreError) {
        try beginChange(of: rowClass, key, precondition)

        // A list instead of recursion, so that a chain of any length can be walked.
        var waiting = [ObjectIdentity(classIndex: rowClass.index, key: key)]
        var doomed: Set<ObjectIdentity> = []
        var isFirst = true
        while let target = waiting.popLast() {
            let targetClass = rows.classes[target.classIndex]
            guard let stored = try row(targetClass, target.key) else { continue }
            if !isFirst { try countOperation() }
            isFirst = false
            try release(target, targetClass, stored, &waiting, &doomed)
            try removeInverseLinks(to: targetClass, target.key)
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

    /// Does to the objects that link to one that goes away what their properties say.
    ///
    /// - `waiting`: Gets those that go with it.
    /// - `doomed`: All that ever waited.
    private func release(
        _ target: ObjectIdentity, _ targetClass: RowClass, _ stored: RowView,
        _ waiting: inout [ObjectIdentity], _ doomed: inout Set<ObjectIdentity>
    ) throws(StoreError) {
        // Nothing links to an asymmetric class.
        guard !targetClass.isAsymmetric else { return }
        let links = try incomingLinks(of: targetClass, target.key).filter { $0.origin != target }
        guard !links.isEmpty else { return }
        for link in links where link.onDelete == .cascade && link.isOwn {
            if doomed.insert(link.origin).inserted { waiting.append(link.origin) }
        }
        var held = HeldTarget(source: source, target: "", holders: [])
        // Whether embedded objects go, for each object that stays without its links.
        var unlinked: [ObjectIdentity: Bool] = [:]
        for link in links where !doomed.contains(link.origin) {
            if link.onDelete == .deny {
                held.holders.append((link.origin, link.property))
            } else {
                unlinked[link.origin, default: false] =
                    unlinked[link.origin, default: false] || link.onDelete == .cascade
            }
        }
        for link in links {
            guard let isCut = unlinked.removeValue(forKey: link.origin) else { continue }
            try unlink(link.origin, from: targetClass, target.key, isCut: isCut)
        }
        guard !held.holders.isEmpty else { return }
        held.target = targetClass.objectText(target.key, stored)
        heldTargets.append(held)
    }

    private func remove(_ rowClass: RowClass, _ key: UInt64, _ stored: RowView)
        throws(StoreError)
    {
        for member in rowClass.indexedMembers { removeIndexEntry(rowClass, member, key, stored) }
        for index in rowClass.searchIndexes {
            group.changeEntries(rowClass, index, key, from: stored, to: nil, rows)
        }
        removeGroupEntries(rowClass, key, stored)
        changeInverseLinks(rowClass, key, from: stored, to: nil)
        try leaveMigration(rowClass, key, stored)

        var primaryKey: [UInt8] = []
        if let member = rowClass.primaryKeyIndex {
            let field = rowClass.field(member, in: stored)
            let storage = rowClass.members[member].storage
            primaryKey = Array(rowBuffer.making { field.appendTagged(storage, to: $0) })
            overlay.remove(
                keyBuffer.making {
                    StoreKey.appendPrimaryKey(of: stored, rowClass, member, to: $0)
                })
        }
        overlay.remove(
            keyBuffer.making { StoreKey.appendRow(rowClass, key, to: $0) })
        // Its staged row may have out-of-line values although its row has none.
        let leavesOverflow = group.migration?.leavesOverflow(rowClass, key) ?? false
        if stored.holdsOverflow || leavesOverflow {
            try freeAllOverflow(rowClass, key)
            try overflow.checkFailure()
        }
        var state = try classState(rowClass)
        state.count -= min(state.count, 1)
        try setClassState(rowClass, state)
        record(.delete, rowClass, key, primaryKey: primaryKey)
    }

    /// The deletions that objects deny which are there still: at most a hundred.
    func deniedDeletions() throws(StoreError) -> [DeniedDeletion] {
        var denied: [DeniedDeletion] = []
        for held in heldTargets {
            for (holder, property) in held.holders {
                let holderClass = rows.classes[holder.classIndex]
                guard let row = try row(holderClass, holder.key) else { continue }
                guard let location = rows.memberByNumber[property] else { continue }
                let stating = rows.classes[location.classIndex].definition
                denied.append(
                    DeniedDeletion(
                        source: held.source, target: held.target,
                        holderClass: holderClass.definition.name,
                        holder: holderClass.objectText(holder.key, row),
                        property: "\(stating.name).\(stating.properties[location.member].name)"))
                if denied.count == Self.deniedCountMax { return denied }
            }
        }
        return denied
    }

    private static let deniedCountMax = 100

    /// Rewrites an object without its links to one that goes away, whose inverse links stay as they are.
    ///
    /// - `isCut`: Whether embedded objects go with it, which may have held more than links to it.
    private func unlink(
        _ origin: ObjectIdentity, from target: RowClass, _ targetKey: UInt64, isCut: Bool
    ) throws(StoreError) {
        let originClass = rows.classes[origin.classIndex]
        // An object may be held by any number of others, each of which is rewritten.
        try requireRoom()
        guard let stored = try row(originClass, origin.key) else { return }
        let before = isCut ? countLinks(originClass, stored, only: nil) : []
        // The row that is staged shares the trees, which are about to change.
        if stored.holdsOverflow { try leaveMigration(originClass, origin.key, stored) }
        prepareRow(originClass, origin.key)
        let bytes = rowBuffer.making {
            rowBuilder.append(
                stored, originClass, withoutLinksTo: targetKey, classIndex: target.index,
                schema: rows, version: version, to: $0)
        }
        // Trees were changed in their places: what their embedded objects no longer refer to cannot be known
        // by comparing rows.
        let sweeps =
            stored.holdsOverflow && (isCut || holdsEmbeddedOutOfLine(originClass, stored))
        var how = RowReplacement(changesLinks: false, entersMigration: !sweeps)
        for member in originClass.listMembers {
            how.lists[member] = overflow.listEdits[originClass.members[member].number]
        }
        let written = try replace(originClass, origin.key, stored, by: bytes, path: [], how)
        if sweeps { try sweepOverflow(originClass, origin.key, written.row) }
        // What is staged is none of what the row refers to, so it comes after that.
        if stored.holdsOverflow, sweeps || !written.isChanged {
            try enterMigration(originClass, origin.key, written.row)
        }
        guard isCut else { return }
        // For the same reason only now is known which links are left.
        let after = countLinks(originClass, written.row, only: nil)
        changeInverseLinks(originClass, origin.key, from: before, to: after)
    }
}
