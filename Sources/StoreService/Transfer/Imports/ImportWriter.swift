import ObjectJSON
import ObjectModel
import ObjectStore
import Rows

/// Writes chunks of an import in transactions of the store.
///
/// The writer's thread alone calls ``write(_:_:isLast:)``; only chunks that were committed count, and
/// when one is not, the import ends.
final class ImportWriter: @unchecked Sendable {
    // Unchecked: everything belongs to the writer's thread; the import's own thread calls
    // ``goOn()`` only while no chunk is with the writer.

    private let options: ImportOptions
    /// Hashes of the primary keys of lines that wait: a later line of the same object has to wait too.
    private var deferredKeys: Set<UInt64> = []
    /// A chunk before was not written, so later ones have to wait their turn.
    private var isHeld = false

    init(_ options: ImportOptions) { self.options = options }

    /// Lets chunks be written again after some could not be for want of the right catalog.
    func goOn() { isHeld = false }

    /// Forgets which keys wait, because their lines are about to be written.
    func forgetDeferredKeys() { deferredKeys = [] }

    /// Writes the lines of a chunk. Lines with a fault are left out, and so are lines whose links lead
    /// nowhere, and those that depend on them.
    ///
    /// - `isLast`: Whether nothing can follow that a link could lead to: such lines are faulty
    ///   then; else they are deferred.
    func write(_ transaction: WriteTransaction, _ chunk: ImportChunk, isLast: Bool)
        throws(StoreError)
    {
        for key in chunk.addedKeys { deferredKeys.remove(key) }
        chunk.resetOutcome()
        guard !isHeld, transaction.catalog === chunk.catalog else {
            chunk.isStale = true
            isHeld = true
            return
        }
        // The text of a chunk bounds the transaction; the number of nested objects does not.
        transaction.operationCountMax = .max
        transaction.byteCountMax = .max
        var leftOut = Set<Int>()
        if !isLast, !deferredKeys.isEmpty {
            for (position, line) in chunk.lines.enumerated() {
                if let draft = line.reading?.draft, waits(draft) { leftOut.insert(position) }
            }
        }
        var linkFaults: [Int: [RequestFault.Entry]] = [:]
        var dependencies: ImportDependencies?
        while true {
            useEarlierKeys(transaction, chunk, without: leftOut)
            // Where a chunk ends is chance, so each line has to be unique by itself.
            try writeLines(
                transaction, chunk, without: leftOut, reservesKeys: !isLast, eachIsUnique: true)
            let dangling = transaction.danglingLinks()
            if dangling.isEmpty {
                if transaction.restartInOrder() { continue }
                break
            }
            transaction.restart()
            let found = dependencies ?? ImportDependencies(chunk.lines.map(\.reading?.draft))
            dependencies = found
            let sources = Set(dangling.map(\.source))
            if isLast {
                for (source, links) in Dictionary(grouping: dangling, by: \.source) {
                    linkFaults[source] = RequestFault(dangling: links) { _ in .init() }.errors
                }
                let schema = transaction.catalog.rows
                let writesOnce = options.mode == .create || options.mode == .ignore
                try found.close(
                    sources, keepsOrder: false, writesOnce: writesOnce, transaction, into: &leftOut
                ) {
                    linkFaults[$0] = found.faults(of: $0, missing: $1, schema)
                }
            } else {
                try found.close(
                    sources.union(leftOut), keepsOrder: true, transaction, into: &leftOut)
            }
        }
        if isLast {
            // In their order: a report names the first of many.
            for (position, faults) in linkFaults.sorted(by: { $0.key < $1.key }) {
                chunk.writeFaults.append((chunk.lines[position].number, faults))
            }
            return
        }
        chunk.deferred = leftOut.sorted()
        for position in chunk.deferred {
            guard let draft = chunk.lines[position].reading?.draft else { continue }
            for key in DraftKeys(draft).provided {
                let number = key.fingerprint
                if deferredKeys.insert(number).inserted { chunk.addedKeys.append(number) }
            }
        }
    }

    /// Whether an object that the draft writes is one that an earlier line writes and waits.
    private func waits(_ draft: ObjectDraft) -> Bool {
        if draft.children.isEmpty {
            return DraftKeys.own(draft).map { deferredKeys.contains($0.fingerprint) } ?? false
        }
        return DraftKeys(draft).provided.contains { deferredKeys.contains($0.fingerprint) }
    }

    /// Writes the lines of all chunks, or none when any of them has a fault.
    func writeAll(_ transaction: WriteTransaction, _ chunks: [ImportChunk]) throws(StoreError) {
        for chunk in chunks {
            chunk.resetOutcome()
            chunk.isStale = transaction.catalog !== chunk.catalog
        }
        if chunks.contains(where: \.isStale) { return }
        var firstSource = 0
        for chunk in chunks {
            try writeLines(transaction, chunk, without: [], firstSource: firstSource)
            firstSource += chunk.lines.count
        }
        func fail(_ source: Int, _ faults: [RequestFault.Entry]) {
            var position = source
            let found = chunks.first {
                if position < $0.lines.count { return true }
                position -= $0.lines.count
                return false
            }
            guard let chunk = found else { return }
            chunk.writeFaults.append((chunk.lines[position].number, faults))
        }
        for (source, links) in Dictionary(grouping: transaction.danglingLinks(), by: \.source) {
            fail(source, RequestFault(dangling: links) { _ in .init() }.errors)
        }
        let violations = try transaction.uniqueViolations()
        for (source, found) in Dictionary(grouping: violations, by: \.source) {
            fail(source, RequestFault(notUnique: found) { _ in .init() }.errors)
        }
        guard chunks.contains(where: { !$0.writeFaults.isEmpty || !$0.readFaults.isEmpty }) else {
            return
        }
        transaction.restart()
        for chunk in chunks {
            chunk.writtenCount = 0
            chunk.ignoredCount = 0
        }
    }

    private func writeLines(
        _ transaction: WriteTransaction, _ chunk: ImportChunk, without leftOut: Set<Int>,
        firstSource: Int = 0, reservesKeys: Bool = false, eachIsUnique: Bool = false
    ) throws(StoreError) {
        chunk.writeFaults.removeAll(keepingCapacity: true)
        chunk.reservedKeys.removeAll(keepingCapacity: true)
        chunk.writtenCount = 0
        chunk.ignoredCount = 0
        for position in chunk.lines.indices {
            guard let reading = chunk.lines[position].reading else { continue }
            if !leftOut.isEmpty, leftOut.contains(position) {
                if reservesKeys {
                    chunk.reservedKeys.append(try reserveKeys(transaction, reading))
                }
                continue
            }
            transaction.source = firstSource + position
            do throws(StoreError) {
                let isWritten = try transaction.attempt { () throws(StoreError) in
                    let written = try write(transaction, reading, chunk.earlierKey(position))
                    if eachIsUnique { try transaction.requireUniqueAttempt() }
                    return written.isCreated || options.mode != .ignore
                }
                if isWritten { chunk.writtenCount += 1 } else { chunk.ignoredCount += 1 }
            } catch {
                switch error {
                case .storage, .closing, .tooManyOperations, .transactionTooLarge: throw error
                default: break
                }
                let problem = RequestFault(error)
                let fault = RequestFault.Entry(code: problem.code, detail: problem.detail)
                chunk.writeFaults.append(
                    (
                        chunk.lines[position].number,
                        problem.errors.isEmpty ? [fault] : problem.errors
                    ))
            }
        }
    }

    /// - `earlierKey`: The object key that was reserved for the line's own object.
    private func write(
        _ transaction: WriteTransaction, _ reading: ObjectReading, _ earlierKey: UInt64?
    ) throws(StoreError) -> WriteResult {
        var precondition = Precondition.none
        if let version = reading.version { precondition = .matches([version]) }
        if let earlierKey, makesObject(reading),
            try transaction.isFree(earlierKey, reading.draft.rowClass)
        {
            try transaction.check(precondition, reading.draft.rowClass, key: nil, nil)
            return try transaction.create(reading.draft, reservedKey: earlierKey)
        }
        return try transaction.write(
            reading.draft, objectKey: statedKey(reading), mode: options.mode,
            precondition: precondition)
    }

    /// The object key of the stored object that a line is about, where its class has no primary key. A
    /// new object gets a key of this store, whatever its line says.
    private func statedKey(_ reading: ObjectReading) -> UInt64? {
        options.mode == .create || options.mode == .ignore ? nil : reading.objectKey
    }

    // MARK: Object keys

    /// Whether a line's own object is a new one whatever there is.
    private func makesObject(_ reading: ObjectReading) -> Bool {
        let rowClass = reading.draft.rowClass
        guard rowClass.primaryKeyIndex == nil || rowClass.numbersKeys else { return false }
        return DraftKeys.own(reading.draft) == nil && statedKey(reading) == nil
    }

    /// Reserves the object keys of what a line that has to wait makes, so that it stands in its turn.
    ///
    /// Objects of an asymmetric class get their keys when they are written: who takes them from the
    /// outbox acknowledges all up to a key.
    private func reserveKeys(
        _ transaction: WriteTransaction, _ reading: ObjectReading
    ) throws(StoreError) -> [UInt64] {
        let schema = transaction.catalog.rows
        var keys: [UInt64] = []
        for key in DraftKeys(reading.draft).reservable {
            let rowClass = key.map { schema.classes[$0.classIndex] } ?? reading.draft.rowClass
            let isWanted = !rowClass.isAsymmetric && (key != nil || makesObject(reading))
            let reserved =
                isWanted ? try transaction.reserveKey(rowClass, primaryKey: key?.bytes) : nil
            keys.append(reserved ?? 0)
        }
        return keys
    }

    /// Has what lines make that waited get the object keys that were reserved for it.
    private func useEarlierKeys(
        _ transaction: WriteTransaction, _ chunk: ImportChunk, without leftOut: Set<Int>
    ) {
        guard !chunk.earlierKeys.isEmpty else { return }
        let schema = transaction.catalog.rows
        for (position, line) in chunk.lines.enumerated() where !leftOut.contains(position) {
            guard let draft = line.reading?.draft else { continue }
            for (key, reserved) in zip(DraftKeys(draft).reservable, chunk.earlierKeys[position]) {
                guard let key, reserved > 0 else { continue }
                transaction.useReservedKey(
                    reserved, schema.classes[key.classIndex], primaryKey: key.bytes)
            }
        }
    }
}
