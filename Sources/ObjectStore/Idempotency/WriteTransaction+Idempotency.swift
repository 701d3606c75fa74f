import Bytes
import Rows
import Storage

extension WriteTransaction {
    /// The record under an identifier, if it is not too old.
    package func idempotencyRecord(_ id: [UInt8]) throws(StoreError) -> IdempotencyRecord? {
        let key = keyBuffer.making { StoreKey.appendRecord(id, to: $0) }
        guard let bytes = try value(key) else { return nil }
        return try IdempotencyRecord.valid(bytes, at: now.seconds, idempotency)
    }

    /// Stores the reply to this transaction under an identifier, and drops the oldest records that are too
    /// old or for which there is no room. It is stored even if the transaction changes nothing else.
    ///
    /// Cost: three changes, and two for each record that goes.
    /// - Throws: ``StoreError`` `.tooLarge` for a reply of more bytes than one may have.
    package func addIdempotencyRecord(_ payload: [UInt8], as id: [UInt8]) throws(StoreError) {
        let limit = min(idempotency.recordByteCountMax, group.valueByteCountMax - 64)
        guard payload.count <= limit else {
            throw .tooLarge(
                detail:
                    "The reply takes \(payload.count) bytes, and at most \(limit) are stored for a "
                    + "repeat; nothing was changed. Ask for a short one with 'Prefer: return=minimal', "
                    + "or make several requests.")
        }
        var counters = try recordCounters()
        // One that is too old makes way for the new one.
        try dropRecord(id, &counters)
        let record = IdempotencyRecord(
            number: counters.next, seconds: now.seconds, payload: payload)
        let key = keyBuffer.making { StoreKey.appendRecord(id, to: $0) }
        let bytes = rowBuffer.making { record.append(to: $0) }
        counters.byteCount += IdempotencyRecord.byteCount(ofValue: bytes.count)
        overlay.put(key, bytes)
        let numberKey = keyBuffer.making {
            StoreKey.appendRecordNumber(counters.next, to: $0)
        }
        id.withUnsafeBytes { _ = overlay.put(numberKey, $0) }
        counters.next += 1
        try trimRecords(&counters)
        StoreKey.recordCounters.withUnsafeBytes { key in
            _ = overlay.put(key, rowBuffer.making { counters.append(to: $0) })
        }
        changesUnversioned = true
    }

    private func recordCounters() throws(StoreError) -> IdempotencyCounters {
        let key = keyBuffer.making { $0.append(StoreKey.recordCounters) }
        guard let bytes = try value(key) else { return IdempotencyCounters() }
        guard let counters = IdempotencyCounters(bytes) else {
            throw .storage(StorageError(.corrupted, operation: "read idempotency records"))
        }
        return counters
    }

    /// Drops records from the oldest on: all for which there is no room, and some that are too old.
    private func trimRecords(_ counters: inout IdempotencyCounters) throws(StoreError) {
        // Each write drops more than it adds, so that those that are too old get fewer.
        var oldCount = 8
        while counters.first < counters.next {
            let numberKey = keyBuffer.making {
                StoreKey.appendRecordNumber(counters.first, to: $0)
            }
            guard let found = try value(numberKey) else {
                // It has made way for a new one under the same identifier.
                counters.first += 1
                continue
            }
            let id = Array(found)
            if counters.byteCount <= UInt64(idempotency.byteCountMax) {
                let key = keyBuffer.making { StoreKey.appendRecord(id, to: $0) }
                guard oldCount > 0, let bytes = try value(key),
                    let header = IdempotencyRecord.header(bytes),
                    header.seconds + Int64(idempotency.retentionSeconds) <= now.seconds
                else { return }
                oldCount -= 1
            }
            try dropRecord(id, &counters)
            counters.first += 1
        }
    }

    private func dropRecord(_ id: [UInt8], _ counters: inout IdempotencyCounters) throws(StoreError)
    {
        let key = keyBuffer.making { StoreKey.appendRecord(id, to: $0) }
        guard let bytes = try value(key), let header = IdempotencyRecord.header(bytes) else {
            return
        }
        counters.byteCount -= min(
            counters.byteCount, IdempotencyRecord.byteCount(ofValue: bytes.count))
        overlay.remove(key)
        let numberKey = keyBuffer.making {
            StoreKey.appendRecordNumber(header.number, to: $0)
        }
        overlay.remove(numberKey)
    }
}

extension IdempotencyRecord {
    /// Reads a stored record; nil when it is too old.
    static func valid(
        _ bytes: UnsafeRawBufferPointer, at seconds: Int64, _ limits: IdempotencyLimits
    ) throws(StoreError) -> IdempotencyRecord? {
        guard let record = IdempotencyRecord(bytes) else {
            throw .storage(StorageError(.corrupted, operation: "read idempotency record"))
        }
        return record.seconds + Int64(limits.retentionSeconds) > seconds ? record : nil
    }
}
