import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

/// Writes chunks of an import in transactions of the store.
///
/// The writer's thread alone writes; only chunks that were committed count, and when one is not, the import ends.
final class ImportWriter: @unchecked Sendable {
    // Unchecked: everything belongs to the writer's thread; the import's own thread calls ``goOn()`` and
    // ``forgetWaitingKeys()`` only while no chunk is with the writer.

    let options: ImportOptions
    private let isOfStore: Bool
    /// Fingerprints of the primary keys of objects with waiting lines: a later line of the same object has to wait too.
    private(set) var waitingKeys: Set<UInt64> = []
    /// Fingerprints of the objects of faulty restricted lines: links to these objects report it.
    var untakenKeys: Set<UInt64> = []
    /// A chunk before was not written, so later ones have to wait their turn.
    private var isHeld = false
    /// In a whole store's import, the object keys by the position of the class.
    var renames: [KeyRenames] = []
    /// The line that is being written.
    var position = 0

    init(_ target: ImportTarget, _ options: ImportOptions) {
        self.options = options
        isOfStore = if case .store = target { true } else { false }
    }

    /// Lets chunks be written again after some could not be for want of the right catalog.
    func goOn() { isHeld = false }

    /// Forgets which keys wait, because their lines are about to be written.
    func forgetWaitingKeys() { waitingKeys = [] }

    /// Writes the lines of a chunk. Lines with a fault are left out. Lines that wait for others are
    /// in ``ImportChunk/deferred`` then.
    ///
    /// - `isLast`: Whether no further objects can follow: lines with missing targets are faulty then.
    /// - Throws: ``StoreError`` of failing storage, or when the schema has changed under a whole store's
    ///   import; an import of a class marks the chunk as stale instead.
    func write(_ transaction: WriteTransaction, _ chunk: ImportChunk, isLast: Bool)
        throws(StoreError)
    {
        takeBack(chunk)
        guard !isHeld, transaction.catalog === chunk.catalog else {
            if isOfStore { throw .schemaRevision(current: transaction.catalog.schema.revision) }
            chunk.isStale = true
            isHeld = true
            return
        }
        if let rights = options.rights {
            try rights.keep(transaction)
            if isLast { return try completeKept(transaction, chunk) }
            return try writeKept(transaction, chunk)
        }
        // The text of a chunk bounds the transaction; the number of nested objects does not.
        transaction.liftLimits()
        if !isOfStore { return try writeObjects(transaction, chunk, isLast: isLast) }
        while renames.count < transaction.catalog.rows.classes.count {
            renames.append(KeyRenames())
        }
        transaction.keyRenames = { self.renames[$0][$1] }
        if isLast {
            try completeStored(transaction, chunk)
        } else {
            try writeStored(transaction, chunk)
        }
    }

    /// Takes back the notes of the chunk's last run, which was not committed.
    private func takeBack(_ chunk: ImportChunk) {
        for key in chunk.addedKeys { waitingKeys.remove(key) }
        for (index, mark) in chunk.renameMarks.enumerated() { renames[index].roll(backTo: mark) }
        chunk.renameMarks = []
        chunk.resetOutcome()
    }

    // MARK: Lines

    /// Writes lines that have to be valid by themselves: with existing targets, allowed and unique. Otherwise writes nothing
    /// of them.
    func attempt<Result>(
        _ transaction: WriteTransaction, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try transaction.attempt { () throws(StoreError) in
            let result = try body()
            let dangling = transaction.danglingLinks()
            if !dangling.isEmpty { throw .danglingLinks(dangling) }
            try transaction.requireAllowedAttempt()
            try transaction.requireUniqueAttempt()
            return result
        }
    }

    /// - `earlierKey`: The object key that was reserved for the line's own object.
    /// - `source`: The line, by which errors name it.
    func write(
        _ transaction: WriteTransaction, _ reading: ObjectReading, _ earlierKey: UInt64?,
        source: Int = 0
    ) throws(StoreError) -> WriteResult {
        var precondition = Precondition.none
        if let version = reading.version { precondition = .matches([version]) }
        if let earlierKey, makesObject(reading),
            try transaction.isFree(earlierKey, reading.draft.rowClass)
        {
            try transaction.check(precondition, reading.draft.rowClass, key: nil, nil)
            return try transaction.create(reading.draft, reservedKey: earlierKey, source: source)
        }
        return try transaction.write(
            reading.draft, objectKey: statedKey(reading), mode: options.mode,
            precondition: precondition, source: source)
    }

    /// The object key of the stored object of a line, if its class has no primary key. A
    /// new object, and every object of another store, gets a key of this store.
    private func statedKey(_ reading: ObjectReading) -> UInt64? {
        isOfStore || options.mode == .create || options.mode == .ignore ? nil : reading.objectKey
    }

    /// Whether a line's own object is always a new one.
    func makesObject(_ reading: ObjectReading) -> Bool {
        let rowClass = reading.draft.rowClass
        guard rowClass.primaryKeyIndex == nil || rowClass.numbersKeys else { return false }
        return DraftKeys.own(reading.draft) == nil && statedKey(reading) == nil
    }

    /// Counts a written line, or a line that is ignored because its object exists.
    func count(_ written: WriteResult, _ chunk: ImportChunk) {
        if written.isCreated || options.mode != .ignore {
            chunk.writtenCount += 1
        } else {
            chunk.ignoredCount += 1
        }
    }

    /// Keeps the fault of a line. Other errors are rethrown.
    func note(_ error: StoreError, _ chunk: ImportChunk, _ position: Int) throws(StoreError) {
        switch error {
        case .storage, .closing, .schemaRevision, .tooManyOperations, .transactionTooLarge,
            .stopped:
            throw error
        default: break
        }
        if case .notAllowed(var act) = error {
            act.source = 0
            chunk.refusedActs.insert(act)
        }
        let fault = RequestFault(error)
        var faults = fault.errors
        if faults.isEmpty { faults = [RequestFault.Entry(code: fault.code, detail: fault.detail)] }
        if isOfStore {
            for index in faults.indices {
                faults[index].pointer = faults[index].pointer.map { "/object" + $0 }
            }
        }
        chunk.writeFaults.append((chunk.lines[position].number, faults))
    }

    // MARK: Keys of lines that wait

    /// Whether the line of an object waits.
    func waits(_ key: DraftKeys.Key) -> Bool { waitingKeys.contains(key.fingerprint) }

    /// Has later lines of an object wait, too.
    func addWaiting(_ key: DraftKeys.Key, of chunk: ImportChunk) {
        let number = key.fingerprint
        if waitingKeys.insert(number).inserted { chunk.addedKeys.append(number) }
    }
}

// The lines of a whole store.
//
// Every object is created when its line comes, so that objects keep their order, and an object key from elsewhere finds its new
// one. A line with a link to an object that is not there yet gets its plain values at first (`ObjectDraft.plainPart`), and all of
// it when every object is there. So a circle of any size costs no more memory than a chain.
extension ImportWriter {
    /// Writes the lines of a chunk, each in full or its plain part. For lines that wait for others
    /// ``ImportChunk/reservedKeys`` has the object that was created for them, 0 without one.
    func writeStored(_ transaction: WriteTransaction, _ chunk: ImportChunk) throws(StoreError) {
        chunk.renameMarks = renames.map(\.mark)
        for position in chunk.lines.indices {
            guard let reading = chunk.lines[position].reading else { continue }
            do throws(StoreError) {
                if !waitingKeys.isEmpty, let key = DraftKeys.own(reading.draft), waits(key) {
                    wait(chunk, position, createdKey: 0)
                } else {
                    try writeStored(transaction, chunk, position, reading)
                }
            } catch { try note(error, chunk, position) }
        }
    }

    /// Writes lines that waited, now that every object is there. An object that was created for a line
    /// that turns out to be faulty is deleted.
    func completeStored(_ transaction: WriteTransaction, _ chunk: ImportChunk) throws(StoreError) {
        for (position, line) in chunk.lines.enumerated() {
            guard let reading = line.reading else { continue }
            let key = chunk.earlierKey(position)
            do throws(StoreError) {
                let written = try attempt(transaction) { () throws(StoreError) in
                    if let key { return try fill(transaction, reading, key) }
                    return try write(transaction, reading, nil)
                }
                if key == nil { count(written, chunk) } else { chunk.writtenCount += 1 }
            } catch {
                try note(error, chunk, position)
                guard let key else { continue }
                // Where deleting it is refused, it stays with its plain values; the report has the line.
                try? transaction.attempt { () throws(StoreError) in
                    try transaction.delete(reading.draft.rowClass, key: key)
                }
            }
        }
    }

    private func writeStored(
        _ transaction: WriteTransaction, _ chunk: ImportChunk, _ position: Int,
        _ reading: ObjectReading
    ) throws(StoreError) {
        let rowClass = reading.draft.rowClass
        let isKeyed = rowClass.primaryKeyIndex != nil
        if !isKeyed, let old = reading.objectKey, renames[rowClass.index][old] != nil {
            throw .duplicateKey(className: rowClass.definition.name)
        }
        do throws(StoreError) {
            let written = try attempt(transaction) { () throws(StoreError) in
                try write(transaction, reading, nil)
            }
            if !isKeyed { rename(reading, to: written.key) }
            count(written, chunk)
        } catch {
            guard case .danglingLinks = error else { throw error }
            if let key = DraftKeys.own(reading.draft),
                try transaction.find(rowClass, primaryKey: OrderedKey(bytes: key.bytes)) != nil
            {
                return wait(chunk, position, createdKey: 0)
            }
            let plain = reading.draft.plainPart()
            let created = try attempt(transaction) { () throws(StoreError) in
                try transaction.write(plain, mode: .create)
            }
            if !isKeyed { rename(reading, to: created.key) }
            wait(chunk, position, createdKey: created.key)
        }
    }

    private func fill(
        _ transaction: WriteTransaction, _ reading: ObjectReading, _ key: UInt64
    ) throws(StoreError) -> WriteResult {
        let isKeyed = reading.draft.rowClass.primaryKeyIndex != nil
        return try transaction.write(
            reading.draft, objectKey: isKeyed ? nil : key,
            mode: reading.draft.isMerge ? .update : .replaceExisting)
    }

    private func wait(_ chunk: ImportChunk, _ position: Int, createdKey: UInt64) {
        chunk.deferred.append(position)
        chunk.reservedKeys.append([createdKey])
        guard options.mode == .merge || options.mode == .replace,
            let key = chunk.lines[position].reading.flatMap({ DraftKeys.own($0.draft) })
        else { return }
        addWaiting(key, of: chunk)
    }

    private func rename(_ reading: ObjectReading, to key: UInt64) {
        guard let old = reading.objectKey else { return }
        renames[reading.draft.rowClass.index].add(old, key)
    }
}
