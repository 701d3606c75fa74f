import HoldfastObjectModel
import HoldfastRows
import HoldfastStorage

extension WriteTransaction {
    /// Writes one object.
    ///
    /// - `draft`: States the primary key if the class has one, unless `objectKey` is given or the store
    ///   numbers the class's objects.
    /// - `objectKey`: The object, for a class without a primary key and for a draft without the primary key; nil makes a new
    ///   object.
    /// - `mode`: The treatment of an object that exists, or does not exist.
    /// - `precondition`: The requirement on the object's present state.
    /// - `source`: The operation or line that states it, by which errors name it.
    /// - Throws: ``StoreError`` for a taken key, a missing object, a failed precondition, a link that
    ///   can't be resolved, or failing storage; the transaction has to be abandoned then.
    package func write(
        _ draft: ObjectDraft, objectKey: UInt64? = nil, mode: WriteMode,
        precondition: Precondition = .none, source: Int = 0
    ) throws(StoreError) -> WriteResult {
        try write(
            draft, objectKey: objectKey, mode: mode, precondition: precondition,
            WriteOrigin(source: source))
    }

    /// As above.
    func write(
        _ draft: ObjectDraft, objectKey: UInt64?, mode: WriteMode, precondition: Precondition,
        _ origin: WriteOrigin
    ) throws(StoreError) -> WriteResult {
        try countOperation()
        let rowClass = draft.rowClass
        try requirePresent(rowClass)
        let found: FoundObject
        if rowClass.primaryKeyIndex != nil, objectKey == nil {
            found = try find(draft, mode)
        } else {
            found = FoundObject(
                key: objectKey,
                row: try objectKey.map { (key) throws(StoreError) in try storedRow(rowClass, key) }
                    ?? nil)
        }
        var isHidden = false
        if let judge {
            if found.row != nil, let key = found.key {
                isHidden = try !judge.sees(ObjectIdentity(classIndex: rowClass.index, key: key))
            }
            if found.row == nil || isHidden, objectKey == nil, mode.mayCreate {
                try judge.requireCreation(rowClass, source: origin.source)
            }
        }
        try check(precondition, rowClass, key: found.key, isHidden ? nil : found.row)
        if let stored = found.row, let key = found.key {
            if isHidden {
                // A writer that does not see the object learns only that its key is taken.
                guard objectKey == nil, mode.mayCreate else { throw .objectNotFound }
                throw Self.keyTaken(rowClass, isHidden: true)
            }
            switch mode {
            case .create: throw Self.keyTaken(rowClass, isHidden: false)
            case .ignore: return WriteResult(rowClass, key, stored, isChanged: false)
            case .merge, .update:
                return try change(draft, key, stored, nil, keepsAbsent: true, origin)
            case .replace, .replaceExisting:
                return try change(draft, key, stored, nil, keepsAbsent: false, origin)
            }
        }
        if mode == .update || mode == .replaceExisting || objectKey != nil { throw .objectNotFound }
        let key: UInt64
        if let awaited = found.key {
            key = awaited
        } else if let primaryKey = found.primaryKey {
            key = try keys.take(rowClass, for: primaryKey, isEarly: false, &counters)
        } else {
            key = try keys.take(rowClass, &counters)
        }
        return try insert(draft, key, number: found.number, origin)
    }

    /// Why no object of a class can be created with a key that another has.
    private static func keyTaken(_ rowClass: RowClass, isHidden: Bool) -> StoreError {
        let name = rowClass.definition.name
        if rowClass.isAsymmetric { return .keyInOutbox(className: name) }
        return isHidden ? .keyOfHiddenObject(className: name) : .duplicateKey(className: name)
    }

    /// Looks up the object that a draft is about by the primary key that it states, or that the store makes for a new one.
    private func find(_ draft: ObjectDraft, _ mode: WriteMode) throws(StoreError) -> FoundObject {
        let rowClass = draft.rowClass
        var isExplicit = false
        let primaryKey = group.primaryKey(rowClass) { isExplicit = draft.appendPrimaryKey(to: $0) }
        if isExplicit { return try group.object(rowClass, primaryKey) }
        guard rowClass.numbersKeys, mode != .update, mode != .replaceExisting else {
            throw .missingKey(
                className: rowClass.definition.name, property: rowClass.definition.primaryKey ?? "")
        }
        let number = try keys.nextNumber(rowClass)
        var found = try group.object(
            rowClass, group.primaryKey(rowClass) { OrderedKey.append(InlineValue(number), to: $0) })
        found.number = number
        return found
    }

    /// Tests the precondition of an object.
    ///
    /// - `stored`: Its row; nil if it does not exist.
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
        if case .matches(let versions) = precondition, let judge,
            try judge.knows(versions, ofEpoch: epoch, rowClass, key, stored)
        {
            return
        }
        throw .preconditionFailed(current: try current(rowClass, key, stored))
    }

    /// The object that a failed precondition shows: the part that its writer sees, in the state before the transaction. Nil if
    /// there is no object, or if that state is not known any more, because a writer without rules keeps no former states. The
    /// transaction is refused, so that its own states never become versions.
    ///
    /// - `stored`: Its present row.
    private func current(
        _ rowClass: RowClass, _ key: UInt64, _ stored: RowView
    ) throws(StoreError) -> StoredObject? {
        guard let judge else {
            if stored.version == version { return nil }
            return StoredObject(
                schema: knownRows, classIndex: rowClass.index, key: key, row: stored)
        }
        return try withWriterView(until: judge.deadlineMilliseconds) { view throws(StoreError) in
            guard let former = view.unrestricted.row(classIndex: rowClass.index, key: key) else {
                return nil
            }
            return try view.copy(rowClass, key, former)
        }
    }

    /// Adds an object that has its object key. Its primary key is already mapped to it, if its class has one.
    ///
    /// - `number`: The primary key that the store has made for it, if it has.
    func insert(
        _ draft: ObjectDraft, _ key: UInt64, number: Int64?, _ origin: WriteOrigin
    ) throws(StoreError) -> WriteResult {
        let rowClass = draft.rowClass
        keys.made(key, rowClass)
        // The object's own children can link to it, so it has its key before they are written. Links to it are not dangling any
        // more.
        var targets = try resolve(draft, origin)
        pendingLinks.remove(to: ObjectIdentity(classIndex: rowClass.index, key: key))
        if !draft.children.isEmpty, let written = try storedRow(rowClass, key) {
            // A nested object was this object again.
            var result = try change(draft, key, written, targets, keepsAbsent: false, origin)
            result.isCreated = true
            result.isChanged = true
            return result
        }
        try counters.change(rowClass) { $0.count += 1 }
        prepareRow(rowClass, key)
        rowBuffer.removeAll()
        let gaps = rowBuilder.append(
            draft, over: .none, version: version, number: number, targets: targets, to: rowBuffer)
        keepMemory(of: &targets)
        try requireComplete(gaps, of: draft, origin)
        let row = try put(rowClass, key, rowBuffer.bytes)
        let change = RowChange(rowClass: rowClass, key: key, old: nil, new: row)
        index(change, origin)
        inverseLinks.change(change)
        try judge?.created(
            ObjectIdentity(classIndex: rowClass.index, key: key), draft.stated(in: row),
            source: origin.source)
        recorder.inserted(rowClass, key)
        if row.holdsOverflow { try overflow.requireReadable() }
        try enterMigration(rowClass, key, row)
        return WriteResult(rowClass, key, row, isCreated: true, isChanged: true)
    }

    func change(
        _ draft: ObjectDraft, _ key: UInt64, _ before: RowView, _ resolved: ResolvedReferences?,
        keepsAbsent: Bool, _ origin: WriteOrigin
    ) throws(StoreError) -> WriteResult {
        let rowClass = draft.rowClass
        var targets: ResolvedReferences
        if let resolved { targets = resolved } else { targets = try resolve(draft, origin) }
        // Writing a nested object may have changed this one.
        let stored = draft.children.isEmpty ? before : try storedRow(rowClass, key) ?? before
        guard let shown = try shown(rowClass, key, stored) else { throw .objectNotFound }
        prepareRow(rowClass, key)
        rowBuffer.removeAll()
        let gaps = rowBuilder.append(
            draft, over: keepsAbsent ? .changed(shown.row) : .replaced(shown.row),
            version: version, targets: targets, to: rowBuffer)
        keepMemory(of: &targets)
        try requireComplete(gaps, of: draft, origin)
        guard let whole = try merged(rowClass, key, stored, shown, rowBuffer, origin) else {
            return try replace(rowClass, key, stored, by: rowBuffer.bytes, origin)
        }
        return try replace(rowClass, key, stored, by: whole.bytes, origin)
    }

    /// Puts `bytes` in the place of a stored row, with its indexes and inverse links, if they differ.
    func replace(
        _ rowClass: RowClass, _ key: UInt64, _ stored: RowView, by bytes: UnsafeRawBufferPointer,
        _ origin: WriteOrigin, _ how: RowReplacement = RowReplacement()
    ) throws(StoreError) -> WriteResult {
        guard let candidate = RowView(bytes) else {
            throw .storage(StorageError(.corrupted, operation: "build row"))
        }
        var changed = rows.changedMembers(of: rowClass, from: stored, to: candidate, overflow)
        changed.formUnion(how.changed)
        if changed.isEmpty {
            try group.freeOverflow(rowClass, key, candidate, keeping: stored)
            try overflow.requireReadable()
            return WriteResult(rowClass, key, stored, isChanged: false)
        }
        try leaveMigration(rowClass, key, stored)
        let row = try put(rowClass, key, bytes)
        let change = RowChange(
            rowClass: rowClass, key: key, old: stored, new: row, members: changed)
        index(change, origin)
        if how.changesLinks { inverseLinks.change(change) }
        if how.isAct {
            judge?.changed(
                ObjectIdentity(classIndex: rowClass.index, key: key), changed,
                source: origin.source)
        }
        recorder.updated(
            rowClass, key, changed,
            lists: how.listChanges(rowClass, changed, from: stored, to: row),
            former: formerValues(rowClass, key, stored, of: changed))
        try group.freeOverflow(rowClass, key, stored, keeping: row)
        if row.holdsOverflow || stored.holdsOverflow { try overflow.requireReadable() }
        if how.entersMigration { try enterMigration(rowClass, key, row) }
        return WriteResult(rowClass, key, row, isChanged: true)
    }

    /// Enters a change of a row in indexes and unique keys.
    func index(_ change: RowChange, _ origin: WriteOrigin) {
        let rowClass = change.rowClass
        for member in rowClass.indexedMembers where change.concerns(member) {
            if let old = change.old { overlay.remove(indexKey(change, member, old)) }
            if let new = change.new { overlay.put(indexKey(change, member, new)) }
        }
        for index in rowClass.searchIndexes where change.concerns(index.member) {
            group.changeEntries(index, change)
        }
        if !rowClass.uniqueKeys.isEmpty { uniqueChecks.enter(change, origin) }
    }

    /// The key of the index entry that a row has for an indexed property.
    private func indexKey(
        _ change: RowChange, _ member: Int, _ row: RowView
    ) -> UnsafeRawBufferPointer {
        keyBuffer.making {
            IndexEntry.append(change.rowClass, member, change.key, row, overflow, to: $0)
        }
    }

    func put(_ rowClass: RowClass, _ key: UInt64, _ bytes: UnsafeRawBufferPointer)
        throws(StoreError) -> RowView
    {
        // Refused here, a row that is too long is this write's fault; refused by the engine, it would be that of the whole group.
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
}

/// The outcome of looking an object up that a write is about.
struct FoundObject {
    /// The object key, if the object exists or awaited.
    var key: UInt64?
    /// The row, if the object exists.
    var row: RowView?
    /// The key of the primary key that was looked up, if it was; valid until the next one is made.
    var primaryKey: StoredPrimaryKey?
    /// The number that the store has made for a new object's primary key.
    var number: Int64?
}
