import ObjectJSON
import ObjectModel
import ObjectStore
import Rows

/// Writes chunks of a whole store's import in transactions of the store.
///
/// Every object is created when its line comes, so that objects keep their order, and an object key
/// from elsewhere finds its new one. A line with a link to an object that is not there yet gets its
/// plain values at first (`ObjectDraft.plainPart`), and all of it when every object is there. So a
/// circle of any size costs no more memory than a chain.
///
/// The writer's thread alone calls ``write(_:_:)`` and ``complete(_:_:)``; a chunk whose commit fails
/// ends the import.
final class StoreImportWriter: @unchecked Sendable {
    // Unchecked: everything belongs to the writer's thread.

    private let mode: WriteMode
    /// By the position of the class.
    private var renames: [KeyRenames] = []
    /// Fingerprints of the keys of objects whose lines wait: in modes that change objects, a later line
    /// of the same object has to wait too.
    private var waitingKeys: Set<UInt64> = []

    init(_ mode: WriteMode) { self.mode = mode }

    /// Writes the lines of a chunk, each in full or its plain part. What has to wait for other lines is
    /// in ``ImportChunk/deferred`` then, with the objects that were created for it.
    ///
    /// - Throws: ``StoreError`` of failing storage, or when the schema has changed.
    func write(_ transaction: WriteTransaction, _ chunk: ImportChunk) throws(StoreError) {
        takeBack(chunk)
        try prepare(transaction, chunk)
        chunk.renameMarks = renames.map(\.mark)
        for position in chunk.lines.indices {
            guard let reading = chunk.lines[position].reading else { continue }
            do throws(StoreError) {
                if mustWait(reading.draft) {
                    wait(chunk, position, createdKey: 0)
                } else {
                    try write(transaction, chunk, position, reading)
                }
            } catch {
                try note(error, chunk, position)
            }
        }
    }

    /// Writes lines that waited, now that every object is there. An object that was created for a line
    /// that turns out to be faulty is deleted.
    ///
    /// - Throws: As ``write(_:_:)``.
    func complete(_ transaction: WriteTransaction, _ chunk: ImportChunk) throws(StoreError) {
        chunk.resetOutcome()
        try prepare(transaction, chunk)
        for (position, line) in chunk.lines.enumerated() {
            guard let reading = line.reading else { continue }
            let key = chunk.createdKeys[position]
            do throws(StoreError) {
                try transaction.attempt { () throws(StoreError) in
                    _ =
                        key == 0
                        ? try create(transaction, reading)
                        : try fill(transaction, reading, key)
                    try requireTargets(transaction)
                    try transaction.requireUniqueAttempt()
                }
                chunk.writtenCount += 1
            } catch {
                try note(error, chunk, position)
                guard key > 0 else { continue }
                // Where deleting it is refused, it stays with its plain values; the report has the line.
                try? transaction.attempt { () throws(StoreError) in
                    try transaction.delete(reading.draft.rowClass, key: key)
                }
            }
        }
    }

    // MARK: Lines

    private func write(
        _ transaction: WriteTransaction, _ chunk: ImportChunk, _ position: Int,
        _ reading: ObjectReading
    ) throws(StoreError) {
        let rowClass = reading.draft.rowClass
        let isKeyed = rowClass.primaryKeyIndex != nil
        if !isKeyed, let old = reading.objectKey, renames[rowClass.index][old] != nil {
            throw .duplicateKey(className: rowClass.definition.name)
        }
        do throws(StoreError) {
            let written = try transaction.attempt { () throws(StoreError) in
                let written = try create(transaction, reading)
                try requireTargets(transaction)
                try transaction.requireUniqueAttempt()
                return written
            }
            if !isKeyed { rename(reading, to: written.key) }
            if written.isCreated || mode != .ignore {
                chunk.writtenCount += 1
            } else {
                chunk.ignoredCount += 1
            }
        } catch {
            guard case .danglingLinks = error else { throw error }
            if let key = DraftKeys.own(reading.draft),
                try transaction.find(rowClass, primaryKey: OrderedKey(bytes: key.bytes)) != nil
            {
                return wait(chunk, position, createdKey: 0)
            }
            let plain = reading.draft.plainPart()
            let created = try transaction.attempt { () throws(StoreError) in
                let created = try transaction.write(plain, mode: .create)
                try transaction.requireUniqueAttempt()
                return created
            }
            if !isKeyed { rename(reading, to: created.key) }
            wait(chunk, position, createdKey: created.key)
        }
    }

    private func create(
        _ transaction: WriteTransaction, _ reading: ObjectReading
    ) throws(StoreError) -> WriteResult {
        var precondition = Precondition.none
        if let version = reading.version { precondition = .matches([version]) }
        // Without a primary key nothing here can be the object of a line.
        let isKeyed = reading.draft.rowClass.primaryKeyIndex != nil
        return try transaction.write(
            reading.draft, mode: isKeyed ? mode : .create, precondition: precondition)
    }

    private func fill(
        _ transaction: WriteTransaction, _ reading: ObjectReading, _ key: UInt64
    ) throws(StoreError) -> WriteResult {
        let isKeyed = reading.draft.rowClass.primaryKeyIndex != nil
        return try transaction.write(
            reading.draft, objectKey: isKeyed ? nil : key,
            mode: reading.draft.isMerge ? .update : .replaceExisting)
    }

    private func requireTargets(_ transaction: WriteTransaction) throws(StoreError) {
        let dangling = transaction.danglingLinks()
        if !dangling.isEmpty { throw .danglingLinks(dangling) }
    }

    private func wait(_ chunk: ImportChunk, _ position: Int, createdKey: UInt64) {
        chunk.deferred.append(position)
        chunk.createdKeys.append(createdKey)
        guard mode == .merge || mode == .replace,
            let key = chunk.lines[position].reading.flatMap({ DraftKeys.own($0.draft) })?
                .fingerprint
        else { return }
        if waitingKeys.insert(key).inserted { chunk.addedKeys.append(key) }
    }

    private func mustWait(_ draft: ObjectDraft) -> Bool {
        guard !waitingKeys.isEmpty, let key = DraftKeys.own(draft) else { return false }
        return waitingKeys.contains(key.fingerprint)
    }

    /// Keeps what is wrong with a line; errors that are not its own go on.
    private func note(
        _ error: StoreError, _ chunk: ImportChunk, _ position: Int
    ) throws(StoreError) {
        switch error {
        case .storage, .closing, .schemaRevision: throw error
        default: break
        }
        let problem = RequestFault(error)
        var faults = problem.errors
        if faults.isEmpty {
            faults = [RequestFault.Entry(code: problem.code, detail: problem.detail)]
        }
        for index in faults.indices {
            faults[index].pointer = faults[index].pointer.map { "/object" + $0 }
        }
        chunk.writeFaults.append((chunk.lines[position].number, faults))
    }

    // MARK: State

    private func prepare(
        _ transaction: WriteTransaction, _ chunk: ImportChunk
    ) throws(StoreError) {
        guard transaction.catalog === chunk.catalog else {
            throw .schemaRevision(current: transaction.catalog.schema.revision)
        }
        // The text of a chunk bounds the transaction; the number of nested objects does not.
        transaction.operationCountMax = .max
        transaction.byteCountMax = .max
        while renames.count < transaction.catalog.rows.classes.count {
            renames.append(KeyRenames())
        }
        transaction.keyRenames = { self.renames[$0][$1] }
    }

    private func rename(_ reading: ObjectReading, to key: UInt64) {
        guard let old = reading.objectKey else { return }
        renames[reading.draft.rowClass.index].add(old, key)
    }

    /// Takes back what the last run of the same chunk, which was not committed, has noted.
    private func takeBack(_ chunk: ImportChunk) {
        for key in chunk.addedKeys { waitingKeys.remove(key) }
        for (index, mark) in chunk.renameMarks.enumerated() { renames[index].roll(backTo: mark) }
        chunk.renameMarks = []
        chunk.createdKeys.removeAll(keepingCapacity: true)
        chunk.resetOutcome()
    }
}
