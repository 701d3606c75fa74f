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

    /// Stores the reply to the transaction under an identifier, and removes some of the oldest records that have expired. The reply is stored even
    /// if the transaction changes nothing else.
    ///
    /// Cost: four changes, and three for each removed record.
    ///
    /// - `owner`: The principal that the record is counted for.
    /// - Throws: ``StoreError`` `.tooLarge` for a reply of more bytes than one may have, `.noIdempotencyRoom` if there is no room
    ///   for it: records that have an owner are never removed before their time.
    package mutating func add(
        _ payload: [UInt8], as id: [UInt8], of owner: IdempotencyOwner = .nobody
    ) throws(StoreError) {
        let byteCount = IdempotencyRecord.byteCount(
            ofValue: IdempotencyRecord.headerByteCount + payload.count)
        let share = UInt64(limits.shareByteCount(of: owner))
        let limit = min(limits.recordByteCountMax, group.valueByteCountMax - 64)
        guard payload.count <= limit, byteCount <= share else {
            let room = Int(share) - Int(byteCount) + payload.count
            throw .tooLarge(
                detail:
                    "The reply takes \(payload.count) bytes, and at most \(max(0, min(limit, room))) are stored for a "
                    + "repeat; nothing was changed. Ask for a short one with 'Prefer: return=minimal', "
                    + "or make several requests.")
        }
        let overlay = group.overlay
        var counters = try counters()
        // One that is too old makes way for the new one.
        try drop(id, &counters)
        try makeRoom(for: byteCount, of: owner, share: share, &counters)
        let record = IdempotencyRecord(
            number: counters.next, seconds: now.seconds, payload: payload)
        let key = group.keyBuffer.making { StoreKey.appendRecord(id, to: $0) }
        counters.byteCount += byteCount
        overlay.put(key, group.rowBuffer.making { record.append(to: $0) })
        let numberKey = group.keyBuffer.making {
            StoreKey.appendRecordNumber(counters.next, to: $0)
        }
        let number = IdempotencyNumber(id: id, owner: owner.number)
        overlay.put(numberKey, group.rowBuffer.making { number.append(to: $0) })
        try changeShare(of: owner.number) { $0 + byteCount }
        counters.next += 1
        StoreKey.recordCounters.withUnsafeBytes { key in
            _ = overlay.put(key, group.rowBuffer.making { counters.append(to: $0) })
        }
        isChanged = true
    }

    private func counters() throws(StoreError) -> IdempotencyCounters {
        let key = group.keyBuffer.making { $0.append(StoreKey.recordCounters) }
        guard let bytes = try group.value(key) else { return IdempotencyCounters() }
        guard let counters = IdempotencyCounters(bytes) else { throw Self.damaged }
        return counters
    }

    private static let damaged = StoreError.storage(
        StorageError(.corrupted, operation: "read idempotency records"))

    // MARK: Room

    /// Removes expired records: some, and as many more as a new record needs room.
    ///
    /// - `share`: The bytes for all records of the owner.
    private func makeRoom(
        for byteCount: UInt64, of owner: IdempotencyOwner, share: UInt64,
        _ counters: inout IdempotencyCounters
    ) throws(StoreError) {
        // Each write drops more records than it adds, so that old ones get fewer. Records without an owner beside those of principals are
        // from before format 8, when the oldest record made way.
        var oldest = try dropOld(&counters, countMax: 8)
        while true {
            let isShareFull = try self.share(of: owner.number) + byteCount > share
            guard isShareFull || counters.byteCount + byteCount > UInt64(limits.byteCountMax)
            else { return }
            if let oldest {
                let first = counters.first
                if !isShareFull, owner.number != 0 {
                    _ = try dropOld(&counters, countMax: 1, dropsUnowned: true)
                    if counters.first > first { continue }
                }
                throw .noIdempotencyRoom(
                    isShare: isShareFull,
                    seconds: Int(clamping: oldest + Int64(limits.retentionSeconds) - now.seconds))
            }
            if counters.first == counters.next { return }
            oldest = try dropOld(&counters, countMax: 64)
        }
    }

    /// Drops records that are too old, from the oldest on.
    ///
    /// - `dropsUnowned`: Whether records without an owner are dropped before their time.
    /// - Returns: When the oldest was stored that is left, if it is not too old.
    private func dropOld(
        _ counters: inout IdempotencyCounters, countMax: Int, dropsUnowned: Bool = false
    ) throws(StoreError) -> Int64? {
        var count = 0
        while counters.first < counters.next, count < countMax {
            let numberKey = group.keyBuffer.making {
                StoreKey.appendRecordNumber(counters.first, to: $0)
            }
            // Without an entry, the record was replaced by a new record with the same identifier.
            if let found = try group.value(numberKey) {
                guard let number = IdempotencyNumber(found) else { throw Self.damaged }
                let key = group.keyBuffer.making { StoreKey.appendRecord(number.id, to: $0) }
                guard let bytes = try group.value(key),
                    let header = IdempotencyRecord.header(bytes)
                else { throw Self.damaged }
                let isDropped = dropsUnowned && number.owner == 0
                if !isDropped, header.seconds + Int64(limits.retentionSeconds) > now.seconds {
                    return header.seconds
                }
                try drop(number.id, &counters)
                count += 1
            }
            counters.first += 1
        }
        return nil
    }

    private func drop(
        _ id: [UInt8], _ counters: inout IdempotencyCounters
    ) throws(StoreError) {
        let key = group.keyBuffer.making { StoreKey.appendRecord(id, to: $0) }
        guard let bytes = try group.value(key), let header = IdempotencyRecord.header(bytes) else {
            return
        }
        let byteCount = IdempotencyRecord.byteCount(ofValue: bytes.count)
        counters.byteCount -= min(counters.byteCount, byteCount)
        group.overlay.remove(key)
        let numberKey = group.keyBuffer.making {
            StoreKey.appendRecordNumber(header.number, to: $0)
        }
        let owner = try group.value(numberKey).flatMap { IdempotencyNumber($0) }?.owner ?? 0
        group.overlay.remove(
            group.keyBuffer.making { StoreKey.appendRecordNumber(header.number, to: $0) })
        try changeShare(of: owner) { $0 - min($0, byteCount) }
    }

    /// The bytes of a principal's records.
    private func share(of owner: UInt64) throws(StoreError) -> UInt64 {
        let key = group.keyBuffer.making { StoreKey.appendRecordShare(owner, to: $0) }
        guard let bytes = try group.value(key) else { return 0 }
        guard bytes.count == 8 else { throw Self.damaged }
        return bytes.loadUnaligned(as: UInt64.self)
    }

    private func changeShare(
        of owner: UInt64, _ change: (UInt64) -> UInt64
    ) throws(StoreError) {
        // Records without an owner are either all of the records, or have an earlier format.
        if owner == 0 { return }
        let byteCount = change(try share(of: owner))
        let key = group.keyBuffer.making { StoreKey.appendRecordShare(owner, to: $0) }
        if byteCount == 0 {
            group.overlay.remove(key)
        } else {
            group.overlay.put(key, group.rowBuffer.making { $0.append(little: byteCount) })
        }
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
