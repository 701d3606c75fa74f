import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

// The lines of one class.
extension ImportWriter {
    /// Writes the lines of a chunk. Lines with missing targets, and the lines that depend on them, are left
    /// out: they wait with the object keys in ``ImportChunk/reservedKeys``, or are faulty in the end.
    func writeObjects(
        _ transaction: WriteTransaction, _ chunk: ImportChunk, isLast: Bool
    ) throws(StoreError) {
        var leftOut = Set<Int>()
        if !isLast, !waitingKeys.isEmpty {
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
            for key in DraftKeys(draft).provided { addWaiting(key, of: chunk) }
        }
    }

    /// Whether an object that the draft writes is one that an earlier line writes and waits.
    func waits(_ draft: ObjectDraft) -> Bool {
        if draft.children.isEmpty { return DraftKeys.own(draft).map(waits) ?? false }
        return DraftKeys(draft).provided.contains(where: waits)
    }

    /// Writes the lines of all chunks, or no line if any of them has a fault.
    func writeAll(_ transaction: WriteTransaction, _ chunks: [ImportChunk]) throws(StoreError) {
        for chunk in chunks { chunk.isStale = transaction.catalog !== chunk.catalog }
        if chunks.contains(where: \.isStale) { return }
        try options.rights?.keep(transaction)
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
        let dangling = transaction.danglingLinks()
        for (source, links) in Dictionary(grouping: dangling, by: \.source) {
            fail(source, RequestFault(dangling: links) { _ in .init() }.errors)
        }
        let refused = dangling.isEmpty ? try transaction.refusedActs() : []
        for (source, acts) in Dictionary(grouping: refused, by: \.source) {
            fail(source, acts.flatMap { RequestFault(StoreError.notAllowed($0)).errors })
        }
        let refusedSources = Set(refused.map(\.source))
        let violations = try transaction.uniqueViolations()
        for (source, found) in Dictionary(grouping: violations, by: \.source)
        where !refusedSources.contains(source) {
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
        chunk.resetOutcome()
        for position in chunk.lines.indices {
            guard let reading = chunk.lines[position].reading else { continue }
            if !leftOut.isEmpty, leftOut.contains(position) {
                if reservesKeys { chunk.reservedKeys.append(try reserveKeys(transaction, reading)) }
                continue
            }
            do throws(StoreError) {
                let written = try transaction.attempt { () throws(StoreError) in
                    let written = try write(
                        transaction, reading, chunk.earlierKey(position),
                        source: firstSource + position)
                    if eachIsUnique { try transaction.requireUniqueAttempt() }
                    return written
                }
                count(written, chunk)
            } catch { try note(error, chunk, position) }
        }
    }

    // MARK: Object keys

    /// Reserves the object keys of a waiting line's objects, so that they keep their order.
    ///
    /// Objects of an asymmetric class get their keys when they are written: a consumer of the
    /// outbox acknowledges all objects up to a key.
    func reserveKeys(
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

    /// Gives the objects of waiting lines the object keys that were reserved for them.
    func useEarlierKeys(
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
