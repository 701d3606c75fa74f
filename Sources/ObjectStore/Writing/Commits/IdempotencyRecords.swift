import HoldfastObjectModel
import HoldfastRows
import HoldfastStorage

/// The stored replies to writes with an idempotency key, as a transaction reads and changes them.
package struct IdempotencyRecords {
    private let group: CommitGroup
    private let now: Timestamp
    /// The limits on the time and the space for which replies are kept.
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

    /// Stores the reply to the transaction under an identifier, and removes some of the oldest records that have expired. The
    /// reply is stored even if the transaction changes nothing else.
    ///
    /// Cost: three changes, and two for each share; as many for each removed record.
    ///
    /// - `owner`: The principal that the record is counted for.
    /// - Throws: ``StoreError`` `.tooLarge` for a reply of more bytes than one may have, `.noIdempotencyRoom` if there is no room
    ///   for it: records that have an owner are never removed before their time.
    package mutating func add(
        _ payload: [UInt8], as id: [UInt8], of owner: IdempotencyOwner = .nobody
    ) throws(StoreError) {
        let byteCount = IdempotencyRecord.byteCount(
            ofValue: IdempotencyRecord.headerByteCount + payload.count)
        let smallest = owner.rooms.map { limits.byteCountMax(in: $0.room, of: owner) }.min() ?? 0
        let limit = min(limits.recordByteCountMax, group.valueByteCountMax - 64)
        guard payload.count <= limit, byteCount <= smallest else {
            let room = Int(smallest) - Int(byteCount) + payload.count
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
        try makeRoom(for: byteCount, of: owner, &counters)
        let record = IdempotencyRecord(
            number: counters.next, seconds: now.seconds, payload: payload)
        let key = group.keyBuffer.making { StoreKey.appendRecord(id, to: $0) }
        overlay.put(key, group.rowBuffer.making { record.append(to: $0) })
        let numberKey = group.keyBuffer.making {
            StoreKey.appendRecordNumber(counters.next, to: $0)
        }
        let number = IdempotencyNumber(id: id, owner: owner)
        overlay.put(numberKey, group.rowBuffer.making { number.append(to: $0) })
        for share in owner.shares {
            let orderKey = group.keyBuffer.making {
                StoreKey.appendRecordOrder(share, counters.next, to: $0)
            }
            overlay.put(orderKey, group.rowBuffer.making { _ in })
            try setByteCount(of: share, self.byteCount(of: share) + byteCount)
        }
        counters.byteCount += byteCount
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

    /// Expired records that a new one removes although there is room, so that old ones get fewer.
    private static let droppedCountMax = 8

    /// A record as its number leads to it.
    private struct Found {
        let id: [UInt8]
        let owner: IdempotencyOwner
        /// The time at which it expires, in seconds since 1970.
        let end: Int64
    }

    /// Removes the oldest records as far as they have expired: some, and as many more as a new record needs room.
    private func makeRoom(
        for byteCount: UInt64, of owner: IdempotencyOwner, _ counters: inout IdempotencyCounters
    ) throws(StoreError) {
        var droppedCount = 0
        while let oldestOfAll = try oldest(&counters) {
            let full = try fullRooms(for: byteCount, of: owner, counters)
            // A share that is full leads to its own oldest record, and not past all records of others.
            let oldest = try full.lazy.compactMap(\.share).first.map(oldest(of:)) ?? oldestOfAll
            let hasExpired = oldest.end <= now.seconds
            if full.isEmpty, !hasExpired || droppedCount == Self.droppedCountMax { return }
            // Records of stores before format 8 have no owner. The oldest of them makes way, as it did then.
            let makesWay =
                oldest.owner == .nobody && owner != .nobody && full.allSatisfy { $0.share == nil }
            guard hasExpired || makesWay else { throw try refusal(by: full, oldestOfAll) }
            try drop(oldest.id, &counters)
            droppedCount += 1
        }
    }

    /// The rooms of an owner in which a new record does not fit.
    private func fullRooms(
        for byteCount: UInt64, of owner: IdempotencyOwner, _ counters: IdempotencyCounters
    ) throws(StoreError) -> [(room: IdempotencyRoom, share: UInt64?)] {
        var full: [(room: IdempotencyRoom, share: UInt64?)] = []
        for (room, share) in owner.rooms {
            let used = try share.map(self.byteCount(of:)) ?? counters.byteCount
            if used + byteCount > limits.byteCountMax(in: room, of: owner) {
                full.append((room, share))
            }
        }
        return full
    }

    /// The refusal of a new record. Each of the rooms that are full has to lose its oldest record first.
    private func refusal(
        by full: [(room: IdempotencyRoom, share: UInt64?)], _ oldest: Found
    ) throws(StoreError) -> StoreError {
        var refusal = (room: IdempotencyRoom.store, end: Int64.min)
        for (room, share) in full {
            let end = try share.map(self.oldest(of:)).map(\.end) ?? oldest.end
            if end > refusal.end { refusal = (room, end) }
        }
        return .noIdempotencyRoom(refusal.room, seconds: Int(clamping: refusal.end - now.seconds))
    }

    /// The oldest record of a share that has records. Cost: a search.
    private func oldest(of share: UInt64) throws(StoreError) -> Found {
        let prefix = Array(group.keyBuffer.making { StoreKey.appendRecordOrder(share, to: $0) })
        var number: UInt64?
        try group.scan(KeyRange(prefix: prefix), expecting: 1) { key, _ in
            number = StoreKey.trailingObjectKey(key)
            return false
        }
        guard let number, let found = try record(number) else { throw Self.damaged }
        return found
    }

    /// The oldest record; nil without any.
    private func oldest(_ counters: inout IdempotencyCounters) throws(StoreError) -> Found? {
        while counters.first < counters.next {
            if let found = try record(counters.first) { return found }
            // The record was removed, or replaced by a new one with the same identifier.
            counters.first += 1
        }
        return nil
    }

    /// The record of a number; nil if it was removed.
    private func record(_ number: UInt64) throws(StoreError) -> Found? {
        let numberKey = group.keyBuffer.making { StoreKey.appendRecordNumber(number, to: $0) }
        guard let entry = try group.value(numberKey) else { return nil }
        guard let number = IdempotencyNumber(entry) else { throw Self.damaged }
        let key = group.keyBuffer.making { StoreKey.appendRecord(number.id, to: $0) }
        guard let bytes = try group.value(key), let header = IdempotencyRecord.header(bytes)
        else { throw Self.damaged }
        return Found(
            id: number.id, owner: number.owner,
            end: header.seconds + Int64(limits.retentionSeconds))
    }

    private func drop(_ id: [UInt8], _ counters: inout IdempotencyCounters) throws(StoreError) {
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
        let owner = try group.value(numberKey).flatMap { IdempotencyNumber($0) }?.owner ?? .nobody
        group.overlay.remove(numberKey)
        for share in owner.shares {
            group.overlay.remove(
                group.keyBuffer.making { StoreKey.appendRecordOrder(share, header.number, to: $0) })
            let former = try self.byteCount(of: share)
            try setByteCount(of: share, former - min(former, byteCount))
        }
    }

    /// The bytes of a share's records.
    private func byteCount(of share: UInt64) throws(StoreError) -> UInt64 {
        let key = group.keyBuffer.making { StoreKey.appendRecordShare(share, to: $0) }
        guard let bytes = try group.value(key) else { return 0 }
        guard bytes.count == 8 else { throw Self.damaged }
        return bytes.loadUnaligned(as: UInt64.self)
    }

    private func setByteCount(of share: UInt64, _ byteCount: UInt64) throws(StoreError) {
        let key = group.keyBuffer.making { StoreKey.appendRecordShare(share, to: $0) }
        if byteCount == 0 {
            group.overlay.remove(key)
        } else {
            group.overlay.put(key, group.rowBuffer.making { $0.append(little: byteCount) })
        }
    }
}

extension IdempotencyRecord {
    /// Reads a stored record; nil if it is too old.
    static func valid(
        _ bytes: UnsafeRawBufferPointer, at seconds: Int64, _ limits: IdempotencyLimits
    ) throws(StoreError) -> IdempotencyRecord? {
        guard let record = IdempotencyRecord(bytes) else {
            throw .storage(StorageError(.corrupted, operation: "read idempotency record"))
        }
        return record.seconds + Int64(limits.retentionSeconds) > seconds ? record : nil
    }
}
