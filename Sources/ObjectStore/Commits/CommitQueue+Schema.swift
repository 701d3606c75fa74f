import ObjectModel
import Rows
import Storage

/// Changes of the schema: small ones in one commit, others in slices between the groups of writes.
extension CommitQueue {
    /// Makes a change, begins it, or refuses it.
    func commitSchema(_ write: any PendingSchemaWrite) {
        if upkeep.isBusy {
            let percent = upkeep.progress?.percent ?? 0
            return write.finish(.failed(.migrationUnderWay(percent: percent)))
        }
        for _ in 0..<Self.conflictCountMax {
            do {
                try beginSchema(write)
                return
            } catch {
                if case .storage(let storage) = error, storage.code == .conflict { continue }
                write.finish(.failed(error))
                return
            }
        }
        write.finish(.failed(.storage(StorageError(.conflict, operation: "commit"))))
    }

    private func beginSchema(_ write: any PendingSchemaWrite) throws(StoreError) {
        let group = try openSchemaGroup()
        defer {
            group.snapshot.close()
            memory.reset()
        }
        let proposal = try write.proposal(group.catalog.schema)
        let projections = try write.projections(group.catalog)
        guard proposal != nil || projections != nil else {
            return write.finish(.committed(version: group.state.version))
        }
        func make() throws(StoreError) -> StagedMigration {
            let migration = try StagedMigration(
                write, proposal ?? SchemaProposal(group.catalog.schema), projections,
                from: group.catalog, upkeep.record)
            try migration.requireEmptyClasses(group)
            return migration
        }
        let migration = try make()
        guard migration.change.isChange else {
            return write.finish(.committed(version: group.state.version))
        }
        if upkeep.record.leftovers.contains(where: migration.change.staged.contains) {
            upkeep.isBlocked = false
            upkeep.held = write
            return
        }
        let objectCount = try migration.objectCount(group)
        if objectCount <= UInt64(options.migrationObjectCountMax) {
            let limit = SliceLimit(objectCount: .max, byteCount: Self.directByteCountMax)
            var isWhole = false
            while !isWhole, group.overlay.byteCount < Self.directByteCountMax {
                isWhole = try migration.advance(group, limit)
            }
            if isWhole {
                try commitChange(migration, group)
                return
            }
            // Too much for one commit after all.
            memory.reset()
            upkeep.begin(try make(), totalCount: objectCount)
            return
        }
        upkeep.begin(migration, totalCount: objectCount)
    }

    /// The bytes of changes of which no more go into one commit.
    private static let directByteCountMax = 32 << 20

    private func openSchemaGroup() throws(StoreError) -> CommitGroup {
        do { return try openGroup() } catch { throw .storage(error) }
    }

    // MARK: Slices

    /// Goes on by a slice of what is to be done.
    func advanceUpkeep() {
        if let migration = upkeep.migration {
            let before = migration.progress
            do {
                try advance(migration)
                upkeep.conflictCount = 0
                upkeep.publish()
            } catch {
                upkeep.conflictCount += 1
                if case .storage(let storage) = error, storage.code == .conflict,
                    upkeep.conflictCount < Self.conflictCountMax
                {
                    migration.progress = before
                    return
                }
                upkeep.record.leftovers += upkeep.record.staged
                upkeep.record.staged = []
                upkeep.end()
                migration.write.finish(.failed(error))
            }
        } else if let held = upkeep.held, upkeep.record.leftovers.isEmpty {
            upkeep.held = nil
            commitSchema(held)
        } else {
            do {
                try removeLeftovers()
            } catch {
                upkeep.isBlocked = true
                upkeep.held?.finish(.failed(error))
                upkeep.held = nil
            }
        }
    }

    private func advance(_ migration: StagedMigration) throws(StoreError) {
        let group = try openSchemaGroup()
        defer {
            group.snapshot.close()
            memory.reset()
        }
        let phase = migration.progress.phase
        let limit = SliceLimit(
            objectCount: options.migrationSliceCount, byteCount: Self.sliceByteCount)
        if try migration.advance(group, limit) { return try commitChange(migration, group) }
        if phase == .check, migration.progress.phase == .build {
            // Before anything is staged the store has to know what to remove if it ends here.
            upkeep.record.staged = migration.change.staged
            upkeep.record.nextClass = migration.change.catalog.nextClassNumber
            upkeep.record.nextProperty = migration.change.catalog.nextPropertyNumber
            putRecord(group)
        }
        guard !group.overlay.isEmpty else { return }
        let batch = group.overlay.batch()
        columns.note(batch, commit: group.snapshot.commit + 1)
        do { _ = try engine.commit(batch, base: group.snapshot.commit) } catch {
            throw .storage(error)
        }
    }

    /// The bytes of changes of one slice.
    private static let sliceByteCount = 1 << 20

    private func putRecord(_ group: CommitGroup) {
        StoreKey.migration.withUnsafeBytes { key in
            if upkeep.record.isEmpty {
                group.overlay.remove(key)
            } else {
                group.overlay.put(key, group.rowBuffer.making { upkeep.record.append(to: $0) })
            }
        }
    }

    // MARK: The commit that makes a change visible

    private func commitChange(
        _ migration: StagedMigration, _ group: CommitGroup
    ) throws(StoreError) {
        let change = migration.change
        try migration.requireEmptyClasses(group)
        try change.testUniqueness(in: OverlaySnapshot(group), group.outside)
        try forgetNumbers(change, group)
        let bytes = group.rowBuffer.making { change.catalog.append(to: $0) }
        guard bytes.count <= group.valueByteCountMax else {
            throw .tooLarge(
                detail: "The schema takes \(bytes.count) bytes; \(group.valueByteCountMax) are "
                    + "allowed.")
        }
        StoreKey.catalog.withUnsafeBytes { _ = group.overlay.put($0, bytes) }
        let before = upkeep.record
        upkeep.record.staged = []
        upkeep.record.leftovers += change.leftovers
        if upkeep.record != before { putRecord(group) }
        let transaction = WriteTransaction(group: group, now: Timestamp.now())
        transaction.begin()
        try transaction.appendLogEntry(changesSchema: true)
        putState(group)
        catalogs.enter(change.catalog, commit: group.snapshot.commit + 1)
        columns.dropAll(commit: group.snapshot.commit + 1)
        do {
            _ = try engine.commit(group.overlay.batch(), base: group.snapshot.commit)
        } catch {
            upkeep.record = before
            catalogs.withdraw()
            throw .storage(error)
        }
        catalogs.confirm()
        upkeep.isBlocked = false
        upkeep.end()
        publisher.publish(group.state.version)
        migration.write.finish(.committed(version: group.state.version))
    }

    /// Lets the greatest number of classes that get other primary keys be found anew.
    private func forgetNumbers(
        _ change: SchemaChange, _ group: CommitGroup
    ) throws(StoreError) {
        for work in change.works where work.entersKeys {
            do throws(StorageError) {
                var state = try group.classState(work.source)
                guard state.greatestNumber != nil else { continue }
                state.greatestNumber = nil
                group.overlay.put(
                    group.keyBuffer.making {
                        StoreKey.appendClassState(work.source.number, to: $0)
                    }, group.rowBuffer.making { state.append(to: $0) })
            } catch {
                throw .storage(error)
            }
        }
    }

    // MARK: Removing what is left behind

    /// How many entries one commit removes, and how many it looks at.
    private static let removedCountMax = 4_096
    private static let readCountMax = 16_384

    private func removeLeftovers() throws(StoreError) {
        guard let leftover = upkeep.record.leftovers.first else { return }
        let group = try openSchemaGroup()
        defer {
            group.snapshot.close()
            memory.reset()
        }
        var range = leftover.range
        if let last = upkeep.removedThrough { range.lower = last + [0] }
        var readCount = 0
        var removedCount = 0
        var last: [UInt8]?
        var holders: [UInt64] = []
        let before = upkeep.record
        do throws(StorageError) {
            try group.snapshot.scan(
                range, reversed: false, expecting: Self.removedCountMax
            ) { key, value in
                if leftover.contains(key) {
                    group.overlay.remove(key)
                    removedCount += 1
                    if case .rows = leftover, RowView(value)?.holdsOutside ?? false {
                        holders.append(StoreKey.trailingObjectKey(key))
                    }
                }
                readCount += 1
                guard removedCount < Self.removedCountMax, readCount < Self.readCountMax,
                    holders.count < Self.holderCountMax
                else {
                    last = Array(key)
                    return false
                }
                return true
            }
        } catch {
            throw .storage(error)
        }
        if case .rows(_, let classNumber) = leftover, !holders.isEmpty {
            try removeOutside(of: holders, classNumber, group)
        }
        do throws(StorageError) {
            if last == nil {
                upkeep.record.leftovers.removeFirst()
                putRecord(group)
            }
            let batch = group.overlay.batch()
            columns.note(batch, commit: group.snapshot.commit + 1)
            _ = try engine.commit(batch, base: group.snapshot.commit)
        } catch {
            upkeep.record = before
            if error.code == .conflict { return }
            throw .storage(error)
        }
        upkeep.removedThrough = last
        upkeep.countRemoved(removedCount)
    }

    /// How many objects have values outside their rows of those that one commit removes.
    private static let holderCountMax = 64

    /// Removes the values outside the rows of some objects to which their present rows do not refer.
    private func removeOutside(
        of keys: [UInt64], _ classNumber: UInt32, _ group: CommitGroup
    ) throws(StoreError) {
        let transaction = WriteTransaction(group: group, now: Timestamp.now())
        transaction.begin()
        // A class that is gone has all of it removed by a leftover of its own.
        guard let index = group.catalog.rows.classIndexByNumber[classNumber] else { return }
        let rowClass = group.catalog.rows.classes[index]
        for key in keys {
            if let row = try transaction.row(rowClass, key) {
                try transaction.sweepOutside(rowClass, key, row)
            } else {
                try transaction.freeAllOutside(rowClass, key)
            }
        }
    }
}
