import Bytes
import ObjectModel
import Rows
import Storage

extension WriteTransaction {
    /// Writes one object.
    ///
    /// - `draft`: States the primary key if the class has one, unless `objectKey` is given or the store
    ///   numbers the class's objects.
    /// - `objectKey`: Which object, for a class without a primary key, and for an object whose primary
    ///   key the draft does not state; nil makes a new one.
    /// - `mode`: What to do when the object is or isn't there.
    /// - `precondition`: What must hold of it.
    /// - Throws: ``StoreError`` for a taken key, a missing object, a failed precondition, a link that
    ///   can't be resolved, or failing storage; the transaction has to be abandoned then.
    package func write(
        _ draft: ObjectDraft, objectKey: UInt64? = nil, mode: WriteMode,
        precondition: Precondition = .none
    ) throws(StoreError) -> WriteResult {
        try write(draft, objectKey: objectKey, mode: mode, precondition: precondition, path: [])
    }

    /// As above.
    ///
    /// - `path`: Where the object stands in the one that the client wrote.
    func write(
        _ draft: ObjectDraft, objectKey: UInt64?, mode: WriteMode, precondition: Precondition,
        path: [DanglingLink.PathStep]
    ) throws(StoreError) -> WriteResult {
        try countOperation()
        let rowClass = draft.rowClass
        try requirePresent(rowClass)
        var key = objectKey
        var stored: RowView?
        var number: Int64?
        if rowClass.primaryKeyIndex != nil, objectKey == nil {
            var isStated = false
            (key, stored) = try object(rowClass) { isStated = draft.appendPrimaryKey(to: $0) }
            if !isStated {
                guard rowClass.numbersKeys, mode != .update, mode != .replaceExisting else {
                    throw .missingKey(
                        className: rowClass.definition.name,
                        property: rowClass.definition.primaryKey ?? "")
                }
                let next = try nextNumber(rowClass)
                number = next
                (key, stored) = try object(rowClass) {
                    OrderedKey.append(InlineValue(next), to: $0)
                }
            }
        } else if let key {
            stored = try row(rowClass, key)
        }
        try check(precondition, rowClass, key: key, stored)
        if let stored, let key {
            switch mode {
            case .create:
                throw rowClass.isAsymmetric
                    ? .keyInOutbox(className: rowClass.definition.name)
                    : .duplicateKey(className: rowClass.definition.name)
            case .ignore:
                return WriteResult(
                    classIndex: rowClass.index, key: key, row: stored, isCreated: false,
                    isChanged: false)
            case .merge, .update:
                return try change(draft, key, stored, nil, keepsAbsent: true, path: path)
            case .replace, .replaceExisting:
                return try change(draft, key, stored, nil, keepsAbsent: false, path: path)
            }
        }
        if mode == .update || mode == .replaceExisting || objectKey != nil { throw .objectNotFound }
        return try insert(draft, awaitedKey: key, number: number, path: path)
    }

    /// Tests what must hold of an object.
    ///
    /// - `stored`: Its row; nil when it is not there.
    /// - Throws: ``StoreError`` `.preconditionFailed`.
    package func check(
        _ precondition: Precondition, _ rowClass: RowClass, key: UInt64?, _ stored: RowView?
    ) throws(StoreError) {
        if case .none = precondition { return }
        let version = stored.map { StoreVersion(epoch: epoch, number: $0.version) }
        if precondition.holds(of: version) { return }
        guard let stored, let key, !rowClass.isAsymmetric else {
            throw .preconditionFailed(current: nil)
        }
        throw .preconditionFailed(
            current: StoredObject(
                schema: rows, classIndex: rowClass.index, key: key, row: stored))
    }

    /// Adds an object whose primary key, if its class has one, was looked up just before.
    ///
    /// - `number`: The primary key that the store has made for it, if it has.
    func insert(
        _ draft: ObjectDraft, awaitedKey: UInt64?, number: Int64? = nil,
        path: [DanglingLink.PathStep]
    ) throws(StoreError) -> WriteResult {
        let rowClass = draft.rowClass
        let key: UInt64
        if let awaitedKey {
            key = awaitedKey
        } else {
            key = try makeKey(rowClass)
        }
        keyOrder.note(key, ofClass: rowClass.index)
        // The object can be linked to by its own children, so it has its key before they are written;
        // what links to it by now is no longer in vain.
        var targets = try resolve(draft, path: path)
        if !pending.isEmpty {
            removePending(ObjectIdentity(classIndex: rowClass.index, key: key))
        }
        if !draft.children.isEmpty, let written = try self.row(rowClass, key) {
            // A nested object was this object again.
            var result = try change(
                draft, key, written, targets, keepsAbsent: false, path: path)
            result.isCreated = true
            result.isChanged = true
            return result
        }
        var state = try classState(rowClass)
        state.count += 1
        try setClassState(rowClass, state)
        prepareRow(rowClass, key)
        if let number { rowBuilder.nextNumber = number }
        let bytes = rowBuffer.making {
            rowBuilder.append(
                draft, over: nil, keepsAbsent: false, version: version, targets: targets, to: $0)
        }
        keepMemory(of: &targets)
        try requireStated(draft, path)
        let row = try put(rowClass, key, bytes)
        for member in rowClass.indexedMembers { putIndexEntry(rowClass, member, key, row) }
        for index in rowClass.searchIndexes {
            group.changeEntries(rowClass, index, key, from: nil, to: row, rows)
        }
        if !rowClass.uniqueKeys.isEmpty {
            enterUniqueKeys(rowClass, key, from: nil, to: row, nil, path: path)
        }
        changeInverseLinks(rowClass, key, from: nil, to: row)
        record(.insert, rowClass, key)
        if row.holdsOverflow { try overflow.checkFailure() }
        try enterMigration(rowClass, key, row)
        return WriteResult(
            classIndex: rowClass.index, key: key, row: row, isCreated: true, isChanged: true)
    }

    /// Refuses a row that was just made of a draft which does not state enough for it.
    ///
    /// - `path`: Where the object stands in the one that the client wrote.
    /// - Throws: ``StoreError`` `.nothingToKeep` or `.unstated`.
    func requireStated(
        _ draft: ObjectDraft, _ path: [DanglingLink.PathStep]
    ) throws(StoreError) {
        guard rowBuilder.hasNothingToKeep || !rowBuilder.unstated.isEmpty else { return }
        let hasNothingToKeep = rowBuilder.hasNothingToKeep
        let unstated = rowBuilder.unstated
        rowBuilder.hasNothingToKeep = false
        rowBuilder.unstated.removeAll()
        if hasNothingToKeep { throw .nothingToKeep }
        throw .unstated(
            unstated.map { missing in
                let definition = missing.draft.rowClass.definition
                return UnstatedProperty(
                    className: definition.name,
                    property: definition.properties[missing.member].name,
                    path: path + (draft.steps(toPart: missing.draft) ?? []))
            })
    }

    func change(
        _ draft: ObjectDraft, _ key: UInt64, _ before: RowView, _ resolved: ResolvedReferences?,
        keepsAbsent: Bool, path: [DanglingLink.PathStep]
    ) throws(StoreError) -> WriteResult {
        let rowClass = draft.rowClass
        var targets: ResolvedReferences
        if let resolved { targets = resolved } else { targets = try resolve(draft, path: path) }
        // Writing a nested object may have changed this one.
        let stored = draft.children.isEmpty ? before : try row(rowClass, key) ?? before
        prepareRow(rowClass, key)
        let bytes = rowBuffer.making {
            rowBuilder.append(
                draft, over: stored, keepsAbsent: keepsAbsent, version: version, targets: targets,
                to: $0)
        }
        keepMemory(of: &targets)
        try requireStated(draft, path)
        return try replace(rowClass, key, stored, by: bytes, path: path)
    }

    /// Puts `bytes` in the place of a stored row, with its indexes and inverse links, if they differ.
    ///
    /// - `path`: Where the object stands in the one that the client wrote.
    func replace(
        _ rowClass: RowClass, _ key: UInt64, _ stored: RowView, by bytes: UnsafeRawBufferPointer,
        path: [DanglingLink.PathStep], _ how: RowReplacement = RowReplacement()
    ) throws(StoreError) -> WriteResult {
        guard let candidate = RowView(bytes) else {
            throw .storage(StorageError(.corrupted, operation: "build row"))
        }
        let changed = rows.changedMembers(
            of: rowClass, from: stored, to: candidate, overflow)
        if changed.isEmpty {
            try freeOverflow(rowClass, key, candidate, keeping: stored)
            try overflow.checkFailure()
            return WriteResult(
                classIndex: rowClass.index, key: key, row: stored, isCreated: false,
                isChanged: false)
        }
        try leaveMigration(rowClass, key, stored)
        let row = try put(rowClass, key, bytes)
        for member in rowClass.indexedMembers where changed.contains(member) {
            removeIndexEntry(rowClass, member, key, stored)
            putIndexEntry(rowClass, member, key, row)
        }
        for index in rowClass.searchIndexes where changed.contains(index.member) {
            group.changeEntries(rowClass, index, key, from: stored, to: row, rows)
        }
        if !rowClass.uniqueKeys.isEmpty {
            enterUniqueKeys(rowClass, key, from: stored, to: row, changed, path: path)
        }
        if how.changesLinks { changeInverseLinks(rowClass, key, from: stored, to: row, changed) }
        record(
            .update, rowClass, key, members: changed,
            lists: how.listChanges(rowClass, changed, from: stored, to: row))
        try freeOverflow(rowClass, key, stored, keeping: row)
        if row.holdsOverflow || stored.holdsOverflow { try overflow.checkFailure() }
        if how.entersMigration { try enterMigration(rowClass, key, row) }
        return WriteResult(
            classIndex: rowClass.index, key: key, row: row, isCreated: false, isChanged: true)
    }

    func put(_ rowClass: RowClass, _ key: UInt64, _ bytes: UnsafeRawBufferPointer)
        throws(StoreError) -> RowView
    {
        // Refused here, a row that is too long is this write's fault; refused by the engine, it would
        // be that of the whole group.
        guard bytes.count <= group.valueByteCountMax else {
            throw .tooLarge(
                detail: "The '\(rowClass.definition.name)' object takes \(bytes.count) bytes; "
                    + "\(group.valueByteCountMax) are allowed.")
        }
        let rowKey = keyBuffer.making { StoreKey.appendRow(rowClass, key, to: $0) }
        guard let row = RowView(overlay.put(rowKey, bytes)) else {
            throw .storage(StorageError(.corrupted, operation: "build row"))
        }
        return row
    }

    func classState(_ rowClass: RowClass) throws(StoreError) -> ClassState {
        try group.classState(rowClass)
    }

    /// Takes the next object key of a class and maps the primary key to it that was looked up last, if
    /// the class has one.
    func makeKey(_ rowClass: RowClass) throws(StoreError) -> UInt64 {
        guard rowClass.primaryKeyIndex != nil else { return try takeKey(rowClass) }
        var key = reservedKeys.isEmpty ? nil : reservedKeys[Array(mapKeyBuffer.bytes)]
        // The class may have gone and come again since.
        if let reserved = key, try !isFree(reserved, rowClass) { key = nil }
        let made: UInt64
        if let key { made = key } else { made = try takeKey(rowClass) }
        try mapPrimaryKey(rowClass, to: made)
        return made
    }

    /// Takes the next object key of a class.
    func takeKey(_ rowClass: RowClass) throws(StoreError) -> UInt64 {
        var state = try classState(rowClass)
        let key = state.nextKey
        state.nextKey += 1
        try setClassState(rowClass, state)
        return keyOrder.key(key, ofClass: rowClass.index)
    }

    /// Maps the primary key that was looked up last to an object key.
    func mapPrimaryKey(_ rowClass: RowClass, to key: UInt64) throws(StoreError) {
        var value = key.bigEndian
        withUnsafeBytes(of: &value) {
            _ = overlay.put(mapKeyBuffer.bytes, $0)
        }
        try noteNumber(rowClass)
    }
}
