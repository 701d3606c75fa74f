import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

// The lines of a whole store.
//
// Every object is created when its line comes, so that objects keep their order, and an object key from
// elsewhere finds its new one. A line with a link to an object that is not there yet gets its plain values
// at first (`ObjectDraft.plainPart`), and all of it when every object is there. So a circle of any size
// costs no more memory than a chain.
extension ImportWriter {
    /// Writes the lines of a chunk, each in full or its plain part. Of what has to wait for other lines
    /// ``ImportChunk/reservedKeys`` has the object that was created for it, 0 for none.
    func writeStored(
        _ transaction: WriteTransaction, _ chunk: ImportChunk
    ) throws(StoreError) {
        chunk.renameMarks = renames.map(\.mark)
        for position in chunk.lines.indices {
            guard let reading = chunk.lines[position].reading else { continue }
            do throws(StoreError) {
                if !waitingKeys.isEmpty, let key = DraftKeys.own(reading.draft), waits(key) {
                    wait(chunk, position, createdKey: 0)
                } else {
                    try writeStored(transaction, chunk, position, reading)
                }
            } catch {
                try note(error, chunk, position)
            }
        }
    }

    /// Writes lines that waited, now that every object is there. An object that was created for a line
    /// that turns out to be faulty is deleted.
    func completeStored(
        _ transaction: WriteTransaction, _ chunk: ImportChunk
    ) throws(StoreError) {
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
