import HoldfastObjectModel
import HoldfastRows
import HoldfastStorage

/// Changes of the schema: small ones in one commit, others in slices between the groups of writes.
extension CommitQueue {
    /// Makes a change, begins it, or refuses it.
    func commitSchema(_ write: any PendingSchemaWrite) {
        if backgroundMigration.isBusy {
            let percent = backgroundMigration.progress?.percent ?? 0
            return write.finish(.failure(.migrationUnderWay(percent: percent)))
        }
        for _ in 0..<Self.conflictCountMax {
            do {
                try beginSchema(write)
                return
            } catch {
                if case .storage(let storage) = error, storage.code == .conflict { continue }
                write.finish(.failure(error))
                return
            }
        }
        write.finish(.failure(.storage(StorageError(.conflict, operation: "commit"))))
    }

    private func beginSchema(_ write: any PendingSchemaWrite) throws(StoreError) {
        let group = try openSchemaGroup()
        defer { close(group) }
        let proposal = try write.proposal(group.catalog)
        func make() throws(StoreError) -> StagedMigration {
            let migration = try StagedMigration(
                write, proposal, from: group.catalog, backgroundMigration.record)
            try migration.requireEmptyClasses(group)
            // Refused now rather than when all objects are rewritten.
            _ = try migration.document(group)
            return migration
        }
        let migration = try make()
        guard migration.change.isChange else { return write.finish(.success(group.state.version)) }
        if backgroundMigration.record.garbage.contains(where: migration.change.staged.contains) {
            backgroundMigration.unblock()
            backgroundMigration.held = write
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
            backgroundMigration.begin(try make(), totalCount: objectCount)
            return
        }
        backgroundMigration.begin(migration, totalCount: objectCount)
    }

    /// The most bytes of changes that go into one commit.
    private static let directByteCountMax = 32 << 20

    private func openSchemaGroup() throws(StoreError) -> CommitGroup {
        do { return try openGroup() } catch { throw .storage(error) }
    }

    // MARK: Slices

    /// Continues with the next slice of the work.
    func advanceBackgroundMigration() {
        if let migration = backgroundMigration.migration {
            let before = migration.progress
            do {
                try advance(migration)
                backgroundMigration.conflictCount = 0
                backgroundMigration.publish()
            } catch {
                backgroundMigration.conflictCount += 1
                if case .storage(let storage) = error, storage.code == .conflict,
                    backgroundMigration.conflictCount < Self.conflictCountMax
                {
                    migration.progress = before
                    return
                }
                backgroundMigration.record.garbage += backgroundMigration.record.staged
                backgroundMigration.record.staged = []
                backgroundMigration.end()
                migration.write.finish(.failure(error))
            }
        } else if let held = backgroundMigration.held, backgroundMigration.record.garbage.isEmpty {
            backgroundMigration.held = nil
            commitSchema(held)
        } else {
            do { try removeGarbage() } catch { backgroundMigration.block(error) }
        }
    }

    private func advance(_ migration: StagedMigration) throws(StoreError) {
        let group = try openSchemaGroup()
        defer { close(group) }
        let phase = migration.progress.phase
        let limit = SliceLimit(
            objectCount: options.migrationSliceCount, byteCount: Self.sliceByteCount)
        if try migration.advance(group, limit) { return try commitChange(migration, group) }
        if phase == .check, migration.progress.phase == .build {
            // Before anything is staged, the store has to know which staged entries to remove if it stops here.
            backgroundMigration.record.staged = migration.change.staged
            backgroundMigration.record.nextClass = migration.change.catalog.nextClassNumber
            backgroundMigration.record.nextProperty = migration.change.catalog.nextPropertyNumber
            putRecord(group)
        }
        guard !group.overlay.isEmpty else { return }
        do { try commit(group) } catch { throw .storage(error) }
    }

    /// The bytes of changes of one slice.
    private static let sliceByteCount = 1 << 20

    private func putRecord(_ group: CommitGroup) {
        StoreKey.migration.withUnsafeBytes { key in
            if backgroundMigration.record.isEmpty {
                group.overlay.remove(key)
            } else {
                group.overlay.put(
                    key, group.rowBuffer.making { backgroundMigration.record.append(to: $0) })
            }
        }
    }

    // MARK: The commit that makes a change visible

    private func commitChange(
        _ migration: StagedMigration, _ group: CommitGroup
    ) throws(StoreError) {
        let change = migration.change
        try migration.requireEmptyClasses(group)
        try change.testUniqueness(in: OverlaySnapshot(group), group.overflow)
        try forgetNumbers(change, group)
        let bytes = group.rowBuffer.making { change.catalog.append(to: $0) }
        guard bytes.count <= group.valueByteCountMax else {
            throw .tooLarge(
                detail: "The schema takes \(bytes.count) bytes; \(group.valueByteCountMax) are "
                    + "allowed.")
        }
        StoreKey.catalog.withUnsafeBytes { _ = group.overlay.put($0, bytes) }
        if let document = try migration.document(group) { group.putAccessDocument(document) }
        let before = backgroundMigration.record
        backgroundMigration.record.staged = []
        backgroundMigration.record.garbage += change.garbage
        if backgroundMigration.record != before { putRecord(group) }
        let transaction = WriteTransaction(group: group, now: Timestamp.now(), options)
        try transaction.appendLogEntry(change.changedShapes)
        putState(group)
        catalogs.enter(change.catalog, commit: group.snapshot.commit + 1)
        columns.dropAll(commit: group.snapshot.commit + 1)
        do {
            _ = try engine.commit(group.overlay.batch(), base: group.snapshot.commit)
        } catch {
            backgroundMigration.record = before
            catalogs.withdraw()
            throw .storage(error)
        }
        catalogs.confirm()
        backgroundMigration.unblock()
        backgroundMigration.end()
        publisher.publish(group.state.version)
        migration.write.finish(.success(group.state.version))
    }

    /// Lets the greatest number of classes that get other primary keys be found again.
    private func forgetNumbers(_ change: SchemaChange, _ group: CommitGroup) throws(StoreError) {
        for work in change.works.values where work.entersKeys {
            var state = try group.classState(work.source)
            guard state.greatestNumber != nil else { continue }
            state.greatestNumber = nil
            group.overlay.put(
                group.keyBuffer.making { StoreKey.appendClassState(work.source.number, to: $0) },
                group.rowBuffer.making { state.append(to: $0) })
        }
    }

    // MARK: Removing leftovers

    /// The most entries that one commit removes, and the most that it reads.
    private static let removedCountMax = 4_096
    private static let readCountMax = 16_384

    private func removeGarbage() throws(StoreError) {
        guard let entry = backgroundMigration.record.garbage.first else { return }
        let group = try openSchemaGroup()
        defer { close(group) }
        var range = entry.range
        if let last = backgroundMigration.removedThrough { range.lower = last + [0] }
        var readCount = 0
        var removedCount = 0
        var last: [UInt8]?
        var holders: [UInt64] = []
        let before = backgroundMigration.record
        try group.snapshot.walk(range, expecting: Self.removedCountMax) { key, value in
            if entry.contains(key) {
                group.overlay.remove(key)
                removedCount += 1
                if entry.kind == .rows, RowView(value)?.holdsOverflow ?? false {
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
        if !holders.isEmpty { try removeOverflow(of: holders, entry.numbers[1], group) }
        do throws(StorageError) {
            if last == nil {
                backgroundMigration.record.garbage.removeFirst()
                putRecord(group)
            }
            try commit(group)
        } catch {
            backgroundMigration.record = before
            if error.code == .conflict { return }
            throw .storage(error)
        }
        backgroundMigration.removedThrough = last
        backgroundMigration.countRemoved(removedCount)
    }

    /// The most objects with out-of-line values that one commit removes.
    private static let holderCountMax = 64

    /// Removes the out-of-line values of some objects to which their current rows do not refer.
    private func removeOverflow(
        of keys: [UInt64], _ classNumber: UInt32, _ group: CommitGroup
    ) throws(StoreError) {
        // A removed class has an entry of garbage of its own for all of it.
        guard let index = group.catalog.rows.classIndexByNumber[classNumber] else { return }
        let rowClass = group.catalog.rows.classes[index]
        for key in keys {
            if let row = try group.row(rowClass, key) {
                try group.sweepOverflow(rowClass, key, row)
            } else {
                try group.freeAllOverflow(rowClass, key)
            }
        }
    }
}
