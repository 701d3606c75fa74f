import Bytes
import Rows
import Storage

extension WriteTransaction {
    /// Deletes an object, the embedded objects it owns, and every link to it: links become null and
    /// collections lose the element, which changes the objects that held them.
    ///
    /// - Throws: ``StoreError`` `.objectNotFound`, a failed precondition, or failing storage.
    package func delete(
        _ rowClass: RowClass, key: UInt64, precondition: Precondition = .none
    ) throws(StoreError) {
        try countOperation()
        try requirePresent(rowClass)
        let stored = try row(rowClass, key)
        try check(precondition, rowClass, key: key, stored)
        guard let stored else { throw .objectNotFound }

        for origin in try origins(of: rowClass, key) {
            if origin == ObjectIdentity(classIndex: rowClass.index, key: key) { continue }
            try unlink(origin, from: rowClass, key)
        }
        try removeInverseLinks(to: rowClass, key)
        for member in rowClass.indexedMembers { removeIndexEntry(rowClass, member, key, stored) }
        removeInverseLinks(rowClass, key, stored)

        var primaryKey: [UInt8] = []
        if let member = rowClass.primaryKeyIndex {
            let field = rowClass.field(member, in: stored)
            let storage = rowClass.members[member].storage
            primaryKey = Array(group.rowBuffer.making { field.appendTagged(storage, to: $0) })
            group.overlay.remove(
                group.keyBuffer.making {
                    StoreKey.appendPrimaryKeyPrefix(rowClass, to: $0)
                    OrderedKey.append(field, storage.element, to: $0)
                })
        }
        group.overlay.remove(
            group.keyBuffer.making { StoreKey.appendRow(rowClass, key, to: $0) })
        if stored.holdsOutside {
            try freeAllOutside(rowClass, key)
            try group.outside.checkFailure()
        }
        var state = try classState(rowClass)
        state.count -= min(state.count, 1)
        try setClassState(rowClass, state)
        record(.delete, rowClass, key, primaryKey: primaryKey)
    }

    /// Rewrites an object without its links to one that goes away, whose inverse links stay as they are.
    private func unlink(_ origin: ObjectIdentity, from target: RowClass, _ targetKey: UInt64)
        throws(StoreError)
    {
        let originClass = rows.classes[origin.classIndex]
        guard let stored = try row(originClass, origin.key) else { return }
        prepareRow(originClass, origin.key)
        let bytes = group.rowBuffer.making {
            group.memory.rowBuilder.append(
                stored, originClass, withoutLinksTo: targetKey, classIndex: target.index,
                schema: rows, version: version, to: $0)
        }
        _ = try replace(originClass, origin.key, stored, by: bytes, changesLinks: false)
    }
}
