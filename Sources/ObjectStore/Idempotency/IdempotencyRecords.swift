import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows
import HoldfastStorage

/// The stored replies to writes with an idempotency key, as a transaction reads and changes them.
package struct IdempotencyRecords {
    private let group: CommitGroup
    private let now: Timestamp
    /// How long and in how much room replies are kept.
    private let limits: IdempotencyLimits
    /// Whether the transaction has stored a reply.
    private(set) var isChanged = false

    init(_ group: CommitGroup, at now: Timestamp, _ limits: IdempotencyLimits) {
        self.group = group
        self.now = now
        self.limits = limits
    }

    /// Begins the next transaction.
    mutating func begin() { isChanged = false }

    /// The record under an identifier, if it is not too old.
    package func record(_ id: [UInt8]) throws(StoreError) -> IdempotencyRecord? {
        let key = group.keyBuffer.making { StoreKey.appendRecord(id, to: $0) }
        guard let bytes = try group.value(key) else { return nil }
        return try IdempotencyRecord.valid(bytes, at: now.seconds, limits)
    }

    /// Stores the reply to the transaction under an identifier, and drops the oldest records that are too
    /// old or for which there is no room. It is stored even if the transaction changes nothing else.
    ///
    /// Cost: three changes, and two for each record that goes.
    /// - Throws: ``StoreError`` `.tooLarge` for a reply of more bytes than one may have.
    package mutating func add(_ payload: [UInt8], as id: [UInt8]) throws(StoreError) {
        let limit = min(limits.recordByteCountMax, group.valueByteCountMax - 64)
        guard payload.count <= limit else {
            throw .tooLarge(
                detail:
                    "The reply takes \(payload.count) bytes, and at most \(limit) are stored for a "
                    + "repeat; nothing was changed. Ask for a short one with 'Prefer: return=minimal', "
                    + "or make several requests.")
        }
        let overlay = group.overlay
        var counters = try counters()
        // One that is too old makes way for the new one.
        try drop(id, &counters)
        let record = IdempotencyRecord(
            number: counters.next, seconds: now.seconds, payload: payload)
        let key = group.keyBuffer.making { StoreKey.appendRecord(id, to: $0) }
        let bytes = group.rowBuffer.making { record.append(to: $0) }
        counters.byteCount += IdempotencyRecord.byteCount(ofValue: bytes.count)
        overlay.put(key, bytes)
        let numberKey = group.keyBuffer.making {
            StoreKey.appendRecordNumber(counters.next, to: $0)
        }
        id.withUnsafeBytes { _ = overlay.put(numberKey, $0) }
        counters.next += 1
        try trim(&counters)
        StoreKey.recordCounters.withUnsafeBytes { key in
            _ = overlay.put(key, group.rowBuffer.making { counters.append(to: $0) })
        }
        isChanged = true
    }

    private func counters() throws(StoreError) -> IdempotencyCounters {
        let key = group.keyBuffer.making { $0.append(StoreKey.recordCounters) }
        guard let bytes = try group.value(key) else { return IdempotencyCounters() }
        guard let counters = IdempotencyCounters(bytes) else {
            throw .storage(StorageError(.corrupted, operation: "read idempotency records"))
        }
        return counters
    }

    /// Drops records from the oldest on: all for which there is no room, and some that are too old.
    private func trim(_ counters: inout IdempotencyCounters) throws(StoreError) {
        // Each write drops more than it adds, so that those that are too old get fewer.
        var oldCount = 8
        while counters.first < counters.next {
            let numberKey = group.keyBuffer.making {
                StoreKey.appendRecordNumber(counters.first, to: $0)
            }
            guard let found = try group.value(numberKey) else {
                // It has made way for a new one under the same identifier.
                counters.first += 1
                continue
            }
            let id = Array(found)
            if counters.byteCount <= UInt64(limits.byteCountMax) {
                let key = group.keyBuffer.making { StoreKey.appendRecord(id, to: $0) }
                guard oldCount > 0, let bytes = try group.value(key),
                    let header = IdempotencyRecord.header(bytes),
                    header.seconds + Int64(limits.retentionSeconds) <= now.seconds
                else { return }
                oldCount -= 1
            }
            try drop(id, &counters)
            counters.first += 1
        }
    }

    private func drop(
        _ id: [UInt8], _ counters: inout IdempotencyCounters
    ) throws(StoreError) {
        let key = group.keyBuffer.making { StoreKey.appendRecord(id, to: $0) }
        guard let bytes = try group.value(key), let header = IdempotencyRecord.header(bytes) else {
            return
        }
        counters.byteCount -= min(
            counters.byteCount, IdempotencyRecord.byteCount(ofValue: bytes.count))
        group.overlay.remove(key)
        let numberKey = group.keyBuffer.making {
            StoreKey.appendRecordNumber(header.number, to: $0)
        }
        group.overlay.remove(numberKey)
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
